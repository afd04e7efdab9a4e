"""One request to the server: the key, the retries, the errors. Knows nothing of processes."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self
from urllib.parse import quote
from uuid import uuid4

import httpx2

from dalhc.client.errors import DalhcError, Json, refusal
from dalhc.client.retry import Retry

type Params = Mapping[str, str | int | bool | None]

_KEY = re.compile(r"[!-~]+")


class Wire:
    """A connection to one server with one key. Safe to use from several threads."""

    def __init__(
        self,
        url: str,
        key: str,
        timeout: float,
        retry: Retry,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.url = _checked_url(url)
        self.timeout = timeout
        self.retry = retry
        if not _KEY.fullmatch(key):
            raise ValueError("A key is a word like dalhc_<prefix>_<secret>, without spaces.")
        self._http = httpx2.Client(
            base_url=f"{self.url}/api/v1/",
            headers={"Authorization": f"Bearer {key}", "User-Agent": "dalhc-client"},
            timeout=timeout,
            transport=transport,
            trust_env=not _is_this_machine(self.url),
        )

    def close(self) -> None:
        self._http.close()

    def patient(self, seconds: float) -> Self:
        """The same connection, with another patience."""
        other = copy(self)
        other.retry = replace(self.retry, patience=seconds)
        return other

    def get(self, path: str, params: Params | None = None, *, wait: float = 0.0) -> Any:
        """The JSON at `path`; the server may take `wait` seconds longer than usual."""
        return _json(self._send("GET", path, params=params, wait=wait))

    def get_bytes(self, path: str, params: Params | None = None) -> bytes:
        return self._send("GET", path, params=params).content

    def post(self, path: str, body: Json | None = None) -> Any:
        """POST with a fresh Idempotency-Key: a retry repeats the reply and not the act."""
        return _json(self._send("POST", path, content=_printed(body or {}), key=uuid4().hex))

    def post_by_itself(self, path: str, body: Any) -> Any:
        """POST something that carries its own key (a step)."""
        return _json(self._send("POST", path, content=_printed(body)))

    def put(self, path: str, body: Json) -> Any:
        """PUT a whole thing: the same again changes nothing."""
        return _json(self._send("PUT", path, content=_printed(body), key=uuid4().hex))

    def post_and_wait(self, path: str, body: Json, wait: int) -> Any:
        """POST whose reply may take `wait` seconds longer, and which may come to nothing when
        sent twice.
        """
        params = {"wait": wait or None}
        content = _printed(body)
        return _json(self._send("POST", path, params=params, content=content, wait=wait))

    def put_bytes(self, path: str, content: bytes, params: Params | None = None) -> Any:
        kind = "application/octet-stream"
        return _json(self._send("PUT", path, params=params, content=content, kind=kind))

    def delete(self, path: str) -> Any:
        return _json(self._send("DELETE", path, key=uuid4().hex))

    def _send(
        self,
        verb: str,
        path: str,
        *,
        params: Params | None = None,
        content: bytes | None = None,
        kind: str = "application/json",
        key: str | None = None,
        wait: float = 0.0,
    ) -> httpx2.Response:
        request = self._http.build_request(
            verb,
            path,
            params=_spelled(params),
            content=content,
            headers=_headers(None if content is None else kind, key),
            timeout=httpx2.Timeout(self.timeout, read=self.timeout + wait),
        )
        reply = self.retry.send(lambda: self._http.send(request))
        if reply.is_success:
            return reply
        raise refusal(reply.status_code, _json_or_none(reply))


def part(text: str) -> str:
    """One part of a path: an id may not lead elsewhere."""
    if text in {"", ".", ".."}:
        raise DalhcError("not_found", detail=f"{text!r} is no id.")
    return quote(text, safe="")


def given(fields: Json) -> Json:
    """Only what was given: a field left out is not a field set to null."""
    return {name: value for name, value in fields.items() if value is not None}


def _spelled(params: Params | None) -> dict[str, str]:
    """Query parameters as text; booleans as JSON spells them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given(dict(params or {})).items()
    }


def _headers(kind: str | None, key: str | None) -> dict[str, str]:
    given = {"Content-Type": kind, "Idempotency-Key": key}
    return {name: value for name, value in given.items() if value is not None}


def _printed(body: Any) -> bytes:
    """Strict JSON in UTF-8. Raises ValueError for NaN and for half a surrogate pair."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _json(reply: httpx2.Response) -> Any:
    body = _json_or_none(reply)
    if body is None and reply.content:
        raise DalhcError("not_json", detail="The reply is not JSON.", status=reply.status_code)
    return body


def _json_or_none(reply: httpx2.Response) -> Any:
    try:
        return json.loads(reply.content) if reply.content else None
    except ValueError:
        return None


def _checked_url(url: str) -> str:
    parsed = httpx2.URL(url)
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ValueError(f"{url!r} is no address like http://127.0.0.1:8000.")
    return url.rstrip("/")


def _is_this_machine(url: str) -> bool:
    """A proxy from the environment must not stand between two programs of one machine."""
    host = httpx2.URL(url).host
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
