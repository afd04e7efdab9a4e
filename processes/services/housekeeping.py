"""What time does to items: expiries settled, snoozes ended (architecture §3.14).

It may be late, for every decision and resume settles a passed expiry itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from dalhc.clock import now_ms
from dalhc.db.refusals import StorageRefusal
from dalhc.problems import Problem
from processes.services.asking import HOUSEKEEPING
from processes.services.attention import awake
from processes.services.expiry import expire
from processes.store import attention

TOPIC = HOUSEKEEPING
AT_ONCE = 200
AGAIN_MS = 60_000  # for what could not be settled

log = logging.getLogger("dalhc.housekeeping")


def sweep() -> int | None:
    """Settle all whose time has come; returns when the next is, in Unix milliseconds."""
    now = now_ms()
    done = [_try(expire, one) for one in attention.expired(now, AT_ONCE)]
    done += [_try(awake, one) for one in attention.awake(now, AT_ONCE)]
    moment = attention.next_moment()
    if moment is None or all(done):
        return moment
    return max(moment, now_ms() + AGAIN_MS)  # what was left is still due


def _try(verb: Callable[[str], object], suspension_id: str) -> bool:
    """One that fails keeps none of the others waiting. Raises StorageRefusal."""
    try:
        verb(suspension_id)
    except StorageRefusal:
        raise
    except Problem as problem:
        log.warning("%s was left as it is: %s", suspension_id, problem.code)
        return False
    return True
