"""A verb is one write: what wakes is told after it, what settles is settled within it."""

from __future__ import annotations

from typing import Any

import pytest

from dalhc import bell
from processes import services
from processes.journal import errors
from processes.journal.commands import Complete, Stop
from processes.models import Decision, Event
from processes.services import Unchanged, settled
from processes.services.verb import Verb
from tests.making import append, decide, make_process, principal_actor, resume, suspend

pytestmark = pytest.mark.django_db


@Verb
def rename(process_id: str, *, same: bool) -> str:
    """Give it another name."""
    Event.objects.create(
        process_id=process_id,
        seq=9,
        kind="x",
        actor="x",
        at_ms=1,
        data="{}",
        prev_hash="",
        hash="",
    )
    if same:
        raise Unchanged("as it was")
    return "changed"


def test_a_verb_without_a_change_replies_and_leaves_nothing():
    made = make_process()
    assert rename(made.id, same=True) == "as it was"
    assert made.kinds == ["open"]
    assert rename(made.id, same=False) == "changed"
    assert made.kinds == ["open", "x"]


def test_a_submitted_verb_gives_its_future():
    made = make_process()
    with pytest.raises(Unchanged) as same:
        rename.submit(made.id, same=True).result()
    assert same.value.result == "as it was"
    assert rename.submit(made.id, same=False).result() == "changed"


def test_a_verb_keeps_its_name_and_words():
    assert (rename.__name__, rename.__doc__) == ("rename", "Give it another name.")


def rings(topic: str, verb: Any) -> bool:
    seen = bell.mark(topic)
    verb()
    return bell.wait(topic, seen, 0)


def test_what_people_and_runtimes_wait_for_rings_and_a_step_does_not():
    made = make_process(running=True)
    asked = []
    assert not rings(made.id, lambda: append(made))
    assert rings("inbox", lambda: asked.append(suspend(made, question="Which?")))
    [made] = asked
    for topic in (made.id, "inbox"):
        assert rings(topic, lambda: decide(made, answer="eu"))
        assert rings(
            topic, lambda: services.take_back(made.suspension_id, by=principal_actor())
        )
    decide(made, answer="eu")
    assert rings("inbox", lambda: resume(made))
    assert rings("inbox", lambda: services.complete(made.id, Complete(), by=made.by))


def test_a_refused_verb_rings_nothing():
    made = make_process(question="Which?")

    def refused() -> None:
        with pytest.raises(errors.ActionNotOffered):
            decide(made, "approve")

    assert not rings(made.id, refused)
    assert not rings("inbox", refused)


@pytest.fixture
def heard():
    """What the signal said, and whether it failed its sender."""
    told: list[tuple[str, str | None]] = []

    def receive(sender: object, kind: str, suspension_id: str | None, **_: object) -> None:
        told.append((kind, suspension_id))
        if receive.fails:
            raise OSError("the other app could not settle")

    receive.fails = False
    settled.connect(receive)
    yield told, receive
    settled.disconnect(receive)


def test_each_settling_verb_says_what_it_settled(heard):
    told, _ = heard
    made = make_process(question="Which?")
    decide(made, answer="eu")
    services.take_back(made.suspension_id, by=principal_actor())
    decide(made, "stop", note="no")
    services.stop(make_process().id, Stop(note="no"), by=principal_actor())
    assert told == [
        ("decided", made.suspension_id), ("taken_back", made.suspension_id), ("finished", None),
        ("decided", made.suspension_id), ("finished", None),
    ]  # fmt: skip


def test_what_cannot_be_settled_is_not_decided(heard):
    """Settling is part of the decision's transaction, so a failure undoes both."""
    _, receive = heard
    made = make_process(question="Which?")
    before = made.columns
    receive.fails = True
    with pytest.raises(OSError, match="settle"):
        decide(made, answer="eu")
    assert made.columns == before
    assert not Decision.objects.exists()
    assert made.stop.status == "open"
