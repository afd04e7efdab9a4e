"""What other apps hear, inside the transaction it happens in (architecture §3.10)."""

from __future__ import annotations

from django.dispatch import Signal

# process_id, suspension_id, kind, at_ms; kind is "decided", "rung", "expired", "taken_back",
# "finished" or, of the lease and no stop, "leased" and "released".
settled = Signal()
# process_id; before the process is locked for a "taken_back": what an app locks before it.
settling = Signal()
demo_told = Signal()  # the demo's stories are told: an app may add what it knows to tell


def settle(process_id: str, suspension_id: str | None, kind: str, at_ms: int) -> None:
    """Wake conditions settle here, inside the transaction; the bell only rings afterwards."""
    settled.send(
        sender=None, process_id=process_id, suspension_id=suspension_id, kind=kind, at_ms=at_ms
    )


def before_settling(process_id: str) -> None:
    """One order of locks for all: what a taking back may need beside the process comes first,
    as it does for a signal from outside.
    """
    settling.send(sender=None, process_id=process_id)
