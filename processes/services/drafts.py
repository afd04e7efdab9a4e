"""What people are typing, kept between keystrokes: no decision, and nobody else's to see."""

from __future__ import annotations

import json

from django.db.models import Exists, OuterRef

from dalhc.clock import now_ms
from processes import policy
from processes.journal.drafting import SaveDraft
from processes.journal.errors import AlreadyAnswered
from processes.models import Decision, Draft, Suspension, Vote
from processes.services.actors import Actor, require_decider
from processes.services.verb import Unchanged, Verb
from processes.store import drafts, suspensions

_MAY_COME_BACK = {"open", "answered", "declined"}


@Verb
def save_draft(suspension_id: str, command: SaveDraft, *, by: Actor) -> bool:
    """Keep a draft; whether it is the newest. It leaves no event: nothing was decided.

    The last keystroke wins, in whatever order the requests arrive (cases B50). It is kept
    also when the question is gone meanwhile, so that the text is not. Raises ProcessNotFound,
    Forbidden, and AlreadyAnswered where this person's own words were handed over.
    """
    require_decider(by)
    stop = suspensions.get(suspension_id, by.agent)
    decision = suspensions.live_decision(stop.id)
    if decision is not None and decision.by == str(by) and not _may_come_back(stop):
        raise AlreadyAnswered
    text, now = json.dumps(command.content, ensure_ascii=False), now_ms()
    at = now if command.typed_at_ms is None else command.typed_at_ms
    if not drafts.save(stop.id, str(by), command.action, text, at, now):
        raise Unchanged(False)
    return True


def _may_come_back(stop: Suspension) -> bool:
    """Taken back, it is a question again, and what was typed stands in its form."""
    return stop.status in _MAY_COME_BACK and stop.delivered_at_ms is None


@Verb
def forget_draft(suspension_id: str, action: str | None = None, *, by: Actor) -> None:
    """What this person has typed about it, for one action or all. Raises ProcessNotFound."""
    stop = suspensions.get(suspension_id, by.agent)
    if action is None:
        drafts.forget(stop.id, str(by))
    else:
        Draft.objects.filter(suspension_id=stop.id, by=str(by), action=action).delete()


def drafts_of(stop: Suspension, *, by: Actor) -> list[Draft]:
    """This person's own drafts about it, the oldest first."""
    mine = Draft.objects.filter(suspension_id=stop.id, by=str(by))
    return list(mine.order_by("typed_at_ms"))


def left_drafts(process_id: str, form_of: str, *, by: Actor) -> list[Draft]:
    """What this person has typed about this process and never sent, with the suspension it was
    meant for; `form_of` is the one whose form holds its drafts itself.
    """
    own = {"suspension_id": OuterRef("suspension_id"), "by": str(by), "live": True}
    mine = Draft.objects.filter(by=str(by), suspension__process_id=process_id)
    left = mine.exclude(suspension_id=form_of).exclude(Exists(Decision.objects.filter(**own)))
    since = Vote.objects.filter(**own, at_ms__gte=OuterRef("saved_at_ms"))
    left = left.exclude(Exists(since))  # what was typed after a vote was not sent with it
    return list(left.select_related("suspension").order_by("saved_at_ms"))


def forget_sent(stop: Suspension, decision: Decision) -> None:
    """What was handed over is no draft any more: of whoever decided, and what those who agreed
    had typed by then.
    """
    drafts.forget(stop.id, decision.by)
    if policy.approvals_needed(stop.reason, decision.action) > 1:
        same = {name: getattr(decision, name) for name in ("action", "answer", "args")}
        for vote in Vote.objects.filter(suspension_id=stop.id, live=True, **same):
            mine = Draft.objects.filter(suspension_id=stop.id, by=vote.by)
            mine.filter(saved_at_ms__lte=vote.at_ms).delete()
