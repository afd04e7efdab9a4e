"""Every bound of a descriptor, each stated once."""

from __future__ import annotations

from typing import Final

FORMAT_VERSION: Final = 1

PRESET_CHARS: Final = 100
CWD_CHARS: Final = 1_024
KEY_CHARS: Final = 200
TURN_CHARS: Final = 100
REVISION_CHARS: Final = 60
CONDITIONS: Final = 16
PAYLOAD_CHARS: Final = 8_000

WAKES: Final = 100  # in a row without a person, unless the descriptor says otherwise
MOST_WAKES: Final = 1_000_000
MOST_WALL_MS: Final = 366 * 86_400_000

CLAIMS: Final = 100  # per request
KEPT_MS: Final = 30 * 86_400_000  # a signal that nobody sleeps on
KEPT_SIGNALS: Final = 10_000  # per agent
