"""How much a request may carry and how long it may take to do so (reliability.md row 31)."""

from __future__ import annotations

import re

KIB = 1024
MIB = 1024 * KIB

BODY = 256 * KIB
IMPORT = MIB
# The file itself is bounded by the service; the slack lets it say so in its own words.
ARTIFACT = 32 * MIB + 64 * KIB

# A client still sending reads no answer: so much of a body too large is taken and thrown away
# first.
DRAINED = 64 * MIB

# Each piece costs a turn of the loop, however small it is: a few may be, most may not.
PIECES = 2_000
PIECE_BYTES = 64

IN_MEMORY = MIB
SILENT_SECONDS = 30.0
BODY_SECONDS = 600.0
SEND_SECONDS = 60.0

QUEUED = 512

_ARTIFACT = re.compile(r"/api/v1/processes/[^/]+/artifacts/")


def body_limit(method: str, path: str) -> int:
    """Bytes a request to this path may carry."""
    if method == "PUT" and _ARTIFACT.match(path):
        return ARTIFACT
    return IMPORT if path == "/api/v1/import" else BODY
