"""The routes that wait: coroutines, so that a thousand sleeping clients hold no thread.

A route gets `(scope, body, match)` and returns a `Reply`, or None for "not mine": then Django
answers the same request, and a body already read is handed on. `await body.read()` gives the
bytes, and `await body.unless_gone(bell.waiting(topic, seen, timeout))` sleeps, but no longer
than the client stays. A `Problem` raised here is answered like any other. Loaded when Django
is, so models may be imported.
"""

from __future__ import annotations

import re

from dalhc.db.sqlite import wal
from dalhc.front.append import append
from dalhc.front.claiming import claim
from dalhc.front.deciding import decide
from dalhc.front.keeper import Keeper
from dalhc.front.lifespan import Beside
from dalhc.front.measured import measured
from dalhc.front.routing import Entry
from dalhc.front.waiting import next_action
from processes.bridge import watching
from processes.services import delivering, housekeeping, searching

_PROCESS = r"/api/v1/processes/(?P<process_id>(?!\.)(?!.*\.\.)[A-Za-z0-9._-]{1,80}(?<!\.))"

_SUSPENSION = r"/api/v1/suspensions/(?P<suspension_id>susp_[A-Za-z0-9_-]{1,60})"

ROUTES: list[Entry] = [
    ("GET", re.compile(_PROCESS + "/next"), next_action),
    ("POST", re.compile(_PROCESS + "/steps"), append),
    ("POST", re.compile(_SUSPENSION + "/decision"), decide),
    ("POST", re.compile("/api/v1/wakes/claim"), claim),
    ("GET", re.compile("/metrics"), measured),
]

BESIDE: tuple[Beside, ...] = (
    watching.SERVER,
    Keeper(housekeeping.TOPIC, housekeeping.sweep),
    Keeper(delivering.TOPIC, delivering.sweep),
    Keeper(searching.TOPIC, searching.sweep),
    Keeper(wal.TOPIC, wal.sweep),
)
