"""A filled-in form as the JSON text of an answer: what was typed, digit for digit.

A blank optional field is no field at all; null is said only where null was chosen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from dalhc.problems import Problem
from processes.answering.fields import Field
from processes.journal import limits
from processes.journal.errors import AnswerMisfit
from processes.journal.parse import parse_exact

type Sent = Mapping[str, Sequence[str]]

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?", re.ASCII)


class _Fault(Exception):
    """What is wrong with one field."""


def fill(form: Sequence[Field], sent: Sent) -> str:
    """The answer. Raises AnswerMisfit with a pointer for every field that says nothing an
    answer could hold; whether it fits the schema is asked later.
    """
    parts: list[str] = []
    faults: list[dict[str, str]] = []
    for field in form:
        try:
            text = _read(field, sent)
        except _Fault as fault:
            faults.append({"pointer": f"/answer{field.pointer}", "detail": str(fault)})
            continue
        if text is not None:
            named = "" if field.name is None else f"{_quoted(field.name)}: "
            parts.append(named + text)
    if faults:
        raise AnswerMisfit(faults[0]["detail"], errors=tuple(faults))
    return parts[0] if form[0].name is None else f"{{{', '.join(parts)}}}"


def is_blank(form: Sequence[Field], sent: Sent) -> bool:
    """Nothing of this form was sent at all."""
    return not any(field.post in sent or field.null in sent for field in form)


def _read(field: Field, sent: Sent) -> str | None:
    """JSON text, or None for a field that is left out."""
    if field.has_null_box and any(sent.get(field.null, ())):
        return "null"
    values = [value for value in sent.get(field.post, ()) if value]
    if field.kind == "choices":
        return _list(field, [_chosen(field, value) for value in values])
    text = values[-1].replace("\r\n", "\n") if values else ""
    if field.kind == "lines":
        return _list(field, [_item(field, line) for line in text.split("\n") if line.strip()])
    if not text:
        if field.required:
            raise _Fault("This is needed.")
        return None
    return _one(field, text)


def _one(field: Field, text: str) -> str:
    match field.kind:
        case "integer" | "number":
            return _number(text)
        case "boolean" | "choice":
            return _chosen(field, text)
        case "moment":
            return _quoted(_zoned(text))
        case "json":
            return _json(text)
        case _:
            return _quoted(text)


def _list(field: Field, items: list[str]) -> str | None:
    """An empty list is sent where it was asked for, or where a default was cleared."""
    if not items and not field.required and not field.initial:
        return None
    return f"[{', '.join(items)}]"


def _item(field: Field, line: str) -> str:
    return _quoted(line) if field.schema["items"]["type"] == "string" else _number(line)


def _number(text: str) -> str:
    bare = text.strip()
    if not _NUMBER.fullmatch(bare):
        raise _Fault("A number, as in 42 or -0.5.")
    return bare


def _chosen(field: Field, value: str) -> str:
    if all(option.value != value for option in field.options):
        raise _Fault("This is none of the choices.")
    return value


def _zoned(text: str) -> str:
    """The browser's own field knows no zone; it is labelled UTC."""
    if not _LOCAL.fullmatch(text):
        return text
    seconds = "" if text.count(":") == 2 else ":00"
    return f"{text}{seconds}Z"


def _json(text: str) -> str:
    try:
        parse_exact(text, depth=limits.DEPTH_API)
    except Problem as problem:
        raise _Fault(f"JSON, please. {problem.detail}") from None
    return text.strip()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
