"""What was approved is what ran, or everybody sees that it was not."""

from __future__ import annotations

import pytest

from processes import services
from processes.journal import errors
from processes.journal.canonical import step_key
from processes.models import Event
from processes.services.verifying import verify_chains
from tests.making import append, decide, make_process, resume, suspend

pytestmark = pytest.mark.django_db
CALL = {"tool": "delete", "args": {"limit": 5, "table": "a"}}
EDITED = '{"limit":3,"table":"a"}'


def approved(action="approve", strict=False, **content):
    made = make_process(reason="guard", proposed_action=CALL, strict=strict)
    decide(made, action, **content)
    resume(made)
    return made


def ran(made):
    return made.stop.status, made.stop.used_step, made.stop.ran


def others(made):
    return [event.seq for event in Event.objects.of(made.id) if event.kind == "ran_other"]


def test_b86_the_approved_call_is_stamped():
    made = approved()
    append(made, **CALL)
    assert ran(made) == ("used", 1, "approved")
    assert others(made) == []


@pytest.mark.parametrize("call", [{"tool": "drop"}, {"args": {"limit": 6, "table": "a"}}])
def test_b86_another_call_is_stamped_and_is_an_event(call, django_db_blocker):
    made = approved()
    append(made, **(CALL | call))
    assert ran(made) == ("used", 1, "other")
    [seq] = others(made)
    assert seq == made.row.host.revision
    append(made, **CALL)
    assert ran(made) == ("used", 1, "other")


def test_the_log_still_verifies_after_such_an_event():
    from django.db import connection

    made = approved()
    services.append(
        made.id,
        [_step("other"), _step("more")],
        by=made.by,
    )
    append(made)

    def execute(statement):
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    assert verify_chains(execute) == 1
    assert len(others(made)) == 1


def test_b89_after_an_edit_the_unedited_call_is_another():
    made = approved("edit", args=EDITED)
    append(made, **CALL)
    assert ran(made) == ("used", 1, "other")
    made = approved("edit", args=EDITED)
    append(made, tool="delete", args=EDITED)
    assert ran(made) == ("used", 1, "approved")


def test_a_failed_try_of_the_approved_call_is_that_call():
    made = approved()
    append(made, **CALL, success=False)
    assert ran(made) == ("used", 1, "approved")


def test_strict_refuses_any_other_call_and_leaves_no_trace():
    made = approved(strict=True)
    before, events = made.columns, Event.objects.count()
    with pytest.raises(errors.NotApproved) as refused:
        append(made, tool="drop")
    key = step_key("delete", '{"limit":5,"table":"a"}')
    assert refused.value.current == {"suspension": made.suspension_id, "idempotency_key": key}
    assert (made.columns, Event.objects.count()) == (before, events)
    append(made, **CALL)
    append(made, tool="drop")
    assert ran(made) == ("used", 1, "approved")


def test_a_receipt_does_not_set_a_strict_process_free():
    made = approved(strict=True)
    services.ack(made.suspension_id, by=made.by)
    services.ack(made.suspension_id, by=made.by)
    assert made.stop.status == "used"
    with pytest.raises(errors.NotApproved):
        append(made, tool="drop")
    append(made, **CALL)
    assert ran(made) == ("used", 1, "approved")


def test_a_step_after_an_answer_or_a_denial_has_no_stamp():
    for action, content in (("deny", {"note": "no"}), ("answer", {"answer": "5 rows"})):
        made = approved(action, strict=True, **content)
        append(made, tool="other")
        assert ran(made) == ("used", 1, None)


def test_an_answer_in_the_tools_place_is_handed_over():
    made = make_process(reason="guard", proposed_action=CALL)
    decide(made, "answer", answer="There are no such rows.")
    decision = resume(made).decision
    assert (decision.action, decision.answer) == ("answer", "There are no such rows.")
    assert made.record.principal_answer is None


def test_the_digest_covers_the_action_and_whether_it_is_strict():
    seen = set()
    for strict, call in ((False, CALL), (True, CALL), (False, CALL | {"args": {}})):
        made = make_process(running=True)
        made = suspend(made, reason="guard", proposed_action=call, strict=strict)
        stop = made.stop
        stop.id, stop.process_id = "s", "p"
        seen.add(services.review_digest(stop))
    assert len(seen) == 3


def _step(tool):
    from processes.journal.commands import AppendStep

    return AppendStep(tool=tool, args={}, success=True)
