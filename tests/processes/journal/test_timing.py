from __future__ import annotations

import pytest
from pydantic import ValidationError

from processes.journal import errors, timing
from processes.journal.commands import Suspend

ASK = {"reason": "ask_user", "question": "Which?"}
LATER = "2099-01-01T00:00:00Z"


def suspend(**fields):
    return Suspend.model_validate(ASK | fields)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-11-29T17:30:00Z", 1_795_973_400_000),
        ("2026-11-29T18:30:00+01:00", 1_795_973_400_000),
        ("2026-11-29T14:00:00.250-03:30", 1_795_973_400_250),
        ("2026-11-29t17:30:00z", 1_795_973_400_000),
    ],
)
def test_a_moment_is_the_same_in_every_zone(text, ms):
    assert timing.moment(text) == ms


@pytest.mark.parametrize(
    "value",
    ["2026-11-29T17:30:00", "2026-11-29", "2026-13-01T00:00:00Z", "soon", "", 1_795_973_400_000,
     "2026-11-29T17:30:00 Z", "1900-01-01T00:00:00Z", "2026-11-29T25:00:00Z", True],
)  # fmt: skip
def test_B62_a_moment_without_its_zone_is_refused(value):
    with pytest.raises(ValidationError):
        suspend(due_at=value)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"on_timeout": "stop"}, "/expires_at"),
        ({"expires_at": LATER, "on_timeout": "default"}, "/default_answer"),
        ({"expires_at": LATER, "default_answer": "eu"}, "/default_answer"),
        ({"reason": "guard", "expires_at": LATER, "on_timeout": "default",
          "default_answer": "yes"}, "/on_timeout"),
        ({"reason": "guard", "expires_at": LATER, "on_timeout": "decline"}, "/on_timeout"),
    ],
)  # fmt: skip
def test_what_happens_without_an_answer_must_fit_what_is_asked(fields, pointer):
    with pytest.raises(errors.InvalidTimeout) as refused:
        suspend(**fields)
    assert refused.value.errors[0]["pointer"] == pointer


def test_B59_no_word_approves_by_waiting():
    with pytest.raises(ValidationError):
        suspend(expires_at=LATER, on_timeout="approve")


def test_the_order_is_expiring_then_priority_then_oldest():
    late = 253_402_300_799_999
    ranks = [
        timing.rank(100, "stop", "low", 50),
        timing.rank(late, "decline", "normal", 40),
        timing.rank(100, "wait", "high", 10),
        timing.rank(None, "wait", "high", 20),
        timing.rank(None, "wait", "high", late),
        timing.rank(None, "wait", "normal", 1),
        timing.rank(None, "wait", "normal", 2),
        timing.rank(None, "wait", "low", 1),
    ]
    assert ranks == sorted(ranks) and len(set(ranks)) == len(ranks)
    assert max(ranks) < 2**53


@pytest.mark.parametrize(("now", "passed"), [(999, False), (1_000, True), (1_001, True)])
def test_the_time_is_over_at_its_very_millisecond(now, passed):
    assert timing.is_passed("open", 1_000, "stop", now) is passed
    assert not timing.is_passed("open", 1_000, "wait", now)
    assert not timing.is_passed("answered", 1_000, "stop", now)
    assert not timing.is_passed("open", None, "stop", now)
