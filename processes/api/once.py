"""Idempotency-Key: the first reply is kept in the transaction it answers for, and repeated
(contract F17).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from dalhc.clock import now_ms
from dalhc.db import writer
from dalhc.http.problems import IdempotencyConflict
from dalhc.problems import Problem
from processes.models import IdempotentReply

KEPT_MS = 48 * 3_600_000


class InvalidIdempotencyKey(Problem):
    """An Idempotency-Key has 1 to 255 characters."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A body as plain data, its status and headers."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def once(
    key: str | None, owner: str, route: str, raw: bytes, make: Callable[[], Reply]
) -> Reply:
    """`make()`, or the reply it gave when this key came first. Only successes are kept."""
    if key is None:
        return make()
    if not 0 < len(key) <= 255:
        raise InvalidIdempotencyKey
    scope = sha256(f"{owner}\n{route}\n{key}".encode()).hexdigest()
    body_hash = sha256(raw).hexdigest()
    return writer.write(lambda: _first_or_same(scope, body_hash, make))


def _first_or_same(scope: str, body_hash: str, make: Callable[[], Reply]) -> Reply:
    kept = IdempotentReply.objects.filter(scope=scope).first()
    if kept is None:
        return _kept(scope, body_hash, make())
    if kept.body_hash != body_hash:
        raise IdempotencyConflict
    headers = {**json.loads(kept.headers), "Idempotent-Replayed": "true"}
    return Reply(json.loads(kept.body), kept.status, headers)


def _kept(scope: str, body_hash: str, reply: Reply) -> Reply:
    now = now_ms()
    IdempotentReply.objects.create(
        scope=scope,
        body_hash=body_hash,
        status=reply.status,
        headers=json.dumps(reply.headers),
        body=json.dumps(reply.body, ensure_ascii=False),
        at_ms=now,
    )
    if secrets.randbelow(200) == 0:
        IdempotentReply.objects.filter(at_ms__lt=now - KEPT_MS).delete()
    return reply
