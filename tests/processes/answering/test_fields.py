from __future__ import annotations

import pytest

from processes.answering import schema
from processes.answering.fields import fields


def one(**said):
    """The one field of a question with this property."""
    whole = {"type": "object", "properties": {"x": said}}
    [field] = fields(schema.stored(whole))
    return field


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "format": "email"}, "email"),
        ({"type": "string", "format": "uri"}, "uri"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "string", "format": "date-time"}, "moment"),
        ({"type": "integer"}, "integer"),
        ({"type": "number", "minimum": 0.5}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "string", "enum": ["a", "b"]}, "choice"),
        ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, "choice"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "choices"),
        ({"type": "array", "items": {"anyOf": [{"const": 1, "title": "One"}]}}, "choices"),
        ({"type": "array", "items": {"type": "string"}}, "lines"),
        ({"type": "object", "properties": {"y": {"type": "string"}}}, "json"),
        ({"type": "array", "items": {"type": "object"}}, "json"),
        ({}, "json"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "json"),
        ({"type": ["string", "integer"]}, "json"),
    ],
)
def test_each_schema_has_its_field(said, kind):
    assert one(**said).kind == kind


def test_choices_have_the_titles_their_author_gave_them():
    old = one(type="string", enum=["a", "b"], enumNames=["Alpha", "Beta"])
    new = one(oneOf=[{"const": "a", "title": "Alpha"}, {"const": "b", "title": "Beta"}])
    assert [option.title for option in old.options] == ["Alpha", "Beta"]
    assert old.options == new.options
    assert [option.value for option in old.options] == ['"a"', '"b"']


def test_fields_stand_in_the_order_they_were_sent():
    whole = {"type": "object", "properties": {"z": {}, "a": {}, "m": {}}, "required": ["a"]}
    form = fields(schema.stored(whole))
    assert [(field.name, field.required) for field in form] == [
        ("z", False), ("a", True), ("m", False),
    ]  # fmt: skip


def test_b65_zero_and_false_are_defaults_like_any_other():
    assert one(type="integer", default=0).initial == ("0",)
    assert one(type="boolean", default=False).initial == ("false",)
    assert one(type="string", default="").initial == ("",)


def test_b65_null_beside_a_type_is_no_picker_of_types():
    field = one(anyOf=[{"type": "integer"}, {"type": "null"}], default=None)
    assert (field.kind, field.nullable, field.initial) == ("integer", True, ())
    chosen = one(enum=["a", None])
    assert [option.value for option in chosen.options] == ['"a"', "null"]


def test_a_default_that_no_field_can_show_is_shown_as_json():
    field = one(type="array", items={"type": "string"}, default=["two\nlines"])
    assert (field.kind, field.initial) == ("json", ('["two\\nlines"]',))


@pytest.mark.parametrize(
    "whole",
    [
        {"type": "string"},
        {"type": "object"},
        {"type": "object", "properties": {f"p{n}": {} for n in range(51)}},
        {"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]},
    ],
)
def test_what_is_no_flat_object_is_one_field(whole):
    [field] = fields(schema.stored(whole))
    assert field.name is None
    assert field.pointer == ""


@pytest.mark.parametrize(
    "more",
    [
        {"required": ["b"]},
        {"dependentRequired": {"a": ["b"]}},
        {"dependentSchemas": {"a": {"required": ["b"]}}},
        {"maxProperties": 0},
    ],
)
def test_what_is_asked_of_the_whole_answer_is_answered_as_json(more):
    sent = {"type": "object", "properties": {"a": {"type": "string"}}} | more
    [field] = fields(schema.stored(sent))
    assert (field.name, field.kind) == (None, "json")
