"""What a figure says of itself, and what may be claimed, row by row (contract M14-M17)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).parents[2]
README = (TOP / "README.md").read_text()
KEPT = sorted((TOP / "benches/results").glob("*.json"))
FIGURE = re.compile(r"\b([\d.,]+) ?(ms|µs|MiB|KiB|GiB|bytes|per second|/s|times|x)(?![\w])")


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_m14_a_kept_figure_names_its_machine_and_its_spread_over_three_trials(path):
    kept = json.loads(path.read_text())
    assert {"cpu", "cores", "kernel", "python", "sqlite"} <= set(kept["machine"])
    assert kept["commit"] and kept["at"]
    for case in kept["results"].values():
        assert {"p50", "p99", "max", "spread", "per_second", "trials"} <= set(case)
    tried = list(measured(kept))
    assert tried
    for one in tried:
        assert one["spread"] >= 0 and len(one["trials"]) >= 3


def measured(value: Any) -> Iterator[dict[str, Any]]:
    """Whatever was tried, wherever it stands."""
    if isinstance(value, dict):
        if "trials" in value:
            yield value
        for one in value.values():
            yield from measured(one)


@pytest.mark.parametrize("fault", ["raise OSError('no server')", "return common.sample([], 1)"])
def test_m15_a_bench_that_fails_keeps_nothing_and_ends_non_zero(fault, tmp_path):
    program = (
        "import sys\nfrom pathlib import Path\nfrom benches import common\n"
        f"common.RESULTS = Path({str(tmp_path / 'results')!r})\n"
        f"def case():\n    {fault}\n"
        "sys.exit(common.bench('figure', {'a': case}))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1 and "nothing kept" in ran.stderr
    assert not (tmp_path / "results").exists()


def test_m15_every_bench_ends_with_what_its_main_returns():
    texts = {path.name: path.read_text() for path in (TOP / "benches").glob("*.py")}
    measuring = {name: text for name, text in texts.items() if "\ndef main() -> int:" in text}
    assert len(measuring) > 8
    for name, text in measuring.items():
        assert text.rstrip().endswith("sys.exit(main())"), name


def test_m16_the_readme_states_no_figure_that_no_result_holds():
    assert unheld(README) == []


def test_m16_a_figure_that_no_result_holds_would_be_seen():
    [inbox] = [json.loads(path.read_text()) for path in KEPT if path.stem == "inbox"]
    p50 = inbox["results"]["inbox of 100,000"]["p50"]
    assert unheld(f"It answers in {p50:.1f} ms.") == []
    assert unheld("It answers in 0.04 ms, from 123,456 MiB.") == ["0.04", "123456"]


def unheld(text: str) -> list[str]:
    """The figures with a unit that are no median and no target of a result."""
    kept = {
        f"{number:.{places}f}" for path in KEPT for number in numbers(path) for places in (0, 1)
    }
    stated = [number.replace(",", "") for number, _ in FIGURE.findall(text)]
    return [number for number in stated if number not in kept]


def test_m16_nothing_is_claimed_beyond_what_was_measured():
    """Of numbers of agents, waiters and runs: a number, and never any number."""
    boundless = re.compile(
        r"(?i)\b(any number of|unlimited|countless|millions of|infinitely many)\b"
        r"[^.\n]{0,20}\b(agents?|sleepers?|waiters?|runs?|processes|descriptors)\b"
    )
    texts = [
        TOP / "README.md",
        TOP / "CHANGELOG.md",
        TOP / "API.md",
        *(TOP / "docs").glob("*.md"),
    ]
    assert len(texts) > 8
    said = {path.name: boundless.findall(path.read_text()) for path in texts}
    assert {name: found for name, found in said.items() if found} == {}


def numbers(path: Path) -> Iterator[float]:
    def within(value: Any) -> Iterator[float]:
        if isinstance(value, dict | list):
            named = value.items() if isinstance(value, dict) else enumerate(value)
            for name, one in named:
                if name not in {"trials", "calls", "machine"}:
                    yield from within(one)
        elif isinstance(value, int | float):
            yield float(value)

    yield from within(json.loads(path.read_text()))


# What the table of the README says is here, and what would not be there if it were not.
PARTS = {
    "journal, REST API": ("processes/journal", "dalhc/client/agent", "processes/api"),
    ".dal/processes": ("processes/bridge", "dalhc/client/folder.py", "dalhc/client/loop.py"),
    "typed answers": (
        "processes/answering",
        "processes/notices",
        "processes/services/votes.py",
    ),
    "sleeping agents": ("descriptors/services/claiming.py", "tests/crash/test_waking_kill.py"),
    "history": ("processes/services/checkpoints.py", "processes/management/commands/retain.py"),
    "PostgreSQL": ("dalhc/db/postgres.py", "tests/test_servers.py"),
}


def test_m17_the_readme_says_of_each_part_whether_it_is_here_and_it_is():
    table = README.partition("## Status")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (?!part|---)(.+?) \| (.+?) \|$", table, re.MULTILINE)
    assert len(rows) >= len(PARTS)
    for part, state in rows:
        assert state in {"here", "not yet"}, part
        [known] = [name for name in PARTS if part.removeprefix("`").startswith(name)]
        there = [(TOP / path).exists() for path in PARTS[known]]
        assert all(there) is (state == "here"), part
