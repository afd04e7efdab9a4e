"""A settled process leaves the database: its passport is kept, a stub of its chain stays."""

from __future__ import annotations

from django.db.models import ProtectedError

from dalhc.clock import now_ms
from dalhc.problems import Problem
from processes.journal.record import TERMINAL
from processes.models import Archived, Suspension
from processes.services.actors import Actor, require
from processes.services.verb import Verb, tell
from processes.store import archiving, rows


class NotArchived(Problem):
    """This process cannot be archived now."""


@Verb
def archive(process_id: str, revision: int, chain: str, sha256: str, *, by: Actor) -> Archived:
    """Remove the process whose passport, with this hash, ends in exactly this event.

    Raises ProcessNotFound, NotArchived.
    """
    require(by, "admin")
    row = rows.lock(process_id, by)
    head, host = row.head, row.host
    if head.state not in TERMINAL:
        raise NotArchived("It has not settled.")
    if Suspension.objects.of(process_id).open().exists():
        raise NotArchived("A question of it is open.")
    if host.origin != "api":
        raise NotArchived("Its files own it; remove those first.")
    if (host.revision - 1, host.chain) != (revision, chain):
        raise NotArchived("It has changed since its passport was written.")
    stub = Archived(
        process_id=process_id,
        agent=host.agent,
        objective=head.objective,
        state=head.state,
        revision=revision,
        chain=chain,
        sha256=sha256,
        settled_at_ms=head.updated_at_ms,
        at_ms=now_ms(),
    )
    try:
        archiving.leave_stub(stub)
    except ProtectedError as error:
        raise NotArchived("Something else still refers to it.") from error
    tell(process_id)
    return stub
