"""A caller's trace on the events it makes, chained like everything else."""

from __future__ import annotations

import dataclasses
import json

import pytest

from processes import services
from processes.journal.commands import AppendStep, Complete
from processes.models import Event
from processes.store import trace
from tests.chain import assert_chain
from tests.making import append, make_process

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.mark.parametrize("header", [TRACE, TRACE.replace("00-", "cc-", 1)])
def test_a_traceparent_is_taken_as_it_is(header):
    assert trace.read(header) == header


@pytest.mark.parametrize(
    "header",
    [
        "", "x", TRACE.upper(), TRACE + "-extra", TRACE.replace("00-", "ff-", 1), TRACE + "\n",
        f"00-{'0' * 32}-00f067aa0ba902b7-01", f"00-{'a' * 32}-{'0' * 16}-01", '"},"x":{"',
    ],
)  # fmt: skip
def test_an_odd_one_is_ignored_as_the_standard_says(header):
    assert trace.read(header) is None


@pytest.mark.django_db
def test_events_carry_the_trace_of_their_caller_and_no_others():
    made = make_process(id="a", running=True)
    by = dataclasses.replace(made.by, trace=TRACE)
    command = AppendStep.model_validate({"tool": "run", "args": {}, "success": True})
    services.append("a", [command], by=by)
    append(made, args={"n": 2})
    services.complete("a", Complete(), by=by)
    told = [json.loads(event.data).get("trace") for event in Event.objects.order_by("seq")]
    assert told == [None, None, TRACE, None, TRACE]
    assert_chain("a")


@pytest.mark.django_db
def test_a_failed_verb_leaves_no_trace_behind():
    made = make_process(id="a", ended="completed")
    by = dataclasses.replace(made.by, trace=TRACE)
    with pytest.raises(services.Forbidden):
        services.stop("a", None, by=by)  # type: ignore[arg-type]
    assert trace.current.get() is None
