"""A migrated database to start from, and what watches and ends programs at their calls."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.test_kill import run
from tests.crash.tracing import MISSING


@pytest.fixture(scope="session")
def strace() -> None:
    """Whoever runs the tests where there is none is told at the end what was not tried;
    `.ci/run` takes no such run.
    """
    if not shutil.which("strace"):
        pytest.skip(MISSING)


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Each call gives a folder of data of its own, with an empty database that nobody has
    open.
    """
    first = tmp_path_factory.mktemp("homes") / "first"
    first.mkdir(mode=0o700)
    run(first, "manage.py", "migrate", "--verbosity=0")
    made = 0

    def make() -> Path:
        nonlocal made
        made += 1
        return Path(shutil.copytree(first, first.with_name(f"home-{made}")))

    return make
