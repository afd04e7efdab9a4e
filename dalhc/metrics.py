"""What this server process counts and measures, for Prometheus. A registry of its own; nothing
here reads the database.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from dalhc import bell

CONTENT_TYPE = CONTENT_TYPE_LATEST
REGISTRY = CollectorRegistry()
_FAST = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_SLOW = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 3_600, 14_400, 86_400)

WAITING = Gauge("dalhc_waiting", "Open suspensions", ["reason"], registry=REGISTRY)
OLDEST = Gauge(
    "dalhc_oldest_wait_seconds", "Age of the oldest open suspension", registry=REGISTRY
)
PICKUP = Histogram(
    "dalhc_pickup_seconds",
    "From a decision to the resume that took it",
    registry=REGISTRY,
    buckets=_SLOW,
)
APPEND = Histogram(
    "dalhc_append_seconds",
    "An append of steps, until it is on disk",
    registry=REGISTRY,
    buckets=_FAST,
)
CLAIMS = Counter("dalhc_claims", "Leases and wakes claimed", ["kind"], registry=REGISTRY)
FENCES = Counter(
    "dalhc_lost_fences", "Writes refused because the lease had gone on", registry=REGISTRY
)
REFUSALS = Counter("dalhc_refusals", "Refusals by their code", ["code"], registry=REGISTRY)
REQUESTS = Counter(
    "dalhc_requests", "Requests by door and status", ["door", "status"], registry=REGISTRY
)
WAITERS = Gauge(
    "dalhc_waiters", "Requests that sleep until something changes", registry=REGISTRY
)
WAITERS.set_function(bell.waiters)


def text() -> bytes:
    """All of it in Prometheus' own format."""
    return generate_latest(REGISTRY)


@contextmanager
def appending() -> Iterator[None]:
    """An append that is refused is no append."""
    begun = time.perf_counter()
    yield
    APPEND.observe(time.perf_counter() - begun)


def refused(code: str) -> None:
    REFUSALS.labels(code).inc()
    if code == "fenced":
        FENCES.inc()


def answered(door: str, status: int) -> None:
    _requests(door, status // 100).inc()


@cache  # of twenty at most; finding it by its labels costs more than the count
def _requests(door: str, kind: int) -> Counter:
    return REQUESTS.labels(door, f"{kind}xx")
