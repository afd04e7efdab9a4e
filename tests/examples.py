"""The examples of a document: its fenced blocks, read as requests and the replies that follow.

In a reply `…` stands for anything, the key `"…"` for further fields, and `{name}` for a value
that is remembered and put into later requests.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"\{([a-z_]+)\}")
ANYTHING = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text and the line it begins on."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Message:
    """The first line, the headers and the body of an example."""

    first: str
    headers: dict[str, str]
    body: str


def blocks(document: Path, kind: str) -> list[Block]:
    """The document's blocks of one language, in order."""
    text = document.read_text()
    found = _FENCE.finditer(text)
    return [
        Block(one[1], one[2], text.count("\n", 0, one.start()) + 2)
        for one in found
        if one[1] == kind
    ]


def message(text: str) -> Message:
    head, _, body = text.partition("\n\n")
    first, *lines = head.strip().split("\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Message(first, headers, body.removesuffix("\n"))


class Story:
    """Requests sent one after another; what a reply gave is known to the next."""

    def __init__(self, url: str, keys: dict[str, str]) -> None:
        self._http = httpx2.Client(base_url=url, trust_env=False, timeout=60)
        self._keys, self._known = keys, dict[str, str]()

    def send(self, asked: Message) -> httpx2.Response:
        method, path = self._filled(asked.first).split(" ")
        headers = {name: self._filled(value) for name, value in asked.headers.items()}
        body = self._filled(asked.body)
        return self._http.request(method, path, headers=headers, content=body.encode() or None)

    def expect(self, reply: httpx2.Response, shown: Message) -> None:
        """The reply is what is shown, in status, in the headers shown, and in its body."""
        assert reply.status_code == int(shown.first.split(" ")[1]), reply.text
        for name, value in shown.headers.items():
            assert reply.headers[name] == value
        if "json" in reply.headers["Content-Type"]:
            self._same(json.loads(shown.body), reply.json(), "")
        else:
            begins, _, more = shown.body.partition(ANYTHING)
            assert not more and reply.text.startswith(begins)
            assert ANYTHING in shown.body or reply.text == begins

    def __enter__(self) -> Story:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def _filled(self, text: str) -> str:
        for name, key in self._keys.items():
            text = text.replace(f"${name}", key)
        return _NAME.sub(lambda one: self._known.get(one[1], one[0]), text)

    def _same(self, shown: Any, given: Any, where: str) -> None:
        match shown:
            case str() if shown == ANYTHING:
                return
            case str() if (name := _NAME.fullmatch(shown)) and isinstance(given, str):
                assert self._known.setdefault(name[1], given) == given, where
            case dict() if isinstance(given, dict):
                more = set(given) - set(shown)
                assert not more or ANYTHING in shown, f"{where} also has {more}"
                for key in set(shown) - {ANYTHING}:
                    assert key in given, f"{where}/{key} is missing"
                    self._same(shown[key], given[key], f"{where}/{key}")
            case list() if isinstance(given, list):
                assert len(shown) == len(given), where
                for number, pair in enumerate(zip(shown, given, strict=True)):
                    self._same(*pair, f"{where}/{number}")
            case _:
                assert (type(shown), shown) == (type(given), given), where
