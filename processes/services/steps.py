"""Append: each successful call is stored once, whatever is sent
again (S0:25-33, contract A).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dalhc.clock import now_ms
from dalhc.db import failpoints, sql, writer
from dalhc.problems import Problem
from processes.journal import errors, fence, rules
from processes.journal.commands import AppendStep
from processes.journal.steps import is_replay, keep
from processes.services import ran
from processes.services.actors import Actor, require_writer
from processes.services.verb import Unchanged, Verb
from processes.store import optimistic, rows, standing, steps
from processes.store.standing import Standing
from processes.store.steps import StepFields

log = logging.getLogger("dalhc.steps")

_SAID = ("idempotency_key", "success", "result_digest", "artifacts_json", "effect")


@dataclass(frozen=True, slots=True)
class Appended:
    """The stored step, or the recorded one when `skipped`."""

    step: StepFields
    skipped: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """The results in the order they were sent, and the revision after them."""

    results: tuple[Appended, ...]
    revision: int


def append(process_id: str, commands: Sequence[AppendStep], *, by: Actor) -> Batch:
    """Append in order, in one transaction.

    Raises NotRunning, ProcessTerminal, Fenced, Denied, NotApproved, AttemptConflict; then
    nothing is stored.
    """
    batch = append_once(process_id, commands, by=by)
    count_skips(process_id, batch)
    return batch


@Verb
def append_once(process_id: str, commands: Sequence[AppendStep], *, by: Actor) -> Batch:
    """The transaction of `append`; a list of nothing but replays leaves no trace (A12)."""
    require_writer(by)
    run = standing.lock(process_id, by)
    before = run.revision - 1
    for command in commands:
        fence.check(run.lease_epoch, command.lease_epoch)
    at_ms = rules.append_at(run, now_ms())
    results = _sorted_out(run, commands, at_ms)
    fresh = [result.step for result in results if not result.skipped]
    if not fresh:
        raise Unchanged(Batch(results, before))
    use = ran.use(run, fresh[0])
    steps.add(run, fresh, str(by))
    failpoints.reach("mid_stream")
    last = run.revision
    used = ran.keep(run, use, by, at_ms) if use else {}
    columns = {
        "revision": run.revision,
        "journal_seq": last,
        "chain": run.chain,
        "stored_steps": fresh[-1]["seq"],
        "steps_used": rules.used(run.steps_used, len(fresh)),
        "updated_at_ms": at_ms,
    }
    rows.write_columns(process_id, columns | used)
    _remember(run, by, columns | used)
    failpoints.reach("before_append_commit")
    failpoints.reach_after_commit("after_append_commit")
    return Batch(results, run.revision)


@append_once.shortly
def _plan(
    process_id: str, commands: Sequence[AppendStep], *, by: Actor
) -> writer.Plan[Batch] | None:
    """One success, without a lock: kept only if the run stands where this server last left it.
    Sent once more it is a replay.
    """
    agent = by.agent
    if len(commands) != 1 or agent is None or by.expected is not None:
        return None
    if failpoints.are_listened_to():
        return None
    [command] = commands
    run = optimistic.find(agent, process_id) if command.success else None
    if run is None or run.denials or run.unused_id is not None:
        return None
    try:
        require_writer(by)
        fence.check(run.lease_epoch, command.lease_epoch)
        at_ms = rules.append_at(run, now_ms())
    except Problem:
        return None  # as it stood; the lock knows
    step = steps.fields(command, keep(command), run.stored_steps + 1, at_ms)
    run.steps_used = rules.used(run.steps_used, 1)
    params = optimistic.moved(agent, run, step, str(by))

    def done() -> Batch:
        optimistic.remember(agent, run)
        return Batch((Appended(step, skipped=False),), run.revision)

    return writer.Plan(optimistic.APPEND, params, done)


def _remember(run: Standing, by: Actor, columns: dict[str, Any]) -> None:
    """Where the run stands once this is committed, where that may spare the next a lock."""
    if by.agent is not None and sql.is_postgresql():
        names = columns.keys() & {"steps_used", "stored_steps", "updated_at_ms", "unused_id"}
        stands = replace(run, **{name: columns[name] for name in names})
        writer.after_commit(partial(optimistic.remember, by.agent, stands))


def count_skips(process_id: str, batch: Batch) -> None:
    """Retries are visible, not hidden (A24); the count is best effort and never fails an
    append.
    """
    seqs = [result.step["seq"] for result in batch.results if result.skipped]
    if not seqs:
        return
    try:
        done = writer.submit(lambda: steps.count_skips(process_id, seqs))
    except writer.Busy:
        log.warning("replays of %s were not counted: busy", process_id)
    else:
        done.add_done_callback(_report)


def _sorted_out(
    run: Standing, commands: Sequence[AppendStep], at_ms: int
) -> tuple[Appended, ...]:
    """Each command as a new step or as the recorded one it repeats,
    also within the same list.
    """
    recorded = steps.successes(run.id, [command.key for command in commands])
    tried = _attempts(run.id, commands)
    seq, results = run.stored_steps, []
    for command in commands:
        key = command.key
        known = recorded.get(key) or tried.get(command.attempt_id or "")
        if known is not None:
            _require_same(command, known)
            results.append(Appended(known, skipped=True))
            continue
        _require_allowed(run, key)
        seq += 1
        step = steps.fields(command, keep(command), seq, at_ms)
        if command.success:
            recorded[key] = step
        if command.attempt_id:
            tried[command.attempt_id] = step
        results.append(Appended(step, skipped=False))
    return tuple(results)


def _attempts(process_id: str, commands: Sequence[AppendStep]) -> dict[str, StepFields]:
    named = [command.attempt_id for command in commands if command.attempt_id]
    return steps.attempts(process_id, named) if named else {}


def _require_same(command: AppendStep, known: StepFields) -> None:
    """A recorded success with this key ends the matter; an attempt id must name the very same
    step.
    """
    if is_replay(command, known["success"], known["idempotency_key"]):
        return
    told = steps.fields(command, keep(command), known["seq"], known["at_ms"])
    if any(known[name] != told[name] for name in _SAID):
        raise errors.AttemptConflict(pointer="/attempt_id")


def _require_allowed(run: Standing, key: str) -> None:
    if run.denials and steps.is_denied(run.id, key):
        raise errors.Denied


def _report(done: Future[None]) -> None:
    if error := done.exception():
        log.warning("a replay was not counted: %s", type(error).__name__)
