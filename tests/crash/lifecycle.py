"""A program that leads processes through a whole life, and says what it was told is kept.

Open, five steps, an artifact, a question, its answer, resume, complete, from wherever the last
death left it. Each line it writes begins with `told`: from then on the disk must hold that. Its
arguments: how many threads, how many lives each, and pragmas that differ from the product's.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

import django

from dalhc.db import sqlite

if __name__ == "__main__":
    sqlite.PRAGMAS.update(dict(pragma.split("=", 1) for pragma in sys.argv[3:]))
    django.setup()

from dalhc.db import writer
from processes import services
from processes.journal.commands import Complete
from processes.models import Process, Suspension
from tests.making import Made, append, decide, make_process, resume, suspend

STEPS = 5
ARTIFACT = b"one of them\n" * 100
type Tell = Callable[[str], object]

# One row for each thing told, or the number of rows there must be.
_KEPT = {
    "open": "SELECT 1 FROM processes_process WHERE id = ?",
    "step": "SELECT 1 FROM processes_step WHERE process_id = ? AND seq = ? "
    "AND idempotency_key = ? AND success",
    "artifact": "SELECT 1 FROM processes_artifact WHERE process_id = ? AND sha256 = ?",
    "stop": "SELECT 1 FROM processes_suspension WHERE process_id = ? AND id = ?",
    "answer": "SELECT 1 FROM processes_suspension s JOIN processes_decision d "
    "ON d.suspension_id = s.id WHERE s.process_id = ? AND s.id = ? AND d.live",
    "resume": "SELECT 1 FROM processes_suspension WHERE process_id = ? AND id = ? "
    "AND status = 'delivered'",
    "complete": "SELECT 1 FROM processes_process WHERE id = ? AND state = 'completed'",
}
# In the processes that these tests lead; others may stop more than once.
_DOUBLED = (
    "SELECT process_id, idempotency_key FROM processes_step WHERE success "
    "GROUP BY 1, 2 HAVING count(*) > 1",
    "SELECT process_id FROM processes_suspension WHERE process_id LIKE 'life%' "
    "GROUP BY 1 HAVING count(*) > 1",
    "SELECT process_id, kind FROM processes_event WHERE process_id LIKE 'life%' AND kind IN "
    "('open', 'suspend', 'decide', 'finish') GROUP BY 1, 2 HAVING count(*) > 1",
)


def lead(name: str, tell: Tell) -> None:
    """Everything that is still to do; what was told before is told again."""
    if not Process.objects.filter(id=name).exists():
        make_process(id=name, running=True)
    tell(f"open {name}")
    made = Made(name)
    stop = Suspension.objects.filter(process_id=name).first()
    if stop is None:
        for number in range(1, STEPS + 1):
            step = append(made, args={"n": number}).step
            tell(f"step {name} {step['seq']} {step['idempotency_key']}")
        kept, _ = services.put_artifact(name, "of.txt", BytesIO(ARTIFACT), by=made.by)
        tell(f"artifact {name} {kept.sha256}")
        stop = suspend(made, question="Which?").stop
    tell(f"stop {name} {stop.id}")
    made = Made(name, stop.id)
    if made.columns["state"] == "suspended":
        if not made.columns["decided"]:
            decide(made, answer="that one")
        tell(f"answer {name} {stop.id}")
        resume(made)
    tell(f"resume {name} {stop.id}")
    services.complete(name, Complete(), by=made.by)
    tell(f"complete {name}")


def missing(execute: Callable[..., Any], told: Iterable[str]) -> list[str]:
    """What was told and is not there once."""
    lost = []
    for line in dict.fromkeys(told):
        kind, *names = line.split()
        if len(execute(_KEPT[kind], names).fetchall()) != 1:
            lost.append(line)
    return lost + [f"twice: {row}" for sql in _DOUBLED for row in execute(sql).fetchall()]


def say_to(pipe: int) -> Tell:
    """One whole line at a time, from whatever thread."""
    return lambda line: os.write(pipe, f"told {line}\n".encode())


def main(threads: int, lives: int) -> None:
    writer.start()

    def live(thread: int) -> None:
        for life in range(lives):
            lead(f"life-{thread}-{life}", say_to(1))

    running = [threading.Thread(target=live, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    writer.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
