"""The API as a runtime and as a person's program use it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from processes import services
from processes.services.keys import forget
from tests.making import AGENT, admin_actor

API = "/api/v1"


class Api:
    """One key's view of the API; `code` asserts a refusal and returns its stable code."""

    def __init__(self, key: str) -> None:
        self._client = Client(raise_request_exception=True)
        self._headers = {"Authorization": f"Bearer {key}"}

    def get(self, path: str, status: int = 200, **query: str) -> Any:
        reply = self._client.get(f"{API}{path}", query, headers=self._headers)
        assert reply.status_code == status, reply.content
        return reply.json()

    def post(self, path: str, body: Any, status: int = 200) -> Any:
        reply = self._client.post(
            f"{API}{path}", body, content_type="application/json", headers=self._headers
        )
        assert reply.status_code == status, reply.content
        return reply.json()

    def code(self, status: int, path: str, body: Any) -> str:
        """The code of a refused POST."""
        problem = self.post(path, body, status)
        assert problem["status"] == status
        return str(problem["code"])


@pytest.fixture
def runtime(db: None) -> Api:
    """A key of the agent that `making` makes processes for."""
    forget()
    return Api(services.issue_key(AGENT, agent=AGENT, by=admin_actor())[1])


@pytest.fixture
def person(db: None) -> Api:
    """The key of a principal called mia."""
    forget()
    mia = User.objects.create_user("mia")
    mia.groups.add(Group.objects.get_or_create(name="principals")[0])
    _, key = services.issue_key("mia", user=mia, scopes=("read", "decide"), by=admin_actor())
    return Api(key)
