from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from dalhc.http.problems import InvalidRequest
from processes.forms import DecisionForm, KeyForm, StopForm
from processes.journal import errors
from processes.models import Suspension

DIGEST = "0" * 64


def sent(action: str, **fields: str) -> DecisionForm:
    sent = {"suspension_id": "susp_x", "review_digest": DIGEST, "action": action, **fields}
    return DecisionForm(QueryDict(urlencode(sent)))


def test_only_what_belongs_to_the_decision_is_looked_at():
    form = sent("answer", answer="eu", note="ignored", args="{}")
    choice = form.choice(Suspension(reason="ask_user"))
    assert (choice.answer, choice.note, choice.args) == ("eu", None, None)


def test_an_option_is_the_processs_own_spelling():
    stop = Suspension(reason="ask_user", options_json='["a\\r\\nb", "a\\nb c"]')
    assert sent("answer", answer="a\r\nb").choice(stop).answer == "a\r\nb"
    assert sent("answer", answer="other").choice(stop).answer == "other"


def test_arguments_keep_their_form():
    json = Suspension(reason="guard", proposed_args='{"a":1}')
    plain = Suspension(reason="guard", proposed_args="run:ls")
    assert sent("edit", args=' {"b": 2, "a": 1.0} ').choice(json).args == '{"a":1.0,"b":2}'
    assert sent("edit", args="run:ls -la").choice(plain).args == "run:ls -la"
    with pytest.raises(errors.InvalidArgs):
        sent("edit", args="run:ls").choice(json)


def test_arguments_may_come_field_by_field():
    stop = Suspension(reason="guard", proposed_args='{"a":1.50,"b":"x"}')
    head = {"suspension_id": "susp_x", "review_digest": DIGEST, "action": "edit"}
    form = DecisionForm(QueryDict(urlencode({**head, "f0": "1.50", "f1": "y"})))
    assert form.choice(stop).args == '{"a":1.50,"b":"y"}'
    with pytest.raises(errors.InvalidArgs):
        DecisionForm(QueryDict(urlencode(head))).choice(stop)


@pytest.mark.parametrize("digest", ["", "x" * 64, "0" * 63, "A" * 64])
def test_a_digest_is_64_hex(digest):
    form = DecisionForm({"suspension_id": "s", "review_digest": digest, "action": "approve"})
    with pytest.raises(InvalidRequest):
        form.require_valid()


def test_each_fault_points_at_its_field():
    with pytest.raises(InvalidRequest) as refused:
        sent("answer", answer="a" * 8_001).require_valid()
    assert refused.value.errors == (
        {"pointer": "/answer", "detail": "8,001 characters; at most 8,000 can be sent."},
    )


def test_line_ends_are_counted_once():
    assert sent("answer", answer="\r\n" * 8_000).require_valid()["answer"] == "\n" * 8_000


def test_ending_needs_a_reason():
    with pytest.raises(errors.NoteRequired):
        StopForm({"note": ""}).command()
    assert StopForm({"note": " Enough. "}).command().note == " Enough. "


def test_a_key_ends_after_its_days(db):
    fields = KeyForm(
        {"name": "n", "agent": "a", "scopes": ["read"], "days": "2"}
    ).fields_of_key()
    assert set(fields) == {"name", "agent", "user", "owner", "scopes", "expires_at_ms"}
    assert fields["expires_at_ms"] > 0
