"""Arguments are printed as serde_json prints a sorted Value: a key is a key everywhere."""

from __future__ import annotations

import hashlib
import json
import math
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processes.journal.canonical import canonical_args, step_key
from processes.journal.errors import InvalidArgs
from processes.journal.parse import parse_json

FLOAT = re.compile(r"-?(\d+\.\d+|\d(\.\d+)?e[+-]\d+)")


def printed(value: object) -> str:
    """One value as it is printed within an array."""
    return canonical_args([value])[1:-1]


@pytest.mark.parametrize(
    ("tool", "args", "key"),
    [
        ("run", {"cmd": "ls -la"},
            "d89c21c688932c47fa7474699adc4aba44d188958f5135781964342b025dc358"),
        ("write_file", {"contents": "h\u00e9", "path": "a.txt"},
            "87788a9118cadf55809e7746e33d41dd82d9ced5c3112d0d5d05fd43653a2b37"),
        ("list_dir", {}, "424c3febac9f3fb8d2abd5fcfe909e1e74c2f5144f203cba3a7b85aa7b34ce28"),
    ],
)  # fmt: skip
def test_the_keys_of_the_contract(tool, args, key):
    assert step_key(tool, canonical_args(args)) == key


def test_a_key_is_the_hash_of_the_tool_a_newline_and_the_arguments():
    text = 'run\n{"a":"\u00e9"}'
    assert step_key("run", '{"a":"\u00e9"}') == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "text", ["run:ls -la", '{ "b" : 1 }', "", "\u00e9\U0001f600", "[1, 2]", "1e16"]
)
def test_a_string_is_hashed_as_it_stands(text):
    assert canonical_args(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e16, "1e+16"),
        (1e15, "1000000000000000.0"),
        (9999999999999998.0, "9999999999999998.0"),
        (123456789012345680000.0, "1.2345678901234568e+20"),
        (1e-5, "0.00001"),
        (1.5e-5, "0.000015"),
        (1e-6, "1e-6"),
        (1e-7, "1e-7"),
        (1.25e-7, "1.25e-7"),
        (10**20, "1e+20"),
        (2**64 - 1, "18446744073709551615"),
        (2**64, "1.8446744073709552e+19"),
        (-(2**63), "-9223372036854775808"),
        (-(2**63) - 1, "-9.223372036854776e+18"),
        (2**53 + 1, "9007199254740993"),
        (-0.0, "-0.0"),
        (0.0, "0.0"),
        (0, "0"),
        (1.0, "1.0"),
        (1, "1"),
        (0.1, "0.1"),
        (123.456, "123.456"),
        (-2.5, "-2.5"),
        (100.0, "100.0"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_a_number_is_printed_as_serde_json_prints_it(value, text):
    assert printed(value) == text
    assert printed({"a": value}) == f'{{"a":{text}}}'


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float_reads_back_as_itself(value):
    text = printed(value)
    assert FLOAT.fullmatch(text)
    assert float(text) == value
    assert math.copysign(1, float(text)) == math.copysign(1, value)


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_a_float_is_decimal_only_within_the_rule_of_serde_json(value):
    point = Decimal(repr(abs(value))).adjusted() + 1
    assert ("e" not in printed(value)) == (-5 < point <= 16)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_has_the_shortest_digits_that_read_back(value):
    def digits(text: str) -> str:
        return re.sub(r"e.*|[.-]", "", text).strip("0")

    assert digits(printed(value)) == digits(repr(value))


def test_keys_are_sorted_by_code_point_at_every_level():
    value = {"\U0001f600": 1, "\ufb33": {"b": 1, "a": 2, "B": 3}, "": 0}
    assert canonical_args(value) == '{"":0,"\ufb33":{"B":3,"a":2,"b":1},"\U0001f600":1}'
    with_float = value | {"x": 0.5}
    assert canonical_args(with_float).index("\ufb33") < canonical_args(with_float).index(
        "\U0001f600"
    )


@pytest.mark.parametrize("number", [1, 0.5])
def test_text_is_not_escaped_more_than_json_needs(number):
    """Both printers, the standard one and the one for floats, spell text alike."""
    value = {"t": "\u00e9\U0001f600\u2028\x7f/<>&", "c": '"\\\b\f\n\r\t\x00\x1f', "n": number}
    text = canonical_args(value)
    assert '"\u00e9\U0001f600\u2028\x7f/<>&"' in text
    assert r'"\"\\\b\f\n\r\t\u0000\u001f"' in text


def test_nothing_is_normalised():
    assert canonical_args({"a": "\u00e9"}) != canonical_args({"a": "e\u0301"})


@pytest.mark.parametrize(
    "spelling",
    [
        '{"b":1,"a":[true,null,"\u00e9"]}',
        ' {\n"a" : [ true , null , "\\u00e9" ],\t"b":1 }',
        '{"\\u0061":[true,null,"\u00e9"],"\\u0062":1}',
    ],
)
def test_the_key_does_not_depend_on_the_spelling(spelling):
    value = parse_json(spelling.encode(), depth=64)
    assert canonical_args(value) == '{"a":[true,null,"\u00e9"],"b":1}'


def test_one_and_one_point_nought_are_different_calls():
    texts = [
        canonical_args(parse_json(t, depth=64)) for t in (b"[1]", b"[1.0]", b"[1e0]", b"[-0]")
    ]
    assert texts == ["[1]", "[1.0]", "[1.0]", "[-0.0]"]


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, 10**400, {1, 2}, b"bytes", (1, 2), object(), {1: 2}],
)
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(InvalidArgs) as refused:
        canonical_args({"a": value})
    assert refused.value.errors[0]["pointer"] == "/args"


@pytest.mark.parametrize("value", [None, 1, 0.5, True, b"x", ("a",)])
def test_arguments_are_a_string_an_object_or_an_array(value):
    with pytest.raises(InvalidArgs):
        canonical_args(value)


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner,
        max_size=4), max_leaves=12
)  # fmt: skip


@given(st.dictionaries(st.text(), values, max_size=4))
def test_printing_what_was_printed_changes_nothing(value):
    text = canonical_args(value)
    assert canonical_args(json.loads(text)) == text


@given(
    st.dictionaries(st.text(), values, min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_the_order_in_which_keys_came_does_not_matter(value, random):
    names = list(value)
    random.shuffle(names)
    assert canonical_args({name: value[name] for name in names}) == canonical_args(value)
