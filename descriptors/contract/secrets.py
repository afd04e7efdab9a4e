"""What looks like a secret: by the name it has, or by how it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from descriptors.contract.errors import NotJsonSafe, SecretRefused

_NAME = re.compile(
    r"(?i)^(env|environ|environment|env_vars)$"
    r"|(^|[_\-.])(secrets?|passwords?|passwd|tokens?|api[_-]?keys?|credentials?|private[_-]?key"
    r"|authorization|cookie)$"
)
_VALUE = re.compile(
    r"dalhc_[a-z0-9]{6,}_\S{16,}|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer\s+\S{12,}"
    r"|\bxox[abprs]-\S{10,}|://[^/\s:@]+:[^/\s@]+@"
)


def refuse(value: Any) -> None:
    """Raise SecretRefused for a field named like a secret or a text written like one, and
    NotJsonSafe for what is no plain JSON (contract D05, D10).
    """
    for pointer, name, found in _walk(value, ""):
        if _NAME.search(name) or (isinstance(found, str) and _VALUE.search(found)):
            raise SecretRefused(pointer=pointer)
        if not isinstance(found, str | int | float | bool | dict | list | tuple | None):
            raise NotJsonSafe(pointer=pointer)
        if isinstance(found, float) and (found != found or found in (_INF, -_INF)):
            raise NotJsonSafe(pointer=pointer)


_INF = float("inf")


def _walk(value: Any, pointer: str, name: str = "") -> Iterator[tuple[str, str, Any]]:
    yield pointer, name, value
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str):
                raise NotJsonSafe(pointer=pointer)
            yield from _walk(part, f"{pointer}/{key}", key)
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            yield from _walk(part, f"{pointer}/{place}")
