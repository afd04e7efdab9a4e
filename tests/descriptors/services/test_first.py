from __future__ import annotations

import pytest

from dalhc import clock
from descriptors import services
from tests.descriptors import making
from tests.making import append, decide, make_process, suspend

pytestmark = pytest.mark.django_db


def test_all():
    made = make_process(running=True)
    making.sleep(made, making.timer(5), making.on("wait-provider", "mail/1"))
    wake = making.one()
    assert wake.row.head.id == made.id
    epoch = wake.row.host.lease_epoch
    assert not making.claim().wakes
    made2 = suspend(made, question="?", lease_epoch=epoch)
    making.commit(made, epoch, making.on("human", made2.suspension_id))
    assert not making.claim().wakes
    decide(made2, answer="yes")
    w = making.one()
    assert w.sleeper.settled.kind == "human"
    assert services.check() == []
    n = services.rebuild()
    assert n == 1 and services.check() == []
    making.give_back(made, w.row.host.lease_epoch)
    w = making.one()
    assert services.check() == []
    print(made.kinds)
