"""A question with a schema as a plain form, without scripts."""

from __future__ import annotations

import re

from processes.models import Draft
from tests.making import make_process, resume
from tests.processes.views.test_decision import PROPOSED, form, post

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"enum": ["eu", "us"], "title": "Region"},
        "limit": {"type": "number", "minimum": 10, "description": "In EUR."},
        "urgent": {"type": "boolean"},
        "rooms": {"type": "array", "items": {"enum": ["1", "2"]}, "default": ["2"]},
        "by": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "text": {"type": "string", "default": "usual"},
    },
    "required": ["region", "limit"],
}


def asked(**more):
    return make_process(question="How?", response_schema=SCHEMA | more)


def seen(client, made):
    return client.get(f"/processes/{made.id}/").content.decode()


def tag(said, name):
    """The tag of this field."""
    return re.search(rf'<(?:input|textarea|select)[^>]*name="{name}"[^>]*>', said)[0]


def test_each_field_is_the_browsers_own(principal):
    said = seen(principal, asked())
    assert 'type="radio"' in tag(said, "f0")
    assert 'inputmode="decimal"' in tag(said, "f1") and 'type="text"' in tag(said, "f1")
    assert said.count('name="f2"') == 3
    assert re.search(r'name="f3" value="&quot;2&quot;" checked', said)
    assert 'type="date"' in tag(said, "f4") and 'name="f4-null"' in said
    assert "\nusual</textarea>" in said
    assert 'id="f1-hint">' in said and 'aria-describedby="f1-hint"' in said


def test_an_answer_goes_to_the_process_as_it_was_typed(principal):
    made = asked()
    sent = {"f0": '"eu"', "f1": "1240.50", "f2": "", "f3": ["", '"1"', '"2"'], "f4-null": "1",
            "f4": "", "f5": "usual"}  # fmt: skip
    assert post(principal, made, **sent).status_code == 303
    assert resume(made).decision.answer == (
        '{"region": "eu", "limit": 1240.50, "rooms": ["1", "2"], "by": null, "text": "usual"}'
    )


def test_faults_stand_at_their_fields_and_nothing_typed_is_lost(principal):
    made = asked()
    answer = post(principal, made, f0='"us"', f1="3", f3="", f5="mine")
    said = answer.content.decode()
    assert answer.status_code == 422
    assert '<p class="warn" id="f1-fault">At least 10.</p>' in said
    assert 'value="3"' in tag(said, "f1") and 'aria-invalid="true"' in tag(said, "f1")
    assert 'aria-describedby="f1-hint f1-fault"' in tag(said, "f1")
    assert re.search(r'value="&quot;us&quot;" checked', said)
    assert not re.search(r'name="f3"[^>]* checked', said)
    assert "\nmine</textarea>" in said
    assert made.stop.status == "open"


def test_a_fault_that_no_field_shows_stands_in_the_refusal(principal):
    made = asked(additionalProperties=False)
    answer = post(principal, made, answer='{"region": "eu", "limit": 10, "other": 1}')
    assert answer.status_code == 422
    assert "It has fields that were not asked for." in answer.content.decode()


def test_a_schema_that_has_no_form_is_answered_as_json(principal):
    made = make_process(question="How?", response_schema={"type": "array", "minItems": 1})
    assert "As JSON." in seen(principal, made)
    assert post(principal, made, f0="[1e400,").status_code == 422
    assert post(principal, made, f0="[]").status_code == 422
    assert post(principal, made, f0="[1e400]").status_code == 303
    assert resume(made).decision.answer == "[1e400]"


def test_what_an_agent_wrote_in_a_schema_is_inert(principal):
    evil = '"><img src=x onerror=alert(1)>'
    whole = {
        "type": "object",
        "properties": {
            evil: {"type": "string", "title": evil, "description": evil, "default": evil},
            "c": {"enum": [evil, "ok"], "title": evil},
            "l": {"enum": [evil, *"abcdefghij"]},
        },
    }
    said = seen(principal, make_process(question="How?", response_schema=whole))
    assert "<img" not in said


def test_b41_any_number_of_options_is_shown_and_can_be_chosen(principal):
    options = [
        " lead", "trail ", "émoji 🙂", "שלום", "x" * 500, "two\nlines", *map(str, range(44)),
    ]  # fmt: skip
    made = make_process(question="Which?", options=options)
    assert seen(principal, made).count('type="radio" name="answer"') == 50
    assert post(principal, made, answer="two\r\nlines").status_code == 303
    assert resume(made).decision.answer == "two\nlines"


def test_a_reader_sees_what_is_asked(reviewer):
    said = seen(reviewer, asked())
    assert "Region" in said and 'name="f0"' not in said


def test_the_receipt_shows_the_answer_field_by_field(principal):
    made = asked()
    post(principal, made, f0='"eu"', f1="10.10")
    said = seen(principal, made)
    assert re.search(r"limit</bdi></th><td><bdi hx-disable>10.10</bdi>", said)


def test_a_typed_answer_goes_through_an_ended_login(client, principal):
    made = asked()
    sent = form(made, f0='"eu"', f1="20", f3=["", '"1"', '"2"'], seen_by="principal")
    page = client.post(f"/processes/{made.id}/decision/", sent)
    assert page.status_code == 401
    carried = re.search(r'name="carried" value="([^"]+)"', page.content.decode())[1]
    principal.logout()
    from django.contrib.auth.models import User

    user = User.objects.get(username="principal")
    user.set_password("amber-lagoon-kelp-402")
    user.save()
    client.post(
        "/login/",
        {"username": "principal", "password": "amber-lagoon-kelp-402", "carried": carried},
    )
    assert resume(made).decision.answer == '{"region": "eu", "limit": 20, "rooms": ["1", "2"]}'


def test_an_edit_is_compared_before_it_is_sent(principal):
    made = make_process(
        reason="guard",
        proposed_action={"tool": "t", "args": {"n": 1, "ok": True, "x": None, "l": [1]}},
    )
    edited = '{"l": [1], "n": "2", "ok": true, "y": 1e2}'
    page = principal.post(f"/processes/{made.id}/diff/", form(made, "edit", args=edited))
    said = page.content.decode()
    assert page.status_code == 200
    assert "number became text" in said and "gone" in said and "not there" in said
    assert said.count("<del>") == 2 and said.count("<ins>") == 2
    assert edited.replace('"', "&quot;") in said
    assert made.stop.status == "open"


def test_b95_an_edit_keeps_the_types_of_json(principal):
    made = make_process(
        reason="guard",
        proposed_action={"tool": "t", "args": {"n": 1, "ok": True, "x": None, "l": [1]}},
    )
    edited = '{"l": [1], "n": 2, "ok": true, "x": null}'
    assert post(principal, made, "edit", args=edited).status_code == 303
    assert resume(made).decision.args == '{"l":[1],"n":2,"ok":true,"x":null}'
    said = seen(principal, made)
    assert "<del>" in said and "<ins>" in said


def test_b73_malformed_edits_are_refused_and_the_item_stays_open(principal):
    made = make_process(reason="guard", proposed_action=PROPOSED)
    for args in ("x", '{"limit": }', "[", '{"a": 1, "a": 2}'):
        assert post(principal, made, "edit", args=args).status_code in {400, 422}
    assert made.stop.status == "open"


def test_a_person_answers_in_the_tools_place(principal):
    made = make_process(reason="guard", proposed_action=PROPOSED)
    assert "Answer in its place" in seen(principal, made)
    assert post(principal, made, "answer", answer="1,204 rows.").status_code == 303
    decision = resume(made).decision
    assert (decision.action, decision.answer) == ("answer", "1,204 rows.")


def test_a_draft_is_in_its_field_again(principal, ana):
    made = asked()
    sent = {"suspension_id": made.suspension_id, "action": "answer", "typed_at": "5",
            "f0": '"us"', "f1": "half", "f3": "", "review_digest": "x"}  # fmt: skip
    assert principal.post(f"/processes/{made.id}/draft/", sent).status_code == 204
    said = seen(principal, made)
    assert 'value="half"' in tag(said, "f1") and 'data-typed="5"' in said
    assert "Draft saved" in said
    assert re.search(r'value="&quot;us&quot;" checked', said)
    assert "half" not in seen(ana, made)
    assert Draft.objects.get().by == "principal:principal"


def test_a_draft_of_each_decision_stands_in_its_own_form(principal):
    made = make_process(question="Which?")
    for action, field in (("answer", "answer"), ("decline", "note"), ("stop", "note")):
        sent = {"suspension_id": made.suspension_id, "action": action, "typed_at": "1"}
        principal.post(f"/processes/{made.id}/draft/", sent | {field: f"my {action}"})
    said = seen(principal, made)
    for action in ("answer", "decline", "stop"):
        assert f"\nmy {action}</textarea>" in said


def test_a_draft_is_bounded_and_belongs_to_its_process(principal, reviewer):
    made, other = make_process(question="Which?"), make_process(question="Which?")
    sent = {"suspension_id": made.suspension_id, "action": "answer", "typed_at": "1"}
    url = f"/processes/{made.id}/draft/"
    assert principal.post(url, sent | {"answer": "x" * 80_001}).status_code == 413
    assert principal.post(url, sent | {"typed_at": "x"}).status_code == 422
    assert principal.post(f"/processes/{other.id}/draft/", sent).status_code == 404
    assert reviewer.post(url, sent).status_code == 403
    assert principal.get(url).status_code == 405
    assert not Draft.objects.exists()
