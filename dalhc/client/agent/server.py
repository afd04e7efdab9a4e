"""Where the server is and which key opens it, as typed or as `make run` left it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from dalhc.client import Client, DalhcError, Unauthorized, Unreachable
from dalhc.client.agent.refused import CannotStart

FIRST_PATIENCE = 3.0
PATIENCE = 600.0  # seconds: long enough for an upgrade of the server


class Address(NamedTuple):
    url: str
    key: str


def address(url: str | None, key: str | None) -> Address:
    """What was given, completed from `$DALHC_HOME/demo.json`. Raises CannotStart."""
    if url and key:
        return Address(url, key)
    path = Path(os.environ.get("DALHC_HOME") or ".dalhc") / "demo.json"
    try:
        left = json.loads(path.read_bytes())
        return Address(url or left["url"], key or left["runtime_key"])
    except FileNotFoundError:
        raise CannotStart(
            f"There is no {path}: start the server with `make run`, or give --url and --key."
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CannotStart(f"{path} cannot be read: {error}") from error


def person_key(url: str) -> str | None:
    """A key that may decide: `$DALHC_PERSON_KEY`, or the demo's if this is its server."""
    if given := os.environ.get("DALHC_PERSON_KEY"):
        return given
    path = Path(os.environ.get("DALHC_HOME") or ".dalhc") / "demo.json"
    try:
        left = json.loads(path.read_bytes())
        return str(left["principal_key"]) if left["url"] == url else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def connect(where: Address) -> Client:
    """A client whose server has answered and knows the key. Raises CannotStart."""
    try:
        client = Client(*where, patience=PATIENCE)
        next(client.patient(FIRST_PATIENCE).list(limit=1), None)
    except Unreachable as error:
        hint = "is `make run` running?"
        raise CannotStart(f"The server at {where.url} does not answer; {hint}") from error
    except Unauthorized as error:
        raise CannotStart(f"The server at {where.url} does not know this key.") from error
    except (DalhcError, ValueError) as error:
        raise CannotStart(f"{where.url}: {error}") from error
    return client
