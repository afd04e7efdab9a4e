"""A program whose children watch, import and write back, and are killed at random moments.

It prints one line of JSON: how many were killed, how many answers they had been told are in
their files. After each death every file must load, every answer told must be in its file, and
the database must become equal to the files; it fails on the first loss.
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
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from dalhc.client import JournalFolder  # noqa: E402
from dalhc.db import writer  # noqa: E402
from dalhc.problems import Problem  # noqa: E402
from processes import services  # noqa: E402
from processes.bridge import moving  # noqa: E402
from processes.bridge.watch import Watch  # noqa: E402
from processes.journal.whole import load  # noqa: E402
from processes.models import JournalFile, Process, Step, Suspension  # noqa: E402
from processes.services import mirror, writeback  # noqa: E402
from processes.services.journals import journal_text  # noqa: E402
from processes.services.verifying import verify_chains  # noqa: E402
from tests.making import Made, choice, principal_actor  # noqa: E402

RUNS = ("run-0", "run-1", "run-2")
ROOT, MOVED = Path(sys.argv[2]) / "journals", Path(sys.argv[2]) / "moved"
told: dict[str, list[str]] = {name: [] for name in RUNS}


def main(kills: int) -> None:
    call_command("migrate", verbosity=0)
    MOVED.mkdir()
    runtime = JournalFolder(ROOT, environ={})
    for name in RUNS:
        runtime.open_process("Tidy", id=name)
    acknowledged = sum(_one_life(number) for number in range(kills))
    print(json.dumps({"kills": kills, "acknowledged": acknowledged}))


def _one_life(number: int) -> int:
    """Fork a child, kill it, look at what it left; how much it had been told."""
    if number % 4 == 3:
        for copy in range(30):
            _a_journal(f"moved-{number}-{copy}")
    connection.close()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _import(writing) if number % 4 == 3 else _work(writing)
    os.close(writing)
    if number % 2:
        select.select([reading], [], [], 30)
    time.sleep(random.uniform(0.002, 0.08))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        lines = [line.split() for line in pipe if line.endswith("\n")]
    for name, answer in lines:
        if name in told:
            told[name].append(answer)
    _look()
    return len(lines)


def _a_journal(id: str) -> None:
    folder = JournalFolder(MOVED, environ={})
    folder.open_process("Tidy", id=id)
    folder.resume_at(id)
    for step in range(3):
        folder.append_step_at(id, "run", {"n": step})


def _import(pipe: int) -> None:
    writer.start()
    os.write(pipe, b"import begins\n")
    moving.take_in(moving.journals(MOVED), "dal", lambda *_: None)
    signal.pause()


def _work(pipe: int) -> None:
    writer.start()
    watch = Watch(ROOT)
    threading.Thread(target=watch.run, args=(threading.Event(),), daemon=True).start()
    for name in RUNS:
        threading.Thread(target=_go_on, args=(watch, name, pipe), daemon=True).start()
    signal.pause()


def _go_on(watch: Watch, name: str, pipe: int) -> None:
    """The runtime and its principal by turns, wherever the last death left them."""
    runtime = JournalFolder(ROOT, environ={})
    while True:
        record = runtime.read(name)
        if record.suspend_reason == "ask_user":
            _answer(watch, name, pipe)
            continue
        runtime.resume_at(name)
        runtime.append_step_at(name, "run", {"n": len(record.steps)})
        runtime.suspend_at(name, "ask_user", f"Which, {len(record.steps)}?")


def _answer(watch: Watch, name: str, pipe: int) -> None:
    mirror.refresh(watch.folder, f"{name}.json")
    stop = Suspension.objects.open().of(name).first()
    if stop is None:
        return
    answer = f"a{time.time_ns()}"
    seen = choice(Made(name, stop.id), answer=answer)
    try:
        done = services.decide(stop.id, seen, by=principal_actor())
    except Problem:  # the watch or the runtime was faster: nothing was decided
        return
    if done.delivered_at_ms is not None:
        os.write(pipe, f"{name} {answer}\n".encode())


def _look() -> None:
    """What a server does when it starts again, and what must then be so."""
    watch = Watch(ROOT)
    watch.folder.sweep()
    assert all(name.endswith(".json") for name in os.listdir(ROOT))
    watch._known = {}
    watch.scan()
    writeback.deliver_all()
    watch._known = {}
    watch.scan()
    for name in RUNS:
        text = (ROOT / f"{name}.json").read_bytes()
        said = {turn.content for turn in load(text).record.turns}
        assert set(told[name][-50:]) <= said, (name, set(told[name][-50:]) - said)
        assert journal_text(name, principal_actor()).encode() == text, name
    assert not JournalFile.objects.refused().exists()
    assert not Process.objects.not_in_their_files().exists()
    for process in Process.objects.filter(id__startswith="moved-"):
        assert process.stored_steps == Step.objects.of(process.id).count() == 3
    with connection.cursor() as cursor:
        assert verify_chains(lambda sql: cursor.execute(sql).fetchall()) >= len(RUNS)


if __name__ == "__main__":
    main(int(sys.argv[1]))
