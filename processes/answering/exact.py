"""JSON values printed without losing a digit."""

from __future__ import annotations

import json
from typing import Any


def text_of(value: Any) -> str:
    """One line of JSON, keys in their order; numbers as they are, also Decimals."""
    match value:
        case dict():
            inner = (f"{text_of(str(name))}: {text_of(item)}" for name, item in value.items())
            return f"{{{', '.join(inner)}}}"
        case list() | tuple():
            return f"[{', '.join(map(text_of, value))}]"
        case str() | bool() | None | float():
            return json.dumps(value, ensure_ascii=False)
        case number:
            return str(number)
