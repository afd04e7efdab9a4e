"""What a program does for a person, with a key that may decide (api.md, Suspensions)."""

from __future__ import annotations

from collections.abc import Iterator

from dalhc.client.errors import Json
from dalhc.client.models import Suspension
from dalhc.client.pages import pages
from dalhc.client.processes import Args
from dalhc.client.wire import Wire, given, part


class Suspensions:
    """The verbs of a suspension, over a `Wire`."""

    _wire: Wire

    def suspensions(self, **filters: str | bool | int | None) -> Iterator[Suspension]:
        """The inbox. Filters: reason, mine, process_id, status (`open` unless given)."""
        return pages(self._wire, "suspensions", Suspension, filters)

    def suspension(self, id: str) -> Suspension:
        """Everything a decision needs, with the `review_digest` it must carry."""
        return Suspension.model_validate(self._wire.get(f"suspensions/{part(id)}"))

    def decide(
        self,
        id: str,
        action: str,
        *,
        review_digest: str,
        answer: str | None = None,
        args: Args | None = None,
        note: str | None = None,
        revision: int | None = None,
    ) -> Suspension:
        """Answer, decline, approve, edit, deny or stop; the first wins (AlreadyAnswered)."""
        body: Json = {
            "action": action,
            "answer": answer,
            "args": args,
            "note": note,
            "review_digest": review_digest,
            "revision": revision,
        }
        reply = self._wire.post(f"suspensions/{part(id)}/decision", given(body))
        return Suspension.model_validate(reply)

    def take_back(self, id: str) -> Suspension:
        """Take a decision back, until the process has picked it up."""
        return Suspension.model_validate(self._wire.delete(f"suspensions/{part(id)}/decision"))

    def ack(self, suspension_id: str) -> None:
        """The runtime has used the decision."""
        self._wire.post(f"suspensions/{part(suspension_id)}/ack")

    def nack(self, suspension_id: str, error: str) -> None:
        """The runtime could not use the decision; it is delivered again."""
        self._wire.post(f"suspensions/{part(suspension_id)}/nack", {"error": error})
