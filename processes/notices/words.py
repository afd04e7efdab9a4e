"""What a notice says. An agent's words are someone else's text: bounded, on one line, and what
cannot be seen is named.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Literal

type Kind = Literal["waiting", "expiring", "answered"]

KINDS: tuple[Kind, ...] = ("waiting", "expiring", "answered")
ASK_CHARS = 300
_SAID = {
    "waiting": "Waits for a person",
    "expiring": "About to expire",
    "answered": "Was answered",
}


@dataclass(frozen=True, slots=True)
class About:
    """The stop a notice is about. The link only opens its page."""

    suspension: str
    process_id: str
    agent: str
    reason: str
    ask: str
    status: str
    expires_at: str | None
    url: str


def body(kind: str, about: About, at_ms: int) -> str:
    """The JSON of a webhook."""
    told = {
        "type": f"suspension.{kind}",
        "timestamp": moment(at_ms),
        "data": asdict(about),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def mail(text: str) -> tuple[str, str]:
    """Subject and text of an e-mail, made of the JSON."""
    told = json.loads(text)
    kind, data = told["type"].partition(".")[2], told["data"]
    subject = f"dalhc: {_SAID[kind]}: {data['ask'][:80]}"
    lines = [
        f"{_SAID[kind]}: {data['process_id']} ({data['reason']})",
        "",
        f"The agent {data['agent']} says: {data['ask']}",
        *([f"It expires at {data['expires_at']}."] if data["expires_at"] else []),
        "",
        f"Open it to decide: {data['url']}",
        "",
    ]
    return subject, "\n".join(lines)


def moment(at_ms: int) -> str:
    """RFC 3339, UTC."""
    at = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z")


def one_line(text: str) -> str:
    """At most 300 characters on one line; what cannot be printed is shown by its number."""
    flat = " ".join(text[: 4 * ASK_CHARS].split())
    said = "".join(char if char.isprintable() else f"[U+{ord(char):04X}]" for char in flat)
    return said if len(said) <= ASK_CHARS else said[: ASK_CHARS - 1] + "…"
