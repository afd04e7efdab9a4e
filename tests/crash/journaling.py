"""A program that leads journals in files through their lives, runtime and principal by turns.

After each verb it says which bytes it was told are in the file. Its argument: how many lives.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

import django

if __name__ == "__main__":
    django.setup()

from django.conf import settings

from dalhc.client import JournalFolder
from dalhc.db import writer
from processes import services
from processes.bridge.watch import Watch
from processes.journal.whole import load
from processes.models import Suspension
from processes.services import mirror
from tests.crash.lifecycle import Tell, say_to
from tests.making import Made, choice, principal_actor

FOLDER = "journals"
STEPS = 3


def lead(root: Path, name: str, tell: Tell) -> None:
    runtime = JournalFolder(root, environ={})

    def told() -> None:
        tell(f"file {name} {sha256((root / f'{name}.json').read_bytes()).hexdigest()}")

    runtime.open_process("Tidy", id=name)
    told()
    runtime.resume_at(name)
    told()
    for number in range(STEPS):
        runtime.append_step_at(name, "run", {"n": number})
        told()
    runtime.suspend_at(name, "ask_user", "Which?")
    told()
    _answer(Watch(root), name)
    told()
    runtime.complete(name)
    told()


def unlike(root: Path, told: list[str], all_told: list[str]) -> list[str]:
    """Files that are neither as the last verb told left them, nor as a later one did."""
    versions: dict[str, list[str]] = {}
    for line in all_told:
        _, name, digest = line.split()
        versions.setdefault(name, []).append(digest)
    last = {line.split()[1]: line.split()[2] for line in told}
    wrong = []
    for name, all_its in versions.items():
        file = root / f"{name}.json"
        if not file.is_file():
            wrong += [f"{name} is gone"] if name in last else []
            continue
        text = file.read_bytes()
        allowed = all_its[all_its.index(last[name]) if name in last else 0 :]
        if sha256(text).hexdigest() not in allowed or load(text).record.id != name:
            wrong.append(f"{name} has {len(text)} bytes that no verb wrote")
    return wrong


def _answer(watch: Watch, name: str) -> None:
    mirror.refresh(watch.folder, f"{name}.json")
    stop = Suspension.objects.open().of(name).get()
    seen = choice(Made(name, stop.id), answer="that one")
    done = services.decide(stop.id, seen, by=principal_actor())
    assert done.delivered_at_ms is not None


def main(lives: int) -> None:
    writer.start()
    for number in range(lives):
        lead(Path(settings.DATA_DIR) / FOLDER, f"life-{number}", say_to(1))
    writer.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]))
