"""Boundaries that must stay true, as far as they are built (contract §5, B)."""

from __future__ import annotations

import json

import pytest
from django.apps import apps

from processes import services
from processes.journal.record import ProcessRecord
from processes.models import Decision, Event
from tests.making import append, decide, make_process, principal_actor, resume, suspend

pytestmark = pytest.mark.django_db


def test_B02_a_record_has_no_priority_and_nothing_that_schedules():
    words = " ".join(ProcessRecord.model_fields)
    assert not any(
        word in words for word in ("priority", "schedule", "run_at", "queue", "due_at")
    )
    assert "objective_due_bucket" in words  # opaque text of the host, never read


def test_B03_the_record_never_opens_an_artifact():
    """A path in a step names nothing on this server, and that is no error."""
    made = make_process(running=True)
    append(made, artifacts=["not/here.txt"])
    assert made.record.steps[0].artifacts == ("not/here.txt",)


def test_B06_a_decision_changes_no_meaning_of_a_record():
    """The same life, one bare and one with all the host adds, is the same journal."""
    bare, hosted = (
        make_process(running=True, id="bare"),
        make_process(running=True, id="hosted"),
    )
    for made in (bare, hosted):
        append(made, args={"n": 1})
    hosted = suspend(hosted, question="Which?", detail="more", options=["eu"], ask_key="q")
    decide(hosted, answer="eu")
    services.take_back(hosted.suspension_id, by=principal_actor())
    decide(hosted, answer="eu")
    resume(hosted)
    services.ack(hosted.suspension_id, by=hosted.by)
    bare = suspend(bare, question="Which?")
    decide(bare, answer="eu")
    resume(bare)
    journals = []
    for made in (bare, hosted):
        told = json.loads(services.journal_text(made.id, principal_actor()))
        journals.append(
            {k: v for k, v in told.items() if k not in {"id", "created_at_ms", "updated_at_ms"}}
        )
    assert journals[0] == journals[1]


def test_B07_everything_that_waits_for_a_person_stands_in_the_queue_oldest_first(person):
    make_process()
    make_process(running=True)
    make_process(ended="completed")
    waiting = [
        make_process(question="Which?"), make_process(reason="guard"),
        make_process(reason="unverified"), make_process(reason="step_budget"),
        make_process(reason="wall_clock"),
    ]  # fmt: skip
    listed = person.get("/suspensions", count="true")
    assert [one["id"] for one in listed["results"]] == [made.suspension_id for made in waiting]
    assert {one["reason"] for one in listed["results"]} == {
        "ask_user", "guard", "unverified", "step_budget", "wall_clock",
    }  # fmt: skip
    decide(waiting[0], answer="eu")
    decide(waiting[1], "stop", note="no")
    resume(waiting[3])
    left = person.get("/suspensions")["results"]
    assert [one["id"] for one in left] == [waiting[2].suspension_id, waiting[4].suspension_id]


@pytest.mark.parametrize("reason", ["guard", "unverified"])
def test_B08_what_is_held_resumes_when_approved_and_fails_when_stopped_and_both_are_audited(
    reason, person, runtime
):
    for action, state in (("approve", "running"), ("stop", "failed")):
        made = make_process(reason=reason)
        path = f"/processes/{made.id}/resume"
        assert runtime.code(409, path, {}) == "approval_required"
        stop = person.get(f"/suspensions/{made.suspension_id}")
        body = {
            "action": action,
            "note": "looked at it",
            "review_digest": stop["review_digest"],
        }
        person.post(f"/suspensions/{made.suspension_id}/decision", body)
        told = runtime.post(path, {})
        assert told["result"] == ("continue" if action == "approve" else "terminal")
        assert made.record.state == state
        decision = Decision.objects.get(suspension_id=made.suspension_id)
        assert (decision.by, decision.note) == ("principal:mia", "looked at it")
        by = (
            Event.objects.of(made.id)
            .filter(actor="principal:mia")
            .values_list("kind", flat=True)
        )
        assert list(by) == ["decide" if action == "approve" else "finish"]


def test_B11_progress_interruption_retry_and_uncertainty_are_all_visible(person, runtime):
    made = make_process(running=True)
    append(made, success=False, result_digest="timed out")
    append(made)
    runtime.post(f"/processes/{made.id}/steps", {"tool": "run", "args": {}, "success": True})
    made = suspend(made, reason="unverified", detail="the sum differs")
    told = person.get(f"/processes/{made.id}")
    assert (told["steps_used"], told["suspend_reason"], told["held"]) == (2, "unverified", True)
    steps = person.get(f"/processes/{made.id}/steps")["results"]
    assert [(step["success"], step["skips"]) for step in steps] == [(False, 0), (True, 1)]
    assert steps[0]["result_digest"] == "timed out"
    stop = person.get(f"/suspensions/{made.suspension_id}")
    assert (stop["reason"], stop["detail"]) == ("unverified", "the sum differs")
    events = person.get(f"/processes/{made.id}/events")["results"]
    assert [event["kind"] for event in events] == [
        "open", "resume", "step", "step", "suspend",
    ]  # fmt: skip


def test_B05_nothing_of_the_host_is_in_the_journal():
    """Decisions, leases, keys and artifacts are tables of their own."""
    host = {model._meta.model_name for model in apps.get_app_config("processes").get_models()}
    assert {"decision", "suspension", "artifact", "runtimekey", "event"} <= host
    journal = json.loads(services.journal_text(make_process().id, principal_actor()))
    assert set(journal) == set(ProcessRecord.model_fields)
