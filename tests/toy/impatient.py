"""The toy's front with small bounds: half a second of silence, a queue of four."""

from __future__ import annotations

from dalhc.front import bounds, pool
from tests.toy import asgi

bounds.SILENT_SECONDS = 0.5
pool.QUEUED = 4

application = asgi.application
