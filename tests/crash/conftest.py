"""A migrated database to start from."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.test_kill import run


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
