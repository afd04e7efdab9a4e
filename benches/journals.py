"""Journals as files: how fast a folder is taken in and with how much memory, how soon a watched
change is seen, and what the watch costs while nothing changes.

    python -m benches.journals [HOW MANY]

Fewer than the 10,000 of the targets are for a quick look: nothing is kept of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
from pathlib import Path
from typing import Any

from benches.common import settled, tried
from benches.served import Served, served
from processes.journal.canonical import canonical_args, step_key

JOURNALS, STEPS, CHANGES = 10_000, 50, 10
IDLE_SECONDS = 65  # the watch looks at every file anew once a minute
CALM_SECONDS = 70.0
BEGAN_MS = 1_760_000_000_000
PATIENCE = 600.0  # seconds until a server has seen the whole folder


def main() -> int:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else JOURNALS
    with tempfile.TemporaryDirectory(prefix="dalhc-bench-") as place:
        folder = Path(place) / "processes"
        fill(folder, number)
        told: dict[str, Any] = {"journals": number, "steps": STEPS}
        told |= together([taken_in(folder) for _ in range(3)])
        with served(DAL_PROCESS_ROOT=str(folder)) as server:
            told |= {"mirrored_s": seen(server, number)}
            told |= together([changed(server, folder, number, n) for n in range(3)])
            calm(server)
            seconds = IDLE_SECONDS if number == JOURNALS else 10
            told |= {"idle_percent": tried([idle(server, seconds) for _ in range(3)])}
    rate, peak = told["per_second"]["median"], max(told["peak_mib"]["trials"])
    latest, load = max(told["change_max_ms"]["trials"]), told["idle_percent"]["median"]
    reached = [
        (f"taken in: {rate:,.0f} journals a second (>= 300)", rate >= 300),
        (f"the import held {peak:.0f} MiB (<= 200)", peak <= 200),
        (f"a change was seen within {latest:.0f} ms (<= 1,000)", latest <= 1_000),
        (f"a server that watches idly: {load:.2f} % of a core (<= 1)", load <= 1),
    ]
    print(told)
    return settled("journals", reached, told, whole=number == JOURNALS)


def together(trials: list[dict[str, float]]) -> dict[str, Any]:
    """Each number over its trials."""
    return {name: tried([one[name] for one in trials]) for name in trials[0]}


def fill(folder: Path, number: int) -> None:
    """Runs as a runtime leaves them: arguments of a line, results of a paragraph."""
    folder.mkdir()
    for run in range(number):
        write(folder, run, 1)


def write(folder: Path, run: int, change: int) -> None:
    """As the runtime does: written beside, then renamed."""
    journal = {
        "schema_version": 1, "id": name(run), "objective": f"Reconcile ledger {run}",
        "state": "running", "steps_used": STEPS, "created_at_ms": BEGAN_MS,
        "updated_at_ms": BEGAN_MS + change,
        "steps": [step(run, number) for number in range(STEPS)], "turns": [],
    }  # fmt: skip
    part = folder / f".{name(run)}.part"
    part.write_text(json.dumps(journal, indent=2))
    part.rename(folder / f"{name(run)}.json")


def name(run: int) -> str:
    return f"run-{run:05}"


def step(run: int, number: int) -> dict[str, Any]:
    args = canonical_args({"table": f"ledger_{run}", "from": number, "to": number + 99})
    return {
        "tool": "read_rows",
        "args": args,
        "success": True,
        "result_digest": f"{number}: " + "an entry of the ledger and its match; " * 8,
        "artifacts": [],
        "idempotency_key": step_key("read_rows", args),
    }


def taken_in(folder: Path) -> dict[str, float]:
    """By the product's own command, the start of Python included."""
    with tempfile.TemporaryDirectory(prefix="dalhc-bench-") as home:
        environment = {**os.environ, "DALHC_HOME": home}
        manage = [sys.executable, "manage.py"]
        subprocess.run(
            [*manage, "prepare"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        begun = time.perf_counter()
        command: subprocess.Popen[bytes] = subprocess.Popen(
            [*manage, "journal", "import", str(folder)],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(command.pid, 0)
        seconds = time.perf_counter() - begun
    command.returncode = os.waitstatus_to_exitcode(status)
    if command.returncode:
        raise RuntimeError(f"the import ended with {command.returncode}")
    number = len(list(folder.iterdir()))
    return {
        "per_second": round(number / seconds, 1),
        "cpu_ms_each": round(1000 * (used.ru_utime + used.ru_stime) / number, 2),
        "peak_mib": round(used.ru_maxrss / 1024, 1),
    }


def seen(server: Served, number: int) -> float:
    """Seconds until the last journal is there: they are read in the order of their names."""
    return round(wait(server, number - 1, 1, PATIENCE) / 1000, 1)


def changed(server: Served, folder: Path, number: int, trial: int) -> dict[str, float]:
    """From the rename to an answer of the API that tells the change."""
    taken, first = [], 2 + trial * CHANGES
    for change in range(first, first + CHANGES):
        run = change * 7919 % number
        write(folder, run, change)
        taken.append(wait(server, run, change, 30))
        time.sleep(0.2)  # the next change meets a watch that sleeps
    taken.sort()
    return {
        "change_p50_ms": round(taken[len(taken) // 2], 1),
        "change_max_ms": round(taken[-1], 1),
    }


def wait(server: Served, run: int, change: int, seconds: float) -> float:
    """Milliseconds until the server tells this change of the run."""
    begun = time.perf_counter()
    while not tells(server, run, change):
        if time.perf_counter() - begun > seconds:
            raise RuntimeError(f"{name(run)} was not seen within {seconds:.0f} s")
        time.sleep(0.005)
    return (time.perf_counter() - begun) * 1000


def tells(server: Served, run: int, change: int) -> bool:
    try:
        record = server.call("GET", f"/processes/{name(run)}", key=server.principal_key)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise
    return bool(record["updated_at_ms"] == BEGAN_MS + change)


def idle(server: Served, seconds: float) -> float:
    """Percent of one core, of all threads of the server while nobody asks it anything."""
    before = server.cpu_seconds()
    time.sleep(seconds)
    return round((server.cpu_seconds() - before) / seconds * 100, 2)


def calm(server: Served) -> None:
    """What the changes set off has ended: what is done once a minute, like taking new rows into
    the search index, finds nothing to do.
    """
    until, since = time.monotonic() + PATIENCE, time.monotonic()
    while time.monotonic() - since < CALM_SECONDS:
        if time.monotonic() > until:
            raise RuntimeError(f"the server was still at work after {PATIENCE:.0f} s")
        before = server.cpu_seconds()
        time.sleep(5)
        if server.cpu_seconds() - before > 0.25:
            since = time.monotonic()


if __name__ == "__main__":
    sys.exit(main())
