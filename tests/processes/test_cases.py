"""Cases from public reports that no single module answers for, each by its number."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest

from processes import services
from processes.journal import errors
from processes.journal.commands import Stop
from processes.models import Decision, Notice, Suspension
from processes.services import outbox
from tests.making import (
    admin_actor,
    append,
    choice,
    decide,
    make_process,
    principal_actor,
    resume,
)
from tests.processes.views.conftest import logged_in

pytestmark = pytest.mark.django_db
CALL = {"tool": "delete", "args": {"limit": 5}}


@pytest.fixture
def principal():
    return logged_in("principal", "principals")


def seen(client, made) -> str:
    page = client.get(f"/processes/{made.id}/")
    assert page.status_code == 200
    return page.content.decode()


def test_B13_a_link_outlives_the_key_it_was_made_under(principal, settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"webhook_hosts": ("hooks.example.com",)}
    )
    to = "https://hooks.example.com/x"
    outbox.add_recipient("webhook", to, ["waiting"], by=admin_actor())
    make_process(question="Which region?")
    link = urlsplit(json.loads(Notice.objects.get().body)["data"]["url"]).path
    settings.SECRET_KEY = "another one, since the first was lost"
    again = logged_in("ana", "principals")
    assert "Which region?" in again.get(link).content.decode()


def test_B17_a_decision_keeps_what_it_was_about(principal):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    made = make_process(question="How many?", response_schema=schema)
    shown = services.review_digest(made.stop)
    decide(made, answer='{"n": 3}')
    resume(made)
    append(made, tool="later")
    kept = Decision.objects.get()
    assert (kept.review_digest, services.review_digest(made.stop)) == (shown, shown)
    assert made.stop.response_schema and '"integer"' in made.stop.response_schema


def test_B28_approving_one_of_two_twins_leaves_the_other_open():
    twins = [make_process(reason="guard", proposed_action=CALL, strict=True) for _ in range(2)]
    decide(twins[0], "approve")
    assert [one.stop.status for one in twins] == ["answered", "open"]
    with pytest.raises(errors.ApprovalRequired):
        resume(twins[1])


def test_B29_a_question_outlives_the_key_of_its_agent(principal):
    key, secret = services.issue_key("tidier", agent="tidier", by=admin_actor())
    made = make_process(question="Which region?")
    assert "No key of tidier" not in seen(principal, made)
    services.revoke_key(key.id, by=admin_actor())
    assert "Which region?" in principal.get("/").content.decode()
    assert "No key of tidier is valid: nobody comes" in seen(principal, made)
    assert services.known_actor(secret) is None
    services.issue_key("again", agent="tidier", by=admin_actor())
    assert "No key of tidier" not in seen(principal, made)
    decide(made, answer="eu")
    assert made.stop.status == "answered"


def test_B35_an_answer_stays_with_its_process(principal):
    same = {"objective": "Tidy", "metadata": {"objective_id": "o-1"}}
    one, two = (make_process(question=f"Which, {n}?", **same) for n in "12")
    decide(one, answer="eu")
    resume(one)
    assert [turn.content for turn in one.record.turns] == ["Which, 1?", "eu"]
    assert two.record.turns == () and two.record.question == "Which, 2?"
    sent = {"suspension_id": two.suspension_id, "action": "answer", "answer": "us",
            "review_digest": services.review_digest(two.stop)}  # fmt: skip
    assert principal.post(f"/processes/{one.id}/decision/", sent).status_code == 404
    assert two.stop.status == "open"


def settled(said: str) -> str:
    """The page without what is new at every request."""
    return re.sub(r'(nonce|value|csp|content)="[A-Za-z0-9+/=_-]{20,}"', "", said)


@pytest.mark.parametrize(
    "state", ["asks", "decided", "delivered", "used", "declined", "ended", "opened"]
)
def test_B44_a_reload_shows_the_same_state(principal, state):
    made = make_process(question="Which region?") if state != "opened" else make_process()
    if state in {"decided", "delivered", "used", "ended"}:
        decide(made, answer="eu")
    if state == "declined":
        decide(made, "decline", note="Ask finance.")
    if state in {"delivered", "used", "ended"}:
        resume(made)
    if state == "used":
        append(made)
    if state == "ended":
        services.stop(made.id, Stop(note="Enough."), by=principal_actor())
    first, second = (settled(seen(principal, made)) for _ in range(2))
    moments = r"<time[^>]*>[^<]*</time>"
    assert re.sub(moments, "", first) == re.sub(moments, "", second)


@pytest.mark.parametrize("question", ['[1,{"a":null}]', "null", "{}", "<b>", "0", "\u2800?"])
def test_B46_any_question_is_shown_and_answered_in_words(principal, question):
    made = make_process(
        question=question, metadata={"objective_class": '{"unknown": ["shape"]}'}
    )
    assert '<textarea name="answer"' in seen(principal, made)
    assert principal.get(f"/processes/{made.id}/raw/").status_code == 200
    decide(made, answer="eu")
    assert resume(made).decision.answer == "eu"


def test_B53_one_broken_row_leaves_the_list_and_the_others(principal):
    broken, whole = make_process(question="Broken?"), make_process(question="Whole?")
    Suspension.objects.filter(id=broken.suspension_id).update(
        proposed_tool="x", proposed_args='{"a":', response_schema=None
    )
    listed = principal.get("/").content.decode()
    assert "Broken?" in listed and "Whole?" in listed
    assert "Whole?" in seen(principal, whole)
    assert "Broken?" in seen(principal, broken)


def test_B68_a_yes_or_no_is_asked_as_one(principal):
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    said = seen(principal, make_process(question="?", response_schema=schema))
    found = re.findall(r'<input type="(\w+)" name="f0" value="(\w+)"', said)
    assert found == [("radio", "true"), ("radio", "false")]
    held = make_process(reason="guard", proposed_action={"tool": "t", "args": {"ok": False}})
    said = seen(principal, held)
    assert re.findall(r'<input type="(\w+)" name="f0" value="(\w+)"', said) == found


def test_B97_a_choice_that_was_not_offered_is_refused_under_the_lock():
    made = make_process(question="Which?", options=["eu", "us"])
    forged = choice(made, answer="eu").model_copy(update={"answer": "mars"})
    with pytest.raises(errors.AnswerNotOffered):
        services.decide(made.suspension_id, forged, by=principal_actor())
    assert made.stop.status == "open"
