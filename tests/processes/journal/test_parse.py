"""JSON that two parsers could read differently is refused."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processes.journal.parse import (
    DuplicateKey,
    LoneSurrogate,
    NotJson,
    Nul,
    TooDeep,
    TooManyParts,
    parse_json,
)


def parse(body: bytes | str, depth: int = 64) -> object:
    return parse_json(body.encode() if isinstance(body, str) else body, depth=depth)


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"{", b"nul", b"{'a':1}", b"[1,]", b'{"a":1,}', b"[1]x", b"[1] [2]",
            b"// c\n1",
        b"\xff", b'"\xed\xa0\x80"', b'\xef\xbb\xbf{}', b'"a\nb"', b'"\x01"', b"01", b"+1",
            b".5", b"1.",
        b"0x1", b"True", '"\\x"', b"[NaN]", b"[Infinity]", b"[-Infinity]", b"[1e400]",
            b"[-1e400]",
        '{"a":1}'.encode("utf-16"), '{"a":"\u00e9"}'.encode("latin-1"),
        b"[" + b"9" * 5_000 + b"]",
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(body):
    with pytest.raises(NotJson):
        parse(body)


@pytest.mark.parametrize("body", ['{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":2}}]'])
def test_a_key_named_twice_is_refused(body):
    with pytest.raises(DuplicateKey):
        parse(body)


@pytest.mark.parametrize(
    "body",
    [r'"\ud800"', r'"\udc00x"', r'{"\ud800":1}', r'[["\udc00\ud800"]]', r'"\ud83dx\ude00"'],
)
def test_half_a_surrogate_pair_is_refused(body):
    with pytest.raises(LoneSurrogate):
        parse(body)


def test_a_whole_surrogate_pair_is_one_character():
    assert parse(r'"\ud83d\ude00"') == "\U0001f600"


@pytest.mark.parametrize("body", [r'"a\u0000b"', r'{"\u0000":1}', r'[{"a":["\u0000"]}]'])
def test_a_nul_is_refused(body):
    with pytest.raises(Nul):
        parse(body)


@pytest.mark.parametrize("depth", [64, 127])
@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"a":', "}")])
def test_the_depth_that_is_allowed_is_read_and_one_more_is_not(depth, left, right):
    parse(left * depth + "1" + right * depth, depth)
    with pytest.raises(TooDeep):
        parse(left * (depth + 1) + "1" + right * (depth + 1), depth)


@pytest.mark.parametrize("levels", [201, 100_000])
def test_no_depth_makes_the_parser_recurse(levels):
    with pytest.raises(TooDeep):
        parse("[" * levels)


def test_parts_are_counted_and_those_within_text_are_none():
    assert parse_json(b"[[],{},[1]]", depth=64, parts=4) == [[], {}, [1]]
    with pytest.raises(TooManyParts):
        parse_json(b"[[],{},[1]]", depth=64, parts=3)
    assert parse_json(b'{"a":1,"b":{}}', depth=64, parts=4) == {"a": 1, "b": {}}
    with pytest.raises(TooManyParts):
        parse_json(b'{"a":1,"b":{}}', depth=64, parts=3)
    text = json.dumps(["[{:" * 500, '\\"[{']).encode()
    assert parse_json(text, depth=64, parts=1) == ["[{:" * 500, '\\"[{']


def test_brackets_within_text_are_no_levels():
    text = "[{" * 200
    assert parse(json.dumps({"a": text, 'b"[': '\\"[[[[' * 40})) == {
        "a": text,
        'b"[': '\\"[[[[' * 40,
    }


def test_many_brackets_side_by_side_are_one_level():
    assert parse("[" + ",".join(["[]"] * 500) + "]") == [[]] * 500


def test_numbers_are_exact():
    body = "[9007199254740993, 3544790567247868102, 18446744073709551616, 0.2345678901234568]"
    assert parse(body) == [9007199254740993, 3544790567247868102, 2**64, 0.2345678901234568]


def test_minus_nought_is_a_float():
    [value] = parse("[-0]")
    assert isinstance(value, float)
    assert str(value) == "-0.0"


def test_text_is_not_normalised():
    assert parse('["e\u0301", "\u00e9"]') == ["e\u0301", "\u00e9"]


text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)
scalars = st.none() | st.booleans() | st.integers() | text
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans())
def test_whatever_json_says_comes_back(value, ascii_only):
    assert parse(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(st.binary(max_size=60))
def test_no_bytes_do_anything_but_parse_or_be_refused(body):
    with contextlib.suppress(NotJson, DuplicateKey, LoneSurrogate, Nul, TooDeep):
        parse(body)


_TEXTS = st.text(st.sampled_from('"\\\\[]{}a\n\u20ac'), max_size=6)
_VALUES = st.recursive(
    _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=40,
)


def levels(value: object) -> int:
    match value:
        case list():
            return 1 + max(map(levels, value), default=0)
        case dict():
            return 1 + max(map(levels, value.values()), default=0)
        case _:
            return 0


@given(value=_VALUES, indent=st.sampled_from([None, 2]))
def test_brackets_and_quotes_in_strings_do_not_change_the_depth(value, indent):
    text, deep = json.dumps(value, indent=indent, ensure_ascii=False), levels(value)
    assert parse(text, deep) == value
    if deep:
        with pytest.raises(TooDeep):
            parse(text, deep - 1)


@pytest.mark.parametrize("begun", ['"', '["', '{"a', '["\\"', '["\\\\'])
def test_a_string_that_never_ends_hides_its_brackets(begun):
    with pytest.raises(NotJson):
        parse(begun + "[" * 200)
