"""Descriptors made again from the log, and the proof that none stands ahead of it (contract
D12).
"""

from __future__ import annotations

from dataclasses import dataclass

from descriptors.contract.cycle import EVENTS, Sleeper, fold
from descriptors.store import incarnation, sleepers
from processes.services import beside
from processes.services.verb import Verb


@dataclass(frozen=True, slots=True)
class Fault:
    """A descriptor that is not what its log says."""

    session_id: str
    what: str


@Verb
def rebuild() -> int:
    """Empty the tables and fold every log again; how many sleep."""
    sleepers.forget_all()
    made = 0
    for process_id in beside.processes_with("sleep"):
        made += _rebuilt(process_id)
    return made


def check() -> list[Fault]:
    """What is wrong with each; an empty list is the proof. Changes nothing."""
    slept = set(beside.processes_with("sleep"))
    faults = [
        Fault(one, "sleeps, but has no row")
        for one in sorted(slept - set(sleepers.every()))
        if _told(one) is not None
    ]
    for session_id in sleepers.every():
        faults += [Fault(session_id, what) for what in _wrong(session_id)]
    return faults


def _rebuilt(process_id: str) -> int:
    row, told = beside.find_row(process_id, None), _told(process_id)
    if row is None or told is None:
        return 0
    sleepers.keep(row.host.agent, told)
    return 1


def _told(process_id: str) -> Sleeper | None:
    return fold(beside.events(process_id, EVENTS))


def _wrong(session_id: str) -> list[str]:
    found, told = sleepers.find(session_id), _told(session_id)
    row, seq = beside.find_row(session_id, None), beside.journal_seq(session_id)
    if found is None or row is None or seq is None or told is None:
        return ["has no log that says so"]
    sleeper, wrong = found.sleeper(), list[str]()
    if sleeper is None:
        return ["is not whole"]
    committed = sleeper.descriptor.last_committed
    if committed.seq_watermark > seq:
        wrong.append(f"stands at {committed.seq_watermark}, ahead of its log at {seq}")
    if row.host.journal_seq not in (None, seq):
        wrong.append(f"its process says {row.host.journal_seq}, and its log {seq}")
    if committed.incarnation != incarnation.name():
        wrong.append("is of another log")
    if _row(row.host.agent, sleeper) != _row(row.host.agent, told):
        wrong.append("differs from its log")
    if sorted(sleepers.heard(session_id)) != sleepers.listening(told):  # in any collation
        wrong.append("listens to something else than its log says")
    return wrong


def _row(agent: str, sleeper: Sleeper) -> tuple[object, ...]:
    """All but the due time, which a claim that lives on moves without an event."""
    values = list(sleepers.as_values(agent, sleeper))
    del values[sleepers.COLUMNS.index("due_at_ms")]
    return tuple(values)
