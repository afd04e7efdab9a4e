from __future__ import annotations

import pytest

from processes.shown import times
from processes.shown.times import DAY, HOUR, MINUTE, SECOND

NOON = 1_795_780_800_000  # 2026-11-27 12:00 UTC


@pytest.mark.parametrize(
    ("span", "short", "long", "spelled"),
    [
        (2 * DAY + 4 * HOUR, "2d 4h", "2 days", "two days"),
        (DAY, "1d", "1 day", "one day"),
        (13 * DAY + HOUR, "13d", "13 days", "13 days"),
        (6 * HOUR + 59 * MINUTE, "6h", "6 hours", "six hours"),
        (48 * MINUTE, "48m", "48 minutes", "48 minutes"),
        (12 * SECOND, "12s", "12 seconds", "twelve seconds"),
        (0, "0s", "0 seconds", "zero seconds"),
        (-25_149_000, "0s", "0 seconds", "zero seconds"),
    ],
)
def test_a_span_is_said_in_one_or_two_units_and_never_below_zero(span, short, long, spelled):
    assert (times.short(span), times.long(span), times.spelled(span)) == (short, long, spelled)


@pytest.mark.parametrize("zone", ["Africa/Lagos", "Asia/Kolkata", "America/St_Johns"])
def test_a_moment_is_the_same_wherever_the_server_stands(zone, monkeypatch):
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    assert times.iso(NOON) == "2026-11-27T12:00:00Z"
    assert times.full(NOON) == "2026-11-27 12:00:00 UTC"
    assert times.minute(NOON) == "2026-11-27 12:00"
    assert times.second(NOON) == "12:00:00"
    monkeypatch.undo()
    time.tzset()


def test_a_clock_says_the_day_when_it_is_another():
    assert times.clock(NOON, NOON + HOUR) == "12:00"
    assert times.clock(NOON, NOON + DAY) == "27 Nov 12:00"
    assert times.clock(NOON, NOON + 40 * DAY) == "27 Nov 2026"
