"""What was changed in another process rings here what it rang there."""

from __future__ import annotations

import pytest

from dalhc import bell
from descriptors.services import wakes_of
from processes import services
from processes.journal.commands import Suspend
from processes.models import Event
from processes.services import asking, elsewhere, keys, outbox
from processes.store import changes
from tests.descriptors import making
from tests.making import append, make_process

pytestmark = pytest.mark.django_db


def newest() -> int:
    return int(Event.objects.order_by("-id").values_list("id", flat=True)[0])


def test_a_question_rings_for_its_process_its_agent_the_inbox_and_every_keeper():
    made = make_process(running=True)
    seen = newest()
    asked = {"reason": "ask_user", "question": "Which?"}
    services.suspend(made.id, Suspend.model_validate(asked), by=made.by)
    now, topics = elsewhere.since(seen)
    assert now == newest()
    assert {
        made.id, wakes_of(made.agent), bell.INBOX, asking.HOUSEKEEPING, outbox.TOPIC, keys.KEYS,
    } == set(topics or ())  # fmt: skip


def test_a_signal_rings_for_the_agent_that_slept_on_it():
    made = making.asleep(making.on("wait-provider", "letterbox"))
    seen = newest()
    making.signal("letterbox")
    assert wakes_of(made.agent) in (elsewhere.since(seen)[1] or ())


def test_steps_and_what_has_no_event_ring_for_nobody_but_keys_are_read_anew():
    made = make_process(running=True)
    seen = newest()
    append(made)
    assert elsewhere.since(seen) == (newest(), [keys.KEYS])
    assert elsewhere.since(newest()) == (newest(), [keys.KEYS])


def test_too_much_to_name_is_everything(monkeypatch):
    monkeypatch.setattr(changes, "MOST", 1)
    make_process(running=True)
    make_process(running=True)
    assert elsewhere.since(0) == (newest(), None)
