from __future__ import annotations

from processes.models.decision import ACTIONS
from processes.shown.words import DID, name_of, said_by


def test_every_action_has_a_word():
    assert set(DID) == set(ACTIONS)


def test_a_name_is_you_for_its_owner():
    assert said_by("principal:ana", "ana") == "You"
    assert said_by("principal:ana", "ben") == "ana"
    assert said_by("system:ana", "ana") == "ana"
    assert name_of("runtime:a:b") == "a:b"
