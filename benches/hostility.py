"""Requests that nobody means well with, as bytes: bodies that are wrong, too large or too deep,
framing that two readers read differently, heads without end, clients that stop or creep.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from processes.journal.canonical import step_key

KIB = 1024
JSON = "Content-Type: application/json\r\n"


@dataclass(frozen=True)
class Hostile:
    """`parts` are sent in turn, `pause` seconds apart; then `leaves` closes at once, or resets
    the connection. `taken`: it is well formed after all, and may be answered with 2xx.
    """

    name: str
    parts: tuple[bytes, ...]
    pause: float = 0.0
    leaves: str = ""
    taken: bool = False


class Target:
    """Where they go: a port, the key of a runtime, a running process of its own."""

    def __init__(self, port: int, key: str, process: str) -> None:
        self.port, self.process = port, process
        self._lines = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"

    def head(self, start: str, more: str = "") -> bytes:
        return f"{start} HTTP/1.1\r\n{self._lines}{more}\r\n".encode("latin-1")

    def post(self, path: str, body: bytes, more: str = JSON) -> bytes:
        more = f"{more}Content-Length: {len(body)}\r\n"
        return self.head(f"POST /api/v1/{path}", more) + body

    def all(self) -> list[Hostile]:
        found = [
            *self._bodies(),
            *self._ids(),
            *self._frames(),
            *self._heads(),
            *self._leaving(),
        ]
        assert len({one.name for one in found}) == len(found)
        return found

    def _bodies(self) -> Iterator[Hostile]:
        steps = f"processes/{self.process}/steps"
        for name, raw in _raw_bodies():
            for path in ("processes", steps, "import", "wakes/claim"):
                yield Hostile(f"{name} to {path}", (self.post(path, raw),))
        for name, body in _steps():
            yield Hostile(f"step: {name}", (self.post(steps, _printed(body)),))
        for name, body in _suspends():
            path = f"processes/{self.process}/suspend"
            yield Hostile(f"suspend: {name}", (self.post(path, _printed(body)),))

    def _ids(self) -> Iterator[Hostile]:
        for id in ("a" * 81, "", ".", "..", "a..b", ".hidden", "abc.", "abc\n", " ok ", "a/b",
                   "a%2fb", "a\\b", "é", "a\0b"):  # fmt: skip
            raw = _printed({"objective": "o", "id": id})
            yield Hostile(f"id {id[:20]!a}", (self.post("processes", raw),))
        for path in (
            "a%00b",
            "..",
            "%2e%2e%2f%2e%2e%2fsecret.key",
            "a%0d%0aX:y",
            "%ff",
            "a" * 81,
        ):
            for tail in ("", "/next?wait=30", "/steps", "/artifacts/..%2f..%2fsecret.key"):
                yield Hostile(
                    f"GET {path}{tail}", (self.head(f"GET /api/v1/processes/{path}{tail}"),)
                )

    def _frames(self) -> Iterator[Hostile]:
        start, body = "POST /api/v1/processes", b'{"objective":"o","odd":1}'
        smuggled = self.head("GET /api/v1/processes/smuggled")
        lines = {
            "length and chunks": "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "two lengths": "Content-Length: 5\r\nContent-Length: 6\r\n",
            "a list of lengths": "Content-Length: 5, 6\r\n",
            "a negative length": "Content-Length: -1\r\n",
            "a signed length": "Content-Length: +5\r\n",
            "a length in hexadecimal": "Content-Length: 0x5\r\n",
            "an endless length": f"Content-Length: {'9' * 40}\r\n",
            "an unknown coding": "Transfer-Encoding: gzip\r\n",
            "chunked is not last": "Transfer-Encoding: chunked, identity\r\n",
            "a coding with a tab": "Transfer-Encoding:\tchunked\x0b\r\n",
            "a name with a space": "Content-Length : 5\r\n",
            "a folded header": "X-Odd: a\r\n b\r\n",
            "a header without colon": "odd\r\n",
            "a NUL in a header": "X-Odd: a\0b\r\n",
            "a second host": "Host: evil.example\r\n",
        }  # fmt: skip
        for name, line in lines.items():
            yield Hostile(name, (self.head(start, JSON + line) + body + smuggled,), taken=True)
        chunks = {
            "a chunk without end": b"ffffffffffffffff\r\nx",
            "a chunk of a negative size": b"-1\r\nx\r\n0\r\n\r\n",
            "a chunk that is no number": b"zz\r\nx\r\n0\r\n\r\n",
            "a chunk with a long extension": b"1;" + b"x" * 300 * KIB + b"\r\n{\r\n0\r\n\r\n",
            "many small chunks": b"1\r\n \r\n" * 20_000 + b"0\r\n\r\n",
            "trailers without end": b"0\r\n" + b"X-T: 1\r\n" * 20_000 + b"\r\n",
        }
        for name, raw in chunks.items():
            head = self.head(start, JSON + "Transfer-Encoding: chunked\r\n")
            yield Hostile(name, (head + raw,), leaves="closes")

    def _heads(self) -> Iterator[Hostile]:
        start = "GET /api/v1/processes"
        yield Hostile("ten thousand headers", (self.head(start, "X-Odd: 1\r\n" * 10_000),))
        yield Hostile(
            "a header of 500 KiB", (self.head(start, f"X-Odd: {'x' * 500 * KIB}\r\n"),)
        )
        yield Hostile("a line of 500 KiB", (self.head(f"{start}?q={'x' * 500 * KIB}"),))
        key = f"Host: x\r\nAuthorization: Bearer {'x' * 60 * KIB}\r\n\r\n"
        yield Hostile("a key of 60 KiB", (f"{start} HTTP/1.1\r\n{key}".encode(),))
        for name, raw in {
            "no host": b"GET /api/v1/processes HTTP/1.1\r\n\r\n",
            "another host": b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            "an address elsewhere": b"GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
            "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
            "an upgrade": b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: "
                          b"Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP\r\n\r\n",
            "HTTP/2 at once": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "HTTP/0.9": b"GET /\r\n\r\n",
            "HTTP/9.9": b"GET / HTTP/9.9\r\n\r\n",
            "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
            "bytes": bytes(range(256)) * 8,
            "lines without end": b"\n" * 100_000,
            "a star": b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        }.items():  # fmt: skip
            yield Hostile(name, (raw,), leaves="closes", taken=True)

    def _leaving(self) -> Iterator[Hostile]:
        path = f"processes/{self.process}/steps"
        whole = self.post(path, _printed({"tool": "t", "args": "x" * 1000}))
        yield Hostile("half a head", (whole[:60],), leaves="closes")
        yield Hostile("half a body", (whole[:-500],), leaves="closes")
        yield Hostile("half a body, reset", (whole[:-500],), leaves="resets")
        yield Hostile("a wait nobody waits for", (
            self.head(f"GET /api/v1/processes/{self.process}/next?wait=30"),
        ), leaves="resets")  # fmt: skip
        body = (whole[:-20], *(bytes([byte]) for byte in whole[-20:]))
        yield Hostile("a creeping body", body, pause=0.05)
        head = tuple(bytes([byte]) for byte in whole[:20])
        yield Hostile("a creeping head", head, pause=0.05, leaves="closes")
        bombs = b"\x1f\x8b\x08" + bytes(1000)
        yield Hostile("a bomb", (
            self.post("processes", bombs, JSON + "Content-Encoding: gzip\r\n"),
        ))  # fmt: skip


def _raw_bodies() -> Iterator[tuple[str, bytes]]:
    yield from {
        "a name twice": b'{"objective":"o","objective":"p"}',
        "a lone surrogate": b'{"objective":"\\ud800x"}',
        "NaN": b'{"objective":NaN}',
        "infinity": b'{"objective":-Infinity}',
        "a number out of range": b'{"objective":1e400}',
        "a number of 5,000 digits": b'{"objective":' + b"9" * 5_000 + b"}",
        "a number of 200,000 digits": b'{"objective":' + b"9" * 200_000 + b"}",
        "no JSON": b'{"objective":',
        "no UTF-8": b'{"objective":"\xff"}',
        "a mark of byte order": b'\xef\xbb\xbf{"objective":"o","x":1}',
        "100,000 brackets": b"[" * 100_000,
        "50,000 objects deep": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        "65 deep": b"[" * 65 + b"]" * 65,
        "25,000 names": b"{" + b",".join(b'"a%d":1' % n for n in range(25_000)) + b"}",
        "80,000 parts": b"[" + b"{}," * 80_000 + b"1]",
        "an endless string": b'{"objective":"' + b"\\u00e9" * 40_000,
        "a body too large": b'{"objective":"' + b"x" * 1100 * KIB + b'"}',
        "nothing but blanks": b" " * 250_000,
    }.items()


def _steps() -> Iterator[tuple[str, dict[str, Any]]]:
    step: dict[str, Any] = {"tool": "t", "args": {}, "success": True}
    wrong: dict[str, dict[str, Any]] = {
        "args of 65 KiB": {"args": "x" * 66_000},
        "a tool of two lines": {"tool": "a\nb"},
        "a yes that is text": {"success": "yes"},
        "the wrong key": {"idempotency_key": "0" * 64},
        "a key in capitals": {"idempotency_key": step_key("t", "{}").upper()},
        "its own answer": {"principal_answer": "yes", "approved_by": 1, "state": "running"},
        "what is not its own": {"seq": 1, "rev": 77, "owner": "x", "is_staff": True},
        "of Python": {"__proto__": {}, "__class__": "x", "_connector": "OR 1=1"},
        "an artifact outside": {"artifacts": ["../../etc/passwd"]},
        "an artifact twice": {"artifacts": ["a", "a"]},
        "a surrogate in args": {"args": {"a": "\ud800"}},
        "a place in time": {"lease_epoch": 2**63},
    }
    yield from ((name, step | more) for name, more in wrong.items())


def _suspends() -> Iterator[tuple[str, dict[str, Any]]]:
    ask: dict[str, Any] = {"reason": "ask_user", "question": "?"}
    wrong: dict[str, dict[str, Any]] = {
        "no such reason": {"reason": "timeout"},
        "no question": {"question": None},
        "a blank question": {"question": " \n"},
        "a pattern that takes for ever": {"response_schema": {
            "type": "string", "pattern": "^(a+)+$"}},
        "a schema that is none": {"response_schema": {"type": "nonsense"}},
        "a schema that loads": {"response_schema": {"$ref": "http://127.0.0.1:9/x"}},
        "a schema of itself": {"response_schema": {"$ref": "#"}},
        "2,000 options": {"options": [str(n) for n in range(2_000)]},
        "a moment that is none": {"expires_at": "tomorrow"},
    }  # fmt: skip
    yield from ((name, ask | more) for name, more in wrong.items())


def _printed(body: Any) -> bytes:
    return json.dumps(body).encode()
