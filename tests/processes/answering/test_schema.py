from __future__ import annotations

import time

import pytest

from processes.answering import checking, patterns, schema
from processes.journal.errors import InvalidResponseSchema

DOUBLES = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(30)}


@pytest.mark.parametrize(
    "sent",
    [
        {"type": "words"},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/nothing"},
        {"$ref": "https://example.org/schema"},
        {"$id": "https://example.org/schema"},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        {"$dynamicRef": "#x"},
        {"patternProperties": {"(a+)+$": {}}},
        {"$ref": "#/$defs/a0", "$defs": DOUBLES | {"a30": {}}},
        {"enum": ["x" * 20_000]},
        {"pattern": "("},
        {"minLength": -1},
        {"$schema": []},
        {"$schema": {}},
        {"$ref": "#/$defs/a", "$defs": {"a": {}}, "allOf": 5},
        {"$ref": "#/$defs/a", "$defs": {"a": {}}, "allOf": {"a": 1}},
    ],
)
def test_a_schema_that_people_cannot_answer_is_refused(sent):
    with pytest.raises(InvalidResponseSchema) as refused:
        schema.read(schema.stored(sent))
    assert refused.value.errors[0]["pointer"] == "/response_schema"


def test_deep_nesting_is_refused_without_recursion():
    sent: dict = {}
    for _ in range(40):
        sent = {"not": sent}
    with pytest.raises(InvalidResponseSchema):
        schema.read(schema.stored(sent))


def test_references_are_followed_and_what_stands_beside_them_counts():
    read = schema.read(
        schema.stored(
            {
                "$defs": {"n": {"type": "integer", "title": "N"}},
                "properties": {
                    "a": {"$ref": "#/$defs/n", "title": "A"},
                    "b": {"$ref": "#/$defs/n", "minimum": 3},
                },
            }
        )
    )
    assert read["properties"]["a"] == {"type": "integer", "title": "A"}
    assert read["properties"]["b"] == {
        "minimum": 3, "allOf": [{"type": "integer", "title": "N"}],
    }  # fmt: skip


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*$", "(a*)*b", "(?=a)b", r"(a)\1", "a*a*a*a*b", "(.*,){12}x", "a" * 201,
        r"(?m)^a*b*c", r"(?m)^\d+\.\d+$"],
)  # fmt: skip
def test_a_pattern_that_could_take_long_is_refused(pattern):
    with pytest.raises(InvalidResponseSchema):
        patterns.check(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Za-z]+$", r"^\d{4}-\d{2}$", "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,4}$", "^(eu|us)-(west|east)-[1-9]$",
        "colou?r",
    ],
)  # fmt: skip
def test_an_ordinary_pattern_is_taken_and_quick(pattern):
    patterns.check(pattern)
    kept = schema.stored({"type": "string", "pattern": pattern})
    began = time.perf_counter()
    assert list(checking.faults(kept, "a" * 499 + "!"))
    assert time.perf_counter() - began < 1


SLOW = {"type": "string", "pattern": r"^\d+\.\d+$"}  # 250,000 attempts on one text


@pytest.mark.parametrize(
    "sent",
    [
        {"type": "object", "properties": {f"p{n}": SLOW for n in range(40)}},
        {
            "$defs": {"v": SLOW},
            "properties": {f"p{n}": {"$ref": "#/$defs/v"} for n in range(40)},
        },
        {"type": "array", "items": {"pattern": "^a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?b"}},
        {"type": "object", "additionalProperties": {"pattern": r"^\d*\.?\d*x?x?x?x?$"}},
    ],
)
def test_patterns_that_could_take_long_together_are_refused(sent):
    with pytest.raises(InvalidResponseSchema):
        schema.read(schema.stored(sent))


def test_an_ordinary_pattern_may_be_asked_of_every_item():
    kept = schema.stored({"type": "array", "items": SLOW})
    began = time.perf_counter()
    assert list(checking.faults(kept, ["1" * 499] * 16))
    assert time.perf_counter() - began < 2
