"""Descriptors that were kept or read a moment ago, by their text: who is woken is committed
soon after, and to read a descriptor costs more than to fetch it.
"""

from __future__ import annotations

from dalhc.db.lately import Lately
from descriptors.contract.record import Descriptor, parse

MOST = 1_024

_recent: Lately[str, Descriptor] = Lately(MOST)


def read(text: str) -> Descriptor | None:
    """The descriptor of a stored text; None when it is no whole one (contract W11)."""
    found = _recent.get(text) or parse(text)
    if found is not None:
        _recent.put(text, found)
    return found


def remember(descriptor: Descriptor) -> None:
    """It was kept as its text. A descriptor never changes, so that both stay one."""
    _recent.put(descriptor.text, descriptor)
