"""The note in .venv is believed only for this place, these locks and this Python."""

from __future__ import annotations

import pytest

from scripts import stamp


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A folder whose set-up for `run` has just been finished."""
    monkeypatch.delenv("DALHC_PYTHON", raising=False)
    for name, path in (("VENV", ""), ("PYTHON", "bin/python"), ("NOTE", "installed")):
        monkeypatch.setattr(stamp, name, str(tmp_path / ".venv" / path).rstrip("/"))
    monkeypatch.setattr(stamp, "ROOT", str(tmp_path))
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").touch()
    (tmp_path / "requirements").mkdir()
    for name in ("uv", "run", "dev"):
        (tmp_path / f"requirements/{name}.txt").write_text(name)
    stamp.write("run", "/usr/bin/python3.12")
    return tmp_path


def test_a_finished_set_up_fits(made):
    assert stamp.fits("run")
    assert not stamp.fits("dev")


def test_one_for_tests_fits_both(made):
    stamp.write("dev", "/usr/bin/python3.12")
    assert stamp.fits("run")
    assert stamp.fits("dev")


@pytest.mark.parametrize("name", ["uv", "run"])
def test_a_changed_lock_does_not_fit_but_can_be_built_upon(made, name):
    (made / f"requirements/{name}.txt").write_text("changed")
    assert not stamp.fits("run")
    assert stamp.is_whole()


def test_one_that_was_moved_is_made_anew(made, monkeypatch):
    monkeypatch.setattr(stamp, "VENV", "/elsewhere/.venv")
    assert not stamp.is_whole()


def test_one_that_lost_its_python_is_made_anew(made):
    (made / ".venv/bin/python").unlink()
    assert not stamp.is_whole()


def test_one_made_with_another_python_than_the_named_is_made_anew(made, monkeypatch):
    monkeypatch.setenv("DALHC_PYTHON", "/usr/bin/python3.12")
    assert stamp.fits("run")
    monkeypatch.setenv("DALHC_PYTHON", "python3.13")
    assert not stamp.is_whole()
    stamp.write("run", "/opt/python3.13")
    assert stamp.fits("run")


def test_a_set_up_under_way_counts_as_half_made(made):
    stamp.remove()
    stamp.remove()
    assert not stamp.is_whole()
