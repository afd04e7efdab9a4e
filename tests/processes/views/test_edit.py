"""A proposed call changed argument by argument, without scripts."""

from __future__ import annotations

import re

from processes.models import Draft
from tests.making import decide, make_process, principal_actor, resume
from tests.processes.views.test_decision import form, post
from tests.processes.views.test_typed import seen, tag

ARGS = {"limit": 1204, "note": "a\nb", "dry": True, "where": {"a": [1]}, "from": None}
# Canonical: keys in order.
KEPT = '{"dry":%s,"from":null,"limit":%s,"note":"a\\nb","where":{"a":[1]}}'


def proposed(**more):
    return make_process(reason="guard", proposed_action={"tool": "del", "args": ARGS}, **more)


def untouched(**changed):
    """What a browser sends of this call; `f0` is the first argument in order."""
    return {"f0": "true", "f1": "null", "f2": "1204", "f3": "a\r\nb",
            "f4": '{\r\n  "a": [\r\n    1\r\n  ]\r\n}', **changed}  # fmt: skip


def test_each_argument_has_a_field_with_its_name_and_type(principal):
    said = seen(principal, proposed())
    assert re.search(r'name="f0" value="true" checked', said)
    assert 'value="null"' in tag(said, "f1")
    assert 'value="1204"' in tag(said, "f2") and 'inputmode="decimal"' in tag(said, "f2")
    assert "\na\nb</textarea>" in said and tag(said, "f4").startswith("<textarea")
    assert 'aria-labelledby="arg-f2"' in tag(said, "f2")
    assert re.search(r'id="arg-f2"><bdi hx-disable>limit</bdi></span> <small>number<', said)
    assert 'name="args"' not in said


def test_what_is_changed_runs_and_the_rest_is_as_it_was(principal):
    made = proposed()
    assert post(principal, made, "edit", **untouched(f2="500", f0="false")).status_code == 303
    assert resume(made).decision.args == KEPT % ("false", "500")
    said = seen(principal, made)
    assert "<del><bdi hx-disable>1204</bdi></del>" in said
    assert "<ins><bdi hx-disable>500</bdi></ins>" in said
    assert "became" not in said


def test_a_fault_stands_at_its_field_and_nothing_is_decided(principal):
    made = proposed()
    answer = post(principal, made, "edit", **untouched(f2="five", f3="mine", note="why"))
    said = answer.content.decode()
    assert answer.status_code == 422
    assert 'id="arg-f2-fault"><bdi hx-disable>A number, as in 42 or -0.5.</bdi>' in said
    assert 'value="five"' in tag(said, "f2") and 'aria-invalid="true"' in tag(said, "f2")
    assert 'value="mine"' in tag(said, "f3")
    assert made.stop.status == "open"


def test_nothing_is_changed_is_said_of_what_was_compared_and_has_no_fault(principal):
    made, words = proposed(), "Nothing is changed."
    assert words not in post(principal, made, "edit", **untouched(f2="5x0")).content.decode()

    def compared(**changed):
        sent = form(made, action="edit", **untouched(**changed))
        return principal.post(f"/processes/{made.id}/diff/", sent).content.decode()

    assert words in compared()
    assert words not in compared(f2="5x0") and "A number" in compared(f2="5x0")


def test_an_edit_is_compared_and_not_sent(principal):
    made = proposed()
    sent = form(made, "edit", **untouched(f2="500", f4="[]"))
    said = principal.post(f"/processes/{made.id}/diff/", sent).content.decode()
    assert "<del><bdi hx-disable>1204</bdi></del>" in said and 'value="500"' in tag(said, "f2")
    assert "It was an object and must stay one." in said
    alone = principal.post(
        f"/processes/{made.id}/diff/", sent, headers={"HX-Request": "true"}
    ).content.decode()
    assert "must stay one" in alone and "<form" not in alone
    assert made.stop.status == "open"


def test_an_edit_goes_on_as_json_and_comes_back(principal):
    made = proposed()
    address = f"/processes/{made.id}/diff/"
    sent = form(made, "edit", **untouched(f2="500"), **{"as": "json"})
    said = principal.post(address, sent).content.decode()
    assert "&quot;limit&quot;: 500," in said and 'name="f2"' not in said
    text = '{"limit":500,"note":"c","dry":true,"where":{},"from":null}'
    sent = form(made, "edit", args=text, **{"as": "fields"})
    said = principal.post(address, sent).content.decode()
    assert 'value="500"' in tag(said, "f2") and 'value="c"' in tag(said, "f3")
    sent = form(made, "edit", args='{"limit":"500"}', **{"as": "fields"})
    answer = principal.post(address, sent)
    assert answer.status_code == 422 and "so they stay JSON" in answer.content.decode()
    assert "&quot;limit&quot;:&quot;500&quot;" in answer.content.decode()


def test_json_adds_what_fields_cannot(principal):
    made = proposed()
    assert post(principal, made, "edit", args='{"limit":1,"new":[]}').status_code == 303
    assert resume(made).decision.args == '{"limit":1,"new":[]}'


def test_a_draft_of_fields_stands_in_them_again(principal):
    made = proposed()
    sent = {"suspension_id": made.suspension_id, "action": "edit", "typed_at": "5"}
    sent |= untouched(f2="77", f0="false")
    assert principal.post(f"/processes/{made.id}/draft/", sent).status_code == 204
    assert Draft.objects.get().action == "edit"
    said = seen(principal, made)
    assert 'value="77"' in tag(said, "f2")
    assert re.search(r'name="f0" value="false" checked', said)
    assert re.search(r"<details open>\s*<summary>Change the arguments", said)


def test_of_two_who_edit_the_second_keeps_the_text(principal):
    made = proposed()
    page = form(made, "edit", **untouched(f2="77"))
    decide(made, "approve", by=principal_actor("ana"))
    answer = principal.post(f"/processes/{made.id}/decision/", page)
    assert answer.status_code == 409
    assert "&quot;limit&quot;: 77," in answer.content.decode()
