"""The front: routes that wait run as coroutines, everything else goes over the bridge to
Django.
"""

from __future__ import annotations

import logging
import os
import time

from dalhc.db.refusals import refusal
from dalhc.front.body import Body, ClientGone, Receive, Scope
from dalhc.front.bridge import Stream
from dalhc.front.lifespan import Server, live
from dalhc.front.noting import note
from dalhc.front.reply import Reply, Send, refused
from dalhc.http.problems import Internal
from dalhc.problems import Problem

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dalhc.settings")

log = logging.getLogger("dalhc.front")


class Front:
    """The ASGI application of the server. Django, and `routes`, are loaded when its life
    begins.
    """

    _server: Server

    def __init__(self, routes: str) -> None:
        """`routes` names the module whose ROUTES wait."""
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await live(self._routes, receive, send, self._keep)
        else:
            await self._serve(scope, receive, send)

    def _keep(self, server: Server) -> None:
        self._server = server

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, begun = Body(scope, receive), time.perf_counter()
        try:
            answer = await self._answer(scope, body)
            note(scope, answer.status, answer.headers, time.perf_counter() - begun)
            await answer.send(scope, send, body)
        except ClientGone:
            pass
        finally:
            body.close()

    async def _answer(self, scope: Scope, body: Body) -> Reply | Stream:
        try:
            return await self._routed(scope, body)
        except ClientGone:
            raise
        except Problem as problem:
            return refused(scope, problem)
        except Exception as error:
            log.exception("A request failed outside Django.")
            return refused(scope, refusal(error) or Internal())

    async def _routed(self, scope: Scope, body: Body) -> Reply | Stream:
        if (key := body.headers.get(b"authorization")) is not None:
            self._server.rates.take(key)
        if found := self._server.find(scope["method"], scope["path"]):
            route, match = found
            if reply := await route(scope, body, match):
                return reply
        return await self._server.bridge.answer(scope, body)


application = Front("dalhc.front.routes")
