"""A Python is believed when it answers, not when it is listed."""

from __future__ import annotations

import sys

import pytest

from scripts import pythons


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Programs that say what a Python would; only these are found."""
    monkeypatch.delenv("DALHC_PYTHON", raising=False)
    monkeypatch.setattr(pythons, "candidates", lambda: sorted(map(str, tmp_path.iterdir())))

    def put(name: str, *answer: str, status: int = 0) -> None:
        lines = "\n".join(f"echo '{line}'" for line in answer)
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\nexit {status}\n")
        (tmp_path / name).chmod(0o755)

    return put


def test_a_shim_for_a_version_that_is_not_there_is_passed_over(places):
    places("a-shim", status=127)
    places("b-old", "CPython", "3.11.9", "/b", "")
    places("c-other", "PyPy", "3.12.4", "/c", "")
    places("d-good", "CPython", "3.12.1", "/d", "")
    assert pythons.find() == pythons.Python("/d", "3.12.1", "", ())


def test_one_that_cannot_make_environments_gives_way_to_one_that_can(places):
    places("a-bare", "CPython", "3.13.5", "/a", "", "ensurepip")
    places("b-good", "CPython", "3.12.1", "/b", "")
    assert pythons.find().path == "/b"


def test_when_the_only_one_cannot_make_environments_the_package_is_named(places):
    places("a-bare", "CPython", "3.13.5", "/a", "", "ensurepip")
    with pytest.raises(pythons.NoPython, match="apt install python3-venv"):
        pythons.find()


def test_one_built_without_ssl_is_said_so(places):
    places("a-bare", "CPython", "3.13.5", "/a", "", "_ssl", "_sqlite3")
    with pytest.raises(pythons.NoPython, match="built without ssl, sqlite3"):
        pythons.find()


def test_none_is_one_sentence_for_debian_and_macos(places):
    places("a-old", "CPython", "3.8.18", "/a", "")
    with pytest.raises(pythons.NoPython) as refusal:
        pythons.find()
    said = str(refusal.value)
    assert "apt install" in said and "brew install" in said
    assert "\n" not in said


def test_this_one_is_found_by_its_own_word():
    python = pythons.ask(sys.executable)
    assert python
    assert python.is_new_enough
    assert python.pip.endswith(".whl")
    assert python.lacks == ()


def test_versions_are_compared_as_numbers():
    assert not pythons.Python("", "3.9.1", "", ()).is_new_enough
    assert pythons.Python("", "3.14.0rc2", "", ()).is_new_enough
    assert pythons.Python("", "4.0.0", "", ()).is_new_enough


def test_the_one_in_dalhc_python_wins_and_nothing_else_is_tried(places, tmp_path, monkeypatch):
    places("a-good", "CPython", "3.13.0", "/a", "")
    places("mine", "CPython", "3.12.1", "/mine", "")
    monkeypatch.setenv("DALHC_PYTHON", str(tmp_path / "mine"))
    assert pythons.find().path == "/mine"
    monkeypatch.setenv("DALHC_PYTHON", "/no/such/python")
    with pytest.raises(pythons.NoPython, match="DALHC_PYTHON is /no/such/python"):
        pythons.find()


def test_the_path_is_searched_then_pyenv_newest_first(tmp_path, monkeypatch):
    def program(*parts: str) -> str:
        path = tmp_path.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o755)
        return str(path)

    on_path = program("bin", "python3.12")
    newer = program("pyenv", "versions", "3.13.0", "bin", "python3")
    older = program("pyenv", "versions", "3.9.18", "bin", "python3")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    found = [path for path in pythons.candidates() if path.startswith(str(tmp_path))]
    assert found == [on_path, newer, older]
