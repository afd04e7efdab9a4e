"""The outbox emptied: each notice tried until it has arrived, with longer and longer pauses.

At least once: whoever is killed between sending and noting it sends the same id again.
"""

from __future__ import annotations

import logging
import smtplib

from django.conf import settings

from dalhc.clock import now_ms
from dalhc.problems import Problem
from processes.models import Notice
from processes.notices import mailing, webhook, words
from processes.services.outbox import TOPIC, allowed
from processes.services.verb import Unchanged, Verb, tell

__all__ = ["PAUSES", "TOPIC", "sweep"]

PAUSES = (5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000)
AT_ONCE = 50
ERROR_CHARS = 300

log = logging.getLogger("dalhc.notices")


def sweep() -> int | None:
    """Send what is due; returns when the next is, in Unix milliseconds."""
    pending = Notice.objects.filter(status="pending").order_by("next_at_ms")
    for notice in pending.filter(next_at_ms__lte=now_ms()).select_related("recipient")[
        :AT_ONCE
    ]:
        _deliver(notice)
    return pending.values_list("next_at_ms", flat=True).first()


def _deliver(notice: Notice) -> None:
    if not _taken(notice.id, notice.tries):
        return  # another server has it
    try:
        _send(notice)
    except (Problem, webhook.NotTaken, OSError, smtplib.SMTPException) as error:
        said = str(error) or type(error).__name__
        _note(notice.id, notice.tries + 1, said[:ERROR_CHARS])
        log.warning("notice %s was not taken: %s", notice.id, type(error).__name__)
    else:
        _note(notice.id, notice.tries + 1, "")


@Verb
def _taken(notice_id: str, tries: int) -> bool:
    """Take it before it is sent: the next try is already set, should this one die."""
    found = Notice.objects.filter(id=notice_id, status="pending", tries=tries)
    pause = PAUSES[min(tries, len(PAUSES) - 1)]
    notice = found.select_related("suspension").first()
    if notice is None:
        raise Unchanged(False)
    if notice.kind == "expiring" and notice.suspension.status != "open":
        found.update(status="dropped", error="It was answered before.")
        return False
    return bool(found.update(tries=tries + 1, next_at_ms=now_ms() + pause))


@Verb
def _note(notice_id: str, tries: int, error: str) -> None:
    found = Notice.objects.filter(id=notice_id, tries=tries, status="pending")
    if not error:
        found.update(status="sent", sent_at_ms=now_ms(), error="")
    elif tries > len(PAUSES):
        found.update(status="failed", error=error)
    else:
        found.update(error=error)
    tell("inbox")


def _send(notice: Notice) -> None:
    to = notice.recipient
    if to.kind == "webhook":
        now = now_ms()
        webhook.send(to.address, to.secret, notice.id, notice.body, now, allowed())
        return
    subject, text = words.mail(notice.body)
    environment = settings.ENVIRONMENT
    mailing.send(environment.smtp, environment.mail_from, to.address, notice.id, subject, text)
