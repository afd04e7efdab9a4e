"""The receipt of a decision: how far it has come, and whether what ran is what was approved."""

from __future__ import annotations

from dalhc import clock
from processes.models import Decision, Event
from tests.making import append, decide, make_process, principal_actor, resume

CALL = {"tool": "delete", "args": {"limit": 5}}


def page(client, made):
    return client.get(f"/processes/{made.id}/").content.decode()


def poll(client, made, panel):
    revision = made.row.host.revision
    return client.get(f"/processes/{made.id}/since/{revision}/?panel={panel}&steps=0")


def approved(action="approve", **content):
    made = make_process(reason="guard", proposed_action=CALL)
    decide(made, action, **content)
    resume(made)
    return made


def test_b2_a_decision_nobody_picks_up_says_so_and_is_rung_again(principal):
    made = make_process(question="Which?")
    decide(made, by=principal_actor("principal"), answer="eu")
    shown = f"decided.{made.suspension_id}"
    assert "Ring again" not in page(principal, made)
    assert poll(principal, made, shown).status_code == 204
    with clock.at(Decision.objects.get().at_ms + 60_001):
        late = poll(principal, made, shown)
        assert "has not picked this up for" in late.content.decode()
        assert poll(principal, made, f"{shown}.late").status_code == 204
        assert "Ring again" in page(principal, made)
    sent = {"suspension_id": made.suspension_id}
    assert principal.post(f"/processes/{made.id}/decision/ring/", sent).status_code == 303
    assert Event.objects.of(made.id).last().kind == "ring"


def test_a_reviewer_cannot_ring(reviewer):
    made = make_process(question="Which?")
    decide(made, answer="eu")
    with clock.at(Decision.objects.get().at_ms + 60_001):
        assert "Ring again" not in page(reviewer, made)
    sent = {"suspension_id": made.suspension_id}
    assert reviewer.post(f"/processes/{made.id}/decision/ring/", sent).status_code == 403


def test_b86_what_ran_as_approved_says_so(principal):
    made = approved()
    append(made, **CALL)
    assert "ran as approved" in page(principal, made)


def test_b86_what_ran_instead_stands_in_red(principal):
    made = approved()
    append(made, tool="drop")
    said = page(principal, made)
    assert "It ran something else than was approved: drop" in said
    assert "ran as approved" not in said


def test_b89_the_call_as_it_was_before_an_edit_is_named(principal):
    made = approved("edit", args='{"limit":3}')
    append(made, **CALL)
    assert "It ran the call as it was before the change." in page(principal, made)
