"""A mirrored process follows its file: steps, turns, state, and what of it people decided."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from dalhc.clock import now_ms
from processes.journal import limits
from processes.journal.record import TERMINAL, ProcessHead, ProcessTurn, State
from processes.journal.rules import Change
from processes.journal.whole import Whole
from processes.journal.writing import Extra
from processes.models import Decision, Suspension, Turn
from processes.services import arriving, drafts
from processes.services.actors import Actor
from processes.services.signals import settle
from processes.store import files, rows, suspensions


@dataclass(slots=True)
class Followed:
    """What the file changed: turns that are new, and the columns and event that come of it."""

    turns: tuple[ProcessTurn, ...] = ()
    steps: int = 0
    rewritten: bool = False
    actor: str = ""
    host: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)


def follow(process_id: str, whole: Whole, digest: str, by: Actor, note: str | None) -> None:
    """Make the rows what the file is, with one event, in the caller's transaction.

    A decision that waits to be written is delivered if the file holds it; else the runtime was
    faster, and it is withdrawn.
    """
    row, now, came = rows.lock_unasked(process_id), now_ms(), Followed(actor=str(by))
    _steps(row, whole, came)
    base = _turns(row, whole, came)
    decision = suspensions.live_decision(row.host.suspension_id) if row.host.decided else None
    _stops(row, whole, came, decision, by, now)
    if note is not None:
        came.host["outcome"] = note
    if whole.record.state in TERMINAL:
        came.data |= {"state": whole.record.state, "note": came.host.get("outcome")}
    came.data |= {"file": digest, "steps": len(whole.record.steps), "turns": len(came.turns)}
    if came.rewritten:
        came.data["rewritten"] = True
    kind = _kind(row.head, whole.head)
    rows.keep(row, Change(whole.head), kind, came.actor, came.data, now, **came.host)
    extra = json.dumps(_placed(whole.extra, base), ensure_ascii=False)
    rows.write_columns(process_id, {"extra": extra})
    if whole.record.state in TERMINAL:
        settle(process_id, None, "finished", now)


def _kind(old: ProcessHead, new: ProcessHead) -> str:
    """In the words of the journal where there is one for it."""
    match old.state, new.state:
        case State.SUSPENDED, State.RUNNING:
            return "resume"
        case State.RUNNING, State.SUSPENDED:
            return "suspend"
        case was, State.COMPLETED | State.FAILED if was not in TERMINAL:
            return "finish"
        case _:
            return "file"


def _steps(row: rows.Row, whole: Whole, came: Followed) -> None:
    steps, stored, id = whole.record.steps, row.host.stored_steps, row.head.id
    if not files.begins_with_stored(id, steps):
        files.drop_steps(id)
        stored, came.rewritten = 0, True
    files.take_in(id, steps[stored:], stored + 1, whole.record.updated_at_ms)
    came.steps = len(steps) - stored
    came.host["stored_steps"] = len(steps)
    if row.host.unused_id and came.steps and not came.rewritten:
        stop = suspensions.get(row.host.unused_id, None)
        suspensions.mark(stop, _used(stop), used_step=stored + 1)
        came.host["unused_id"] = None


def _used(stop: Suspension) -> str:
    return "declined" if stop.status == "declined" else "used"


def _turns(row: rows.Row, whole: Whole, came: Followed) -> int:
    """Keep the turns that overlap, add those after them. The seq of the file's first."""
    id, turns = row.head.id, whole.record.turns[-limits.TURNS :]
    stored = list(
        Turn.objects.filter(process_id=id).order_by("seq").values_list("seq", "role", "content")
    )
    old = [ProcessTurn(role=role, content=content) for _, role, content in stored]  # type: ignore[arg-type]
    gone = next(n for n in range(len(old) + 1) if tuple(old[n:]) == turns[: len(old) - n])
    base = stored[gone][0] if gone < len(old) else row.host.stored_turns + 1
    came.turns = turns[len(old) - gone :]
    came.rewritten |= bool(old) and gone == len(old)
    first, last = base + len(old) - gone, base + len(turns) - 1
    dropped = max(base - 1, last - limits.TURNS)
    Turn.objects.filter(process_id=id, seq__lte=dropped).delete()
    Turn.objects.bulk_create(
        Turn(
            process_id=id,
            seq=seq,
            role=turn.role,
            content=turn.content,
            after_step=came.host["stored_steps"],
            at_ms=whole.record.updated_at_ms,
        )
        for seq, turn in enumerate(came.turns, first)
        if seq > dropped
    )
    came.host |= {"stored_turns": last, "turns_dropped": dropped}
    return base - (len(whole.record.turns) - len(turns))


def _placed(extra: Extra, base: int) -> Extra:
    """Unknown keys of turns stand under the seq of their turn, as ours count them."""
    turns = {str(int(place) - 1 + base): keys for place, keys in extra["turns"].items()}
    return {**extra, "turns": turns}


def _stops(
    row: rows.Row,
    whole: Whole,
    came: Followed,
    decision: Decision | None,
    by: Actor,
    now: int,
) -> None:
    """Close the stop the file has left, open the one it stands at."""
    old, new = row.head, whole.head
    goes_on = (
        _stop(old) == _stop(new)
        and not came.steps
        and not came.turns
        and not came.rewritten
        and new.state is State.SUSPENDED
    )
    stop = suspensions.get(row.host.suspension_id, None) if row.host.suspension_id else None
    delivered = decision is not None and not goes_on and _holds(decision, whole, came)
    if decision is not None and not delivered:
        _withdraw(row, decision, came, now)
    if goes_on:
        if stop is not None and decision is not None:
            suspensions.mark(stop, "open", closed_at_ms=None)
            came.host["decided"] = False
        return
    came.host |= {"suspension_id": None, "decided": False, "held": False}
    if stop is not None:
        _leave(stop, decision if delivered else None, whole, came, by, now)
    if arriving.waits(new):
        _arrive(row, whole, came, now)


def _stop(head: ProcessHead) -> tuple[object, ...]:
    return head.state, head.suspend_reason, head.question, head.principal_answer


def _holds(decision: Decision, whole: Whole, came: Followed) -> bool:
    """The file has become what the decision makes of it."""
    text = decision.note if decision.action == "decline" else decision.answer
    if decision.action in {"answer", "decline"}:
        return text in [turn.content for turn in came.turns if turn.role == "user"]
    if decision.action in {"stop", "deny"}:
        return whole.record.state is State.FAILED
    return True


def _withdraw(row: rows.Row, decision: Decision, came: Followed, now: int) -> None:
    Decision.objects.filter(id=decision.id, live=True).update(live=False, taken_back_at_ms=now)
    came.host["denials"] = row.host.denials - (decision.action == "deny")
    came.data["withdrawn"] = decision.id


def _leave(
    stop: Suspension,
    decision: Decision | None,
    whole: Whole,
    came: Followed,
    by: Actor,
    now: int,
) -> None:
    came.data |= {"suspension": stop.id, "decision": decision.id if decision else None}
    if came.turns and stop.question:
        _claim(stop, "assistant", stop.question)
    if decision is None:
        ended = by.kind == "principal"
        suspensions.mark(stop, "withdrawn" if ended else "superseded", closed_at_ms=now)
        return
    came.actor = decision.by
    drafts.forget_sent(stop, decision)
    status = "declined" if decision.action == "decline" else "delivered"
    suspensions.mark(stop, status, delivered_at_ms=now)
    if whole.record.state is State.RUNNING and not came.steps:
        came.host["unused_id"] = stop.id
    if decision.action in {"answer", "decline"}:
        said = decision.note if decision.action == "decline" else decision.answer
        _claim(stop, "user", said, decision.by)
    elif decision.action in {"stop", "deny"}:
        _claim(stop, "user", decision.note, decision.by)
        came.host["outcome"] = decision.note


def _claim(stop: Suspension, role: str, content: str | None, by: str = "") -> None:
    """The newest turn of these words is this stop's, and so is not told twice."""
    turns = Turn.objects.filter(process_id=stop.process_id, suspension_id=None)
    found = turns.filter(role=role, content=content or "").order_by("-seq").first()
    if found is not None:
        Turn.objects.filter(id=found.id).update(suspension_id=stop.id, by=by)


def _arrive(row: rows.Row, whole: Whole, came: Followed, now: int) -> None:
    """A stop that came with the file waits in the inbox like any other."""
    record = whole.record
    row.host.stored_steps = len(record.steps)
    stop = arriving.stop_of(row, record, now)
    shown = {"reason": stop.reason, "shown": suspensions.review_digest(stop)}
    came.data |= {"suspension": stop.id, **shown}
    came.host |= {"suspension_id": stop.id, "held": stop.held, "unused_id": None}
