"""Which JSON Schemas a question may bring: complete in themselves, bounded, and cheap to try.

References are followed once, on admission, so that nothing is fetched and nothing turns in a
circle.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from processes.answering import patterns
from processes.answering.exact import text_of
from processes.journal import limits
from processes.journal.errors import InvalidResponseSchema
from processes.journal.parse import parse_exact

type Schema = dict[str, Any]

DIALECTS = {
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema#",
}
_ONE = (
    "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_EACH = set(_ONE) - {"else", "if", "not", "then"}  # of every item, or of every name
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("dependentSchemas", "properties")
_DEFINITIONS = ("$defs", "definitions")
_FOREIGN = (
    "$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef",
    "$vocabulary", "patternProperties",
)  # fmt: skip
_ANNOTATIONS = {"title", "description", "default", "examples", "deprecated", "readOnly"}
_DEPTH = 24


def stored(schema: Schema) -> str:
    """As it is kept: its fields in the order they were sent, which is that of the form."""
    return text_of(schema)


@lru_cache(maxsize=256)
def read(text: str) -> Schema:
    """A kept schema with its references followed, numbers exact. Raises
    InvalidResponseSchema.
    """
    if len(text) > limits.SCHEMA_CHARS:
        raise _refused(f"It is longer than {limits.SCHEMA_CHARS:,} characters.")
    whole = parse_exact(text, depth=limits.DEPTH_API)
    dialect = whole.get("$schema", "")
    if not isinstance(dialect, str) or dialect not in {"", *DIALECTS}:
        raise _refused("Its $schema is not the draft of 2020-12.")
    try:
        followed: Schema = _Following(whole).schema(whole, (), 0)
    except RecursionError:
        raise _refused("It is nested too deeply.") from None
    patterns.check_all(_patterns(followed))
    try:
        Draft202012Validator.check_schema(followed)
    except SchemaError as fault:
        raise _refused(f"{fault.json_path}: {fault.message[:300]}.") from None
    return followed


def _patterns(schema: Any, many: bool = False) -> Iterator[tuple[str, bool]]:
    """Every pattern in it, and whether it is tried on more than one text of an answer."""
    if not isinstance(schema, dict):
        return
    if isinstance(pattern := schema.get("pattern"), str):
        yield pattern, many
    for inner, is_each in _inside(schema):
        yield from _patterns(inner, many or is_each)


def _inside(schema: Schema) -> Iterator[tuple[Any, bool]]:
    yield from ((schema[name], name in _EACH) for name in _ONE if name in schema)
    for name in _LISTS:
        if isinstance(schema.get(name), list):
            yield from ((one, False) for one in schema[name])
    for name in _MAPS:
        if isinstance(schema.get(name), dict):
            yield from ((one, False) for one in schema[name].values())


class _Following:
    """Puts what a `$ref` names in its place, within a bound on the whole."""

    def __init__(self, whole: Schema) -> None:
        self.whole, self.left = whole, limits.SCHEMA_PARTS

    def schema(self, found: Any, seen: tuple[str, ...], depth: int) -> Any:
        if not isinstance(found, dict):
            return found
        self.left -= 1
        if self.left < 0 or depth > _DEPTH:
            raise _refused(
                f"It has more than {limits.SCHEMA_PARTS} parts, or {_DEPTH} levels of them."
            )
        if foreign := next((name for name in _FOREIGN if name in found), None):
            raise _refused(f"{foreign} is not understood here.")
        if "$ref" in found:
            return self._followed(found, seen, depth)
        return {
            name: self._inside(name, value, seen, depth + 1)
            for name, value in found.items()
            if name not in _DEFINITIONS
        }

    def _inside(self, name: str, value: Any, seen: tuple[str, ...], depth: int) -> Any:
        if name in _ONE:
            return self.schema(value, seen, depth)
        if name in _LISTS and isinstance(value, list):
            return [self.schema(one, seen, depth) for one in value]
        if name in _MAPS and isinstance(value, dict):
            return {key: self.schema(one, seen, depth) for key, one in value.items()}
        return value

    def _followed(self, found: Schema, seen: tuple[str, ...], depth: int) -> Any:
        target = found["$ref"]
        if not isinstance(target, str) or target in seen:
            raise _refused(f"{str(target)[:80]!a} refers to itself.")
        named = self.schema(self._named(target), (*seen, target), depth + 1)
        beside = {name: value for name, value in found.items() if name != "$ref"}
        if not beside:
            return named
        if isinstance(named, dict) and beside.keys() <= _ANNOTATIONS:
            return named | beside
        rest = self.schema(beside, seen, depth + 1)
        others = rest.get("allOf", [])
        if not isinstance(others, list):
            raise _refused("Its allOf is no list.")
        return rest | {"allOf": [named, *others]}

    def _named(self, target: str) -> Any:
        if not target.startswith("#"):
            raise _refused(f"{target[:80]!a} is another document; only # is followed.")
        found: Any = self.whole
        for part in target[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found:
                raise _refused(f"{target[:80]!a} names nothing.")
            found = found[name]
        return found


def _refused(why: str) -> InvalidResponseSchema:
    return InvalidResponseSchema(why, pointer="/response_schema")
