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
    assert {name.split("/")[1] for name in named} == {"crash"}
    assert "tests/crash" in (TOP / "Makefile").read_text()


def test_every_result_is_kept_and_linked_with_its_machine_and_commit():
    linked = set(re.findall(r"\(\.\./tests/crash/results/([\w-]+\.json)\)", PAGE))
    assert len(linked) > 10
    assert linked <= {path.name for path in RESULTS.glob("*.json")}
    for name in linked:
        told = json.loads((RESULTS / name).read_text())
        assert f"{told['name']}.json" == name
        assert told["commit"] and told["machine"]["cores"] and told["found"]
