"""The event log's arithmetic: canonical data, and a chain of hashes (architecture §3.4)."""

from __future__ import annotations

import json
from hashlib import sha256
from json.encoder import encode_basestring as _text
from typing import Any

GENESIS = "0" * 64
_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Spelled(str):
    """A value in canonical JSON already, which is not spelled out again."""

    __slots__ = ()


def canonical(data: dict[str, Any]) -> str:
    """Sorted keys, no spaces, UTF-8 unescaped: one spelling per value. A value of `data` may be
    `Spelled`.
    """
    for value in data.values():
        if type(value) is Spelled:
            return "{" + ",".join(map(_spelled, sorted(data.items()))) + "}"
    return _encoder.encode(data)


def _spelled(item: tuple[str, Any]) -> str:
    name, value = item
    return f"{_text(name)}:{value if type(value) is Spelled else _encoder.encode(value)}"


def digest(data: dict[str, Any]) -> str:
    return sha256(canonical(data).encode()).hexdigest()


def event_hash(
    prev_hash: str, process_id: str, seq: int, kind: str, actor: str, at_ms: int, data: str
) -> str:
    """SHA-256 over the previous hash, a newline and canonical JSON of the event; `data` is
    canonical text.

    The keys are written here in sorted order, with the data spliced in as it stands, so that
    verification needs no re-parsing.
    """
    body = (
        f'{{"actor":{_text(actor)},"at_ms":{at_ms},"data":{data},"kind":{_text(kind)},'
        f'"process_id":{_text(process_id)},"seq":{seq}}}'
    )
    return sha256(f"{prev_hash}\n{body}".encode()).hexdigest()
