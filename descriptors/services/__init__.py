"""Every verb of sleeping and waking, once; API, pages and commands all come through here."""

from __future__ import annotations

from descriptors.services.claiming import Claimed, Wake, claim
from descriptors.services.places import source
from descriptors.services.reading import due_times, listed, sleeper, whole
from descriptors.services.rebuilding import Fault, check, rebuild
from descriptors.services.signalling import Reached, before_settling, settle, signal, wake
from descriptors.services.sleeping import commit, drop, give_back, sleep
from descriptors.services.topics import wakes_of

__all__ = [
    "Claimed", "Fault", "Reached", "Wake", "before_settling", "check", "claim", "commit",
    "drop", "due_times", "give_back", "listed", "rebuild", "settle", "signal", "sleep",
    "sleeper", "source", "wake", "wakes_of", "whole",
]  # fmt: skip
