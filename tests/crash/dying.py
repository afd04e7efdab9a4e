"""A program whose children write through the writer's thread and are killed at random moments.

It prints one line of JSON: how many were killed, how many writes they had been told are kept.
After each death everything is loaded and every chain verified; it fails on the first loss.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import threading
import time

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from dalhc.db import writer  # noqa: E402
from processes import services  # noqa: E402
from processes.journal import files  # noqa: E402
from processes.models import Decision, Process, Step  # noqa: E402
from processes.services.verifying import verify_chains  # noqa: E402
from tests.making import Made, append, decide, make_process, resume, suspend  # noqa: E402

RUNS = 3
told = {"step": set[str](), "decision": set[str]()}


def main(kills: int) -> None:
    call_command("migrate", verbosity=0)
    for number in range(RUNS):
        make_process(id=f"run-{number}", running=True)
    acknowledged = sum(_one_life(begun=number % 2 == 0) for number in range(kills))
    print(json.dumps({"kills": kills, "acknowledged": acknowledged}))


def _one_life(*, begun: bool) -> int:
    """Fork a child, kill it, look at what it left; how much it had been told.

    Every second one is let live until it was told something, the others may die at birth.
    """
    connection.close()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(writing)
    os.close(writing)
    if begun:
        select.select([reading], [], [], 30)
    time.sleep(random.uniform(0.002, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        lines = [line.split() for line in pipe if line.endswith("\n")]
    for kind, name in lines:
        told[kind].add(name)
    _look()
    return len(lines)


def _work(pipe: int) -> None:
    writer.start()
    for number in range(RUNS):
        threading.Thread(target=_go_on, args=(f"run-{number}", pipe)).start()
    signal.pause()


def _go_on(process_id: str, pipe: int) -> None:
    """Pick the run up wherever the last death left it."""
    made = Made(process_id)
    while True:
        columns = made.columns
        if columns["state"] == "suspended":
            if not columns["decided"]:
                decide(Made(process_id, columns["suspension_id"]), answer="eu")
                live = Decision.objects.get(suspension_id=columns["suspension_id"], live=True)
                _tell(pipe, "decision", live.id)
            resume(made)
        for number in range(random.randint(1, 6)):
            step = append(made, args={"n": columns["stored_steps"] + number}).step
            _tell(pipe, "step", f"{process_id}/{step['seq']}/{step['idempotency_key']}")
        suspend(made, question="Which?")


def _tell(pipe: int, kind: str, name: str) -> None:
    os.write(pipe, f"{kind} {name}\n".encode())


def _look() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        assert cursor.fetchone() == ("ok",)
        assert verify_chains(lambda sql: cursor.execute(sql).fetchall()) == RUNS
    kept = Step.objects.values_list("process_id", "seq", "idempotency_key")
    assert told["step"] <= {"/".join(map(str, step)) for step in kept}
    assert told["decision"] <= set(Decision.objects.values_list("id", flat=True))
    for process in Process.objects.all():
        made = Made(process.id)
        record, _ = files.load(services.journal_text(process.id, made.by).encode())
        assert record.steps_used == len(record.steps) == process.stored_steps
        assert services.next_step(process.id, by=made.by).next_action in {
            "continue",
            "needs_answer",
        }
        assert (process.suspension_id is None) == (process.state == "running")


if __name__ == "__main__":
    main(int(sys.argv[1]))
