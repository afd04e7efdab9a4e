"""What the outside is told: written with what happened, in one transaction; sent afterwards."""

from __future__ import annotations

import base64
import re
import secrets

from django.conf import settings

from dalhc.clock import now_ms
from dalhc.problems import Problem
from processes.journal import errors
from processes.models import Notice, Recipient, Suspension
from processes.notices import address, words
from processes.services.actors import Actor, require
from processes.services.verb import Verb, tell
from processes.store import ids, rows

TOPIC = "notices"
BEFORE_EXPIRY = 15 * 60_000
_EMAIL = re.compile(r"[\w.+-]{1,64}@[A-Za-z0-9.-]{1,190}", re.ASCII)


class InvalidRecipient(Problem):
    """A notice goes to a webhook of an allowed host, or to an e-mail address."""


def allowed() -> address.Allowed:
    """Where this deployment lets webhooks go; nowhere unless it says so."""
    environment = settings.ENVIRONMENT
    return address.Allowed(
        frozenset(environment.webhook_hosts), private=environment.webhook_private
    )


@Verb
def add_recipient(kind: str, to: str, wants: list[str], *, by: Actor) -> tuple[Recipient, str]:
    """The recipient and, for a webhook, its secret, which is shown once."""
    require(by, "admin")
    if not wants or not set(wants) <= set(words.KINDS):
        raise InvalidRecipient("Say about what.", pointer="/wants")
    _check(kind, to)
    secret = ""
    if kind == "webhook":
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    made = Recipient.objects.create(
        kind=kind,
        address=to,
        secret=secret,
        wants=" ".join(each for each in words.KINDS if each in wants),
        by=str(by),
        created_at_ms=now_ms(),
    )
    return made, secret


def _check(kind: str, to: str) -> None:
    if kind == "webhook":
        address.place(to, allowed())
    elif kind != "email" or not _EMAIL.fullmatch(to):
        raise InvalidRecipient(pointer="/address")
    elif not settings.ENVIRONMENT.smtp:
        raise InvalidRecipient("No mail server is set (DALHC_SMTP).", pointer="/address")


@Verb
def remove_recipient(recipient_id: int, *, by: Actor) -> None:
    """Nothing more goes there, also nothing that waits."""
    require(by, "admin")
    found = Recipient.objects.filter(id=recipient_id, removed_at_ms=None)
    if not found.update(removed_at_ms=now_ms()):
        raise errors.ProcessNotFound("There is no such recipient.")
    pending = Notice.objects.filter(recipient_id=recipient_id, status="pending")
    pending.update(status="dropped", error="The recipient was removed.")


@Verb
def send_again(notice_id: str, *, by: Actor) -> None:
    """What has failed is tried anew, from the first try on."""
    require(by, "admin")
    failed = Notice.objects.filter(id=notice_id, status="failed", recipient__removed_at_ms=None)
    if not failed.update(status="pending", tries=0, next_at_ms=now_ms(), error=""):
        raise errors.ProcessNotFound("There is no such failed notice.")
    tell(TOPIC)


def announce(row: rows.Row, stop: Suspension, now: int) -> None:
    """A stop has begun to wait, and may expire. In the caller's transaction."""
    _write("waiting", row, stop, now, now)
    if stop.expires_at_ms is not None and stop.on_timeout != "wait":
        early = max(stop.expires_at_ms - BEFORE_EXPIRY, (now + stop.expires_at_ms) // 2)
        _write("expiring", row, stop, now, early)


def report(row: rows.Row, stop: Suspension, now: int) -> None:
    """It was answered, or has expired."""
    _write("answered", row, stop, now, now)


def _write(kind: words.Kind, row: rows.Row, stop: Suspension, now: int, due: int) -> None:
    everyone = Recipient.objects.filter(removed_at_ms=None)
    wanted = [one for one in everyone if kind in one.wants.split()]
    if not wanted:
        return
    body = words.body(kind, _about(row, stop), now)
    Notice.objects.bulk_create(
        Notice(
            id=ids.mint("note"),
            recipient=one,
            suspension=stop,
            kind=kind,
            body=body,
            next_at_ms=due,
            at_ms=now,
        )
        for one in wanted
    )
    tell(TOPIC)


def _about(row: rows.Row, stop: Suspension) -> words.About:
    ask = stop.question or stop.detail or stop.proposed_tool or row.head.objective
    base = settings.ENVIRONMENT.public_url
    return words.About(
        suspension=stop.id,
        process_id=row.head.id,
        agent=words.one_line(stop.agent),
        reason=stop.reason,
        ask=words.one_line(ask),
        status=stop.status,
        expires_at=words.moment(stop.expires_at_ms) if stop.expires_at_ms else None,
        url=f"{base}/processes/{row.head.id}/",
    )
