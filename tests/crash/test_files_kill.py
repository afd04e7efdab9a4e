"""Files and mirror survive kill -9 during watch, import and write-back."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.crash.test_kill import ROOT, environment

KILLS = "200" if os.environ.get("PROVE") else "20"


def test_K10_M19_no_torn_file_no_lost_answer_no_partial_row(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.crash.mirroring", KILLS, str(tmp_path)],
        cwd=ROOT, env=environment(tmp_path / "home"), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-4_000:]
    told = json.loads(ran.stdout)
    assert told["kills"] == int(KILLS)
    assert told["acknowledged"] >= int(KILLS) // 4
