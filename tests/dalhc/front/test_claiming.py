"""A claim that waits is the timer of what it waits for, also of a decision kept back."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from dalhc.db import writer
from dalhc.environment import Environment
from processes import services
from processes.services.keys import forget
from tests import loops
from tests.claims import waiting_claim
from tests.descriptors import making
from tests.descriptors.making import on
from tests.making import AGENT, Made, admin_actor, decide, make_process, suspend

pytestmark = pytest.mark.django_db(transaction=True)
DELAY_S = 1


@pytest.fixture
def key(settings) -> Iterator[str]:
    settings.ENVIRONMENT = Environment(DALHC_DELIVERY_DELAY=str(DELAY_S))
    forget()
    writer.start()
    yield services.issue_key(AGENT, agent=AGENT, by=admin_actor())[1]
    writer.stop()


def test_who_waits_is_given_the_agent_when_its_decision_may_be_handed_over(key):
    made = suspend(make_process(running=True), question="Which?")
    making.sleep(made, on("human", made.suspension_id))
    decided, given, wakes = loops.run(waited(key, made))
    assert [one["descriptor"]["session_id"] for one in wakes] == [made.id]
    assert (wakes[0]["decided"], wakes[0]["next_action"]) == (True, "continue")
    assert given - decided >= DELAY_S


async def waited(key: str, made: Made) -> tuple[float, float, Any]:
    """When a person decided, when the waiter was answered, and what it got."""
    async with waiting_claim(key) as waiting:
        decided = time.time()
        await asyncio.to_thread(answer, made)
        reply = await asyncio.wait_for(waiting, 20)
        given = time.time()
    return decided, given, json.loads(reply.body)["results"]


def answer(made: Made) -> None:
    try:
        decide(made, answer="eu")
    finally:
        connection.close()
