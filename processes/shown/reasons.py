"""The five reasons of the inbox, as people call them, in their order on every page."""

from __future__ import annotations

from processes.journal.record import INBOX_REASONS, Reason

NAMES = {
    Reason.OPENED: "Not started",
    Reason.ASK_USER: "Question",
    Reason.GUARD: "Guard",
    Reason.UNVERIFIED: "Unverified",
    Reason.STEP_BUDGET: "Step budget",
    Reason.WALL_CLOCK: "Time limit",
}
ORDER = (
    Reason.ASK_USER, Reason.GUARD, Reason.UNVERIFIED, Reason.STEP_BUDGET, Reason.WALL_CLOCK,
)  # fmt: skip
FILTERS = {**NAMES, Reason.ASK_USER: "Questions"}
NOBODY = {
    Reason.ASK_USER: "No process has a question.",
    Reason.GUARD: "No process is stopped by a guard.",
    Reason.UNVERIFIED: "No process has an unverified result.",
    Reason.STEP_BUDGET: "No process has used up its steps.",
    Reason.WALL_CLOCK: "No process has reached its time limit.",
}
STATES = {
    "decided": "Answered, not picked up",
    "running": "Running",
    "completed": "Completed",
    "failed": "Failed",
}
assert set(ORDER) == set(INBOX_REASONS)


def name(mark: str) -> str:
    """A reason's name, or a state's; an unknown word stands for itself."""
    return STATES.get(mark) or NAMES.get(mark, mark)  # type: ignore[call-overload]
