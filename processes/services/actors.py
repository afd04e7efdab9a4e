"""Who acts: a person in the browser, a key, or the system itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.conf import settings

from dalhc.problems import Problem
from processes import policy
from processes.journal import errors
from processes.journal.errors import PersistenceDisabled

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PRINCIPALS, REVIEWERS = "principals", "reviewers"


class Forbidden(Problem):
    """You may not do this."""


@dataclass(frozen=True, slots=True)
class Actor:
    """`agent` bounds what a runtime sees; None sees all. `name` goes into the audit."""

    kind: Literal["principal", "runtime", "system"]
    name: str
    agent: str | None = None
    scopes: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()  # of a person
    owner: str = ""  # of a runtime's key: the person who answers for the agent
    expected: int | None = None  # the revision an If-Match named
    trace: str | None = None  # its traceparent, kept on the events it makes

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


SYSTEM = Actor("system", "system", scopes=frozenset({"read"}))


def person(user: User | AnonymousUser) -> Actor:
    """A logged-in person; principals decide, everyone reads, a superuser manages."""
    scopes = {"read"}
    groups = frozenset[str]()
    if user.is_authenticated:
        groups = frozenset(user.groups.values_list("name", flat=True))
    if PRINCIPALS in groups:
        scopes.add("decide")
    if getattr(user, "is_superuser", False):
        scopes.add("admin")
    return Actor("principal", user.get_username(), scopes=frozenset(scopes), groups=groups)


def require_decider(by: Actor) -> None:
    """Raise Forbidden unless this actor may decide at all; a decision is durable too (F06)."""
    if refusal := policy.why_not(by):
        raise Forbidden(refusal)
    require_durable()


def require_allowed(by: Actor, stop: policy.Stopped, action: str) -> None:
    """Raise unless the policies let this actor do this about this stop: Claimed, Forbidden."""
    if policy.is_held_by_another(by, stop):
        current = {"who": stop.holder, "when_ms": stop.claimed_at_ms}
        raise errors.Claimed(current=current)
    if refusal := policy.refusal(by, stop, action):
        raise Forbidden(refusal)


def require(by: Actor, scope: str) -> None:
    """Raise Forbidden unless the actor's key or role carries the scope."""
    if scope not in by.scopes:
        raise Forbidden(f"This needs the scope {scope}.")


def require_writer(by: Actor) -> None:
    """Only a runtime writes a journal, and only while durable processes are on (S0:57)."""
    require(by, "journal")
    require_durable()


def require_durable() -> None:
    """Raise PersistenceDisabled while durable processes are switched off (S0:57)."""
    if not settings.ENVIRONMENT.is_durable:
        raise PersistenceDisabled
