"""What looks like a secret: by the name it has, or by how it is written."""

from __future__ import annotations

import re
from functools import lru_cache
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
    _look(value, "", None)


# Where a value stands: the place it is in, and its name or number there.
type _Place = tuple[_Place | None, str | int] | None

_INF = float("inf")


def _look(value: Any, name: str, place: _Place) -> None:
    if name and _is_named(name):
        raise SecretRefused(pointer=_pointer(place))
    if isinstance(value, str):
        if _VALUE.search(value):
            raise SecretRefused(pointer=_pointer(place))
    elif isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str):
                raise NotJsonSafe(pointer=_pointer(place))
            _look(part, key, (place, key))
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            _look(part, "", (place, number))
    elif isinstance(value, float):
        if value != value or value in (_INF, -_INF):
            raise NotJsonSafe(pointer=_pointer(place))
    elif value is not None and not isinstance(value, int):
        raise NotJsonSafe(pointer=_pointer(place))


@lru_cache(1_024)
def _is_named(name: str) -> bool:
    """The same few names come with every descriptor."""
    return _NAME.search(name) is not None


def _pointer(place: _Place) -> str:
    parts: list[str] = []
    while place is not None:
        place, part = place
        parts.append(f"/{part}")
    return "".join(reversed(parts))
