"""What a person decided, written to the file that owns the process: there, answering is the
resume (architecture §3.1, §3.9).

The decision is stored first, so whoever is killed in between leaves it to the next look at the
folder; the file is the proof that it was delivered.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from dalhc.clock import now_ms
from dalhc.db import writer
from processes.journal import errors, folder, rules, saving
from processes.journal import whole as journal
from processes.journal.commands import Choice, Stop
from processes.journal.whole import Whole
from processes.models import Decision, Process, Suspension
from processes.models.process import FILES
from processes.services import decisions, ending, mirror
from processes.services.actors import Actor, require_decider
from processes.services.verb import Unchanged, Verb
from processes.store import files, rows, suspensions

log = logging.getLogger("dalhc.files")

type Change = Callable[[Whole], Whole]


def decide(suspension_id: str, choice: Choice, *, by: Actor) -> Suspension:
    """As `decisions.decide`; of a process owned by files it is in the file when this returns.

    Raises FileChanged or FileGone when the runtime was faster: nothing is decided then. With a
    disk that cannot be written it stays decided, and is written as soon as that is possible.
    """
    return in_its_file(decisions.decide(suspension_id, choice, by=by))


def in_its_file(stop: Suspension) -> Suspension:
    """The suspension that was decided just now, once its file says so; another as it is."""
    if writer.is_writing() or files.pending(stop.process_id) is None:
        return stop
    try:
        deliver(stop.process_id)
    except OSError as error:
        log.warning("%s: not written to its file yet: %s", stop.process_id, error.strerror)
    return suspensions.get(stop.id, None)


def stop(process_id: str, command: Stop, *, by: Actor) -> rows.Row:
    """As `ending.stop`; a process owned by files ends in its file.

    Raises OwnedByFiles inside an Idempotency-Key's transaction, which a file cannot join.
    """
    row = rows.read(process_id, by)
    if row.host.origin != FILES:
        return ending.stop(process_id, command, by=by)
    require_decider(by)
    ending.require_stopper(row, by)
    if writer.is_writing():
        told = "Send it without an Idempotency-Key; to end it twice is to end it once."
        raise errors.OwnedByFiles(told)
    if by.expected not in {None, row.host.revision}:
        raise errors.PreconditionFailed(current={"revision": row.host.revision})
    known = files.of(process_id)
    if known is None:
        raise errors.FileGone
    _end(Path(known.id), known.sha256, process_id, command.note, by)
    return rows.read(process_id, by)


def deliver(process_id: str) -> None:
    """Write the decision that waits, if one does. Raises FileChanged, FileGone, OSError."""
    waiting = files.pending(process_id)
    if waiting is None:
        return
    decision = Decision.objects.get(id=waiting.decision_id)
    try:
        seen, now = _exchanged(
            waiting.path, process_id, lambda: _sha_of(process_id, waiting), _deciding(decision)
        )
    except (errors.FileChanged, errors.FileGone, FileNotFoundError):
        withdraw(process_id, decision.id)
        _look_again(waiting.path)
        raise
    mirror.take(seen, now)


def deliver_all() -> None:
    """Write what a death or a full disk has left unwritten; what cannot be stays for later."""
    waiting = Process.objects.not_in_their_files().values_list("id", flat=True)
    for process_id in list(waiting):
        try:
            deliver(process_id)
        except (errors.FileChanged, errors.FileGone) as refused:
            log.warning("%s: not decided: %s", process_id, refused)
        except OSError as error:
            log.debug("%s: not written to its file yet: %s", process_id, error)


@Verb
def withdraw(process_id: str, decision_id: str) -> None:
    """The file is not the one that was decided about: the decision never was."""
    waiting = files.pending(process_id)
    if waiting is None or waiting.decision_id != decision_id:
        raise Unchanged(None)
    row, now = rows.lock_unasked(process_id), now_ms()
    stop = suspensions.get(row.host.suspension_id or "", None)
    decision = Decision.objects.get(id=decision_id)
    Decision.objects.filter(id=decision_id, live=True).update(live=False, taken_back_at_ms=now)
    suspensions.mark(stop, "open", closed_at_ms=None)
    denials = row.host.denials - (decision.action == "deny")
    data = {"suspension": stop.id, "decision": decision_id}
    change, who = rules.Change(row.head), str(mirror.BY)
    rows.keep(row, change, "take_back", who, data, now, decided=False, denials=denials)


def _end(path: Path, digest: str, process_id: str, note: str, by: Actor) -> None:
    def ended(was: Whole) -> Whole:
        return was.moved(journal.told(was.head, note, now_ms()))

    try:
        seen, now = _exchanged(path, process_id, lambda: digest, ended)
    except (errors.FileChanged, errors.FileGone, FileNotFoundError):
        _look_again(path)
        raise
    mirror.take(seen, now, by=by, note=note)


def _exchanged(
    path: Path, process_id: str, wanted: Callable[[], str | None], change: Change
) -> tuple[mirror.Seen, Whole]:
    """Read the file anew, compare it with what was mirrored, and write what becomes of it."""
    place = folder.Folder(path.parent)
    try:
        with place.locked(process_id) as at:
            found = folder.read(at, path.name)
            if sha256(found.text).hexdigest() != wanted():
                raise errors.FileChanged
            now = change(journal.load(found.text))
            text = now.text()
            saving.replace(at, process_id, text)
            stamp = folder.stamp_of(at, path.name)
    except FileNotFoundError:
        raise errors.FileGone from None
    except (errors.NotAFile, errors.CorruptRecord) as refused:
        # A link or a giant has taken the place of what was decided about.
        raise errors.FileChanged(str(refused)) from None
    return mirror.Seen(place, path.name, text, stamp), now


def _sha_of(process_id: str, waiting: files.Pending) -> str | None:
    """The mirrored hash while that decision waits, looked up under the file's lock."""
    found = files.pending(process_id)
    same = found is not None and found.decision_id == waiting.decision_id
    return found.sha256 if found and same else None


def _deciding(decision: Decision) -> Change:
    def change(was: Whole) -> Whole:
        head, now = was.head, now_ms()
        if decision.action in {"stop", "deny"}:
            return was.moved(journal.told(head, decision.note or "", now))
        text = decision.note if decision.action == "decline" else decision.answer
        return was.moved(rules.resume(head, rules.Decided(text), now))

    return change


def _look_again(path: Path) -> None:
    """Mirror the file as it stands now, so that the page shows what was in the way."""
    mirror.refresh(folder.Folder(path.parent), path.name)
