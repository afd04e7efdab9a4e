"""docs/proof.md names tests that are there, and results that were kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

TOP = Path(__file__).parents[1]
PAGE = (TOP / "docs" / "proof.md").read_text()
RESULTS = TOP / "tests" / "crash" / "results"


def test_every_file_it_names_is_there_and_is_run_by_make_prove():
    named = set(re.findall(r"`(tests/\w+/test_\w+\.py)`", PAGE))
    assert len(named) > 10
    assert [name for name in named if not (TOP / name).is_file()] == []
    assert [name for name in named if not is_proved(name)] == []


def test_whatever_does_more_when_proving_is_run_by_make_prove():
    reading = [
        str(path.relative_to(TOP))
        for path in (TOP / "tests").rglob("test_*.py")
        if re.search(r"environ.*\bPROVE\b|\bPROVING\b", path.read_text())
    ]
    assert len(reading) > 10
    assert [name for name in reading if not is_proved(name)] == []


def is_proved(name: str) -> bool:
    """Whether `make prove` runs this file: on PostgreSQL, if it is about that alone."""
    recipe = (TOP / "Makefile").read_text().partition("\nprove:\n")[2].partition("\n\n")[0]
    here, _, there = recipe.partition("DALHC_TEST_DATABASE=postgres")
    only_there = "pytest.mark.postgres" in (TOP / name).read_text()
    lines = re.findall(r"tests/[\w/.]+", there if only_there else here)
    return any(name == line or name.startswith(f"{line}/") for line in lines)


def test_every_result_is_kept_and_linked_with_its_machine_and_commit():
    linked = set(re.findall(r"\(\.\./tests/crash/results/([\w-]+\.json)\)", PAGE))
    assert len(linked) > 10
    assert linked <= {path.name for path in RESULTS.glob("*.json")}
    for name in linked:
        told = json.loads((RESULTS / name).read_text())
        assert f"{told['name']}.json" == name
        assert told["commit"] and told["machine"]["cores"] and told["found"]
