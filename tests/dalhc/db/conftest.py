"""The writer with its thread and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dalhc.db import writer
from tests.dalhc.db.writing import run


@pytest.fixture
def table() -> Iterator[None]:
    run("CREATE TABLE written (n INTEGER UNIQUE)")
    yield
    run("DROP TABLE written")


@pytest.fixture
def thread() -> Iterator[None]:
    writer.start()
    yield
    writer.stop()


@pytest.fixture(params=["inline", "thread"])
def each_mode(request: pytest.FixtureRequest, table: None) -> Iterator[str]:
    if request.param == "thread":
        writer.start()
    yield request.param
    writer.stop()
