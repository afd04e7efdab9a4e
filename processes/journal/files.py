"""The journal file of the DAL runtime: read with its aliases, written with our names (contract
§1).

Nothing is guessed: an unknown state, reason or schema version is refused and its bytes stay
as they are.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ValidationError

from processes.journal import errors, limits, paths
from processes.journal.canonical import step_key
from processes.journal.parse import parse_json
from processes.journal.record import (
    ProcessRecord,
    ProcessStep,
    ProcessTurn,
    Reason,
    State,
)
from processes.journal.text import is_tool_name, is_visible
from processes.journal.writing import Extra, pieces

HEAD_ALIASES = {
    "schema_version": ("version",),
    "id": ("process_id",),
    "suspend_reason": ("suspension_reason", "reason"),
    "created_at_ms": ("created_at", "created_ms"),
    "updated_at_ms": ("updated_at", "updated_ms"),
}
STEP_ALIASES = {
    "tool": ("tool_name", "name"),
    "args": ("canonical_args", "arguments"),
    "success": ("ok",),
    "result_digest": ("digest",),
    "artifacts": ("artifact_paths",),
}
_ALIASES = frozenset(name for names in (HEAD_ALIASES | STEP_ALIASES).values() for name in names)
# Looked up once: a model tells its fields slowly, and a file has a hundred steps.
_RECORD, _STEP, _TURN = (
    frozenset(model.model_fields) for model in (ProcessRecord, ProcessStep, ProcessTurn)
)


def load(text: bytes) -> tuple[ProcessRecord, Extra]:
    """A record, and the keys we do not know: `{"head": {…}, "steps": {"3": {…}}, "turns":
    {…}}`.

    Raises CorruptRecord, UnsupportedSchemaVersion, UnknownState, InvalidSuspendReason,
    InvalidProcessId, ObjectiveEmpty, QuestionRequired, InvalidArtifactPath,
    IdempotencyKeyMismatch.
    """
    document = parse_json(text, depth=limits.DEPTH_FILE)
    if not isinstance(document, dict):
        raise errors.CorruptRecord("A journal file holds one JSON object.")
    fields = _renamed(document, HEAD_ALIASES)
    _check_head(fields)
    fields["steps"] = [_step(n, step) for n, step in enumerate(_list(fields, "steps"))]
    fields["turns"] = [_turn(n, turn) for n, turn in enumerate(_list(fields, "turns"))]
    extra = {
        "head": _unknown(fields, _RECORD),
        "steps": _numbered(fields["steps"], _STEP),
        "turns": _numbered(fields["turns"], _TURN),
    }
    return _validated({k: v for k, v in fields.items() if v is not None}), extra


def dump(record: ProcessRecord, extra: Extra | None = None, first_turn: int = 1) -> str:
    """Pretty JSON, two spaces, UTF-8 unescaped, as DAL writes it (contract F18)."""
    return "".join(pieces(record, record.steps, record.turns, extra, first_turn))


def _unknown(fields: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: fields[name] for name in fields if name not in known}


def _numbered(items: list[dict[str, Any]], known: frozenset[str]) -> dict[str, Any]:
    return {
        str(number): _unknown(item, known)
        for number, item in enumerate(items, 1)
        if not known.issuperset(item)
    }


def _renamed(document: dict[str, Any], aliases: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    fields = dict(document)
    if _ALIASES.isdisjoint(fields):
        return fields
    for name, others in aliases.items():
        for other in others:
            if other not in fields or not _stands_for(name, fields[other]):
                continue
            value = fields.pop(other)
            if fields.get(name) not in (None, value):
                raise errors.CorruptRecord(f"{name} and {other} disagree.", pointer=f"/{other}")
            fields[name] = value
    return fields


def _stands_for(name: str, value: Any) -> bool:
    """Any text stands for a reason, also an unknown one: that is refused, not kept as an extra
    key. Only a whole number stands for a time (contract §1).
    """
    if name == "suspend_reason":
        return value is None or isinstance(value, str)
    return not name.endswith("_at_ms") or type(value) is int


def _check_head(fields: dict[str, Any]) -> None:
    if (
        fields.get("schema_version") != limits.SCHEMA_VERSION
        or fields["schema_version"] is True
    ):
        raise errors.UnsupportedSchemaVersion(pointer="/schema_version")
    if fields.get("state") not in list(State):
        raise errors.UnknownState(pointer="/state")
    if fields.get("suspend_reason") not in [None, *Reason]:
        raise errors.InvalidSuspendReason(pointer="/suspend_reason")
    if paths.is_device_name(paths.process_id(_text(fields, "id"))):
        raise errors.InvalidProcessId("The id names a device of Windows.", pointer="/id")
    objective = fields.get("objective")
    if not isinstance(objective, str) or not is_visible(objective):
        raise errors.ObjectiveEmpty(pointer="/objective")
    if len(objective) > limits.OBJECTIVE_CHARS:
        raise errors.CorruptRecord("The objective is too long.", pointer="/objective")
    texts = {"question": limits.TEXT_CHARS, "principal_answer": limits.TEXT_CHARS}
    _check_lengths(fields, texts, "")
    _check_stop(fields)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _check_stop(fields: dict[str, Any]) -> None:
    suspended = fields["state"] == State.SUSPENDED
    if suspended != (fields.get("suspend_reason") is not None):
        raise errors.CorruptRecord(
            "A suspended record has a reason, and no other does.", pointer="/suspend_reason"
        )
    if fields.get("suspend_reason") == Reason.ASK_USER and not is_visible(
        fields.get("question")
    ):
        raise errors.QuestionRequired(pointer="/question")


def _list(fields: dict[str, Any], name: Literal["steps", "turns"]) -> list[Any]:
    value = [] if fields.get(name) is None else fields[name]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise errors.CorruptRecord(f"{name} is a list of objects.", pointer=f"/{name}")
    return value


def _step(number: int, step: dict[str, Any]) -> dict[str, Any]:
    fields = _renamed(step, STEP_ALIASES)
    tool, args, pointer = fields.get("tool"), fields.get("args"), f"/steps/{number}"
    if not isinstance(tool, str) or not isinstance(args, str) or not is_tool_name(tool):
        raise errors.CorruptRecord("A step has a tool and args, both text.", pointer=pointer)
    key = step_key(tool, args)
    if fields.get("idempotency_key") not in (None, key):
        raise errors.IdempotencyKeyMismatch(pointer=f"{pointer}/idempotency_key")
    artifacts = _artifacts(fields, pointer)
    _check_lengths(fields, {"result_digest": limits.DIGEST_CHARS}, pointer)
    if len(artifacts) > limits.ARTIFACTS_PER_STEP or len(args.encode()) > limits.ARGS_BYTES:
        raise errors.CorruptRecord("A step is larger than a journal allows.", pointer=pointer)
    fields.update(idempotency_key=key, artifacts=artifacts)
    if None not in fields.values():
        return fields
    return {
        name: value for name, value in fields.items() if value is not None or name not in _STEP
    }


def _artifacts(fields: dict[str, Any], pointer: str) -> tuple[str, ...]:
    told = fields.get("artifacts")
    if told is None or told == []:
        return ()
    if not isinstance(told, list) or not all(isinstance(path, str) for path in told):
        raise errors.CorruptRecord(
            "artifacts is a list of paths.", pointer=f"{pointer}/artifacts"
        )
    return paths.artifact_paths(told, f"{pointer}/artifacts")


def _turn(number: int, turn: dict[str, Any]) -> dict[str, Any]:
    _check_lengths(turn, {"content": limits.TEXT_CHARS}, f"/turns/{number}")
    return turn


def _check_lengths(fields: dict[str, Any], bounds: dict[str, int], pointer: str) -> None:
    for name, bound in bounds.items():
        value = fields.get(name)
        if value is not None and (not isinstance(value, str) or len(value) > bound):
            raise errors.CorruptRecord(
                f"{name} is text of at most {bound} characters.", pointer=f"{pointer}/{name}"
            )


def _validated(fields: dict[str, Any]) -> ProcessRecord:
    try:
        return ProcessRecord.model_validate(fields)
    except ValidationError as problem:
        first = problem.errors()[0]
        pointer = "/" + "/".join(str(part) for part in first["loc"])
        raise errors.CorruptRecord(f"{pointer}: {first['msg']}.", pointer=pointer) from None
