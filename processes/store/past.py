"""Questions that read alike, behind one interface: FTS5 on SQLite, a text vector on PostgreSQL.

It looks into the index of the search, which follows what is written a moment later.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection

from dalhc.db import sql

WORDS = 12
LONG = 4  # letters a word needs to say something
LOOKED_AT = 2_000  # questions that are weighed, the newest

_FIND = {
    "sqlite": (
        "SELECT ref FROM (SELECT ref, rank AS weight FROM processes_search "
        "WHERE processes_search MATCH %s AND kind = 'suspension' "
        "ORDER BY rowid DESC LIMIT %s) AS near ORDER BY weight LIMIT %s"
    ),
    "postgresql": (
        "SELECT ref FROM (SELECT ref, ts_rank(vector, to_tsquery('simple', %s)) AS weight, "
        "id FROM processes_search WHERE vector @@ to_tsquery('simple', %s) "
        "AND kind = 'suspension' ORDER BY id DESC LIMIT %s) AS near "
        "ORDER BY weight DESC LIMIT %s"
    ),
}


def alike(text: str, most: int) -> list[str]:
    """Ids of suspensions whose words are most like these, the most alike first."""
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    telling = list(dict.fromkeys(word for word in words if len(word) >= LONG))[:WORDS]
    if not telling:
        return []
    asked = _ASKED[connection.vendor](telling)
    return [ref for (ref,) in sql.rows(_FIND[connection.vendor], [*asked, LOOKED_AT, most])]


_ASKED: dict[str, Callable[[list[str]], list[str]]] = {
    "sqlite": lambda words: [" OR ".join(f'"{word}"' for word in words)],
    "postgresql": lambda words: [" | ".join(words)] * 2,
}
