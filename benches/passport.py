"""A run of ten thousand steps as one file: how long the server takes to send it, how much
memory that costs, and how long a verification takes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from benches.common import settled
from benches.served import Served, served

STEPS, SHOTS = 10_000, 3


def main() -> int:
    with served() as server, tempfile.TemporaryDirectory(prefix="dalhc-bench-") as folder:
        fill(server)
        server.call("GET", "/processes/long?steps=tail:1")
        passport = [send(server, "passport", Path(folder)) for _ in range(SHOTS)]
        journal = [send(server, "journal", Path(folder)) for _ in range(SHOTS)]
        checked = verify(server, Path(folder) / "passport")
    told: dict[str, Any] = {
        "steps": STEPS,
        "passport": best(passport),
        "journal": best(journal),
        "verify_s": round(checked, 2),
    }
    grown = max(shot["grown_mib"] for shot in (*passport, *journal))
    seconds = told["passport"]["seconds"]
    reached = [
        (f"passport of {STEPS:,} steps: {seconds:.2f} s (<= 2)", seconds <= 2),
        (f"the server grew by {grown:.0f} MiB (<= 50)", grown <= 50),
    ]
    print(told)
    return settled("passport", reached, told)


def fill(server: Served) -> None:
    """Steps as runs have them: arguments of a line, results of a paragraph."""
    server.open_running("long")
    for start in range(0, STEPS, 100):
        steps = [
            {
                "tool": "read_rows",
                "args": {"table": "ledger", "from": number, "to": number + 99},
                "success": True,
                "result_digest": f"{number}: " + "an entry of the ledger and its match; " * 8,
            }
            for number in range(start, start + 100)
        ]
        server.call("POST", "/processes/long/steps", steps)


def send(server: Served, what: str, folder: Path) -> dict[str, float]:
    """One download to a file, and the most the server held meanwhile."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/v1/processes/long/{what}",
        headers=server.headers(server.principal_key),
    )
    watch = Watch(server)
    begun = time.perf_counter()
    with (
        urllib.request.urlopen(request, timeout=60) as answer,
        (folder / what).open("wb") as to,
    ):
        shutil.copyfileobj(answer, to)
    seconds = time.perf_counter() - begun
    size = (folder / what).stat().st_size
    return {"seconds": seconds, "mib": size / 2**20, "grown_mib": watch.grown()}


def verify(server: Served, path: Path) -> float:
    """As an operator does it, the start of Python included."""
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "manage.py", "audit", "verify", str(path)],
        env={**os.environ, "DALHC_HOME": str(server.home)},
        check=True,
    )
    return time.perf_counter() - begun


class Watch:
    """The highest of the server's memory, looked at every few milliseconds."""

    def __init__(self, server: Served) -> None:
        self._server, self._begun = server, server.rss_mib()
        self._highest, self._ended = self._begun, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def grown(self) -> float:
        self._ended.set()
        self._thread.join()
        return self._highest - self._begun

    def _look(self) -> None:
        while not self._ended.wait(0.02):
            self._highest = max(self._highest, self._server.rss_mib())


def best(shots: list[dict[str, float]]) -> dict[str, Any]:
    """The median by time, and all of them; `spread` is (max - min) / median of the seconds."""
    ordered = sorted(shots, key=lambda shot: shot["seconds"])
    chosen = ordered[len(shots) // 2]
    spread = (ordered[-1]["seconds"] - ordered[0]["seconds"]) / chosen["seconds"]
    told = {name: round(value, 2) for name, value in chosen.items()}
    return {**told, "spread": round(spread, 2), "trials": shots}


if __name__ == "__main__":
    sys.exit(main())
