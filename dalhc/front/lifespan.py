"""The server's first and last moments."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import NamedTuple, Protocol

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection

from dalhc import bell
from dalhc.db import notices, patience, sql, writer
from dalhc.front.body import Receive
from dalhc.front.bridge import Application, Bridge
from dalhc.front.pool import Pool
from dalhc.front.reply import Send
from dalhc.front.routing import Find
from dalhc.http.rates import Rates

THREADS = 4
OPEN_FILES = 8192

log = logging.getLogger("dalhc.front")


class Beside(Protocol):
    """What runs beside the requests, from the first moment to the last; told by `BESIDE` in the
    module of the routes.
    """

    def start(self) -> None: ...
    def stop(self) -> None: ...


class Server(NamedTuple):
    """What stands between the first and the last moment."""

    pool: Pool
    bridge: Bridge
    find: Find
    rates: Rates
    beside: tuple[Beside, ...]
    listening: notices.Listening


async def live(
    routes: str, receive: Receive, send: Send, keep: Callable[[Server], None]
) -> None:
    """The ASGI lifespan: begin, hand the server over, end."""
    await receive()
    try:
        server = await _begin(routes)
    except Exception as error:
        log.debug("The start failed.", exc_info=True)
        await send({"type": "lifespan.startup.failed", "message": _sentence(error)})
        return
    keep(server)
    await send({"type": "lifespan.startup.complete"})
    await receive()
    _end(server)
    await send({"type": "lifespan.shutdown.complete"})


async def _begin(routes: str) -> Server:
    _allow_connections()
    pool = Pool(int(os.environ.get("DALHC_THREADS", THREADS)))
    application, find, beside = await pool.run(partial(_load, routes))
    patience.limit(patience.SECONDS if sql.is_postgresql() else None)
    bell.reopen()
    writer.start()
    listening = await pool.run(_listen)
    for one in beside:
        one.start()
    _wake_waiters_on_signals()
    rates = Rates(settings.ENVIRONMENT.rate)
    return Server(pool, Bridge(application, pool), find, rates, beside, listening)


def _load(routes: str) -> tuple[Application, Find, tuple[Beside, ...]]:
    """Load Django, then the routes, whose imports need it loaded; and see that the database
    opens.
    """
    application = get_wsgi_application()
    module = import_module(routes)
    connection.ensure_connection()
    return application, Find(module.ROUTES), tuple(getattr(module, "BESIDE", ()))


def _listen() -> notices.Listening:
    ears = notices.Ears(bell.ring, bell.ring_everything, lambda: bell.waiters() > 0)
    return notices.listen(ears)


def _end(server: Server) -> None:
    """Wake who still waits, finish what has begun, write what has queued."""
    bell.close()
    for one in server.beside:
        one.stop()
    server.listening.stop()
    server.pool.stop()
    writer.stop()
    patience.limit(None)


def _allow_connections() -> None:
    """Every waiting client is an open file, and many systems allow 1,024 until asked."""
    try:
        import resource
    except ImportError:  # not a Unix
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _sentence(error: Exception) -> str:
    reason = " ".join(str(error).split()) or "no reason given"
    return f"dalhc cannot start: {type(error).__name__}: {reason}"


def _wake_waiters_on_signals() -> None:
    """Let long-polls end when the server is told to.

    Granian sends `lifespan.shutdown` only when the last request has been answered, and a
    waiting request is answered only when the bell wakes it. The loop's own handlers listen on
    its wake-up descriptor, so setting the handler here leaves them in place.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(bell.close))
        signal.siginterrupt(number, False)
