"""The demo's sleeping agents, as a first visitor finds them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from descriptors import services
from descriptors.management.demo import SLEEPERS
from descriptors.models import SleeperRow
from processes import services as processes
from processes.journal.commands import Choice
from processes.management.demo import setting
from processes.models import Suspension


@pytest.fixture
def principal(transactional_db, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    setting.make("http://127.0.0.1:1")
    found = Client()
    found.force_login(User.objects.get(username="principal"))
    return found


def test_a_first_visitor_finds_sleepers_one_of_them_overdue(principal):
    page = principal.get("/sleepers/").content.decode()
    assert all(f"/sleepers/{one.id}/" in page for one in SLEEPERS)
    assert "6 wakes by timer" in page
    assert "1 overdue" in page and "due for 26m" in page
    assert services.check() == []


def test_an_answer_wakes_the_demos_agent_that_asked(principal):
    asker = SleeperRow.objects.get(session_id="press-translation.4410")
    assert asker.due_at_ms is None
    stop = Suspension.objects.of(asker.session_id).open().get()
    choice = Choice(
        action="answer",
        answer="execução durável",
        review_digest=processes.review_digest(stop),
    )
    user = User.objects.get(username="principal")
    processes.decide(stop.id, choice, by=processes.person(user))
    asker.refresh_from_db()
    assert asker.due_at_ms is not None
