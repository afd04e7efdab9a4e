"""A call is announced before it is made, and refused then if its step would be."""

from __future__ import annotations

import pytest

from processes import services
from processes.journal import errors
from processes.journal.canonical import canonical_args
from processes.journal.commands import BeginAttempt
from tests.making import Made, decide, make_process, resume

pytestmark = pytest.mark.django_db
CALL = {"tool": "rm", "args": {"path": "x"}}


def begin(made: Made, attempt_id: str = "first", **call):
    asked = CALL | call
    command = BeginAttempt(
        tool=asked["tool"],
        args=canonical_args(asked["args"]),
        effect="at_most_once",
        attempt_id=attempt_id,
    )
    return services.begin(made.id, command, by=made.by)


def held(action: str, *, strict: bool = False, **content) -> Made:
    made = make_process(reason="guard", proposed_action=CALL, strict=strict)
    decide(made, action, **content)
    resume(made)
    return made


def test_a_call_that_was_denied_is_refused_before_it_is_made():
    made = held("deny", note="no")
    with pytest.raises(errors.Denied):
        begin(made)
    assert "attempt" not in made.kinds
    begin(made, tool="ls")


def test_where_a_process_is_strict_no_other_call_is_begun_than_the_approved_one():
    made = held("approve", strict=True)
    with pytest.raises(errors.NotApproved):
        begin(made, tool="drop")
    assert "attempt" not in made.kinds
    assert begin(made).step is None


def test_a_second_attempt_is_refused_while_the_first_is_open():
    made = make_process(running=True)
    begin(made)
    assert begin(made).step is None  # the same attempt again
    with pytest.raises(errors.MayHaveRun):
        begin(made, "second")
    assert made.kinds.count("attempt") == 1
