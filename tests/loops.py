"""Coroutines in tests, each in a thread of its own: in this one a browser's loop may run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run[T](coroutine: Coroutine[Any, Any, T]) -> T:
    """As asyncio.run."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
