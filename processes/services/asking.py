"""What is checked of a stop before it is kept, beyond its own words."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import Group, User

from processes import policy
from processes.answering import schema
from processes.answering.admitting import admit
from processes.journal import errors
from processes.journal.commands import Suspend
from processes.store import attention

HOUSEKEEPING = "housekeeping"
RETRY_SECONDS = 60


def require_room(agent: str) -> None:
    """One agent does not bury the others' questions (T22). Raises TooManyOpen."""
    most = settings.ENVIRONMENT.open_per_agent
    if attention.count_open(agent, most) >= most:
        raise errors.TooManyOpen(f"{most} of them are open.", retry_after=RETRY_SECONDS)


def require_answerable(command: Suspend) -> None:
    """Asked before any lock is taken: a schema may be long, and its patterns slow. Raises
    InvalidResponseSchema, AnswerNotOffered, AnswerMisfit.
    """
    shape = command.response_schema
    admit(shape)
    if command.default_answer is not None:
        text = None if shape is None else schema.stored(shape)
        policy.check_default(command.options, text, command.default_answer)


def require_sensible(command: Suspend, now: int) -> None:
    """Raises InvalidTimeout, UnknownAssignee."""
    if command.expires_at is not None and command.expires_at <= now:
        raise errors.InvalidTimeout("The expiry is over already.", pointer="/expires_at")
    require_known(command.assignees)


def require_known(names: Sequence[str]) -> None:
    """Every name is a person who may log in, or a group. Raises UnknownAssignee."""
    if not names:
        return
    groups = [name.removeprefix("group:") for name in names if name.startswith("group:")]
    people = [name for name in names if not name.startswith("group:")]
    known = set(Group.objects.filter(name__in=groups).values_list("name", flat=True))
    known |= set(
        User.objects.filter(username__in=people, is_active=True).values_list(
            "username", flat=True
        )
    )
    for number, name in enumerate(names):
        if name.removeprefix("group:") not in known:
            raise errors.UnknownAssignee(pointer=f"/assignees/{number}")
