"""The page's skin of deciding; the API's is in tests/processes/api."""

from __future__ import annotations

import pytest

from processes import services
from processes.models import Decision, Suspension
from tests.making import Made, choice, decide, make_process, principal_actor, resume, suspend

PROPOSED = {"tool": "delete_rows", "args": {"limit": 1204}}


def form(made: Made, action: str = "answer", **fields: str) -> dict[str, str]:
    digest = services.review_digest(made.stop)
    return {
        "suspension_id": made.suspension_id,
        "review_digest": digest,
        "action": action,
        **fields,
    }


def post(client, made: Made, action: str = "answer", **fields: str):
    return client.post(f"/processes/{made.id}/decision/", form(made, action, **fields))


def test_an_answer_is_given_and_the_page_comes_anew(principal):
    asking = make_process(question="Which region?")
    answer = post(principal, asking, answer="eu")
    assert (answer.status_code, answer["Location"]) == (303, f"/processes/{asking.id}/")
    assert resume(asking).decision.answer == "eu"


def test_an_answer_is_given_once(principal, ana):
    asking = make_process(question="Which region?")
    page = form(asking, answer="us")
    post(ana, asking, answer="eu")
    late = principal.post(f"/processes/{asking.id}/decision/", page)
    said = late.content.decode()
    assert late.status_code == 409
    assert (
        "ana answered" in said
        and "<bdi hx-disable>eu</bdi>" in said
        and "\nus</textarea>" in said
    )
    assert [one.answer for one in Decision.objects.all()] == ["eu"]


def test_B32_a_double_click_is_one_decision(principal):
    asking = make_process(question="Which region?")
    twice = [post(principal, asking, answer="eu") for _ in range(2)]
    assert [answer.status_code for answer in twice] == [303, 303]
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    ("action", "fields", "pointed"),
    [
        ("answer", {"answer": ""}, "answer"),
        ("answer", {"answer": " \u200b\n"}, "answer"),
        ("answer", {"answer": "a" * 8_001}, "answer"),
        ("answer", {"answer": "a\0b"}, "answer"),
        ("decline", {"note": ""}, "note"),
        ("stop", {"note": " "}, "note"),
        ("stop", {"note": "a" * 2_001}, "note"),
        ("approve", {}, "action"),
        ("nonsense", {}, "action"),
    ],
)
def test_what_cannot_be_sent_is_said_and_kept(principal, action, fields, pointed):
    asking = make_process(question="Which region?")
    answer = post(principal, asking, action, **fields)
    said = answer.content.decode()
    assert answer.status_code == 422
    assert "Not sent." in said
    typed = next(iter(fields.values()), "")
    if typed.isprintable():
        assert f"\n{typed}</textarea>" in said
    assert asking.stop.status == "open"


def test_eight_thousand_characters_and_their_line_ends_are_sent(principal):
    asking = make_process(question="Which region?")
    text = "a\r\n" * 4_000
    assert post(principal, asking, answer=text).status_code == 303
    assert resume(asking).decision.answer == "a\n" * 4_000


def test_nothing_is_trimmed(principal):
    asking = make_process(question="Which region?")
    post(principal, asking, answer="  eu \n")
    assert resume(asking).decision.answer == "  eu \n"


def test_what_changed_since_it_was_seen_is_not_decided(principal):
    asking = make_process(question="Which region?")
    old = form(asking, answer="eu")
    decide(asking, "decline", by=principal_actor("ana"), note="Ask again.")
    resume(asking)
    again = suspend(asking, question="Which region, of the two?")
    answer = principal.post(f"/processes/{asking.id}/decision/", old)
    assert answer.status_code == 409
    assert "Which region, of the two?" in answer.content.decode()
    assert again.stop.status == "open"


def test_an_artifact_replaced_under_the_form_makes_it_stale(principal):
    from io import BytesIO

    asking = make_process(question="Is the report right?")
    services.put_artifact(asking.id, "report.md", BytesIO(b"one"), by=asking.by)
    old = form(asking, answer="yes, it is")
    services.put_artifact(asking.id, "report.md", BytesIO(b"two"), by=asking.by)
    answer = principal.post(f"/processes/{asking.id}/decision/", old)
    said = answer.content.decode()
    assert answer.status_code == 409
    assert "changed since you looked" in said and "\nyes, it is</textarea>" in said
    assert asking.stop.status == "open"
    assert services.review_digest(asking.stop) in said


def test_one_processs_question_is_not_answered_on_anothers_page(principal):
    asking, other = make_process(question="Which region?"), make_process(question="Which day?")
    answer = principal.post(f"/processes/{other.id}/decision/", form(asking, answer="eu"))
    assert answer.status_code == 404
    assert {stop.status for stop in Suspension.objects.all()} == {"open"}


def test_a_reviewer_cannot_decide_by_any_form(reviewer):
    asking = make_process(question="Which region?")
    answer = post(reviewer, asking, answer="eu")
    assert answer.status_code == 403
    assert "What you had typed" in answer.content.decode()
    assert reviewer.post(f"/processes/{asking.id}/stop/", {"note": "No."}).status_code == 403
    assert asking.stop.status == "open"


def test_a_principal_who_no_longer_is_one_cannot_decide(principal):
    from django.contrib.auth.models import User

    asking = make_process(question="Which region?")
    sent = form(asking, answer="eu")
    User.objects.get(username="principal").groups.clear()
    assert principal.post(f"/processes/{asking.id}/decision/", sent).status_code == 403
    assert asking.stop.status == "open"


def test_a_superuser_decides_only_as_a_principal(admin):
    asking = make_process(question="Which region?")
    assert post(admin, asking, answer="eu").status_code == 403


def test_an_ended_process_says_so_and_keeps_the_text(principal):
    asking = make_process(question="Which region?")
    sent = form(asking, answer="eu")
    services.decide(
        asking.suspension_id, choice(asking, "stop", note="Enough."), by=principal_actor("ana")
    )
    answer = principal.post(f"/processes/{asking.id}/decision/", sent)
    assert answer.status_code == 409
    assert "\neu</textarea>" in answer.content.decode()


def test_only_get_shows_and_only_post_decides(principal):
    asking = make_process(question="Which region?")
    for method in ("get", "head", "options", "put", "delete"):
        for page in ("decision/", "decision/back/", "stop/"):
            answer = getattr(principal, method)(f"/processes/{asking.id}/{page}")
            assert answer.status_code == 405
    assert asking.stop.status == "open"


def test_a_decision_is_taken_back(principal):
    asking = make_process(question="Which region?")
    post(principal, asking, answer="eu")
    back = {"suspension_id": asking.suspension_id}
    assert principal.post(f"/processes/{asking.id}/decision/back/", back).status_code == 303
    assert asking.stop.status == "open"
    post(principal, asking, answer="us")
    resume(asking)
    late = principal.post(f"/processes/{asking.id}/decision/back/", back)
    assert late.status_code == 409
    assert "can no longer be taken back" in late.content.decode()


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("approve", {}),
        ("deny", {"note": "Legal hold."}),
        ("edit", {"args": '{"limit": 500}'}),
        ("stop", {"note": "Enough."}),
    ],
)
def test_a_proposed_action_has_four_ways(principal, action, fields):
    held = make_process(reason="guard", proposed_action=PROPOSED)
    assert post(principal, held, action, **fields).status_code == 303
    assert Decision.objects.get().action == action


@pytest.mark.parametrize("args", ["x", '{"limit":', '{"a":1,"a":2}', '{"a":NaN}', "[" * 9_000])
def test_malformed_arguments_are_refused_and_kept(principal, args):
    held = make_process(reason="guard", proposed_action=PROPOSED)
    answer = post(principal, held, "edit", args=args)
    assert answer.status_code in {400, 422}
    assert "Not sent." in answer.content.decode()
    assert held.stop.status == "open"


def test_htmx_gets_the_panel_alone(principal):
    asking = make_process(question="Which region?")
    answer = principal.post(
        f"/processes/{asking.id}/decision/",
        form(asking, answer="eu"),
        headers={"HX-Request": "true"},
    )
    said = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in said and "not picked up yet" in said
    assert answer.headers["Vary"].startswith("HX-Request")


def test_a_running_process_is_ended_with_a_reason(principal):
    going = make_process(running=True)
    assert principal.post(f"/processes/{going.id}/stop/", {"note": ""}).status_code == 422
    assert (
        principal.post(f"/processes/{going.id}/stop/", {"note": "Enough."}).status_code == 303
    )
    assert going.record.state == "failed"
