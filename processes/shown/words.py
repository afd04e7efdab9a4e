"""Who did something and what, as it reads on a page."""

from __future__ import annotations

DID = {
    "answer": "answered",
    "decline": "declined to answer",
    "approve": "let it resume",
    "edit": "let it run with other arguments",
    "deny": "denied it",
    "stop": "ended it",
}


def name_of(actor: str) -> str:
    """`principal:ana` → `ana`."""
    return actor.partition(":")[2] or actor


def said_by(actor: str, reader: str = "") -> str:
    """The name, or You when it is the reader's own."""
    return "You" if actor == f"principal:{reader}" else name_of(actor)
