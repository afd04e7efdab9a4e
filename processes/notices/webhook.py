"""One signed POST (Standard Webhooks): to the address that was checked, no redirect followed,
little time, and nothing of the answer believed but its status.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from datetime import UTC, datetime
from functools import cache

from standardwebhooks import Webhook

from processes.notices.address import Allowed, Place, place, resolve

SECONDS = 3.0
WHOLE = 8.0  # all of it together, for a host that trickles


class NotTaken(Exception):
    """The other side did not take it; the text says why."""


def send(url: str, secret: str, id: str, body: str, at_ms: int, allowed: Allowed) -> None:
    """Raises AddressRefused, NotTaken, OSError. `id` is the same at every try."""
    found = place(url, allowed)
    address = resolve(found, allowed)
    at = datetime.fromtimestamp(at_ms // 1000, UTC)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "dalhc",
        "webhook-id": id,
        "webhook-timestamp": str(at_ms // 1000),
        "webhook-signature": Webhook(secret).sign(id, at, body),
    }
    status = _posted(found, address, headers, body)
    if not 200 <= status < 300:
        raise NotTaken(f"It answered {status}.")


def _posted(found: Place, address: str, headers: dict[str, str], body: str) -> int:
    connection = http.client.HTTPConnection(found.host, found.port, timeout=SECONDS)
    connection.sock = _connected(found, address)
    watch = threading.Timer(WHOLE, _hang_up, (connection.sock,))
    watch.start()
    try:
        connection.request("POST", found.path, body.encode(), headers)
        return connection.getresponse().status
    except http.client.HTTPException as error:
        raise NotTaken(f"It did not answer in HTTP: {type(error).__name__}.") from None
    finally:
        watch.cancel()
        connection.close()


def _connected(found: Place, address: str) -> socket.socket:
    """To the very address that was checked, whatever the name says by now."""
    plain = socket.create_connection((address, found.port), timeout=SECONDS)
    if not found.is_tls:
        return plain
    try:
        return _tls().wrap_socket(plain, server_hostname=found.host)
    except BaseException:
        plain.close()
        raise


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _hang_up(connected: socket.socket) -> None:
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
