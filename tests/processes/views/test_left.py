"""Text whose question went away is shown to its writer, until it is not needed any more."""

from __future__ import annotations

import pytest

from processes import services
from processes.journal.commands import Stop
from tests.making import decide, make_process, principal_actor, resume, suspend
from tests.processes.views.test_edit import ARGS, untouched


def typed(client, made, action="answer", **fields):
    sent = {"suspension_id": made.suspension_id, "action": action, "typed_at": "5", **fields}
    assert client.post(f"/processes/{made.id}/draft/", sent).status_code == 204


def seen(client, made):
    return client.get(f"/processes/{made.id}/").content.decode()


def decided(made):
    decide(made, answer="us", by=principal_actor("ana"))


def running(made):
    decided(made)
    resume(made)


def asked_again(made):
    running(made)
    suspend(made, question="And now?")


def ended(made):
    services.stop(made.id, Stop(note="Enough."), by=principal_actor("ana"))


@pytest.mark.parametrize(
    ("goes_away", "why"),
    [
        (decided, "Someone else decided"),
        (running, "Someone else decided"),
        (asked_again, "Someone else decided"),
        (ended, "The process ended"),
    ],
)
def test_it_stands_on_the_page_whatever_became_of_it(principal, ana, goes_away, why):
    made = make_process(question="Which region, please?")
    typed(principal, made, answer="eu, bec")
    assert "it was not sent" not in seen(principal, made)
    goes_away(made)
    said = seen(principal, made)
    assert f"{why}; you had typed this, and it was not sent." in said
    assert "\neu, bec</textarea>" in said and "Which region, please?" in said
    assert "eu, bec" not in seen(ana, made)
    away = {"suspension_id": made.suspension_id}
    assert principal.post(f"/processes/{made.id}/draft/forget/", away).status_code == 303
    assert "eu, bec" not in seen(principal, made)


def test_what_was_sent_or_is_empty_is_not_left(principal):
    made = make_process(question="Which?")
    typed(principal, made, answer="eu")
    decide(made, answer="eu", by=principal_actor("principal"))
    assert "it was not sent" not in seen(principal, made)
    other = make_process(question="Which?")
    typed(principal, other, answer="")
    ended(other)
    assert "it was not sent" not in seen(principal, other)


def test_an_edit_and_a_typed_answer_are_left_in_words(principal):
    made = make_process(reason="guard", proposed_action={"tool": "del", "args": ARGS})
    typed(principal, made, "edit", **untouched(f2="500"))
    ended(made)
    assert "&quot;limit&quot;: 500," in seen(principal, made)
    schema = {"type": "object", "properties": {"region": {"type": "string", "title": "Region"}}}
    asked = make_process(question="How?", response_schema=schema)
    typed(principal, asked, f0="eu")
    ended(asked)
    assert "\nRegion: eu</textarea>" in seen(principal, asked)


def test_a_note_hides_no_edit_and_a_faulty_field_is_left_as_it_was_typed(principal):
    made = make_process(reason="guard", proposed_action={"tool": "del", "args": ARGS})
    typed(principal, made, "edit", note="because", **untouched(f2="5x0"))
    ended(made)
    said = seen(principal, made)
    assert "\nbecause\n{" in said and "\nlimit: 5x0</textarea>" in said


def test_one_is_forgotten_and_another_stays(principal):
    made = make_process(question="Which?")
    typed(principal, made, answer="eu, bec")
    typed(principal, made, "decline", note="not mine")
    ended(made)
    away = {"suspension_id": made.suspension_id, "action": "decline"}
    assert principal.post(f"/processes/{made.id}/draft/forget/", away).status_code == 303
    said = seen(principal, made)
    assert "not mine" not in said and "eu, bec" in said
