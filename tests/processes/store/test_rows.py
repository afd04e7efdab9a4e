"""A lock is a compare-and-set; nothing of it stays when its transaction is undone."""

from __future__ import annotations

import dataclasses

import pytest
from django.db import transaction

from processes.journal import errors
from processes.journal.record import ProcessHead
from processes.models import Process
from processes.store import rows
from tests.making import make_process, principal_actor, runtime_actor

pytestmark = pytest.mark.django_db


def test_a_row_has_every_field_of_the_head_and_of_the_host():
    made = make_process(question="Which?", metadata={"cycle_id": "c"})
    row, columns = made.row, made.columns
    assert row.head == ProcessHead.model_validate(Process.objects.get(id=made.id))
    host = dataclasses.asdict(row.host)
    assert host == {name: columns[name] for name in host}
    assert set(rows.HEAD) | {"schema_version"} == set(ProcessHead.model_fields)


def test_a_lock_takes_the_next_revision_and_gives_it_back_when_undone():
    made = make_process()
    with transaction.atomic():
        assert rows.lock(made.id, made.by).host.revision == 1
        transaction.set_rollback(True)
    assert made.row.host.revision == 0


@pytest.mark.parametrize("take", [rows.read, rows.lock])
def test_another_agents_process_does_not_exist(take):
    made = make_process()
    with pytest.raises(errors.ProcessNotFound):
        take(made.id, runtime_actor("other"))
    assert take(made.id, principal_actor()).head.id == made.id


@pytest.mark.parametrize("id", ["nothing", "", "a' OR '1'='1", "%"])
def test_an_unknown_id_does_not_exist(id):
    make_process()
    for take in (rows.read_any, rows.lock_unasked):
        with pytest.raises(errors.ProcessNotFound):
            take(id)


def test_an_if_match_of_another_revision_is_refused_and_says_the_present_one():
    made = make_process(steps=1)
    by = dataclasses.replace(made.by, expected=1)
    with pytest.raises(errors.PreconditionFailed) as refused, transaction.atomic():
        rows.lock(made.id, by)
    assert refused.value.current == {"state": "running", "revision": 2}
    assert rows.lock(made.id, dataclasses.replace(made.by, expected=2)).host.revision == 3


def test_a_lease_is_renewed_only_with_its_own_epoch_and_while_it_is_held():
    made = make_process(running=True)
    assert not rows.renew_lease(made.id, 0, 5)
    rows.update_host(made.row, lease_epoch=1, lease_owner="a", lease_until_ms=1)
    assert not rows.renew_lease(made.id, 2, 5)
    assert rows.renew_lease(made.id, 1, 5)
    assert made.row.host.lease_until_ms == 5
