"""One id is one file, also on a disk that ignores case."""

from __future__ import annotations

import pytest

from processes.store import opening
from tests.making import make_process

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("wanted", ["Run-1", "run-1", "RUN-1"])
def test_an_id_is_found_in_any_case(wanted):
    make_process(id="Run-1")
    assert opening.find(wanted).id == "Run-1"


@pytest.mark.parametrize("wanted", ["run-2", "run_1", "run%", "run-1 "])
def test_another_id_is_not_found(wanted):
    make_process(id="run-1")
    assert opening.find(wanted) is None


def test_the_first_event_is_number_nought():
    made = make_process()
    assert (made.row.host.revision, made.kinds) == (0, ["open"])
