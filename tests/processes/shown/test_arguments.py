from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processes.shown.arguments import Argument, pretty, table


def test_each_value_stands_with_its_type_digit_for_digit():
    text = (
        '{"a":3544790567247868102,"b":0.2345678901234568,"c":1e400,'
        '"d":-0.0,"e":"x","f":true,"g":null}'
    )
    assert table(text) == [
        Argument("a", "3544790567247868102", "number"),
        Argument("b", "0.2345678901234568", "number"),
        Argument("c", "1e400", "number"),
        Argument("d", "-0.0", "number"),
        Argument("e", "x", "text"),
        Argument("f", "true", "yes or no"),
        Argument("g", "null", "nothing"),
    ]


def test_a_key_given_twice_stands_twice():
    found = table('{"cmd":"ls","cmd":"rm -rf /"}')
    assert [(one.value, one.is_repeated) for one in found] == [("ls", True), ("rm -rf /", True)]


def test_lists_and_objects_are_json_over_several_lines():
    assert table('{"a":[1,{"b":[]}],"c":{}}') == [
        Argument("a", '[\n  1,\n  {\n    "b": []\n  }\n]', "list"),
        Argument("c", "{}", "object"),
    ]


@pytest.mark.parametrize(
    "text", ["run:ls -la", "", '"text"', "[1,2]", "{broken", "[" * 60_000, "{" * 9]
)
def test_what_is_no_object_has_no_table(text):
    assert table(text) is None


@pytest.mark.parametrize("text", ["run:ls -la", "{broken", "[" * 60_000])
def test_what_is_no_json_is_edited_as_it_stands(text):
    assert pretty(text) == text


def test_numbers_are_edited_as_they_were_written():
    assert pretty('{"n":1.0,"m":[1e+16]}') == '{\n  "n": 1.0,\n  "m": [\n    1e+16\n  ]\n}'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_pretty_json_says_the_same(value):
    assert json.loads(pretty(json.dumps(value))) == value
