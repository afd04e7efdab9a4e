"""Sixteen clients that do as they please with a few processes; what they are told is kept."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import httpx2

from tests.linear.operation import Kind, Operation, Told
from tests.serving import Served

CLIENTS = 16
PLACES = 6  # processes that all of them work on at a time
KEYS = 40
WEIGHTS: dict[Kind, int] = {
    "append": 50, "resume": 16, "suspend": 12, "decide": 12, "open": 4, "lease": 4,
    "take_back": 4, "complete": 1,
}  # fmt: skip
_PATHS = {
    "append": "steps", "resume": "resume", "suspend": "suspend", "complete": "complete",
    "lease": "lease",
}  # fmt: skip


class Hints:
    """What everybody has heard of a process lately: nobody waits for it to be right."""

    def __init__(self, process: str) -> None:
        self.process, self.epoch = process, 0
        self.stops: list[dict[str, Any]] = []
        self.taking_back = threading.Lock()  # one at a time: two look alike in the log


class History:
    """Everything that was asked, until `most` operations."""

    def __init__(self, servers: list[Served], most: int, seed: int) -> None:
        self.servers, self.most = servers, most
        self.operations: list[Operation] = []
        self.wrong: list[str] = []
        self._lock, self._opened = threading.Lock(), PLACES
        self._places = [Hints(f"lin-{number}") for number in range(PLACES)]
        self._clients = [
            threading.Thread(target=self._run, args=(random.Random(f"{seed} {n}"), n))
            for n in range(CLIENTS)
        ]

    def start(self) -> None:
        for client in self._clients:
            client.start()

    def join(self) -> None:
        for client in self._clients:
            client.join()

    @property
    def is_going_on(self) -> bool:
        return any(client.is_alive() for client in self._clients)

    def _run(self, chance: random.Random, number: int) -> None:
        server = self.servers[number % len(self.servers)]
        runtime, person = (server.caller(server.keys[n]) for n in (0, 2))
        count = 0
        while len(self.operations) < self.most:
            count += 1
            [kind] = chance.choices([*WEIGHTS], [*WEIGHTS.values()])
            hints = chance.choice(self._places)
            asked = _asked(kind, hints, chance, f"{number}-{count}")
            if asked is None:
                continue
            body, stop = asked
            for _ in range(2):  # what nobody answered is sent again, the same
                caller = person if kind in {"decide", "take_back"} else runtime
                told = self._ask(caller, kind, hints, body, stop)
                if told is None or told.is_known:
                    break
        runtime.close()
        person.close()

    def _ask(
        self, caller: httpx2.Client, kind: Kind, hints: Hints, body: dict[str, Any], stop: str
    ) -> Operation | None:
        method, path = _address(kind, hints.process, stop)
        begun, at_ms, reply = time.monotonic(), _now_ms(), None
        try:
            if kind == "take_back":
                with hints.taking_back:
                    reply = caller.request(method, path)
            else:
                reply = caller.request(method, path, json=body)
        except httpx2.ConnectError:
            time.sleep(0.05)  # nothing was sent
            return None
        except httpx2.TransportError:
            pass
        moments = (at_ms, _now_ms())
        if reply is None or reply.status_code == 503:
            told = Operation(kind, hints.process, body, begun, at_ms=moments, stop=stop)
            time.sleep(0.02)
        else:
            told = Operation(
                kind, hints.process, body, begun, time.monotonic(), moments,
                reply.status_code, reply.json(), stop,
            )  # fmt: skip
        with self._lock:
            self.operations.append(told)
            self._hear(hints, told)
        return told

    def _hear(self, hints: Hints, told: Operation) -> None:
        if told.status is not None and told.status >= 500:
            self.wrong.append(str(told))
        if told.status is None or told.status >= 300:
            return
        if told.kind == "lease":
            hints.epoch = told.said["lease_epoch"]
        if told.kind == "suspend":
            hints.stops.append(told.said["suspension"])
        if told.kind == "complete" and hints in self._places:
            self._places[self._places.index(hints)] = Hints(f"lin-{self._opened}")
            self._opened += 1


def _asked(
    kind: Kind, hints: Hints, chance: random.Random, number: str
) -> tuple[dict[str, Any], str] | None:
    """The body and the suspension it is about; None when there is none to be about."""
    epoch = {"lease_epoch": hints.epoch} if hints.epoch else {}
    if hints.epoch and chance.random() < 0.1:
        epoch = {"lease_epoch": hints.epoch - 1}
    match kind:
        case "open":
            other = " otherwise" if chance.random() < 0.1 else ""
            return {"objective": f"Tidy {hints.process}{other}", "id": hints.process}, ""
        case "append":
            success, n = chance.random() < 0.9, str(chance.randrange(KEYS))
            if success and chance.random() < 0.6:
                n = number  # else everything would soon be a replay
            tried = {} if success else {"attempt_id": number}
            step = {"tool": "run", "args": {"n": n}, "success": success}
            return step | tried | epoch, ""
        case "suspend" if chance.random() < 0.7:
            question = {"question": f"Which, {number}?", "ask_key": number}
            return {"reason": "ask_user", **question, **epoch}, ""
        case "suspend":
            return {"reason": "guard", "question": f"May I, {number}?", **epoch}, ""
        case "lease":
            return {"owner": f"boot-{chance.randrange(3)}", "ttl_s": chance.randint(1, 2)}, ""
        case "resume":
            return epoch, ""
        case "complete":
            return {"final_text": number, **epoch}, ""
    if not hints.stops:
        return None
    stop = hints.stops[-1] if chance.random() < 0.8 else chance.choice(hints.stops)
    if kind == "take_back":
        return {}, stop["id"]
    choice = {"action": "approve", "review_digest": stop["review_digest"]}
    if stop["reason"] == "ask_user":
        choice |= {"action": "answer", "answer": f"eu-{number}"}
    return choice | {"note": number}, stop["id"]


def _address(kind: Kind, process: str, stop: str) -> tuple[str, str]:
    if kind in {"decide", "take_back"}:
        return ("POST" if kind == "decide" else "DELETE"), f"suspensions/{stop}/decision"
    return "POST", "processes" if kind == "open" else f"processes/{process}/{_PATHS[kind]}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def told(server: Served, process: str) -> Told | None:
    """What the server says of it now; None for one that was never opened."""
    found = server.runtime.get(f"processes/{process}")
    if found.status_code == 404:
        return None
    events: list[dict[str, Any]] = []
    url: str | None = f"processes/{process}/events"
    while url:
        page = server.runtime.get(url, params={"limit": 200} if not events else None).json()
        events += page["results"]
        url = page["next"]
    stops = {
        name: server.person.get(f"suspensions/{name}").json()
        for name in {event["data"].get("suspension") for event in events} - {None}
    }
    return Told(found.json(), tuple(events), stops)
