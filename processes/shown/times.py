"""Moments and spans in words, for people. All in UTC, and saying so."""

from __future__ import annotations

from datetime import UTC, datetime

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def short(span: int) -> str:
    """A span of milliseconds as in a list: `2d 4h`, `6h`, `48m`, `12s`. Never below zero."""
    span = max(0, span)
    if span >= DAY:
        days, hours = span // DAY, span % DAY // HOUR
        return f"{days}d {hours}h" if hours and days < 10 else f"{days}d"
    if span >= HOUR:
        return f"{span // HOUR}h"
    return f"{span // MINUTE}m" if span >= MINUTE else f"{span // SECOND}s"


def long(span: int) -> str:
    """A span in words: `2 days`, `1 hour`, `48 minutes`, `12 seconds`."""
    count, unit = _largest(span)
    return f"{count} {unit}{'' if count == 1 else 's'}"


def spelled(span: int) -> str:
    """A span inside a sentence: `two days`."""
    count, unit = _largest(span)
    return f"{_WORDS[count] if count <= 12 else count} {unit}{'' if count == 1 else 's'}"


def iso(at_ms: int) -> str:
    """For a `datetime` attribute."""
    return f"{_utc(at_ms):%Y-%m-%dT%H:%M:%SZ}"


def full(at_ms: int) -> str:
    """`2026-11-29 09:41:05 UTC`."""
    return f"{_utc(at_ms):%Y-%m-%d %H:%M:%S} UTC"


def minute(at_ms: int) -> str:
    """`2026-11-29 09:41`, in UTC."""
    return _utc(at_ms).isoformat(" ", "minutes")[:16]


def clock(at_ms: int, now_ms: int) -> str:
    """`09:41` today, `27 Nov 09:41` this year, `27 Nov 2025` before."""
    at, now = _utc(at_ms), _utc(now_ms)
    if at.date() == now.date():
        return f"{at:%H:%M}"
    return f"{at.day} {at:%b %H:%M}" if at.year == now.year else f"{at.day} {at:%b %Y}"


def second(at_ms: int) -> str:
    """`14:23:05`."""
    return f"{_utc(at_ms):%H:%M:%S}"


def _largest(span: int) -> tuple[int, str]:
    span = max(0, span)
    for size, unit in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if span >= size:
            return span // size, unit
    return span // SECOND, "second"


def _utc(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)
