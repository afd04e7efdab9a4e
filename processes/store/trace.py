"""The caller's place in a trace of its own, kept on the events it makes (W3C Trace Context)."""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import Any

_FORM = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")

# Set by a verb around its work, in whichever thread that runs.
current: ContextVar[str | None] = ContextVar("trace", default=None)


def read(header: str) -> str | None:
    """The `traceparent` as it came; None for an odd one, which the standard says to ignore."""
    return header if _FORM.fullmatch(header) else None


def on(data: dict[str, Any]) -> dict[str, Any]:
    """The data of an event, with the trace when there is one."""
    trace = current.get()
    return data if trace is None else {**data, "trace": trace}


def on_text(data: str) -> str:
    """The same on canonical text whose last key sorts before `trace`."""
    trace = current.get()
    return data if trace is None else f'{data[:-1]},"trace":"{trace}"}}'
