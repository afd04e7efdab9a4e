from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from processes.journal.canonical import canonical_args
from processes.journal.errors import InvalidArgs
from processes.shown.editing import edited, edits, fill, is_sent, slots, turned
from processes.shown.typed import Typed

ARGS = (
    '{"amount": 1204.50, "big":12345678901234567890123, "note":"line\\r\\none", "ok":true,'
    ' "none":null, "rows":[1, 2.0], "where":{"a":"b"}}'
)


def test_each_argument_is_a_field_of_its_type():
    shown = [(one.post, one.name, one.kind, one.value) for one in edits(ARGS, {})]
    assert shown == [
        ("f0", "amount", "number", "1204.50"),
        ("f1", "big", "number", "12345678901234567890123"),
        ("f2", "note", "text", "line\r\none"),
        ("f3", "ok", "yes or no", "true"),
        ("f4", "none", "nothing", "null"),
        ("f5", "rows", "list", "[\n  1,\n  2.0\n]"),
        ("f6", "where", "object", '{\n  "a": "b"\n}'),
    ]


def test_a_text_of_several_lines_is_written_over_several_whatever_ends_them():
    assert [one.is_wide for one in edits('{"a":"x\\ry","b":"x\\ny","c":"xy"}', {})] == [
        True, True, False,
    ]  # fmt: skip


def as_a_browser_sends(args):
    """Every field untouched, with the line ends of a form."""
    return {
        one.post: [one.value.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")]
        for one in edits(args, {})
    }


def test_what_nobody_touched_stays_byte_for_byte():
    sent = as_a_browser_sends(ARGS)
    assert fill(ARGS, sent) == ARGS
    assert fill(ARGS, sent | {"f3": ["false"]}) == ARGS.replace("true", "false")


@pytest.mark.parametrize(
    ("field", "typed", "made"),
    [
        ("f0", " 7 ", '"amount": 7,'),
        ("f0", "3544790567247868102", '"amount": 3544790567247868102,'),
        ("f0", "-0.5e1", '"amount": -5.0,'),
        ("f2", "", '"note":"",'),
        ("f2", '7 "x"\r\n\\', '"note":"7 \\"x\\"\\n\\\\",'),
        ("f4", '{"b": 1, "a": "x"}', '"none":{"a":"x","b":1},'),
        ("f5", "[]", '"rows":[],'),
        ("f6", '{"a": 1.50}', '"where":{"a":1.5}'),
    ],
)
def test_a_change_is_written_in_its_type(field, typed, made):
    text = fill(ARGS, as_a_browser_sends(ARGS) | {field: [typed]})
    assert made in text
    assert list(json.loads(text)) == list(json.loads(ARGS))


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("f0", "", "A number"),
        ("f0", "1,5", "A number"),
        ("f0", "0x10", "A number"),
        ("f0", "NaN", "A number"),
        ("f0", "1e400", "JSON, please."),
        ("f0", "0.1000000000000000001", "A double cannot hold these digits"),
        ("f1", "99999999999999999999999", "A double cannot hold these digits"),
        ("f3", "perhaps", "Yes or no."),
        ("f4", "", "JSON, please."),
        ("f4", "maybe", "JSON, please."),
        ("f5", '{"a": 1}', "It was a list"),
        ("f6", "[]", "It was an object"),
        ("f6", '{"a": 1, "a": 2}', "JSON, please."),
        ("f6", "[" * 100 + "]" * 100, "JSON, please."),
    ],
)
def test_a_fault_points_at_its_argument_and_changes_nothing(field, typed, said):
    sent = as_a_browser_sends(ARGS) | {field: [typed]}
    with pytest.raises(InvalidArgs) as refused:
        fill(ARGS, sent)
    [name] = [one.name for one in edits(ARGS, {}) if one.post == field]
    assert refused.value.errors[0]["pointer"] == f"/args/{name}"
    assert refused.value.errors[0]["detail"].startswith(said)
    assert edited(ARGS, sent)[0] == ARGS
    assert [one.post for one in edits(ARGS, sent) if one.fault] == [field]


@pytest.mark.parametrize(
    "args",
    ["run:ls -la", "", "[1,2]", "{}", "{broken", '{"a":1,"a":2}', '{"a":"x\\u0000y"}',
     '{"a":"\\ud800"}', json.dumps({str(n): n for n in range(51)})],
)  # fmt: skip
def test_what_fields_cannot_say_is_edited_as_json(args):
    assert slots(args) == ()
    assert not is_sent(args, {"f0": ["x"]})


def test_an_edit_turns_into_json_and_back():
    typed = Typed({"action": ["edit"], "as": ["json"], "f0": ["7"], "note": ["why"]})
    as_json = turned(ARGS, typed)
    assert json.loads(as_json["args"])["amount"] == 7
    assert (as_json["action"], as_json["note"], "f0" in as_json) == ("edit", "why", False)
    again = turned(ARGS, Typed({**as_json.lists, "as": ["fields"]}))
    assert (again["f0"], again["f1"], "args" in again) == (
        "7",
        "12345678901234567890123",
        False,
    )


@pytest.mark.parametrize("text", ['{"amount": 1}', "[1]", "{", ARGS.replace("true", '"true"')])
def test_what_is_other_than_the_call_stays_json(text):
    with pytest.raises(InvalidArgs):
        turned(ARGS, Typed({"as": ["fields"], "args": [text]}))


plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False)
    | plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(
    st.dictionaries(plain, values, min_size=1, max_size=5), st.sampled_from(["", " "]), plain
)
def test_any_call_survives_its_form_and_a_change_changes_one_argument(value, space, typed):
    assume("Infinity" not in json.dumps(value))
    args = json.dumps(value, ensure_ascii=False, separators=(f",{space}", f":{space}"))
    sent = as_a_browser_sends(args)
    assert fill(args, sent) == args
    for one in edits(args, {}):
        if one.kind == "text":
            changed = json.loads(fill(args, sent | {one.post: [typed]}))
            kept = typed.replace("\r\n", "\n").replace("\r", "\n")
            if kept != sent[one.post][0].replace("\r\n", "\n"):
                assert changed == value | {one.name: kept}


@given(st.dictionaries(plain, values, min_size=1, max_size=5))
def test_a_canonical_call_with_a_change_is_canonical(value):
    assume("Infinity" not in json.dumps(value))
    args = canonical_args(value)
    sent = as_a_browser_sends(args)
    for one in edits(args, {}):
        if one.kind == "number":
            made = fill(args, sent | {one.post: ["42"]})
            assert made == canonical_args(json.loads(made))
