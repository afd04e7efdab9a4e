"""The people and keys of the demo, and the file that names them (mode 0600)."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from dalhc.db import writer
from processes import services
from processes.management.demo.telling import tell_all
from processes.services import Actor

SETUP = Actor("system", "setup", scopes=frozenset({"admin", "read"}))
WORDS = (
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "inlet", "juniper",
    "kelp", "lagoon", "meadow", "north", "olive", "pebble", "quartz", "river", "slate", "tundra",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Demo:
    """What a first visitor needs."""

    url: str
    logins: dict[str, str]
    runtime_key: str
    principal_key: str

    def fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def demo_path() -> Path:
    return Path(settings.DATA_DIR) / "demo.json"


def load(url: str) -> Demo | None:
    """The demo of this data folder, with today's address; None when there is none yet."""
    try:
        kept = json.loads(demo_path().read_text())
    except FileNotFoundError:
        return None
    demo = Demo(**{**kept, "url": url})
    if kept["url"] != url:
        _save(demo)
    return demo


def make(url: str) -> Demo | None:
    """Logins, keys and stories, in one transaction: all of the demo or none of it. When another
    server was first, what that one made.

    The file is written before the commit: after a kill in between nobody is there, and the
    next start makes all of it anew.
    """
    return writer.write(lambda: _made(url) if is_empty() else load(url))


def _made(url: str) -> Demo:
    logins = {role: _password() for role in ("principal", "reviewer", "admin")}
    people = {
        role: services.add_person(role, role, password, by=SETUP)
        for role, password in logins.items()
    }
    _, runtime_key = services.issue_key("runtime", agent="folder-scout", by=SETUP)
    _, principal_key = services.issue_key(
        "principal", user=people["principal"], scopes=("read", "decide"), by=SETUP
    )
    tell_all(services.person(people["principal"]))
    services.demo_told.send(sender=None)
    demo = Demo(url, logins, runtime_key, principal_key)
    _save(demo)
    return demo


def is_empty() -> bool:
    """Nobody has been added yet: a fresh data folder."""
    return not User.objects.exists()


def _password() -> str:
    return (
        "-".join(secrets.choice(WORDS) for _ in range(3)) + f"-{secrets.randbelow(900) + 100}"
    )


def _save(demo: Demo) -> None:
    path = demo_path()
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(demo.fields(), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
