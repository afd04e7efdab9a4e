"""What a form sends is what pydantic reads: every kind of field, however it was treated (cases
B64, B65, B67, B70).
"""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Any, NotRequired, TypedDict

import pytest
from pydantic import TypeAdapter, create_model

from processes.answering import checking, schema
from processes.answering.fields import fields
from processes.answering.filling import fill
from processes.journal.errors import AnswerMisfit

ABSENT = object()
REFUSED = object()


class Region(Enum):
    EU = "eu"
    US = "us"


TYPES: dict[str, tuple[Any, Any, str, Any]] = {
    # name: (type, its default, what is typed, what is read)
    "string": (str, "usual", "a “quoted”\nline", "a “quoted”\nline"),
    "integer": (int, 7, "3544790567247868102", 3544790567247868102),
    "number": (float, 0.5, "0.2345678901234568", 0.2345678901234568),
    "boolean": (bool, True, "false", False),
    "enum": (Region, Region.EU, '"us"', Region.US),
    "list": (list[str], ["a"], "x\ny", ["x", "y"]),
    "date": (date, date(2026, 1, 2), "2026-03-31", date(2026, 3, 31)),
}
KINDS = ("required", "optional", "nullable", "default")
TREATED = ("untouched", "cleared", "filled")


def adapter(of: Any, kind: str, default: Any) -> TypeAdapter[Any]:
    match kind:
        case "required":
            return TypeAdapter(create_model("M", x=(of, ...)))
        case "optional":
            return TypeAdapter(TypedDict("M", {"x": NotRequired[of]}))  # type: ignore[operator]
        case "nullable":
            return TypeAdapter(create_model("M", x=(of | None, ...)))
        case _:
            return TypeAdapter(create_model("M", x=(of, default)))


def read(found: Any) -> Any:
    return found.get("x", ABSENT) if isinstance(found, dict) else found.x


def expected(name: str, kind: str, treated: str) -> Any:
    """Said apart from the code: what a person at the form would expect."""
    _, default, _, value = TYPES[name]
    if treated == "filled":
        return value
    if kind == "default":
        cleared_list = name == "list" and treated == "cleared"
        return [] if cleared_list else default
    if kind == "optional":
        return ABSENT
    return [] if name == "list" else REFUSED


@pytest.mark.parametrize("treated", TREATED)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TYPES)
def test_b65_the_form_says_to_pydantic_what_the_person_said(name, kind, treated):
    of, default, typed, _ = TYPES[name]
    model = adapter(of, kind, default)
    kept = schema.stored(model.json_schema())
    [field] = form = fields(kept)
    assert field.kind != "json"
    values = {"untouched": list(field.initial), "cleared": [""], "filled": [typed]}[treated]
    wanted = expected(name, kind, treated)
    if wanted is REFUSED:
        with pytest.raises(AnswerMisfit) as refused:
            fill(form, {field.post: values})
        assert refused.value.errors[0]["pointer"] == "/answer/x"
        return
    answer = fill(form, {field.post: values})
    checking.check(kept, answer)
    assert read(model.validate_json(answer)) == wanted


@pytest.mark.parametrize("name", TYPES)
def test_b64_null_is_said_only_where_it_was_chosen(name):
    of, *_ = TYPES[name]
    model = TypeAdapter(create_model("M", x=(of | None, None)))
    kept = schema.stored(model.json_schema())
    [field] = form = fields(kept)
    assert fill(form, {field.post: list(field.initial)}) == "{}"
    chosen = {field.null: ["1"]} if field.has_null_box else {field.post: ["null"]}
    answer = fill(form, chosen)
    assert answer == '{"x": null}'
    checking.check(kept, answer)
    assert read(model.validate_json(answer)) is None


@pytest.mark.parametrize("chosen", [[], ['"eu"'], ['"eu"', '"us"']])
def test_b70_none_one_or_all_of_several_choices(chosen):
    model = TypeAdapter(create_model("M", x=(list[Region], [Region.EU])))
    kept = schema.stored(model.json_schema())
    [field] = form = fields(kept)
    assert (field.kind, field.initial) == ("choices", ('"eu"',))
    answer = fill(form, {field.post: chosen})
    checking.check(kept, answer)
    assert [f'"{one.value}"' for one in read(model.validate_json(answer))] == chosen
