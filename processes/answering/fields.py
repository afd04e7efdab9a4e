"""A schema as the fields of a form: everything the form mode of MCP elicitation knows, and what
pydantic makes of the same types. What is not known here is asked for as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from processes.answering.exact import text_of
from processes.answering.schema import Schema, read
from processes.journal import limits
from processes.journal.text import pointer

type Kind = Literal[
    "text", "email", "uri", "date", "moment", "number", "integer", "boolean", "choice",
    "choices", "lines", "json",
]  # fmt: skip

RADIOS = 8  # more choices than these are a list that opens
_FORMATS: dict[str, Kind] = {
    "email": "email", "uri": "uri", "date": "date", "date-time": "moment",
}  # fmt: skip
_OF_THE_WHOLE = {
    "allOf", "anyOf", "const", "dependentRequired", "dependentSchemas", "enum", "if",
    "maxProperties", "minProperties", "not", "oneOf", "propertyNames",
}  # fmt: skip
_UNSET: Any = object()


@dataclass(frozen=True, slots=True)
class Option:
    """A choice: its JSON text, which is what the form sends, and its title."""

    value: str
    title: str


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `name` is None when the answer is this field alone; `post` is its name in the
    form; `initial` is what the form shows and sends when nobody touches it.
    """

    name: str | None
    post: str
    kind: Kind
    schema: Schema
    required: bool
    nullable: bool
    options: tuple[Option, ...]
    initial: tuple[str, ...]

    @property
    def title(self) -> str:
        return str(self.schema.get("title") or self.name or "Your answer")

    @property
    def hint(self) -> str:
        return str(self.schema.get("description") or "")

    @property
    def pointer(self) -> str:
        return "" if self.name is None else pointer(self.name)

    @property
    def null(self) -> str:
        """The name of the box that says null, where null is no choice of its own."""
        return f"{self.post}-null"

    @property
    def has_null_box(self) -> bool:
        return self.nullable and self.kind not in {"boolean", "choice"}

    @property
    def is_list(self) -> bool:
        """Many choices stand better in a list that opens."""
        return self.kind == "choice" and len(self.options) > RADIOS

    @property
    def kept(self) -> str:
        """What the process takes by itself when this is left blank."""
        default = self.schema.get("default")
        is_plain = not self.required and default is not None
        return text_of(default) if is_plain and self.kind not in {"choices", "lines"} else ""

    @property
    def most(self) -> int:
        """Characters a text may have."""
        bound = self.schema.get("maxLength")
        return min(bound, limits.TEXT_CHARS) if isinstance(bound, int) else limits.TEXT_CHARS


@lru_cache(maxsize=256)
def fields(text: str) -> tuple[Field, ...]:
    """The form of a kept schema, in the order its author wrote it."""
    schema = read(text)
    named: Schema = schema.get("properties") or {}
    needed = schema.get("required", [])
    is_flat = (
        schema.get("type") == "object" and not _is_more(schema) and named.keys() >= {*needed}
    )
    if not is_flat or not 0 < len(named) <= limits.FIELDS:
        return (_field(None, "f0", schema, required=True),)
    return tuple(
        _field(name, f"f{number}", one if isinstance(one, dict) else {}, name in needed)
        for number, (name, one) in enumerate(named.items())
    )


def _is_more(schema: Schema) -> bool:
    """An object of which more is asked than of each field alone is no flat form."""
    return bool(_OF_THE_WHOLE & schema.keys())


def _field(name: str | None, post: str, whole: Schema, required: bool) -> Field:
    schema, nullable = _without_null(whole)
    kind, options = _kind(schema)
    if kind == "json":
        nullable = False  # whoever writes JSON can write null
    if nullable and kind in {"boolean", "choice"}:
        options = (*options, Option("null", "null"))
    initial = _initial(kind, schema.get("default", _UNSET), options)
    if initial is None:
        kind, options, nullable = "json", (), False
        initial = (text_of(schema["default"]),)
    return Field(name, post, kind, schema, required, nullable, options, initial)


def _without_null(schema: Schema) -> tuple[Schema, bool]:
    """The schema of what is not null, and whether null may be chosen."""
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds and len(kinds) == 2:
        [kind] = [one for one in kinds if one != "null"]
        return schema | {"type": kind}, True
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and {"type": "null"} in branches:
            rest = [one for one in branches if one != {"type": "null"}]
            beside = {key: value for key, value in schema.items() if key != word}
            if len(rest) == 1 and isinstance(rest[0], dict):
                return rest[0] | beside, True
            return beside | {word: rest}, True
    return schema, False


def _kind(schema: Schema) -> tuple[Kind, tuple[Option, ...]]:
    if options := _options(schema):
        return "choice", options
    match schema.get("type"):
        case "string":
            return _FORMATS.get(str(schema.get("format")), "text"), ()
        case "integer":
            return "integer", ()
        case "number":
            return "number", ()
        case "boolean":
            return "boolean", (Option("true", "Yes"), Option("false", "No"))
        case "array" if isinstance(items := schema.get("items"), dict):
            return _kind_of_list(items, schema)
        case _:
            return "json", ()


def _kind_of_list(items: Schema, schema: Schema) -> tuple[Kind, tuple[Option, ...]]:
    if "prefixItems" in schema or "contains" in schema:
        return "json", ()
    if options := _options(items):
        return "choices", options
    if items.get("type") in ("string", "integer", "number"):  # it may be a list of types
        return "lines", ()
    return "json", ()


def _options(schema: Schema) -> tuple[Option, ...]:
    """The choices of an enum, a const, or a list of titled constants."""
    if "const" in schema:
        return (Option(text_of(schema["const"]), _named(schema["const"], schema.get("title"))),)
    values = schema.get("enum")
    if isinstance(values, list):
        titles = schema.get("enumNames")
        named = titles if isinstance(titles, list) and len(titles) == len(values) else values
        return tuple(
            Option(text_of(value), _named(value, title))
            for value, title in zip(values, named, strict=True)
        )
    branches = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(branches, list) and all(_is_constant(one) for one in branches):
        return tuple(
            Option(text_of(one["const"]), _named(one["const"], one.get("title")))
            for one in branches
        )
    return ()


def _is_constant(schema: Any) -> bool:
    return isinstance(schema, dict) and "const" in schema


def _named(value: Any, title: Any) -> str:
    if isinstance(title, str) and title:
        return title
    return value if isinstance(value, str) and value else text_of(value)


def _initial(kind: Kind, default: Any, options: tuple[Option, ...]) -> tuple[str, ...] | None:
    """What the form shows; None when this default cannot stand in this kind of field. A null
    is never chosen beforehand.
    """
    if default is _UNSET or default is None:
        return ()
    match kind:
        case "boolean" | "choice":
            text = text_of(default)
            return (text,) if any(one.value == text for one in options) else None
        case "choices" | "lines" if not isinstance(default, list):
            return None
        case "choices":
            texts = tuple(map(text_of, default))
            return texts if set(texts) <= {one.value for one in options} else None
        case "lines":
            lines = [one if isinstance(one, str) else text_of(one) for one in default]
            if not _stand_in_lines(lines):
                return None
            return ("\n".join(lines),) if lines else ()
        case "json":
            return (text_of(default),)
        case _:
            return (default if isinstance(default, str) else text_of(default),)


def _stand_in_lines(lines: list[str]) -> bool:
    return all(line.strip() and len(line.splitlines()) == 1 for line in lines)
