"""What every test stands on: data in a folder of its own, and Django set up to use it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator

import django
import pytest
from hypothesis import settings as hypothesis_settings

from dalhc.db import postgres
from scripts import chromium as browsers
from tests import databases, programs
from tests.serving import Served

_KEPT = {"DALHC_CHROMIUM", "DALHC_PYTHON", "DALHC_TEST_DATABASE"}
_HOME = tempfile.mkdtemp(prefix="dalhc-test-")

for _name in [name for name in os.environ if name.startswith("DALHC_") and name not in _KEPT]:
    del os.environ[_name]
os.environ.pop("DAL_AGENT_RUNTIME_PERSIST", None)
os.environ.update(
    DALHC_HOME=_HOME,
    DJANGO_SETTINGS_MODULE="dalhc.settings",
)
databases.choose()
# Threads of a test end without giving their connection back, and a server's pool is small.
postgres.POOL["max_size"] = 80
django.setup()

# A test that asks for one of these touches a database; `make test` runs it on both.
_DATABASE = {"db", "transactional_db", "live_server", "served", "live", "server"}
_FOLDERS = {"/tests/browser/": "browser", "/tests/dalhc/db/sqlite/": "sqlite"}

# A busy machine is no defect, and a red build must be red again when it is run again.
hypothesis_settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis_settings.register_profile("here", deadline=None)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_configure() -> None:
    if os.environ.get("CI") and programs.missing():
        raise pytest.UsageError(" ".join(programs.not_tried()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in programs.not_tried():
        terminalreporter.write_line(line, yellow=True)


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's path. No skip: a run without a browser has not tested the pages."""
    path = browsers.find()
    assert path, browsers.MISSING
    return path


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A real server in a process of its own, empty but for keys."""
    server = Served(tmp_path_factory.mktemp("served"))
    yield server
    server.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, and say how many, what is not about this run's database."""
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        if _DATABASE & names or item.get_closest_marker("django_db"):
            item.add_marker("database")
        for folder, mark in _FOLDERS.items():
            if folder in item.path.as_posix():
                item.add_marker(mark)
    here = [item for item in items if _is_about(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _is_about(item)])
    items[:] = here


def _is_about(item: pytest.Item) -> bool:
    """On SQLite everything runs but what needs PostgreSQL; on PostgreSQL, what touches a
    database.
    """
    if any(set(mark.args) & set(programs.missing()) for mark in item.iter_markers("needs")):
        return False
    marks = {mark.name for mark in item.iter_markers()}
    if not databases.ON_POSTGRES:
        return "postgres" not in marks
    return bool(marks & {"database", "postgres"}) and not marks & {"sqlite", "browser"}
