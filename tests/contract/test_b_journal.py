"""Boundaries that must stay true, row by row (contract §5, B01-B06, B12)."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from dalhc.client import JournalFolder
from dalhc.clock import at
from processes import services
from processes.journal.commands import OpenProcess
from processes.journal.record import ProcessRecord
from processes.services.journals import journal_text
from tests.making import Made, append, decide, principal_actor, resume, runtime_actor, suspend

TOP = Path(__file__).parents[2]
CORE = sorted((TOP / "processes" / "journal").glob("*.py"))
PAGES = ("README.md", "API.md", "docs/dal.md", "docs/client.md")


def imported() -> set[str]:
    """Every module that the core imports."""
    names = set()
    for path in CORE:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module or "")
    return names


def test_B01_the_core_does_not_schedule():
    timers = {"sched", "asyncio", "threading", "queue", "signal", "time", "multiprocessing"}
    assert not {name.split(".")[0] for name in imported()} & timers


def test_B02_the_record_has_no_priority():
    assert not [name for name in ProcessRecord.model_fields if "priority" in name]


def test_B03_the_core_opens_no_artifact():
    text = "\n".join(path.read_text() for path in CORE if path.name != "folder.py")
    assert "open(" not in re.sub(r"os\.open\(part|os\.fdopen\(", "", text)


def test_B04_the_core_decides_no_approval_and_imports_nothing_that_does():
    assert not [name for name in imported() if name.startswith("processes.policy")]


def test_B05_the_core_knows_nothing_of_its_host():
    ours = {name for name in imported() if name.startswith(("processes", "dalhc"))}
    assert {name for name in ours if not name.startswith("processes.journal")} <= {
        "dalhc.folders",
        "dalhc.problems",
    }


@pytest.mark.django_db
def test_B06_a_record_from_here_equals_one_of_the_bare_core(tmp_path):
    """A hold, an approval, leases of attention and events leave no trace in the record."""
    bare, by = JournalFolder(tmp_path, environ={}), runtime_actor()
    with at(1_790_000_000_000):
        services.open_process(OpenProcess(objective="Tidy", id="a", start=True), by=by)
        made = Made("a")
        append(made, args="ls")
        held = suspend(made, "guard", question="Stop?")
        decide(held, "approve")
        resume(made)
        asked = suspend(made, question="Which?")
        decide(asked, answer="eu")
        resume(made)
        bare.open_process("Tidy", id="a")
        bare.resume_at("a")
        bare.append_step_at("a", "run", "ls")
        bare.suspend_at("a", "guard", "Stop?")
        bare.resume_at("a")
        bare.suspend_at("a", "ask_user", "Which?")
        bare.resume_at("a", "eu")
    ours = journal_text("a", principal_actor())
    assert ours.encode() == (tmp_path / "a.json").read_bytes()
    assert json.loads(ours)["state"] == "running"


@pytest.mark.parametrize("page", PAGES)
def test_B12_no_page_promises_that_work_is_safe_or_done_once(page):
    text = (TOP / page).read_text().lower()
    assert not re.findall(r"guarantee[sd]?\b|\bfoolproof\b|\brisk[- ]free\b", text)
    assert "exactly once" not in re.sub(
        r"not exactly[- ]once|no promise of exactly[- ]once", "", text
    )
