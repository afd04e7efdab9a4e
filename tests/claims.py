"""A runtime's claim that waits, without a server around it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from django.db import connection

from dalhc import bell
from dalhc.front import claiming
from dalhc.front.body import Body
from dalhc.front.reply import Reply

ARRIVING = 20.0  # seconds


@asynccontextmanager
async def waiting_claim(key: str) -> AsyncIterator[asyncio.Task[Reply | None]]:
    """`POST /wakes/claim?wait=25`, asleep when the block begins; await it for its reply."""
    scope = {
        "method": "POST", "path": "/api/v1/wakes/claim", "query_string": b"wait=25",
        "headers": [(b"authorization", f"Bearer {key}".encode())],
    }  # fmt: skip
    never = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await never.wait()
        return {"type": "http.disconnect"}

    body = Body(scope, receive)
    waiting = asyncio.create_task(claiming.claim(scope, body, re.match("", "")))
    async with asyncio.timeout(ARRIVING):
        while not bell.waiters():
            assert not waiting.done(), waiting.result()
            await asyncio.sleep(0.01)
    yield waiting
    body.close()
    await asyncio.wrap_future(claiming._readers.submit(lambda: connection.close()))
