"""Who calls the API in these tests."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from processes import services
from tests.processes.api.callers import Caller

ADMIN = services.Actor("system", "tests", scopes=frozenset({"admin", "read"}))


def agent_key(agent: str, **fields: object) -> str:
    return services.issue_key(agent, agent=agent, by=ADMIN, **fields)[1]  # type: ignore[arg-type]


def person_key(name: str, group: str = "", scopes: tuple[str, ...] = ("read", "decide")) -> str:
    user = User.objects.create_user(name)
    if group:
        user.groups.add(Group.objects.get_or_create(name=group)[0])
    return services.issue_key(name, user=user, scopes=scopes, by=ADMIN)[1]


@pytest.fixture
def runtime(db: None) -> Caller:
    """The agent `tidier`."""
    return Caller(agent_key("tidier"))


@pytest.fixture
def other(db: None) -> Caller:
    """Another agent, `painter`."""
    return Caller(agent_key("painter"))


@pytest.fixture
def mia(db: None) -> Caller:
    """A principal's program."""
    return Caller(person_key("mia", "principals"))


@pytest.fixture
def ben(db: None) -> Caller:
    """Another principal's."""
    return Caller(person_key("ben", "principals"))


@pytest.fixture
def rob(db: None) -> Caller:
    """A reviewer's; its key asks for more than a reviewer may."""
    return Caller(person_key("rob", "reviewers"))


@pytest.fixture
def ada(db: None) -> Caller:
    """An admin's, who is no principal."""
    key = person_key("ada", scopes=("read", "decide", "admin"))
    User.objects.filter(username="ada").update(is_superuser=True)
    return Caller(key)


@pytest.fixture
def runs(runtime: Caller) -> Caller:
    """A running process of this id, an ended one and one that was only opened."""
    runtime.open(id="runs")
    runtime.open(id="ended")
    runtime.post("processes/ended/complete")
    runtime.open(id="opened", start=False)
    return runtime
