"""Two runs side by side, aligned by the key of each call."""

from __future__ import annotations

import pytest

from processes.models import Process
from processes.shown import comparing
from processes.shown.comparing import aligned, compare, others
from tests.making import append, make_process

pytestmark = pytest.mark.django_db


def run(*calls: str, id: str, **metadata: str) -> Process:
    """Each call is `argument=result`."""
    made = make_process(id=id, running=True, metadata=metadata)
    for call in calls:
        args, _, result = call.partition("=")
        append(made, args={"n": args}, result_digest=result, success="!" not in result)
    return Process.objects.get(id=id)


def told(here: Process, there: Process) -> list[tuple[str, int | None, int | None]]:
    pairs = aligned(comparing._steps(here), comparing._steps(there))
    return [
        (pair.kind, pair.here and pair.here.seq, pair.there and pair.there.seq)
        for pair in pairs
    ]


def test_equal_runs_are_the_same_throughout():
    one, other = run("a=1", "b=2", id="x"), run("a=1", "b=2", id="y")
    assert told(one, other) == [("same", 1, 1), ("same", 2, 2)]


def test_every_kind_stands_where_it_happened():
    here, there = run("a=1", "n=1", "c=3", id="x"), run("a=1", "b=2", "c=4", "d=1", id="y")
    assert told(here, there) == [
        ("same", 1, 1), ("new", 2, None), ("missing", None, 2), ("different", 3, 3),
        ("missing", None, 4),
    ]  # fmt: skip


def test_another_order_is_no_difference():
    assert {
        kind for kind, *_ in told(run("a=1", "b=2", id="x"), run("b=2", "a=1", id="y"))
    } == {"same"}


def test_a_call_tried_several_times_is_paired_in_order():
    here, there = run("a=!1", "a=!2", "a=3", id="x"), run("a=!1", "a=3", id="y")
    assert told(here, there) == [("same", 1, 1), ("different", 2, 2), ("new", 3, None)]


def test_a_failure_and_a_success_differ():
    assert told(run("a=!", id="x"), run("a=", id="y"))[0][0] == "different"


def test_an_empty_run_lacks_everything():
    assert told(run(id="x"), run("a=1", id="y")) == [("missing", None, 1)]
    assert told(run("a=1", id="v"), run(id="w")) == [("new", 1, None)]


def test_a_page_of_one_kind(monkeypatch):
    monkeypatch.setattr(comparing, "LENGTH", 2)
    here, there = run("a", "b", "c", "d", id="x"), run("d", id="y")
    found = compare(here, there, "new", 0)
    assert [pair.step.seq for pair in found.pairs] == [1, 2] and found.more == 2
    rest = compare(here, there, "new", 2)
    assert [pair.step.seq for pair in rest.pairs] == [3] and rest.more is None
    assert {kind: count for kind, _, count in found.counts} == {
        "same": 1, "different": 0, "new": 3, "missing": 0,
    }  # fmt: skip


def test_only_the_beginning_of_a_long_run_is_compared_and_it_says_so(monkeypatch):
    monkeypatch.setattr(comparing, "MOST", 2)
    here, there = run("a", "b", "c", id="x"), run("a", id="y")
    assert not compare(here, there, "", 0).is_whole
    assert len(compare(here, there, "", 0).pairs) == 2


def test_other_runs_are_found_by_the_objectives_id_or_its_words():
    run(id="a", objective_id="tidy")
    run(id="b", objective_id="tidy")
    make_process(id="c", objective="Paint", agent="tidier")
    make_process(id="d", objective="Paint", agent="tidier")
    make_process(id="e", objective="Paint", agent="painter")
    process = {found.id: found for found in Process.objects.all()}
    assert [other.id for other in others(process["a"])] == ["b"]
    assert [other.id for other in others(process["c"])] == ["d"]
    assert others(process["e"]) == []
    assert compare(process["a"], process["b"], "", 0).is_same_objective
    assert not compare(process["a"], process["c"], "", 0).is_same_objective
