"""Where a log stands, as its process says it: the same as the log itself, after every verb."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from descriptors import services
from processes.journal.commands import Fail, TakeLease
from processes.models import Process
from processes.services import beside
from processes.services import fail as fail_process
from processes.services import lease as take_lease
from tests.descriptors import making
from tests.making import Made, append, decide, make_process, resume, suspend

pytestmark = pytest.mark.django_db


def stands(made: Made) -> int:
    """Both ways to know are one."""
    row = made.row
    assert row.host.journal_seq == beside.journal_seq(made.id)
    return services.source(made.id, by=made.by).seq


def fail(made: Made) -> None:
    fail_process(made.id, Fail(error="no letters"), by=made.by)


def test_each_word_of_the_journal_moves_it():
    made = make_process(running=True)
    moves: list[Callable[[], object]] = [
        lambda: append(made),
        lambda: suspend(made, question="Which region?"),
        lambda: (
            decide(Made(made.id, made.row.host.suspension_id or ""), answer="eu"),
            resume(made),
        ),
        lambda: fail(made),
    ]
    for move in moves:
        before = stands(made)
        move()
        assert stands(made) > before


def test_what_is_said_beside_it_does_not():
    made = make_process(running=True)
    append(made)
    place = stands(made)
    making.sleep(made, making.timer(1))
    epoch = making.one().row.host.lease_epoch
    assert stands(made) == place
    making.commit(made, epoch, making.on("explicit", "go"))
    making.signal("go", kind="explicit")
    take_lease(made.id, TakeLease(owner="bench", ttl_s=9), by=made.by)
    assert made.row.host.revision > place
    assert stands(made) == place


def test_a_process_from_before_is_asked_its_log():
    made = make_process(running=True, steps=2)
    Process.objects.filter(id=made.id).update(journal_seq=None)
    assert services.source(made.id, by=made.by).seq == beside.journal_seq(made.id) == 3
    append(made, args={"n": "another"})
    assert stands(made) == 4


def test_a_process_that_says_otherwise_than_its_log_is_found():
    made = making.asleep(making.timer(making.FAR))
    assert services.check() == []
    Process.objects.filter(id=made.id).update(journal_seq=7)
    assert "its process says 7" in " ".join(fault.what for fault in services.check())


def test_a_claim_reads_no_more_of_the_log_the_longer_it_is():
    """Only by its sequence number, and never from its end."""
    making.due()
    with CaptureQueriesContext(connection) as asked:
        making.one()
    events = [one["sql"] for one in asked if "FROM processes_event" in one["sql"]]
    assert events
    assert all("seq = " in one for one in events)
