"""Hears what the processes settle, inside their transaction (architecture §3.10)."""

from __future__ import annotations

from typing import Any

from descriptors import services


def on_settling(*, process_id: str, **_: Any) -> None:
    services.before_settling(process_id)


def on_settled(
    *, process_id: str, suspension_id: str | None, kind: str, at_ms: int, **_: Any
) -> None:
    services.settle(process_id, suspension_id, kind, at_ms)
