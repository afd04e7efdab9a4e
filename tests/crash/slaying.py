"""A program that kills a server and its eight clients with kill -9, at random, many times.

Each client leads one process after the other through its life over real HTTP; who is killed is
replaced and goes on. Whenever the server is dead everything told so far must be in its
database, once. Arguments: how many kills, and a seed. It prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import django

django.setup()

from django.conf import settings  # noqa: E402

from tests.crash import power  # noqa: E402
from tests.crash.calling import Caller  # noqa: E402
from tests.crash.lifecycle import say_to  # noqa: E402
from tests.serving import Served  # noqa: E402

CLIENTS = 8
SERVER_DIES = 7  # one kill in so many; a server takes longer to come back


@dataclass
class Client:
    """One place among the eight; `life` counts those its clients have led to their end."""

    number: int
    life: int = 0
    process: int = 0
    pipe: int = -1
    rest: bytes = b""
    told: list[str] = field(default_factory=list)

    def start(self, server: Served) -> None:
        self.pipe, telling = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            _live(server, self.number, self.life, telling)
        os.close(telling)

    def hear(self) -> None:
        """What it has been told since; half a line of a dead one counts for nothing."""
        while select.select([self.pipe], [], [], 0)[0]:
            read = os.read(self.pipe, 65_536)
            if not read:
                return
            *lines, self.rest = (self.rest + read).split(b"\n")
            for line in lines:
                said = line.decode().removeprefix("told ")
                assert said.split()[0] != "failed", said
                self.told.append(said)
                self.life += said == f"complete {self.name}"

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        self.hear()
        os.close(self.pipe)
        self.rest = b""

    @property
    def name(self) -> str:
        return _name(self.number, self.life)


def main(kills: int, seed: int) -> None:
    chance, home = Random(seed), Path(settings.DATA_DIR)
    server = Served(home)
    clients = [Client(number) for number in range(CLIENTS)]
    for client in clients:
        client.start(server)
    servers = 0
    for number in range(kills):
        _hear_for(clients, chance.uniform(0.005, 0.25))
        if number % SERVER_DIES == 0:
            servers += 1
            server.kill()
            _hear_for(clients, 0.05)  # replies that were on their way
            _look(home, clients)
            server.start()
        else:
            dead = chance.choice(clients)
            dead.kill()
            dead.start(server)
    _hear_for(clients, 1.0)
    for client in clients:
        client.kill()
    server.kill()
    told = _look(home, clients)
    lives = sum(client.life for client in clients)
    print(json.dumps({"kills": kills, "of the server": servers, "told": told, "lives": lives}))


def _look(home: Path, clients: list[Client]) -> int:
    told = [line for client in clients for line in client.told]
    assert (lost := power.look_at_database(home, told)) == [], lost
    return len(set(told))


def _hear_for(clients: list[Client], seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        select.select([client.pipe for client in clients], [], [], left)
        for client in clients:
            client.hear()


def _live(server: Served, number: int, life: int, telling: int) -> None:
    """In the child: never returns."""
    tell = say_to(telling)
    try:
        caller = Caller(server.url, server.keys[0], server.keys[2])
        while True:
            caller.lead(_name(number, life), tell)
            life += 1
    except BaseException as error:
        tell(f"failed {error!r}")
    finally:
        os._exit(1)


def _name(number: int, life: int) -> str:
    return f"life-{number}-{life}"


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
