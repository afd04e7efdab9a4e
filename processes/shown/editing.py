"""A proposed call as fields, one for each argument, and what a person has made of them.

Only what was touched is written anew, in its type; the rest stays byte for byte as the agent
wrote it. What is no object, or has a key twice, is edited as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

from dalhc.problems import Problem
from processes.journal import limits
from processes.journal.canonical import canonical_args
from processes.journal.errors import InvalidArgs
from processes.journal.parse import parse_exact, parse_json
from processes.journal.text import pointer
from processes.shown.arguments import DECODER, Argument, pretty, table
from processes.shown.typed import Typed

type Sent = Mapping[str, Sequence[str]]

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_UNSENT = re.compile("[\0\ud800-\udfff]")  # what no form can carry
_NARROW = 60  # a longer text is written over several lines
_TYPES = {"object": dict, "list": list}


class _Fault(Exception):
    """What is wrong with one field."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument: its field, and where its value stands in the text of the arguments."""

    argument: Argument
    post: str
    start: int
    end: int

    @property
    def shown(self) -> str:
        """Its value as a browser gives it back untouched."""
        return _lines(self.argument.value)


@dataclass(frozen=True, slots=True)
class Edit:
    """The field of one argument, with what stands in it and what is wrong with that."""

    post: str
    name: str
    kind: str
    value: str
    fault: str

    @property
    def is_wide(self) -> bool:
        return self.kind in {"object", "list"} or (
            self.kind == "text" and (len(self.value) > _NARROW or "\n" in _lines(self.value))
        )


def slots(args: str) -> tuple[Slot, ...]:
    """A field for every argument; none where only JSON will do."""
    found = table(args) or []
    if not 0 < len(found) <= limits.FIELDS:
        return ()
    if any(one.is_repeated or _UNSENT.search(one.value) for one in found):
        return ()
    spans = _spans(args)
    return tuple(
        Slot(one, f"f{number}", *span)
        for number, (one, span) in enumerate(zip(found, spans, strict=True))
    )


def edits(args: str, sent: Sent) -> list[Edit]:
    """The fields as they are shown."""
    _, faults = edited(args, sent)
    return [
        Edit(
            slot.post, slot.argument.name, slot.argument.kind, _said(slot, sent),
            faults.get(slot.post, ""),
        )
        for slot in slots(args)
    ]  # fmt: skip


def is_sent(args: str, sent: Sent) -> bool:
    """Whether any field of the call was filled in."""
    return any(slot.post in sent for slot in slots(args))


def fill(args: str, sent: Sent) -> str:
    """The arguments with what was changed. Raises InvalidArgs, pointing at each faulty one."""
    text, faults = edited(args, sent)
    if faults:
        at = {slot.post: f"/args{pointer(slot.argument.name)}" for slot in slots(args)}
        errors = tuple({"pointer": at[post], "detail": faults[post]} for post in faults)
        raise InvalidArgs(errors[0]["detail"], errors=errors)
    return text


def edited(args: str, sent: Sent) -> tuple[str, dict[str, str]]:
    """The arguments with what was changed, and the faults by field: what is faulty stays as it
    was.
    """
    parts, at, faults = [], 0, {}
    for slot in slots(args):
        try:
            made = _made(slot, sent)
        except _Fault as fault:
            faults[slot.post], made = str(fault), None
        if made is not None:
            parts += [args[at : slot.start], made]
            at = slot.end
    return "".join((*parts, args[at:])), faults


def turned(args: str, typed: Typed) -> Typed:
    """The same edit the other way: fields as JSON, or JSON as fields. Raises InvalidArgs where
    it cannot be said so.
    """
    rest: dict[str, Sequence[str]] = {
        name: typed.lists[name] for name in ("action", "note") if name in typed.lists
    }
    if typed.get("as") == "json":
        return Typed({**rest, "args": [pretty(fill(args, typed.lists))]})
    mine, found = slots(args), table(typed.get("args", "").strip()) or []
    posts = {(slot.argument.name, slot.argument.kind): slot.post for slot in mine}
    if sorted(posts) != sorted((one.name, one.kind) for one in found):
        said = "Its arguments have other names or types than the call, so they stay JSON."
        raise InvalidArgs(said, pointer="/args")
    return Typed({**rest, **{posts[one.name, one.kind]: [one.value] for one in found}})


def _spans(args: str) -> Iterator[tuple[int, int]]:
    """Where each value of this object begins and ends."""
    at = _skip(args, 1)
    while args[at] != "}":
        _, at = DECODER.raw_decode(args, at)
        start = _skip(args, _skip(args, at) + 1)  # over the colon
        _, end = DECODER.raw_decode(args, start)
        yield start, end
        at = _skip(args, end)
        if args[at] == ",":
            at = _skip(args, at + 1)


def _skip(args: str, at: int) -> int:
    space = _SPACE.match(args, at)
    return space.end() if space else at


def _said(slot: Slot, sent: Sent) -> str:
    values = sent.get(slot.post)
    return values[-1] if values else slot.argument.value


def _made(slot: Slot, sent: Sent) -> str | None:
    """The JSON text of what was typed; None for what was left as it was."""
    values = sent.get(slot.post)
    typed = _lines(values[-1]) if values else slot.shown
    if typed == slot.shown:
        return None
    match slot.argument.kind:
        case "text":
            return encode_basestring(typed)
        case "number":
            if not _NUMBER.fullmatch(typed.strip()):
                raise _Fault("A number, as in 42 or -0.5.")
            return _canonical(typed)[0]
        case "yes or no" if typed not in {"true", "false"}:
            raise _Fault("Yes or no.")
        case kind:
            text, value = _canonical(typed)
            if kind in _TYPES and not isinstance(value, _TYPES[kind]):
                raise _Fault(f"It was {_A[kind]} and must stay one.")
            return text


_A = {"object": "an object", "list": "a list"}


def _canonical(typed: str) -> tuple[str, Any]:
    """As it is hashed, and its value; never another number than was typed."""
    try:
        value = parse_json(typed.strip().encode(), depth=limits.DEPTH_API)
        text = canonical_args([value])[1:-1]
        is_same = parse_exact(typed, depth=limits.DEPTH_API) == parse_exact(
            text, depth=limits.DEPTH_API
        )
    except Problem as problem:
        raise _Fault(f"JSON, please. {problem.detail}") from None
    if not is_same:
        raise _Fault(f"A double cannot hold these digits; the nearest is {text}.")
    return text, value


def _lines(text: str) -> str:
    """Line ends as a form sends them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
