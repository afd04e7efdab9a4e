"""Which resumes are held, and who may decide: one place, every door."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from processes import policy, services
from processes.journal import commands, errors
from processes.journal.commands import Stop
from processes.models import Event
from processes.services import SYSTEM, Actor, Forbidden
from tests.making import (
    Made,
    admin_actor,
    append,
    choice,
    decide,
    make_process,
    principal_actor,
    resume,
    reviewer_actor,
    runtime_actor,
)

pytestmark = pytest.mark.django_db
PROPOSED = {"tool": "rm", "args": {"path": "x"}}


@pytest.mark.parametrize(
    ("reason", "hold", "held"),
    [
        ("guard", False, True), ("unverified", False, True), ("guard", True, True),
        ("step_budget", False, False), ("wall_clock", False, False),
        ("step_budget", True, True), ("wall_clock", True, True),
        ("ask_user", False, False), ("ask_user", True, False),
    ],
)  # fmt: skip
def test_a_runtime_may_ask_for_more_holding_never_for_less(reason, hold, held):
    assert policy.is_held(reason, hold) is held
    question = {"question": "Which?"} if reason == "ask_user" else {}
    made = make_process(reason=reason, hold=hold, **question)
    assert made.row.host.held is held
    if held:
        with pytest.raises(errors.ApprovalRequired) as refused:
            resume(made)
        assert refused.value.current == {"suspension": made.suspension_id}


def test_the_held_reasons_are_the_hosts_to_set(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"held_reasons": ("wall_clock",)}
    )
    assert resume(make_process(reason="guard")).result == "continue"
    with pytest.raises(errors.ApprovalRequired):
        resume(make_process(reason="wall_clock"))


def test_a_hold_that_stands_outlasts_a_milder_policy(settings):
    made = make_process(reason="guard")
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"held_reasons": ()})
    with pytest.raises(errors.ApprovalRequired):
        resume(made)


@pytest.mark.parametrize(
    ("suspension", "actions"),
    [
        ({"question": "Which?"}, ("answer", "decline", "stop")),
        ({"reason": "guard"}, ("approve", "stop")),
        ({"reason": "unverified", "proposed_action": PROPOSED}, ("approve", "edit", "deny",
            "answer", "stop")),
        ({"reason": "step_budget"}, ("approve", "stop")),
    ],
)  # fmt: skip
def test_what_can_be_decided_depends_on_the_stop(suspension, actions):
    made = make_process(**suspension)
    assert services.allowed_actions(made.stop) == actions
    content = {"answer": {"answer": "eu"}, "edit": {"args": {}}, "approve": {}}
    for action in ("answer", "decline", "approve", "edit", "deny", "stop"):
        if action not in actions:
            with pytest.raises(errors.ActionNotOffered) as refused:
                decide(made, action, **content.get(action, {"note": "no"}))
            assert refused.value.detail == f"Possible here: {', '.join(actions)}."


def test_B97_an_answer_is_one_of_the_options_to_the_letter():
    made = make_process(question="Which?", options=["eu", "us "])
    for answer in ("EU", "us", " eu", "other"):
        with pytest.raises(errors.AnswerNotOffered):
            decide(made, answer=answer)
    decide(made, answer="us ")


DOORS: dict[str, Callable[[Made, Actor], Any]] = {
    "answer": lambda made, by: services.decide(made.suspension_id, choice(made, answer="eu"),
        by=by),
    "decline": lambda made, by: services.decide(made.suspension_id, choice(made, "decline",
        note="no"), by=by),
    "stop by decision": lambda made, by: services.decide(made.suspension_id, choice(made,
        "stop", note="no"), by=by),
    "stop": lambda made, by: services.stop(made.id, Stop(note="no"), by=by),
    "take back": lambda made, by: services.take_back(made.suspension_id, by=by),
}  # fmt: skip
WITH_EVERY_SCOPE = Actor(
    "runtime",
    "x",
    agent="tidier",
    scopes=frozenset({"journal", "read", "wake", "decide", "admin"}),
)


@pytest.mark.parametrize(
    "by",
    [runtime_actor(), WITH_EVERY_SCOPE, reviewer_actor(), admin_actor(), SYSTEM],
    ids=["runtime", "runtime with scopes", "reviewer", "admin", "system"],
)
@pytest.mark.parametrize("door", DOORS)
def test_only_a_principal_decides_whatever_the_door(door, by):
    made = make_process(question="Which?")
    if door == "take back":
        decide(made, answer="eu")
    before, events = made.columns, Event.objects.count()
    with pytest.raises(Forbidden):
        DOORS[door](made, by)
    assert made.columns == before
    assert Event.objects.count() == events


WRITES: dict[str, Callable[[Made, Actor], Any]] = {
    "open": lambda made, by: services.open_process(_open(), by=by),
    "append": lambda made, by: services.append(made.id, [_step()], by=by),
    "suspend": lambda made, by: services.suspend(made.id, _suspend(), by=by),
    "resume": lambda made, by: services.resume(made.id, commands.Resume(), by=by),
    "complete": lambda made, by: services.complete(made.id, commands.Complete(), by=by),
    "fail": lambda made, by: services.fail(made.id, commands.Fail(), by=by),
    "lease": lambda made, by: services.lease(made.id, commands.TakeLease(owner="a"), by=by),
    "heartbeat": lambda made, by: services.heartbeat(made.id,
        commands.HoldLease(lease_epoch=0), by=by),
    "release": lambda made, by: services.release(made.id, commands.HoldLease(lease_epoch=0),
        by=by),
    "ack": lambda made, by: services.ack(made.suspension_id, by=by),
    "nack": lambda made, by: services.nack(made.suspension_id, commands.Nack(error="x"), by=by),
    "import": lambda made, by: services.import_record(b"{}", by=by),
    "artifact": lambda made, by: services.put_artifact(made.id, "a", io.BytesIO(b""), by=by),
}  # fmt: skip


def _open() -> commands.OpenProcess:
    return commands.OpenProcess(objective="Tidy")


def _step() -> commands.AppendStep:
    return commands.AppendStep(tool="run", args="ls", success=True)


def _suspend() -> commands.Suspend:
    return commands.Suspend(reason="guard")


@pytest.mark.parametrize(
    "by", [principal_actor(), admin_actor(), SYSTEM], ids=["principal", "admin", "system"]
)
@pytest.mark.parametrize("verb", WRITES)
def test_only_a_runtime_writes_a_journal(verb, by):
    made = make_process(question="Which?")
    with pytest.raises(Forbidden):
        WRITES[verb](made, by)


@pytest.mark.parametrize("verb", [verb for verb in WRITES if verb not in {"open", "import"}])
def test_another_agents_runtime_finds_nothing(verb):
    made = make_process(question="Which?")
    before = made.columns
    with pytest.raises(errors.ProcessNotFound):
        WRITES[verb](made, runtime_actor("other"))
    assert made.columns == before


@pytest.mark.parametrize("persist", ["0", "false", "False", " FALSE "])
@pytest.mark.parametrize("verb", WRITES)
def test_every_durable_verb_says_when_persistence_is_off(verb, persist, settings):
    made = make_process(question="Which?")
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"persist": persist})
    with pytest.raises(errors.PersistenceDisabled):
        WRITES[verb](made, made.by)
    assert services.next_step(made.id, by=made.by).next_action == "needs_answer"


@pytest.mark.parametrize(
    ("groups", "superuser", "scopes"),
    [
        ((), False, {"read"}),
        (("reviewers",), False, {"read"}),
        (("principals",), False, {"read", "decide"}),
        ((), True, {"read", "admin"}),
        (("principals",), True, {"read", "decide", "admin"}),
    ],
)
def test_a_persons_key_is_bounded_by_the_persons_role_of_today(groups, superuser, scopes):
    user = User.objects.create_user("mia", is_superuser=superuser)
    user.groups.set([Group.objects.get_or_create(name=name)[0] for name in groups])
    key, _ = services.issue_key(
        "cli", user=user, scopes=("read", "decide", "admin"), by=admin_actor()
    )
    assert services.person(user).scopes == scopes
    assert services.actor_of(key).scopes == scopes
    user.groups.clear()
    user.is_superuser = False
    user.save()
    key.refresh_from_db()
    assert services.actor_of(key).scopes == {"read"}


def test_a_key_has_no_more_than_it_was_issued_with():
    user = User.objects.create_user("mia")
    user.groups.add(Group.objects.get_or_create(name="principals")[0])
    key, _ = services.issue_key("cli", user=user, scopes=("read",), by=admin_actor())
    assert services.actor_of(key).scopes == {"read"}
    with pytest.raises(Forbidden):
        decide(make_process(question="Which?"), answer="eu", by=services.actor_of(key))


def test_a_hold_is_no_word_of_the_contract():
    made = make_process(running=True)
    append(made)
    assert services.next_step(made.id, by=made.by).held is False
