"""How far a command has come: a bar for who watches, a line per problem for everyone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Self, TextIO

from processes.shown.inert import plain

WIDTH = 30
EVERY = 0.1  # seconds between two drawings


class Progress:
    """Told of each file by a call: `told(path, code, detail)`, the code empty when all is well.

    The bar stands on `bar`, only when that is a terminal, and leaves nothing behind.
    """

    def __init__(self, total: int, line: Callable[[str], object], bar: TextIO) -> None:
        self._total, self._line, self._bar = total, line, bar
        self._done, self._drawn = 0, 0.0
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def __call__(self, path: Path, code: str, detail: str) -> None:
        self._done += 1
        if code:
            self._clear()
            self._line(f"{plain(path.name)}: {code}: {plain(detail)}")
        self._draw()

    def _draw(self) -> None:
        now = time.monotonic()
        if not self._bar.isatty() or now - self._drawn < EVERY:
            return
        self._drawn = now
        full = WIDTH * self._done // max(1, self._total)
        rate = self._done / max(0.001, now - self._began)
        bar = f"{'█' * full}{'░' * (WIDTH - full)}"
        self._bar.write(f"\r{bar} {self._done:,} of {self._total:,}, {rate:,.0f} a second ")
        self._bar.flush()

    def _clear(self) -> None:
        if self._drawn:
            self._bar.write(f"\r{' ' * 78}\r")
            self._bar.flush()
            self._drawn = 0.0
