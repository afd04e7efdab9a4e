"""The seed of a run, and what `make prove` has found, kept beside the tests."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benches import common
from tests.crash.test_kill import ROOT, environment

RESULTS = Path(__file__).parent / "results"
PROVING = bool(os.environ.get("PROVE"))
COMMIT = common.commit() if PROVING else ""  # before there are results that differ from it


def seed() -> int:
    """Another one each time, printed when the test fails; SEED chooses it."""
    chosen = int(os.environ.get("SEED") or secrets.randbelow(1_000_000))
    print(f"SEED={chosen}")
    return chosen


def told_by(home: Path, module: str, *words: str) -> dict[str, Any]:
    """What a program about this folder of data prints in the end, a line of JSON; it may take
    as long as proving takes.
    """
    ran = subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=ROOT, env=environment(home), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-4_000:]
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def keep(name: str, **found: object) -> None:
    """One file for each proof, with the machine and the commit; only when proving."""
    if not PROVING:
        return
    RESULTS.mkdir(exist_ok=True)
    told = {
        "name": name,
        "commit": COMMIT,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": common.machine(),
        "found": found,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n")
