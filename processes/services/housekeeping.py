"""What time does to items: expiries settled, snoozes ended (architecture §3.14).

It may be late, for every decision and resume settles a passed expiry itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from dalhc.clock import now_ms
from dalhc.db import writer
from dalhc.problems import Problem
from processes.services.asking import HOUSEKEEPING
from processes.services.attention import awake
from processes.services.expiry import expire
from processes.store import attention

TOPIC = HOUSEKEEPING
AT_ONCE = 200

log = logging.getLogger("dalhc.housekeeping")


def sweep() -> int | None:
    """Settle all whose time has come; returns when the next is, in Unix milliseconds."""
    now = now_ms()
    for suspension_id in attention.expired(now, AT_ONCE):
        _try(expire, suspension_id)
    for suspension_id in attention.awake(now, AT_ONCE):
        _try(awake, suspension_id)
    return attention.next_moment()


def _try(verb: Callable[[str], object], suspension_id: str) -> None:
    """One that fails keeps none of the others waiting."""
    try:
        verb(suspension_id)
    except writer.Busy:
        raise
    except Problem as problem:
        log.warning("%s was left as it is: %s", suspension_id, problem.code)
