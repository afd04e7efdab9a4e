"""Every schema that may be kept has its page, whatever is in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from processes.answering.admitting import admit
from processes.journal.errors import InvalidResponseSchema
from tests.making import make_process

TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(["", "a", "b"]),
    st.sampled_from([0.5, 1e300]),
)  # fmt: skip
NAMES = st.sampled_from(["a", "b", "c/d"])
VALUES = st.recursive(
    SCALARS, lambda one: st.lists(one, max_size=2) | st.dictionaries(NAMES, one, max_size=2)
)


def _words(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    kinds = st.sampled_from(TYPES) | st.lists(
        st.sampled_from(TYPES), min_size=1, max_size=3, unique=True
    )
    some, named = st.lists(inner, min_size=1, max_size=3), st.dictionaries(NAMES, inner)
    words = {
        "type": kinds, "items": inner, "properties": named, "anyOf": some, "oneOf": some,
        "allOf": some, "prefixItems": some, "contains": inner, "not": inner, "if": inner,
        "additionalProperties": inner, "enum": st.lists(VALUES, max_size=3), "const": VALUES,
        "enumNames": VALUES, "default": VALUES, "title": SCALARS, "description": SCALARS,
        "format": st.sampled_from(["date", "date-time", "time", "email", "odd"]) | SCALARS,
        "required": st.lists(NAMES, unique=True), "minLength": SCALARS, "maxLength": SCALARS,
        "minItems": SCALARS, "maximum": SCALARS, "multipleOf": SCALARS, "pattern": SCALARS,
        "maxProperties": SCALARS, "dependentRequired": VALUES, "$schema": VALUES,
        "$ref": st.sampled_from(["#/$defs/a", "#/title", "#"]), "$defs": named,
    }  # fmt: skip
    # A few at once: of many, one is wrong, and nothing is shown.
    chosen = st.lists(st.sampled_from(sorted(words)), max_size=4, unique=True)
    return chosen.flatmap(
        lambda names: st.fixed_dictionaries({name: words[name] for name in names})
    )


SCHEMAS = st.recursive(st.booleans(), _words, max_leaves=6)


@pytest.fixture
def page(principal):
    def status(sent: dict[str, Any]) -> int:
        made = make_process(question="How?", response_schema=sent)
        return principal.get(f"/processes/{made.id}/").status_code

    return status


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(sent=_words(SCHEMAS))
def test_every_schema_that_is_admitted_has_its_page(page, sent):
    try:
        admit(sent)
    except InvalidResponseSchema:
        return
    assert page(sent) == 200


@pytest.mark.parametrize(
    "items",
    [{"type": ["string", "integer"]}, {"type": ["string", "null"]}, {"type": []}, True, {}],
)
def test_a_list_of_anything_has_its_page(page, items):
    sent = {"type": "array", "items": items}
    try:
        admit(sent)
    except InvalidResponseSchema:
        assert items == {"type": []}
        return
    assert page(sent) == 200
