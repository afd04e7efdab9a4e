"""Journals as a DAL runtime writes them, and such as nobody may guess at."""

from __future__ import annotations

from pathlib import Path

JOURNALS = Path(__file__).parent / "journals"
GOOD = sorted(JOURNALS.glob("*.json"))
REFUSED = sorted((JOURNALS / "refused").glob("*.json"))
# Files whose names, nulls or unknown keys stand where we would not put them.
RESPELLED = {"absent", "aliases", "nulls", "unknown-keys"}


def text(name: str) -> bytes:
    return (JOURNALS / f"{name}.json").read_bytes()
