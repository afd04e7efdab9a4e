"""Descriptors at hand, by their text: always the ones that the text says."""

from __future__ import annotations

from descriptors.contract.cycle import Source, at_source
from descriptors.contract.record import Descriptor, Dormancy, parse
from descriptors.store import recent

DORMANT = set(Dormancy.model_fields)
PLACE = "0123456789abcdef:1"


def descriptor(session_id: str = "p", key: str = "go") -> Descriptor:
    return Descriptor.model_validate(
        {
            "session_id": session_id,
            "format_version": 1,
            "agent_preset_id": "tidy",
            "execution_world": {"cwd": "/home/mia/letters", "env_class": "host"},
            "wake_conditions": [{"kind": "explicit", "key": key}],
            "budget_state": {"max_consecutive_wakes": 100},
            "last_committed": {
                "source_revision": PLACE,
                "seq_watermark": 1,
                "turn_id": "turn-1",
            },
        }
    )


def test_what_is_read_is_what_is_written():
    kept = descriptor()
    recent.remember(kept)
    assert recent.read(kept.text) is kept
    assert recent.read(kept.text.replace('"go"', '"stay"')) == descriptor(key="stay")


def test_a_text_that_is_no_whole_descriptor_is_none_each_time():
    assert recent.read("{}") is None
    assert recent.read("{}") is None


def test_only_so_many_are_at_hand_and_the_last_are():
    first = descriptor("first")
    recent.remember(first)
    for number in range(recent.MOST):
        recent.remember(descriptor(f"p{number}"))
    last = descriptor("last")
    recent.remember(last)
    assert recent.read(last.text) is last
    again = recent.read(first.text)
    assert again is not first and again == first


def test_a_descriptor_that_sleeps_on_something_else_has_a_text_of_its_own():
    old = descriptor()
    assert '"go"' in old.text
    other = descriptor(key="stay")
    said = {name: part for name, part in other.model_dump().items() if name in DORMANT}
    new = old.with_(Dormancy.model_validate(said))
    moved = at_source(new, Source("fedcba9876543210", 7))
    assert parse(new.text) == new == other
    assert parse(moved.text) == moved and "fedcba9876543210:7" in moved.text
    assert '"go"' in old.text
