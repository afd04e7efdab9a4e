"""The random id of this database's logs."""

from __future__ import annotations

import secrets

from dalhc.db import sql

_SELECT = "SELECT name FROM descriptors_incarnation WHERE id = 1"
_MINT = (
    "INSERT INTO descriptors_incarnation (id, name) VALUES (1, %s) ON CONFLICT (id) DO NOTHING"
)


def name() -> str | None:
    """16 hex digits; None before the first write here."""
    found = sql.one(_SELECT, ())
    return None if found is None else str(found[0])


def minted() -> str:
    """The same, minted now if there is none; only within a write."""
    if (found := name()) is None:
        sql.run(_MINT, (secrets.token_hex(8),))
        found = name()
    assert found is not None
    return found
