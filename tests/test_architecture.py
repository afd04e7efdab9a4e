"""What holds for the whole tree: where imports point, how long a file is, what is not in it."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dalhc.http.status import STATUS
from dalhc.problems import Problem

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("dalhc", "processes", "descriptors")
FOLDERS = (*PACKAGES, "benches", "docs", "examples", "requirements", "scripts", "static")
CODE = {".py", ".html", ".css", ".js"}
TEXT = CODE | {".md", ".toml", ".txt", ".in", ".sh", ".svg", ".json", ".csv", ".yaml", ""}
LONGEST = 300

# Each has a bracket in a word, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a path of one machine": r"/wor[k]/(main|shared)|/roo[t]/|/opt/(whee[l]s|pyp[i])",
    "a package registry's host": r"(pyp[i]|pythonhoste[d]|npmj[s]|debi[a]n)\.(org|com)",
    "a word on how it was made": r"(?i)\b(claud[e]|anthropi[c]|opena[i]|chatgp[t]|copilo[t])\b"
    r"|\ba[i][- ]generated|\bas an a[i]\b|\bvib[e][- ]cod",
    "an unfinished place": r"\b(TOD[O]|FIXM[E]|XX[X])\b",
    "a skipped test": r"mark\.ski[p]|pytest\.ski[p]|importorski[p]|mark\.xfai[l]",
}


def files(kinds: set[str]) -> Iterator[Path]:
    """Every file of ours, also those in no folder of the list."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and _counts(path, kinds))
    for folder in (*FOLDERS, "tests", "templates", ".ci"):
        yield from (path for path in (ROOT / folder).rglob("*") if _counts(path, kinds))


def problems() -> list[type[Problem]]:
    """Every problem of the product, found by loading all of it."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    return sorted(_below(Problem), key=lambda problem: problem.code)


def test_imports_point_down():
    ran = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_no_file_is_long():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in files(CODE)
        if "migrations" not in path.parts
    }
    assert lengths
    assert {name: count for name, count in lengths.items() if count > LONGEST} == {}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what):
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in files(TEXT)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]
    assert found == []


def test_every_problem_has_a_status_of_its_own():
    codes = [problem.code for problem in problems()]
    assert len(codes) > 30
    assert [code for code in codes if code not in STATUS] == []
    assert sorted({code for code in codes if codes.count(code) > 1}) == []


def test_every_status_belongs_to_a_problem():
    assert STATUS.keys() - {problem.code for problem in [Problem, *problems()]} == set()


def test_every_problem_is_a_sentence():
    titles = {problem.code: problem.__dict__.get("__doc__") or "" for problem in problems()}
    assert [code for code, title in titles.items() if not title.strip()] == []


def test_every_problem_is_described_to_those_who_meet_it():
    """In API.md as a heading or a row of a table, by its code."""
    text = (ROOT / "API.md").read_text()
    described = set(re.findall(r"^(?:#+|\|).*?`(\w+)`", text, re.MULTILINE))
    assert [problem.code for problem in problems() if problem.code not in described] == []


def test_the_tests_environment_holds_all_that_the_server_needs():
    assert _pins("run") <= _pins("dev")


def test_every_locked_package_has_a_hash_and_no_address():
    for name in ("uv", "run", "dev"):
        text = (ROOT / f"requirements/{name}.txt").read_text()
        assert "://" not in text
        assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", text))


def _counts(path: Path, kinds: set[str]) -> bool:
    """Hidden files are each machine's own; the lock of the set-up is one."""
    return path.is_file() and path.suffix in kinds and not path.name.startswith(".")


def _below(kind: type[Problem]) -> Iterator[type[Problem]]:
    for child in kind.__subclasses__():
        if child.__module__.split(".")[0] in PACKAGES:
            yield child
        yield from _below(child)


def _pins(name: str) -> set[str]:
    text = (ROOT / f"requirements/{name}.txt").read_text()
    return set(re.findall(r"^\S+==\S+", text, re.MULTILINE))
