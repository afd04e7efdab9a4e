"""Keys of runtimes and of people's programs: issued once, checked on every request, revoked at
once.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

from dalhc.clock import now_ms
from dalhc.db import notices, writer
from dalhc.problems import Problem
from processes.journal import errors, limits
from processes.journal.text import is_visible
from processes.models import RuntimeKey
from processes.models.runtime import SCOPES
from processes.services.actors import Actor, person, require
from processes.services.verb import Verb

if TYPE_CHECKING:
    from django.contrib.auth.models import User

KEYS = ":keys"  # a topic that is no process: ids have no colon
SECONDS_KNOWN = 15.0  # should news of a change ever be late
_known: dict[str, tuple[float, RuntimeKey, Actor]] = {}
_forgotten = 0  # a key read before a revocation is not remembered after it
_guard = Lock()


class Unauthorized(Problem):
    """Send a valid key: Authorization: Bearer dalhc_…"""


class InvalidKey(Problem):
    """A key needs a name, and scopes that fit it."""


@Verb
def issue_key(
    name: str,
    agent: str | None = None,
    user: User | None = None,
    scopes: Iterable[str] = ("journal", "read", "wake"),
    expires_at_ms: int | None = None,
    owner: User | None = None,
    *,
    by: Actor,
) -> tuple[RuntimeKey, str]:
    """The key and its secret text, which is never seen again. A runtime's key can never decide
    (T19).
    """
    require(by, "admin")
    wanted = frozenset(scopes)
    _check(name, agent, user, wanted)
    if owner is not None and agent is None:
        raise InvalidKey("Only an agent has an owner.", pointer="/owner")
    prefix, secret = secrets.token_hex(4), secrets.token_urlsafe(32).replace("_", "-")
    text = f"dalhc_{prefix}_{secret}"
    key = RuntimeKey.objects.create(
        prefix=prefix,
        digest=_digest(text),
        name=name,
        agent=agent,
        user=user,
        owner=owner,
        scopes=" ".join(scope for scope in SCOPES if scope in wanted),
        created_at_ms=now_ms(),
        expires_at_ms=expires_at_ms,
    )
    return key, text


def _check(name: str, agent: str | None, user: User | None, scopes: frozenset[str]) -> None:
    if not is_visible(name) or len(name) > limits.AGENT_CHARS:
        raise InvalidKey(pointer="/name")
    if (agent is None) == (user is None):
        raise InvalidKey("A key belongs to one agent or to one person.", pointer="/agent")
    if agent is not None and (not is_visible(agent) or len(agent) > limits.AGENT_CHARS):
        raise InvalidKey("An agent's name has 1 to 100 characters.", pointer="/agent")
    allowed = {"journal", "read", "wake"} if user is None else {"read", "decide", "admin"}
    if not scopes or not scopes <= allowed:
        raise InvalidKey(f"Possible here: {', '.join(sorted(allowed))}.", pointer="/scopes")


@Verb
def revoke_key(key_id: int, *, by: Actor) -> RuntimeKey:
    """From the next request on the key is refused."""
    require(by, "admin")
    key = RuntimeKey.objects.filter(id=key_id).first()
    if key is None:
        raise errors.ProcessNotFound("There is no such key.")
    RuntimeKey.objects.filter(id=key_id, revoked_at_ms=None).update(revoked_at_ms=now_ms())
    key.refresh_from_db()
    forget_everywhere()
    return key


def forget_everywhere() -> None:
    """After the commit of the write we are in, here and on every other server."""
    notices.send(KEYS)
    writer.after_commit(forget)


def forget() -> None:
    """Drop what is remembered of keys, so that the next request reads the table."""
    global _forgotten
    with _guard:
        _forgotten += 1
        _known.clear()


notices.when(KEYS, forget)


def known_actor(text: str) -> Actor | None:
    """Who acts behind a key that was checked lately on this server; reads no database."""
    found = _known_lately(text)
    return found[1] if found else None


def _known_lately(text: str) -> tuple[RuntimeKey, Actor] | None:
    entry = _known.get(_digest(text))
    if entry is None or time.monotonic() - entry[0] > SECONDS_KNOWN:
        return None
    return entry[1:] if _is_live(entry[1]) else None


def check_key(text: str) -> RuntimeKey:
    """The key behind `Bearer <text>`. Unknown, expired and revoked
    get the same refusal (T17).
    """
    if found := _known_lately(text):
        return found[0]
    before, parts = _forgotten, text.split("_", 2)
    prefix = parts[1] if len(parts) == 3 and parts[0] == "dalhc" else ""
    key = RuntimeKey.objects.filter(prefix=prefix).select_related("user", "owner").first()
    expected = key.digest if key else "0" * 64
    if not hmac.compare_digest(expected.encode(), _digest(text).encode()) or key is None:
        raise Unauthorized
    if not _is_live(key):
        raise Unauthorized
    _remember(text, key, before)
    return key


def is_keyless(agent: str) -> bool:
    """The agent had a key, and none of them opens anything any more (cases B29)."""
    keys = list(RuntimeKey.objects.filter(agent=agent).select_related("user"))
    return bool(keys) and not any(map(_is_live, keys))


def _is_live(key: RuntimeKey) -> bool:
    expired = key.expires_at_ms is not None and key.expires_at_ms <= now_ms()
    active = key.user is None or key.user.is_active
    return key.revoked_at_ms is None and not expired and active


def _remember(text: str, key: RuntimeKey, before: int) -> None:
    actor = actor_of(key)
    with _guard:
        if len(_known) > 10_000:
            _known.clear()
        if before == _forgotten:
            _known[_digest(text)] = (time.monotonic(), key, actor)
    _note_use(key)


def _note_use(key: RuntimeKey) -> None:
    """At most once a minute: knowing when a key was last used is not worth a write per
    request.
    """
    now = now_ms()
    if key.last_used_at_ms is not None and now - key.last_used_at_ms < 60_000:
        return
    key.last_used_at_ms = now
    update = RuntimeKey.objects.filter(id=key.id).update
    writer.submit(lambda: update(last_used_at_ms=now)).add_done_callback(
        lambda done: done.exception()
    )


def check_actor(text: str) -> tuple[Actor, str]:
    """Who acts behind `Bearer <text>`, and the key's prefix. Raises Unauthorized."""
    if found := _known_lately(text):
        return found[1], found[0].prefix
    key = check_key(text)
    return actor_of(key), key.prefix


def actor_of(key: RuntimeKey) -> Actor:
    """Who a key acts for. A person's key decides only while the person may."""
    if key.user is None:
        owner = key.owner.username if key.owner else ""
        return Actor("runtime", key.name, agent=key.agent, scopes=key.scope_set, owner=owner)
    who = person(key.user)
    return replace(who, scopes=key.scope_set & who.scopes)


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
