"""The OpenAPI document is true: whatever is generated from it, or against it, is answered as it
says.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

import dalhc.urls  # noqa: F401  (each app adds its operations there)
from processes.api.operations import OPERATIONS
from tests.serving import Served

EXAMPLES = 200 if os.environ.get("PROVE") else 8

NOTHING_TO_SEND = {"host_health", "host_status"}  # beside the key

# What says that a request does not fit. A rule that JSON Schema cannot spell has its own code.
UNFIT = {"not_json", "invalid_request", "extra_field", "unsupported_media_type"}


@pytest.fixture(scope="module")
def operations(served: Served) -> dict[str, Any]:
    """By operation id, as the server's own document has them."""
    document = schemathesis.openapi.from_url(f"{served.url}/api/v1/openapi.json")
    found = [one.ok() for one in document.get_all_operations()]
    return {one.definition.raw["operationId"]: one for one in found}


def what_fits_is_refused_by_a_rule_only(context: Any, response: Any, case: Any) -> None:
    """In place of `positive_data_acceptance`, which knows no rule beyond the schema."""
    if response.status_code in {400, 415, 422} and not _is_negative(case):
        told = response.json()
        if "NUL" not in told["detail"]:  # no pattern excludes it that every reader agrees on
            assert told["code"] not in UNFIT, f"what fits was refused as {told['code']}"


def _is_negative(case: Any) -> bool:
    return case.meta is not None and case.meta.generation.mode is GenerationMode.NEGATIVE


def _is_wrong_in_headers_only(case: Any) -> bool:
    """The one it breaks is Authorization, and the key is put there by this test."""
    if not _is_negative(case):
        return False
    wrong = {
        place for place, part in case.meta.components.items()
        if part.mode is GenerationMode.NEGATIVE
    }  # fmt: skip
    return wrong <= {ParameterLocation.HEADER}


def _lost_what_was_wrong(case: Any) -> bool:
    """An odd value in a query may be nothing at all in the address: an empty list, say. What
    remains are names that are known; their values are tried in test_query.
    """
    wrong = {
        place for place, part in case.meta.components.items()
        if part.mode is GenerationMode.NEGATIVE
    }  # fmt: skip
    known = {one.name for one in case.operation.query}
    return wrong <= {ParameterLocation.HEADER, ParameterLocation.QUERY} and all(
        name in known for name in (case.query or {}) if (case.query or {})[name] not in ([], {})
    )


def _holds_whole_float(value: Any) -> bool:
    match value:
        case float():
            return value.is_integer()
        case dict():
            return any(map(_holds_whole_float, value.values()))
        case list():
            return any(map(_holds_whole_float, value))
        case _:
            return False


def tries() -> Iterator[tuple[str, GenerationMode]]:
    """Each operation with what fits, and with what does not where there is anything to send."""
    for name in sorted(one.id for one in OPERATIONS.values()):
        yield name, GenerationMode.POSITIVE
        if name not in NOTHING_TO_SEND:
            yield name, GenerationMode.NEGATIVE


@pytest.mark.parametrize(("name", "mode"), list(tries()))
def test_every_operation_keeps_to_the_document(
    name: str, mode: GenerationMode, operations: dict[str, Any], served: Served
) -> None:
    strategy = operations[name].as_strategy(generation_mode=mode)

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(case=strategy)
    def each(case: Any) -> None:
        # To JSON Schema 3.0 is an integer; here types are exact (contract §1).
        assume(not _holds_whole_float(case.body))
        assume(not _is_wrong_in_headers_only(case))
        assume(not (_is_negative(case) and _lost_what_was_wrong(case)))
        wait = (case.query or {}).get("wait")
        if isinstance(wait, int) and wait > 1 and not _is_negative(case):
            case.query["wait"] = 1  # nobody comes
        case.call_and_validate(
            headers={"Authorization": f"Bearer {served.keys[0]}"},
            excluded_checks=[positive_data_acceptance],
            additional_checks=[what_fits_is_refused_by_a_rule_only],
        )

    each()
