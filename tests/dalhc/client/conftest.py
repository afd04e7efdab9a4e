"""What the tests of the client stand on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group, User
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from dalhc.wsgi import application
from processes import services
from tests.dalhc.client.desk import Desk
from tests.dalhc.client.live import LiveServer

ADMIN = services.Actor("system", "tests", scopes=frozenset({"admin", "read"}))


@pytest.fixture
def _one_connection(db: None) -> Iterator[None]:
    """A request would close the connection that holds the test's own transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def desk(_one_connection: None) -> Desk:
    """One runtime of the agent `tidier`, one principal."""
    mia = User.objects.create_user("mia")
    mia.groups.add(Group.objects.get_or_create(name="principals")[0])
    _, runtime = services.issue_key("tidier", agent="tidier", by=ADMIN)
    _, person = services.issue_key("mia", user=mia, scopes=("read", "decide"), by=ADMIN)
    return Desk(application, runtime, person)


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A real server in a process of its own, with the demo's keys."""
    server = LiveServer(tmp_path_factory.mktemp("live"))
    yield server
    server.close()
