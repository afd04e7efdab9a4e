"""The simulation's command line: agents put to sleep, two workers, one line that lives."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import sys
import time
from collections.abc import Sequence
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection

from dalhc.client.agent.command import DONE, FAILED, INTERRUPTED, WRONG_USE
from dalhc.client.agent.refused import CannotStart
from dalhc.client.agent.server import Address, address, connect, person_key
from dalhc.client.agents.life import CWD, PRESET, Fell, name, soon
from dalhc.client.agents.outside import Outside
from dalhc.client.agents.tally import Tally
from dalhc.client.agents.worker import Broke, Ready, Report, Woke, work
from dalhc.client.client import Client
from dalhc.client.errors import DalhcError
from dalhc.client.sleepers import timer

WORKERS = 2
MOST = 10_000
WITHIN = 10.0  # seconds
LOOK = 0.1  # seconds between two looks at the reports
LEAVE = 10.0  # seconds a worker may take to end


def main(arguments: Sequence[str]) -> int:
    """0 all are done, 1 failed, 2 could not begin, 130 or 143 interrupted."""
    options = _parser().parse_args(arguments)
    try:
        if not 1 <= options.number <= MOST:
            raise CannotStart(f"N is 1 to {MOST:,}.")
        where = address(options.url, options.key)
        with contextlib.ExitStack() as clients:
            runtime = clients.enter_context(connect(where))
            key = person_key(where.url)
            person = clients.enter_context(Client(where.url, key)) if key else None
            outside = Outside(runtime, person, options.within)
            return _Simulation(runtime, outside, where, options.within).run(options.number)
    except CannotStart as refused:
        print(refused, file=sys.stderr)
        return WRONG_USE
    except DalhcError as error:
        print(f"\nStopped: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


class _Simulation:
    def __init__(
        self, runtime: Client, outside: Outside, where: Address, within_s: float
    ) -> None:
        self.runtime, self.outside, self.within_s = runtime, outside, within_s
        self.tally, self.line = Tally(), _Line()
        self.broken, self.ready = "", 0
        context = get_context("spawn")
        self.ours: list[Connection] = []
        for _ in range(WORKERS):
            here, there = context.Pipe()
            # Each hears when we are gone, however we went, and ends by itself.
            context.Process(target=work, args=(where, within_s, there), daemon=True).start()
            there.close()
            self.ours.append(here)

    def run(self, number: int) -> int:
        print(f"{number:,} agents, {WORKERS} workers: {self.runtime.url}/sleepers/", flush=True)
        ids: set[str] = set()
        try:
            self.outside.adopt()
            while self.ready < WORKERS and not self.broken:
                self._look(LOOK)
            run = secrets.token_hex(3)
            for each in range(number):
                ids.add(self._lay(name(run, each), each))
                self._look(0)
            while not ids <= self.tally.done and not self.broken:
                self._look(LOOK)
        except KeyboardInterrupt:
            return self._interrupted()
        finally:
            self._end()
        if self.broken:
            print(f"A worker stopped: {self.broken}", file=sys.stderr)
            return FAILED
        print(self.tally.summary())
        return DONE

    def _interrupted(self) -> int:
        self._end()
        left = len(self.tally.asleep) + len(self.tally.awake)
        print(self.tally.summary())
        print(f"{left:,} agents sleep on; the next `make agents` goes on with them.")
        return INTERRUPTED

    def _lay(self, id: str, number: int) -> str:
        at_ms = soon(self.within_s)
        self.runtime.open(f"Simulated agent {number + 1}: mind the parcels", id=id, start=True)
        self.runtime.put_to_sleep(id, timer(at_ms), preset=PRESET, cwd=CWD, turn_id="sleep-0")
        self.tally.asleep.setdefault(id, at_ms)
        return id

    def _look(self, seconds: float) -> None:
        """Hear what the workers say, let the world outside go on, and show the line."""
        for one in connection.wait(self.ours, seconds):
            assert isinstance(one, Connection)
            self._hear(one)
        now_ms = int(time.time() * 1000)
        for id in self.outside.happen():
            if id in self.tally.asleep:
                self.tally.asleep[id] = now_ms
        self.line.show(self.tally.line(now_ms))

    def _hear(self, worker: Connection) -> None:
        try:
            while worker.poll():
                self._take(worker.recv())
        except (EOFError, OSError):
            self.ours.remove(worker)
            self.broken = self.broken or "it ended."

    def _take(self, report: Report) -> None:
        match report:
            case Ready():
                self.ready += 1
            case Woke():
                self.tally.woke(report)
            case Fell():
                self.tally.fell(report)
                self.outside.expect(report)
            case Broke(why):
                self.broken = why

    def _end(self) -> None:
        """Tell the workers, and hear them out."""
        broken, until = self.broken, time.monotonic() + LEAVE
        for worker in self.ours:
            with contextlib.suppress(OSError):
                worker.send(None)
        while self.ours and (left := until - time.monotonic()) > 0:
            for one in connection.wait(self.ours, left):
                assert isinstance(one, Connection)
                self._hear(one)
        self.broken = broken
        self.line.end(self.tally.line(int(time.time() * 1000)))


class _Line:
    """On a terminal one line that changes; elsewhere a line a second."""

    def __init__(self) -> None:
        self._lives = sys.stdout.isatty()
        self._every = 0.1 if self._lives else 1.0
        self._shown, self._ended = 0.0, False

    def show(self, text: str) -> None:
        if time.monotonic() - self._shown >= self._every:
            self._shown = time.monotonic()
            self._put(text, "" if self._lives else "\n")

    def end(self, text: str) -> None:
        if not self._ended:
            self._ended = True
            self._put(text, "\n")

    def _put(self, text: str, after: str) -> None:
        # The line is written over the old one, and what is left of that is erased.
        print(f"\r{text}\x1b[K" if self._lives else text, end=after, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dalhc.client.agents",
        description="Simulated agents that sleep on timers, questions and signals.",
    )
    parser.add_argument("number", metavar="N", type=int, help="how many agents")
    parser.add_argument(
        "--within", type=float, default=WITHIN, help="seconds a timer takes at most"
    )
    parser.add_argument(
        "--url", default=os.environ.get("DALHC_URL"), help="the server's address"
    )
    parser.add_argument("--key", default=os.environ.get("DALHC_KEY"), help="a runtime's key")
    return parser
