"""Two pairs of eyes: the first approval is kept, and the second person does not see it."""

from __future__ import annotations

from processes import policy
from processes.journal import rules
from processes.journal.commands import Choice
from processes.models import Suspension, Vote
from processes.services import permits
from processes.services.actors import Actor
from processes.services.verb import Unchanged, tell
from processes.store import ids, rows, suspensions
from processes.store.log import digest

_CONTENT = ("action", "answer", "args")


def are_enough(row: rows.Row, stop: Suspension, choice: Choice, by: Actor, now: int) -> bool:
    """Whether this choice decides. If it is the first of two approvals, it is kept as a vote.

    Two approve the same: an approval and an edit are two opinions, and both stay votes.
    """
    if policy.approvals_needed(stop.reason, choice.action) == 1:
        return True
    live = list(Vote.objects.filter(suspension_id=stop.id, live=True))
    mine = next((vote for vote in live if vote.by == str(by)), None)
    said = (choice.note, choice.review_digest)
    if mine and _is_same(mine, choice) and (mine.note, mine.review_digest) == said:
        raise Unchanged(stop)
    if any(vote.by != str(by) and _is_same(vote, choice) for vote in _counting(stop, live)):
        return True
    if mine is not None:
        Vote.objects.filter(id=mine.id).update(live=False)
    vote = Vote.objects.create(
        id=ids.mint("vote"),
        suspension=stop,
        action=choice.action,
        answer=choice.answer,
        args=choice.args,
        note=choice.note,
        review_digest=choice.review_digest,
        by=str(by),
        at_ms=now,
    )
    _keep(row, stop, "vote", vote, by, now)
    return False


def withdraw(row: rows.Row, stop: Suspension, by: Actor, now: int) -> bool:
    """Take one's own vote back while nothing is decided. False when there is none."""
    vote = Vote.objects.filter(suspension_id=stop.id, by=str(by), live=True).first()
    if vote is None or stop.status != "open":
        return False
    rows.require_revision(row, by)
    Vote.objects.filter(id=vote.id).update(live=False)
    _keep(row, stop, "take_back", vote, by, now)
    return True


SAID = (*_CONTENT, "note", "by", "at_ms")  # what the event of a vote holds the hash of


def approvals(stop: Suspension) -> dict[str, int]:
    """How many are needed and given. What they say stays unseen until it is decided."""
    needed = policy.approvals_needed(stop.reason, "approve")
    if needed == 1:
        return {"needed": 1, "given": 0}
    live = list(Vote.objects.filter(suspension_id=stop.id, live=True))
    return {"needed": needed, "given": len(_counting(stop, live))}


def _counting(stop: Suspension, live: list[Vote]) -> list[Vote]:
    """Votes of who still may give them, about what there is to see now: an artifact written
    since then was never seen by its giver.
    """
    if not live:
        return []
    shown = suspensions.review_digest(stop)
    return [
        vote
        for vote in live
        if vote.review_digest == shown and permits.may_give(vote.by, stop, vote.action)
    ]


def _is_same(vote: Vote, choice: Choice) -> bool:
    return all(getattr(vote, name) == getattr(choice, name) for name in _CONTENT)


def _keep(row: rows.Row, stop: Suspension, kind: str, vote: Vote, by: Actor, now: int) -> None:
    content = {name: getattr(vote, name) for name in SAID}
    data = {"suspension": stop.id, "vote": vote.id, "said": digest(content)}
    rows.keep(row, rules.Change(row.head), kind, str(by), data, now)
    tell(row.head.id, "inbox")
