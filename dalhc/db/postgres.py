"""PostgreSQL as Django's settings want it, from the one address of DATABASE_URL."""

from __future__ import annotations

from typing import Any

SCHEMES = ("postgres://", "postgresql://")

# A request answers 503 before a proxy's 30 seconds are over, and nobody who forgot a
# transaction blocks the others for longer than that (reliability.md §4).
SESSION = {
    "synchronous_commit": "on",
    "statement_timeout": "10s",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "30s",
}
# The server's side of a line: a dead one keeps its locks for half a minute, not for hours.
LINE = {
    "tcp_keepalives_idle": "10s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "4",
    "tcp_user_timeout": "30s",
}

# A dead peer is noticed although nobody asks it anything: within eleven seconds of silence.
ALIVE = {
    "connect_timeout": 4,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 9_000,
}

# Four threads of Django, four that write for coroutines, three that read for those who wait,
# and a few to spare. Waiting itself holds none. A database that was away is asked again by
# whoever needs it, not after a pause that has doubled all the while.
POOL: dict[str, Any] = {
    "min_size": 1,
    "max_size": 14,
    "timeout": 4.0,
    "max_idle": 300.0,
    "reconnect_timeout": 4.0,
}


def database(url: str) -> dict[str, Any]:
    """The entry of DATABASES. What the address says of options comes last, and so it wins.

    Raises ValueError, in words without the password, when the address cannot be read.
    """
    from dalhc.db.patient.wire import Wire, check

    said = parts(url)
    session = " ".join(f"-c {name}={value}" for name, value in (SESSION | LINE).items())
    options: dict[str, Any] = {**ALIVE, "application_name": "dalhc"}
    options |= {name: value for name, value in said.items() if name not in _NAMES}
    options["options"] = f"{session} {said.get('options', '')}".rstrip()
    options |= {"pool": {**POOL, "connection_class": Wire, "check": check}}
    return {
        "ENGINE": "dalhc.db.patient",
        **{setting: said.get(name, "") for name, setting in _NAMES.items()},
        "CONN_MAX_AGE": 0,  # the pool keeps them
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
        "OPTIONS": options,
    }


_NAMES = {
    "dbname": "NAME",
    "user": "USER",
    "password": "PASSWORD",
    "host": "HOST",
    "port": "PORT",
}


def parts(url: str) -> dict[str, str]:
    """What a postgres:// address says, by libpq's names."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    if not url.startswith(SCHEMES):
        raise ValueError("DATABASE_URL begins with postgres:// (leave it out for SQLite).")
    try:
        said = conninfo_to_dict(url)
    except ProgrammingError:
        raise ValueError("DATABASE_URL is no address libpq can read.") from None
    if not said.get("dbname"):
        raise ValueError("DATABASE_URL names no database, as in postgres://host/dalhc.")
    return {name: str(value) for name, value in said.items() if value is not None}
