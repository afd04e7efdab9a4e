"""Saying that a call is about to be made, so that a crash cannot hide it (S2:62).

For tools that must not run twice. An attempt whose result was never recorded is open: the call
may have run, and is made again only after a person has approved that very call.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from dalhc.clock import now_ms
from dalhc.db import sql
from processes.journal import fence, rules
from processes.journal.commands import BeginAttempt
from processes.journal.errors import Denied, MayHaveRun
from processes.services import ran
from processes.services.actors import Actor, require_writer
from processes.services.verb import Unchanged, Verb, tell
from processes.store import rows, steps, suspensions
from processes.store.steps import StepFields

AT_MOST_ONCE = "at_most_once"

_EVENTS = (
    "SELECT seq, kind, at_ms, data FROM processes_event "
    "WHERE process_id = %s AND kind IN ('attempt', 'decide') ORDER BY seq"
)
_CLOSED = (
    "SELECT attempt_id FROM processes_step WHERE process_id = %s AND attempt_id IS NOT NULL"
)
_ALLOWED = (
    "SELECT d.suspension_id FROM processes_decision d "
    "JOIN processes_suspension s ON s.id = d.suspension_id "
    "WHERE s.process_id = %s AND d.live AND d.step_key = %s AND d.action IN ('approve', 'edit')"
)


@dataclass(frozen=True, slots=True)
class OpenAttempt:
    """A call that may have run: begun, and no result recorded."""

    seq: int
    tool: str
    key: str
    effect: str
    attempt_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Begun:
    """`step` is the recorded success, and then nothing is to be done."""

    revision: int
    step: StepFields | None = None


@Verb
def begin(process_id: str, command: BeginAttempt, *, by: Actor) -> Begun:
    """Record that the call is about to be made, or give the recorded success back.

    Raises MayHaveRun for an at_most_once call with an open attempt that no person has let run
    again, Denied and NotApproved as the step's own append would, NotRunning; the same
    attempt_id again is the same attempt.
    """
    require_writer(by)
    row = rows.lock(process_id, by)  # before the checks: of two that begin at once, one sees it
    seen = row.host.revision - 1
    fence.check(row.host.lease_epoch, command.lease_epoch)
    if found := steps.successes(process_id, [command.key]):
        raise Unchanged(Begun(seen, found[command.key]))
    before = [one for one in open_attempts(process_id) if one.key == command.key]
    if any(one.attempt_id == command.attempt_id for one in before):
        raise Unchanged(Begun(seen))
    if before and AT_MOST_ONCE in {command.effect, before[-1].effect}:
        _require_let(process_id, before[-1])
    now = rules.append_at(row.head, now_ms())
    _require_allowed(row, command.key)
    data = {
        "tool": command.tool,
        "key": command.key,
        "effect": command.effect,
        "attempt": command.attempt_id,
    }
    rows.keep(row, rules.Change(row.head), "attempt", str(by), data, now)
    tell(process_id)
    return Begun(row.host.revision)


def _require_allowed(row: rows.Row, key: str) -> None:
    """What the step's append would refuse is refused before the call is made, not after."""
    if row.host.denials and steps.is_denied(row.head.id, key):
        raise Denied
    if row.host.unused_id is not None:
        ran.require_approved(suspensions.get(row.host.unused_id, None), key)


def open_attempts(process_id: str) -> list[OpenAttempt]:
    """Calls of this process that may have run, oldest first."""
    begun = [
        OpenAttempt(seq, told["tool"], told["key"], told["effect"], told["attempt"], at_ms)
        for seq, kind, at_ms, data in sql.rows(_EVENTS, (process_id,))
        if kind == "attempt" and (told := json.loads(data))
    ]
    if not begun:
        return []
    closed = {one for (one,) in sql.rows(_CLOSED, (process_id,))}
    return [one for one in begun if one.attempt_id not in closed]


def _require_let(process_id: str, attempt: OpenAttempt) -> None:
    """A person has approved this very call since it was begun; by the log's order, not by
    clocks.
    """
    allowed = {one for (one,) in sql.rows(_ALLOWED, (process_id, attempt.key))}
    for seq, kind, _, data in sql.rows(_EVENTS, (process_id,)):
        if kind == "decide" and seq > attempt.seq and json.loads(data)["suspension"] in allowed:
            return
    raise MayHaveRun(
        current={"tool": attempt.tool, "attempt_id": attempt.attempt_id, "seq": attempt.seq}
    )
