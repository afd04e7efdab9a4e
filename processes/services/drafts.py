"""What people are typing, kept between keystrokes: no decision, and nobody else's to see."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from dalhc.clock import now_ms
from processes.models import Draft, Suspension
from processes.services.actors import Actor, require_decider
from processes.services.verb import Unchanged, Verb
from processes.store import drafts, suspensions

# Once the decision was handed over there is nothing left to write.
_WRITABLE = {"open", "answered", "declined"}


@Verb
def save_draft(
    suspension_id: str,
    action: str,
    content: Mapping[str, Sequence[str]],
    typed_at_ms: int,
    *,
    by: Actor,
) -> bool:
    """Keep a draft; whether it is the newest. It leaves no event: nothing was decided.

    `typed_at_ms` is the writer's own clock: the last keystroke wins, in whatever order the
    requests arrive (cases B50). Raises ProcessNotFound, Forbidden.
    """
    require_decider(by)
    stop = suspensions.get(suspension_id, by.agent)
    if stop.status not in _WRITABLE or stop.delivered_at_ms is not None:
        raise Unchanged(False)
    text = json.dumps(content, ensure_ascii=False)
    if not drafts.save(stop.id, str(by), action, text, typed_at_ms, now_ms()):
        raise Unchanged(False)
    return True


def drafts_of(stop: Suspension, *, by: Actor) -> list[Draft]:
    """This person's own drafts about it, the oldest first."""
    mine = Draft.objects.filter(suspension_id=stop.id, by=str(by))
    return list(mine.order_by("typed_at_ms"))
