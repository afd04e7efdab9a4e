"""What else can be decided, each behind its own line under the panel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from processes.shown.typed import Typed


@dataclass(frozen=True, slots=True)
class Other:
    """One more decision: its words, the field it asks for, and what stands in that."""

    action: str
    field: str
    title: str
    label: str
    button: str
    hint: str = ""
    text: str = ""
    is_open: bool = False
    is_faulty: bool = False


_ALL = (
    Other("edit", "args", "Change the arguments", "Arguments", "Run it with these"),
    Other(
        "deny", "note", "Deny", "Why not", "Deny it",
        "The process goes on and is told why. The same call is refused from now on.",
    ),
    Other(
        "answer", "answer", "Answer in its place", "Result", "Give it this result",
        "The call is not made; the process takes these words for what came of it.",
    ),
    Other(
        "decline", "note", "Decline to answer", "Why", "Decline",
        "The process goes on, with this instead of an answer.",
    ),
    Other("stop", "note", "End it", "Why", "End it", "It stops as failed, for good."),
)  # fmt: skip


def others(
    actions: Iterable[str],
    asks: bool,
    written: Mapping[str, Typed],
    faulty: tuple[str, str],
    args: str,
) -> list[Other]:
    """Those among `actions`; `faulty` is the action and the field that were refused."""
    main = "answer" if asks else "approve"
    return [
        _with(one, written.get(one.action), faulty, args)
        for one in _ALL
        if one.action in actions and one.action != main
    ]


def _with(one: Other, typed: Typed | None, faulty: tuple[str, str], args: str) -> Other:
    text = typed.get(one.field, "") if typed else ""
    return Other(
        one.action, one.field, one.title, one.label, one.button, one.hint,
        text=text or (args if one.field == "args" else ""),
        is_open=bool(typed and any(typed.values())) or faulty[0] == one.action,
        is_faulty=faulty == (one.action, one.field),
    )  # fmt: skip
