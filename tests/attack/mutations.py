"""Valid JSON changed in one to three places, and then perhaps in its bytes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.5, -0.0, 1e16, 1e-7, 2**31, 2**53 + 1, 2**63, 2**70,
    10**400, "", " ", "\n", "yes", "1", "null", "é", "e\u0301", "\u202e", "\u200b", "\u3164",
    "\U0001f600", "\0", "a\nb", "\x1b[2J", "\ufeff", "<b>", "' OR 1=1 --", "../x", "/x", "x.",
    "NUL", "0" * 64, "x" * 200, "x" * 201, "x" * 2000, "x" * 2001, "x" * 8001, "x" * 65_537,
    [], {}, [[]], [None], {"a": {}}, {"": ""}, ["a", "a"], [str(n) for n in range(51)],
    "2026-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "ask_user",
    "guard", "running", "completed", "at_most_once", "approve",
)  # fmt: skip
NAMES = (
    "id", "rev", "seq", "steps_used", "created_at_ms", "owner", "lease_epoch", "is_staff",
    "principal_answer", "approved_by", "state", "__proto__", "_connector", "agent", "held",
    "decided", "", "a", "é", "tool_name", "version", "ok",
)  # fmt: skip
VALUES = st.one_of(
    st.sampled_from(ODD),
    st.text(max_size=30),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    ),
)
type Place = tuple[Any, Any]  # what holds it, and its name or number there
type Draw = Callable[[st.SearchStrategy[Any]], Any]


def places(value: Any) -> Iterator[Place]:
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@st.composite
def mutated(draw: Draw, originals: tuple[Any, ...]) -> bytes:
    """The bytes of a request's body or of a journal file."""
    value = copy.deepcopy(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(0, 3))):
        _change(draw, value)
    raw = json.dumps(value, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    return _cut(draw, raw) if draw(st.integers(0, 3)) == 0 else raw


def _change(draw: Draw, value: Any) -> None:
    found = list(places(value))
    if not found:
        return
    holder, key = draw(st.sampled_from(found))
    match draw(st.sampled_from(["replace", "replace", "remove", "add", "repeat", "swap"])):
        case "remove":
            del holder[key]
        case "add" if isinstance(holder, dict):
            name = draw(st.sampled_from(NAMES) | st.text(max_size=8))
            holder[name] = copy.deepcopy(draw(VALUES))
        case "add" | "repeat" if isinstance(holder, list):
            holder.insert(0, copy.deepcopy(holder[key]))
        case "swap":
            other, beside = draw(st.sampled_from(found))
            if _is_there(other, beside) and not isinstance(other[beside], dict | list):
                holder[key] = other[beside]
        case _:
            holder[key] = copy.deepcopy(draw(VALUES))


def _is_there(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


def _cut(draw: Draw, raw: bytes) -> bytes:
    begin = draw(st.integers(0, len(raw)))
    end = draw(st.integers(begin, min(len(raw), begin + 40)))
    match draw(st.sampled_from(["remove", "repeat", "flip", "insert", "end"])):
        case "remove":
            return raw[:begin] + raw[end:]
        case "repeat":
            return raw[:end] + raw[begin:]
        case "flip" if begin < len(raw):
            bit = draw(st.integers(0, 7))
            return raw[:begin] + bytes([raw[begin] ^ (1 << bit)]) + raw[begin + 1 :]
        case "insert":
            return raw[:begin] + draw(st.binary(max_size=6)) + raw[begin:]
        case _:
            return raw[:begin]
