"""Who is on it, and what happens if nobody is: a few words for a row, a sentence for a page."""

from __future__ import annotations

from dataclasses import dataclass

from dalhc.clock import now_ms
from processes import policy, services
from processes.journal.record import Reason
from processes.models import Notice, Suspension
from processes.services import Actor
from processes.shown import times
from processes.shown.inert import plain
from processes.shown.words import said_by

SNOOZES = (
    ("an hour", times.HOUR),
    ("four hours", 4 * times.HOUR),
    ("a day", times.DAY),
    ("a week", 7 * times.DAY),
)
_THEN = {"decline": "declined", "default": "default used", "stop": "ended"}


def then(on_timeout: str, reason: str) -> str:
    """What it becomes when its time is over, in one or two words; empty for nothing."""
    if on_timeout == "decline" and reason != Reason.ASK_USER:
        return "denied"
    return _THEN.get(on_timeout, "")


def in_a_row(
    holder: str | None,
    reader: str,
    reason: str,
    on_timeout: str,
    expires_at: int | None,
    due_at: int | None,
    now: int,
) -> str:
    """`ana has it, then declined 17:30`; empty when there is nothing to say."""
    said = []
    if holder:
        who = said_by(holder, reader)
        said.append("You have it" if who == "You" else f"{who} has it")
    if expires_at is not None and (outcome := then(on_timeout, reason)):
        said.append(f"then {outcome} {times.clock(expires_at, now)}")
    elif due_at is not None:
        said.append(f"due {times.clock(due_at, now)}")
    return ", ".join(said)


def is_late(opened_at: int, due_at: int | None, now: int) -> bool:
    """What the list marks: past its due time, or open for more than a day."""
    return now - opened_at >= times.DAY or (due_at is not None and due_at <= now)


def outcome(stop: Suspension) -> str:
    """`No answer by 17:30; default used` (cases B61)."""
    by = times.clock(stop.expires_at_ms or 0, stop.closed_at_ms or stop.expires_at_ms or 0)
    return f"No answer by {by} UTC; {then(stop.on_timeout, stop.reason)}"


@dataclass(frozen=True, slots=True)
class Attention:
    """A stop that waits, as one reader finds it."""

    stop: Suspension
    by: Actor

    @property
    def holder(self) -> str:
        return said_by(self.stop.holder, self.by.name) if self.stop.holder else ""

    @property
    def unsent(self) -> list[Notice]:
        """Notices about it that did not arrive (cases B94)."""
        return list(
            Notice.objects.filter(suspension_id=self.stop.id)
            .exclude(error="")
            .exclude(status__in=["sent", "dropped"])
            .select_related("recipient")[:5]
        )

    @property
    def is_mine(self) -> bool:
        return self.stop.holder == str(self.by)

    @property
    def may_claim(self) -> bool:
        """Whether they could decide it, if they were on it."""
        return not policy.refusal(self.by, self.stop, "stop")

    @property
    def may_put_off(self) -> bool:
        return self.may_claim and not policy.is_held_by_another(self.by, self.stop)

    @property
    def sentences(self) -> list[str]:
        """Whom it is meant for, how many must agree, and what time does to it."""
        told = (self._keyless, self._meant, self._two, self._due, self._then)
        return [said for said in told if said]

    @property
    def _keyless(self) -> str:
        if not services.is_keyless(self.stop.agent):
            return ""
        return f"No key of {plain(self.stop.agent)} is valid: nobody comes for what you decide."

    @property
    def snoozes(self) -> list[tuple[str, int]]:
        """In words and minutes: those that end before the expiry does."""
        over, now = self.stop.expires_at_ms, now_ms()
        ends = over is not None and self.stop.on_timeout != "wait"
        return [
            (said, span // times.MINUTE)
            for said, span in SNOOZES
            if not ends or now + span < (over or 0)
        ]

    @property
    def _meant(self) -> str:
        names = [name.removeprefix("group:") for name in self.stop.assignees]
        return f"Meant for {', '.join(names)}." if names else ""

    @property
    def _two(self) -> str:
        found = services.approvals(self.stop)
        if found["needed"] == 1:
            return ""
        return (
            "One of two approvals is in." if found["given"] else "Two people must approve it."
        )

    @property
    def _due(self) -> str:
        due = self.stop.due_at_ms
        return f"Due {times.clock(due, now_ms())} UTC." if due is not None else ""

    @property
    def _then(self) -> str:
        over, outcome = self.stop.expires_at_ms, then(self.stop.on_timeout, self.stop.reason)
        if over is None or not outcome:
            return ""
        return f"Without an answer by {times.clock(over, now_ms())} UTC: {outcome}."
