"""The OpenAPI document: complete, valid, and the same as what the code does."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command
from drf_spectacular.views import SpectacularJSONAPIView

from dalhc.http.status import STATUS
from descriptors.api.urls import urlpatterns as of_descriptors
from processes.api.operations import OPERATIONS
from processes.api.parameters import QUERY
from processes.api.urls import HOST
from processes.api.urls import urlpatterns as of_processes
from tests.processes.api.callers import Caller

urlpatterns = [*of_processes, *of_descriptors, *HOST]


@pytest.fixture(scope="module")
def document():
    out = io.StringIO()
    call_command(
        "spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", stdout=out
    )
    return json.loads(out.getvalue())


def operations(document):
    return [one for path in document["paths"].values() for one in path.values()]


def test_it_is_valid_and_warns_of_nothing(document):
    assert document["openapi"].startswith("3.1")


def test_it_is_served_to_anyone(db, document):
    reply = Caller().get("openapi.json")
    assert reply.status_code == 200
    assert json.loads(reply.content)["paths"] == document["paths"]


def test_it_holds_every_operation_by_its_own_name(document):
    ids = [one["operationId"] for one in operations(document)]
    assert sorted(ids) == sorted(one.id for one in OPERATIONS.values())
    assert len(set(ids)) == len(ids)
    assert len(document["paths"]) == len(urlpatterns) - 1


def test_every_view_and_method_has_an_operation():
    views = [pattern.callback.view_class for pattern in urlpatterns]
    views.remove(SpectacularJSONAPIView)  # the document itself
    methods = {
        (view.__name__, name.upper())
        for view in views
        for name in ("get", "post", "put", "patch", "delete")
        if hasattr(view, name)
    }
    assert methods == set(OPERATIONS)


def test_every_refusal_is_problem_json_with_its_code(document):
    for one in operations(document):
        for status, reply in one["responses"].items():
            if int(status) >= 400:
                assert list(reply["content"]) == ["application/problem+json"]
                codes = {line.split("`")[1] for line in reply["description"].split("\n\n")}
                assert {STATUS[code] for code in codes} == {int(status)}


def test_every_operation_needs_the_key_and_names_its_scope(document):
    for one in operations(document):
        assert one["security"] == [{"key": []}]
        assert one["description"].startswith("Needs the scope `")
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"


def test_every_post_takes_an_idempotency_key(document):
    for path in document["paths"].values():
        names = [one["name"] for one in path.get("post", {}).get("parameters", [])]
        assert "post" not in path or "Idempotency-Key" in names


def test_every_query_parameter_is_told_once():
    used = {name for one in OPERATIONS.values() for name in one.query}
    assert used == set(QUERY)


def test_arguments_may_be_text_an_object_or_a_list(document):
    args = document["components"]["schemas"]["Args"]
    assert [one["type"] for one in args["anyOf"]] == ["string", "object", "array"]
    assert document["components"]["schemas"]["AppendStep"]["additionalProperties"] is False
