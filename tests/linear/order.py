"""Whether what clients were told can have happened one after another, as the log has it.

The log is the order of what changed something. Each event must be one operation's, begun before
whatever came after it was told; each answer must be the rules' answer at a moment between its
question and its telling. An operation nobody heard of again may have happened once, or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from processes.journal.commands import AppendStep
from tests.linear.model import NEW, Answer, Standing, after, answers, words
from tests.linear.operation import Operation, Told

# What the server says of an event by itself, beside the operations tried here.
_KINDS = {
    "open": "open", "append": "step", "suspend": "suspend", "decide": "decide",
    "take_back": "take_back", "resume": "resume", "complete": "finish", "lease": "lease",
}  # fmt: skip


class NotLinearizable(AssertionError):
    """No order of these operations explains what was told."""


def check(process: str, operations: Sequence[Operation], told: Told) -> None:
    """Raises NotLinearizable. `operations` are all that named this process."""
    _Order(process, operations, told).check()


class _Order:
    def __init__(self, process: str, operations: Sequence[Operation], told: Told) -> None:
        self._process, self._told = process, told
        self._asked = sorted(operations, key=lambda one: one.begun)
        self._events = told.events
        self._whose: dict[int, Operation] = {}  # by place: the number of events after it
        self._place: dict[Operation, int] = {}

    def check(self) -> None:
        if [event["seq"] for event in self._events] != list(range(len(self._events))):
            raise NotLinearizable(f"{self._process}: the log has gaps")
        self._find_whose()
        self._replay()
        for asked in self._asked:
            if asked.is_known and asked not in self._place:
                self._read(asked)
        self._compare()

    def _find_whose(self) -> None:
        """Each change its event, of those who were told of one. Whose the others are, of those
        who were told nothing, is found as they are replayed.
        """
        for asked in self._asked:
            if asked.is_known and asked.refused is None:
                self._claim(asked)

    def _claim(self, asked: Operation) -> None:
        """Its event is the first that fits and that nobody has; there may be none: an answer
        given again, or nothing at all.
        """
        least = self._told_before(asked)
        for place, event in enumerate(self._events, 1):
            if place <= least or place in self._whose or not _fits(asked, event, self._told):
                continue
            self._whose[place] = asked
            self._place[asked] = place
            return

    def _told_before(self, asked: Operation) -> int:
        """The latest place that somebody had been told of when this was asked."""
        places = (place for one, place in self._place.items() if one.ended < asked.begun)
        return max(places, default=0)

    def _replay(self) -> None:
        """The rules agree with every event of the log."""
        self._standing = [Standing(self._process)]
        for place, event in enumerate(self._events, 1):
            if place not in self._whose:
                self._find(place)
            now, asked = self._standing[-1], self._whose[place]
            if not _changes(now, asked, event):
                raise NotLinearizable(
                    f"{asked} changed something, against {answers(now, asked)}"
                )
            self._standing.append(after(now, event, asked))
            if asked.kind == "append" and event["data"]["step"] != self._standing[-1].steps:
                raise NotLinearizable(f"{asked}: {event} is not the next step")
        for asked, place in self._place.items():
            if asked.is_known and self._told_before(asked) >= place:
                raise NotLinearizable(f"{asked} came after what was told before it was asked")

    def _find(self, place: int) -> None:
        """Whose this event can be of those who were told nothing, by its words, its time and
        the rules. Any will do: who could have asked for it can only be another's equal.
        """
        event, now = self._events[place - 1], self._standing[-1]
        for asked in self._asked:
            if asked.is_known or asked in self._place or self._told_before(asked) >= place:
                continue
            if _fits(asked, event, self._told) and _changes(now, asked, event):
                self._whose[place], self._place[asked] = asked, place
                return
        raise NotLinearizable(f"{self._process}: nobody can have asked for {event}")

    def _read(self, asked: Operation) -> None:
        """An answer that changed nothing is right at the earliest moment it can be."""
        said, least = _said(asked), self._told_before(asked)
        most = self._known_after(asked)
        for place in range(least, most + 1):
            if _agree(said, answers(self._standing[place], asked)):
                self._place[asked] = place
                return
        raise NotLinearizable(f"{asked} is right nowhere between {least} and {most}: {said}")

    def _known_after(self, asked: Operation) -> int:
        """The last place before all that was asked after this had been told."""
        later = (place - 1 for place, one in self._whose.items() if one.begun > asked.ended)
        return min(later, default=len(self._events))

    def _compare(self) -> None:
        """What the server tells in the end is what the rules have made."""
        head = self._standing[-1].head
        if head is None:
            return
        shown = head.model_dump(mode="json")
        wrong = {
            name: (value, self._told.record.get(name))
            for name, value in shown.items()
            if self._told.record.get(name) != value
        }
        if wrong:
            raise NotLinearizable(f"{self._process} ends otherwise: {wrong}")


def _changes(now: Standing, asked: Operation, event: dict[str, Any]) -> bool:
    """Whether the rules let it change something here."""
    return NEW in answers(now, asked) or _in_time(now, asked, event)


def _fits(asked: Operation, event: dict[str, Any], told: Told) -> bool:
    """Whether this event says what the operation asked for, and its answer names it."""
    data, said, body = event["data"], asked.said, asked.body
    if _KINDS[asked.kind] != event["kind"]:
        return False
    match asked.kind:
        case "open":
            mine = told.record["objective"] == body["objective"]
            return mine and asked.status in {201, None}
        case "append":
            ours = data["success"] == body["success"] and data["key"] == _key(body)
            return (
                ours and asked.status in {201, None} and said.get("seq") in {data["step"], None}
            )
        case "suspend":
            stop = told.stops[data["suspension"]]
            ours = (stop["reason"], stop["question"]) == (body["reason"], body.get("question"))
            return ours and _names(said.get("suspension"), "id", data["suspension"])
        case "decide":
            ours, decision = data["suspension"] == asked.stop, _decision(asked)
            return ours and (decision is None or decision == data["decision"])
        case "take_back":
            return bool(data["suspension"] == asked.stop)
        case "resume":
            return _names(said.get("record"), "revision", event["seq"])
        case "complete" | "lease":
            ours = asked.kind == "complete" or data["owner"] == body["owner"]
            return ours and (not said or said["revision"] == event["seq"])


def _names(said: Any, name: str, value: object) -> bool:
    """The answer names it, or there is none."""
    return said is None or said[name] == value


def _decision(asked: Operation) -> str | None:
    """Its own decision, as the answer shows it; None when that shows another's, or none any
    more: the answer is made after the commit.
    """
    shown = asked.said.get("decision")
    return shown["id"] if shown and words(shown) == words(asked.body) else None


def _key(body: dict[str, Any]) -> str:
    return AppendStep(**body).key


def _in_time(now: Standing, asked: Operation, event: dict[str, Any]) -> bool:
    """A lease that lapsed while it was asked for."""
    if asked.kind != "lease" or now.until_ms is None:
        return False
    return bool(now.until_ms <= event["at_ms"] and event["data"]["epoch"] == now.epoch + 1)


def _agree(said: Answer, right: set[Answer]) -> bool:
    return said in right or (said == ("same", None) and any(one[0] == "same" for one in right))


def _said(asked: Operation) -> Answer:
    """The answer as the model words it."""
    if asked.refused is not None:
        return ("refused", asked.refused)
    said = asked.said
    match asked.kind:
        case "append":
            return ("same", said["seq"])
        case "suspend":
            return ("same", said["suspension"]["id"])
        case "decide":
            return ("same", _decision(asked))
        case "resume":
            return ("same", said["result"])
        case "lease":
            return ("same", said["lease_epoch"])
        case _:
            return ("same",)
