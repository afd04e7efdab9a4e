"""An agent that mostly waits, written twice: as a program that stays alive for as long as it
waits, and as one that sleeps in the database and is woken by one of a few workers.

`python -m benches.asleep_agents live ID` and `… worker` are one such program. It says `ready`,
and begins at the end of its standard input.
"""

from __future__ import annotations

import os
import random
import sys
import time

from dalhc.client import Client
from dalhc.client.sleepers import human, timer
from dalhc.client.wake import Wake

WAITS = 2  # each is a timer, and then a question
SECONDS = (3.0, 6.0)  # of a timer
QUESTION = "A parcel came for the neighbour. Take it in?"
OPTIONS = ("Take it in", "Leave it")
PRESET, CWD = "parcels", "/srv/agents/parcels"
LEASE = 30


def seconds(id: str, place: int) -> float:
    """How long this agent's timer takes: the same in both of its lives."""
    return random.Random(f"{id.rpartition('-')[2]} {place}").uniform(*SECONDS)


def live(client: Client, id: str) -> None:
    """One agent, from its first step to its last."""
    with client.run("Mind the parcels", id=id, lease=True) as run:
        run.step("look", {"place": 0}, do=lambda: "nothing yet")
        for place in range(WAITS):
            time.sleep(seconds(id, place))
            run.ask(QUESTION, options=OPTIONS)
            run.step("look", {"place": place + 1}, do=lambda: "done as told")


def lay(client: Client, id: str) -> None:
    """The same agent asleep: its first step, then its first timer."""
    client.open("Mind the parcels", id=id, start=True)
    client.append(id, "look", {"place": 0}, True, "nothing yet")
    client.put_to_sleep(id, timer(_due(id, 0)), preset=PRESET, cwd=CWD, turn_id="wait-0")


def work(client: Client) -> None:
    """Each continuation of whoever is due, until this program is ended."""
    for wake in client.wakes(ttl_s=LEASE):
        with wake:
            go_on(wake)


def go_on(wake: Wake) -> None:
    """From one wait to the next; how far it has come is in the descriptor."""
    turn: str = wake.claimed.descriptor["last_committed"]["turn_id"]
    kind, _, said = turn.partition("-")
    place = int(said)
    if kind == "wait":
        stop = wake.ask(QUESTION, options=OPTIONS, ask_key=turn)
        wake.commit(human(stop.id), turn_id=f"asked-{place}")
        return
    wake.resume()
    wake.step("look", {"place": place + 1}, do=lambda: "done as told")
    if place + 1 == WAITS:
        wake.complete()
    else:
        wake.commit(timer(_due(wake.id, place + 1)), turn_id=f"wait-{place + 1}")


def _due(id: str, place: int) -> int:
    return int((time.time() + seconds(id, place)) * 1000)


def main() -> None:
    with Client(os.environ["DALHC_URL"], os.environ["DALHC_KEY"]) as client:
        print("ready", flush=True)
        sys.stdin.read()
        if sys.argv[1] == "live":
            live(client, sys.argv[2])
        else:
            work(client)


if __name__ == "__main__":
    main()
