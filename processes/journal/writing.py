"""The journal file written piece by piece: a long one is never whole in memory (F18)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from json.encoder import encode_basestring as _text
from typing import Any, Protocol

from processes.journal.record import ProcessHead, ProcessTurn

type Extra = dict[str, dict[str, Any]]


class Step(Protocol):
    """A step of a record, or a row with the same names."""

    @property
    def tool(self) -> str: ...
    @property
    def args(self) -> str: ...
    @property
    def success(self) -> bool: ...
    @property
    def result_digest(self) -> str: ...
    @property
    def artifacts(self) -> tuple[str, ...]: ...
    @property
    def idempotency_key(self) -> str: ...


def pieces(
    head: ProcessHead,
    steps: Iterable[Step],
    turns: Iterable[ProcessTurn],
    extra: Extra | None = None,
    first_turn: int = 1,
) -> Iterator[str]:
    """Pretty JSON, two spaces, UTF-8 unescaped; joined it is the file as DAL writes it. Unknown
    keys of an imported file stand where they stood.
    """
    extra = extra or {}
    yield _pretty(head.model_dump(mode="json", exclude={"steps", "turns"}))[: -len("\n}")]
    yield from _list("steps", map(_step, steps), extra.get("steps", {}), 1)
    told = (_pretty(turn.model_dump(mode="json")) for turn in turns)
    yield from _list("turns", told, extra.get("turns", {}), first_turn)
    if more := extra.get("head"):
        yield "," + _pretty(more)[1 : -len("\n}")]
    yield "\n}\n"


def _list(name: str, items: Iterable[str], extra: dict[str, Any], first: int) -> Iterator[str]:
    yield f',\n  "{name}": ['
    between = ""
    for number, item in enumerate(items, first):
        if more := extra.get(str(number)):
            item = item[: -len("\n}")] + "," + _pretty(more)[1:]
        yield f"{between}\n    " + item.replace("\n", "\n    ")
        between = ","
    yield "\n  ]" if between else "]"


def _step(step: Step) -> str:
    """Spelled out, for a long run has ten thousand. JSON text holds no bare line break."""
    paths = ",\n    ".join(map(_text, step.artifacts))
    artifacts = f"[\n    {paths}\n  ]" if paths else "[]"
    return (
        f'{{\n  "tool": {_text(step.tool)},\n  "args": {_text(step.args)},\n'
        f'  "success": {"true" if step.success else "false"},\n'
        f'  "result_digest": {_text(step.result_digest)},\n  "artifacts": {artifacts},\n'
        f'  "idempotency_key": {_text(step.idempotency_key)}\n}}'
    )


def _pretty(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
