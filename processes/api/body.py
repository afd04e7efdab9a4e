"""A request body read strictly into a command, and refusals said with JSON pointers."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from dalhc.http.problems import ExtraField, InvalidRequest, UnsupportedMediaType
from processes.journal import limits
from processes.journal.parse import check_parts, parse_json
from processes.journal.text import pointer

MEDIA = "application/json"
NAMES = 200  # of one object that is a command; none has as many


def require_json(content_type: str) -> None:
    """`application/json`, alone or with charset=utf-8; anything else is 415."""
    media, _, rest = content_type.partition(";")
    parameter = rest.strip().lower().replace('"', "")
    if media.strip().lower() != MEDIA or parameter not in {"", "charset=utf-8"}:
        raise UnsupportedMediaType


def read_json(raw: bytes, content_type: str) -> Any:
    """The exact value of the body. Raises the problems of parse_json, and
    UnsupportedMediaType.
    """
    require_json(content_type)
    return parse_json(raw, depth=limits.DEPTH_API, parts=limits.PARTS_API)


def require_few_parts(raw: bytes) -> None:
    """For a body that is read elsewhere. Raises TooManyParts."""
    check_parts(raw.decode(errors="replace"), limits.PARTS_API)


def command[C: BaseModel](model: type[C], value: Any) -> C:
    """The value as a command. Raises ExtraField or InvalidRequest with a pointer per error."""
    if isinstance(value, dict) and len(value) > NAMES:  # an error for each would be large
        raise ExtraField(f"The object has more than {NAMES} names.")
    try:
        return model.model_validate(value)
    except ValidationError as invalid:
        raise _problem(invalid) from None


def _problem(invalid: ValidationError) -> InvalidRequest | ExtraField:
    found = invalid.errors(include_url=False, include_input=False, include_context=False)
    errors = tuple(
        {"pointer": pointer(*error["loc"]), "detail": f"{error['msg']}."}
        for error in found[:20]
    )
    extra = all(error["type"] == "extra_forbidden" for error in found)
    detail = "; ".join(f"{error['pointer'] or '/'}: {error['detail']}" for error in errors[:3])
    return (ExtraField if extra else InvalidRequest)(detail, errors=errors)
