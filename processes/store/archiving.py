"""The one way an event ever leaves the log: with its whole process, for a passport (T21)."""

from __future__ import annotations

from dalhc.db import sql
from processes.models import Archived, Process


def leave_stub(stub: Archived) -> None:
    """Remove the process and all that hangs on it; its stub stays, in the same transaction.

    Raises ProtectedError when something else still needs the process.
    """
    stub.save(force_insert=True)
    sql.run("DELETE FROM processes_event WHERE process_id = %s", (stub.process_id,))
    Process.objects.filter(id=stub.process_id).delete()
