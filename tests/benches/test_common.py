"""The harness keeps a figure only when all went well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches import common, floor


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def one() -> common.Sample:
    return common.sample([0.001, 0.002, 0.003], elapsed=1.0)


def test_trials_are_interleaved_and_kept_with_the_machine(results: Path, capsys):
    order: list[str] = []

    def case(name: str) -> common.Case:
        return lambda: (order.append(name), one())[1]

    assert common.bench("figure", {"a": case("a"), "b": case("b")}) == 0
    assert order == ["a", "b"] * 3
    kept = json.loads((results / "figure.json").read_text())
    assert kept["results"]["a"]["p50"] == 2.0
    assert {"cpu", "cores", "kernel", "python", "sqlite", "filesystem"} <= set(kept["machine"])
    assert "figure" in capsys.readouterr().out


def test_a_failing_case_keeps_nothing_and_ends_non_zero(results: Path):
    def broken() -> common.Sample:
        raise RuntimeError("no server")

    assert common.bench("figure", {"a": one, "b": broken}) == 1
    assert not results.exists()


def test_a_missed_target_keeps_nothing_and_ends_non_zero(results: Path):
    def targets(_: object) -> list[common.Target]:
        return [("fast enough", False)]

    assert common.bench("figure", {"a": one}, targets=targets) == 1
    assert not results.exists()


def test_two_trials_are_no_figure():
    with pytest.raises(ValueError, match="three"):
        common.interleaved({"a": one}, 2)


def test_a_failing_client_fails_the_loop():
    with pytest.raises(ZeroDivisionError):
        common.closed_loop(3, 0.2, lambda number: 1 // number)


def test_nothing_measured_is_an_error():
    with pytest.raises(RuntimeError, match="nothing"):
        common.sample([], 1.0)


def test_percentiles_are_of_the_ordered_numbers():
    numbers = [float(each) for each in range(100)]
    assert common.percentile(numbers, 50) == 50
    assert common.percentile(numbers, 99) == 99


def test_the_floor_keeps_every_append(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert floor.group_commit(4, 0.2) > 0
    assert floor.one_commit_each(2, 0.2).calls > 0
    assert not list(tmp_path.iterdir())
