"""OpenAPI of the API, from one table and the models that read and write the bodies."""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiRequest, OpenApiResponse
from pydantic import BaseModel, ValidationError

from dalhc.db.refusals import Busy, StorageFull
from dalhc.http import problems as http
from dalhc.http.problem_json import MEDIA
from dalhc.http.status import status_of
from dalhc.problems import Problem
from processes.api.body import MEDIA as JSON
from processes.api.once import InvalidIdempotencyKey
from processes.api.operations import BODY, OPERATIONS, Operation
from processes.api.parameters import PATH, QUERY, REPLY, REQUEST
from processes.api.shapes import ProblemReply
from processes.journal.commands import Command
from processes.journal.errors import ProcessNotFound, UnknownState
from processes.services import Forbidden
from processes.services.keys import Unauthorized

type Location = Literal["path", "query", "header"]

ALWAYS = (
    Unauthorized, Forbidden, http.NotAcceptable, http.RateLimited, http.Internal, Busy,
    StorageFull,
)  # fmt: skip
ONCE = (InvalidIdempotencyKey, http.IdempotencyConflict)


class Models(PydanticExtension):  # type: ignore[no-untyped-call]
    """Commands as they are sent, replies as they are written; arguments in all their forms."""

    priority = 1

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        mode = "validation" if issubclass(self.target, Command) else "serialization"
        schema: dict[str, Any] = self.target.model_json_schema(
            mode=mode, ref_template="#/components/schemas/{model}"
        )
        for name, part in schema.pop("$defs", {}).items():
            found = ResolvedComponent(  # type: ignore[no-untyped-call]
                name=name,
                type=ResolvedComponent.SCHEMA,
                object=name,
                schema=_sendable(name, part),
            )
            auto_schema.registry.register_on_missing(found)
        return schema


class Key(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The one way in: a key in the Authorization header."""

    target_class = "processes.api.auth.BearerKey"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "dalhc_<prefix>_<secret>"}


class Schema(AutoSchema):
    """Finds each view's operation in the table, so that views stay free of documentation."""

    @property
    def operation(self) -> Operation:
        return OPERATIONS[type(self.view).__name__, self.method]

    def is_excluded(self) -> bool:
        """Only the description itself is not described."""
        return type(self.view).__module__.startswith("drf_spectacular.")

    def get_operation_id(self) -> str:
        return self.operation.id

    def get_summary(self) -> str:
        return self.operation.summary

    def get_description(self) -> str:  # type: ignore[override]
        scope = getattr(self.view, "scopes", {}).get(self.method, "read")
        return f"Needs the scope `{scope}`."

    def get_tags(self) -> list[str]:
        path = self.path.removeprefix("/api/v1/").lstrip("/")
        return [path.partition("/")[0]]

    def get_override_parameters(self) -> list[Any]:
        names = {name for name in PATH if f"{{{name}}}" in self.path}
        found = [
            _parameter(name, PATH[name], OpenApiParameter.PATH, required=True)
            for name in sorted(names)
        ]
        found += [
            _parameter(name.partition(" ")[0], QUERY[name], OpenApiParameter.QUERY)
            for name in self.operation.query
        ]
        found += [
            _parameter(name, REQUEST[name], OpenApiParameter.HEADER)
            for name in self._request_headers()
        ]
        found += [
            _parameter(name, REPLY[name], OpenApiParameter.HEADER, response=[*self._statuses()])
            for name in self.operation.headers
        ]
        return found

    def get_request_serializer(self) -> Any:
        match self.operation.body:
            case None:
                return None
            case str() as media:
                return {media: OpenApiRequest(OpenApiTypes.BINARY)}
            case model:
                return {JSON: model}

    def _get_request_body(self, direction: str = "request") -> Any:
        """A body may be left out only when every part of it may (an empty body is `{}`)."""
        found = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        if found and _is_needed(self.operation.body):
            found["required"] = True
        return found

    def get_response_serializers(self) -> Any:
        reply = self.operation.reply
        media, what = (reply, OpenApiTypes.BINARY) if isinstance(reply, str) else (JSON, reply)
        found: dict[Any, OpenApiResponse] = {
            (status, media): OpenApiResponse(what, description=_SAID[status])
            for status in self.operation.statuses
        }
        if self.operation.id == "get_process":
            found[304] = OpenApiResponse(description=_SAID[304])
        return found | _refusals(self.problems())

    def _statuses(self) -> list[str]:
        return [str(status) for status in self.operation.statuses]

    def _request_headers(self) -> list[str]:
        match self.method:
            case "GET" if self.operation.id == "get_process":
                return ["If-None-Match"]
            case "GET" if self.operation.id == "next_action":
                return ["Prefer"]
            case "GET":
                return []
            case "PUT" if isinstance(self.operation.body, str):
                return ["If-Match"]
            case _:
                return ["Idempotency-Key", "If-Match"]

    def problems(self) -> list[type[Problem]]:
        """Every refusal this operation may answer with."""
        found = [*self.operation.problems, *ALWAYS]
        if "{" in self.path:
            found += [ProcessNotFound, UnknownState]
        if "Idempotency-Key" in self._request_headers():
            found += [*BODY, *ONCE]
        return list(dict.fromkeys(found))


_SAID = {
    200: "As it stands now.",
    201: "Stored.",
    304: "Nothing has changed since the revision you named.",
}


def _refusals(problems: list[type[Problem]]) -> dict[Any, OpenApiResponse]:
    """Per status, each problem by its code and in its own words."""
    told: dict[int, list[str]] = {}
    for problem in problems:
        line = f"`{problem.code}`: {problem().title}"
        told.setdefault(status_of(problem()), []).append(line)
    return {
        (status, MEDIA): OpenApiResponse(ProblemReply, description="\n\n".join(lines))
        for status, lines in sorted(told.items())
    }


def _parameter(
    name: str, told: tuple[dict[str, Any], str], location: Location, **more: Any
) -> OpenApiParameter:
    schema, description = told
    return OpenApiParameter(name, schema, location, description=description, **more)


def _sendable(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments may also come as JSON, and are then printed canonically (contract §2)."""
    if name != "Args":
        return schema
    return {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "array", "items": {}}]}


def _is_needed(body: type[BaseModel] | str | None) -> bool:
    if not isinstance(body, type):
        return False
    try:
        body.model_validate({})
    except (ValidationError, Problem):
        return True
    return False
