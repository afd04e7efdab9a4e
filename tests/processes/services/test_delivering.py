"""Several servers empty one outbox, on either database (docs/notices.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from dalhc.db import writer
from processes.models import Notice
from processes.services import delivering
from tests.making import make_process
from tests.processes.services.test_notices import add, receiver
from tests.processes.services.test_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)
NOTICES, SERVERS = 20, 4


@pytest.fixture(autouse=True)
def _server(settings) -> Iterator[None]:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"webhook_hosts": ("127.0.0.1",), "webhook_private": True}
    )
    writer.start()
    yield
    writer.stop()


def test_each_notice_is_sent_by_one_of_them():
    with receiver() as (url, kind):
        add(url)
        made = [make_process(question=f"Which, {n}?") for n in range(NOTICES)]
        at_once([delivering.sweep] * SERVERS)
    told = sorted(json.loads(body)["data"]["process_id"] for _, _, body in kind.got)
    assert told == sorted(one.id for one in made)
    assert {one.status for one in Notice.objects.all()} == {"sent"}
    assert {one.tries for one in Notice.objects.all()} == {1}
