"""The library in use is one that does not lose rows."""

from __future__ import annotations

import pytest

from dalhc.db.sqlite import checks, library


@pytest.mark.parametrize("version", [(3, 51, 3), (3, 53, 4), (4, 0, 0), (3, 44, 6), (3, 50, 7)])
def test_a_fixed_library_is_safe(version: tuple[int, ...]):
    assert library.is_safe(version)


@pytest.mark.parametrize(
    "version", [(3, 7, 0), (3, 40, 1), (3, 44, 5), (3, 45, 0), (3, 50, 6), (3, 51, 2)]
)
def test_a_library_with_the_bug_is_not(version: tuple[int, ...]):
    assert not library.is_safe(version)


def test_a_missing_module_is_passed_over():
    assert library.choose(["no_such_module", "sqlite3.dbapi2"]).__name__ == "sqlite3.dbapi2"


def test_the_safe_library_wins_over_the_first():
    chosen = library.choose()
    found = [module for name in library.CANDIDATES if (module := library._imported(name))]
    if any(library.is_safe(module.sqlite_version_info) for module in found):
        assert library.is_safe(chosen.sqlite_version_info)
    else:
        assert chosen is found[0]


def test_the_report_names_module_and_version():
    report = library.report()
    assert report["module"] in {"sqlite3", "pysqlite3"}
    assert report["version"] == library.sqlite.sqlite_version


def test_an_unsafe_library_is_said_by_the_system_check(monkeypatch):
    assert checks.library_is_safe() == [] or not library.report()["safe"]
    monkeypatch.setattr(library.sqlite, "sqlite_version_info", (3, 40, 1))
    [warning] = checks.library_is_safe()
    assert warning.id == "dalhc.W001"


def test_a_connection_knows_its_limits():
    connection = library.sqlite.connect(":memory:", factory=library.Connection)
    assert connection.getlimit(9) >= 32_766
    assert connection.getlimit(2) >= 2_000
    connection.close()
