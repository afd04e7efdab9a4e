"""A key is shown once, checked on every request, and refused from the moment it is revoked."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User

from dalhc import clock
from dalhc.clock import now_ms
from processes import services
from processes.models import RuntimeKey
from processes.services import Forbidden
from processes.services.keys import InvalidKey, Unauthorized, forget
from tests.making import admin_actor, principal_actor, reviewer_actor, runtime_actor

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _forgotten():
    forget()
    yield
    forget()


def issue(**fields):
    return services.issue_key(
        **({"name": "laptop", "agent": "tidier", "by": admin_actor()} | fields)
    )


def test_a_key_has_its_form_and_only_its_hash_is_kept():
    key, text = issue()
    assert re.fullmatch(r"dalhc_[0-9a-f]{8}_[A-Za-z0-9-]{43}", text)
    kept = " ".join(str(value) for value in RuntimeKey.objects.values_list().get())
    assert text.rsplit("_", 1)[1] not in kept
    assert str(key) == f"dalhc_{key.prefix}_\u2026"


def test_a_key_acts_for_its_agent():
    _, text = issue(scopes=("read", "journal"))
    by = services.actor_of(services.check_key(text))
    assert (by.kind, by.name, by.agent, by.scopes) == (
        "runtime",
        "laptop",
        "tidier",
        {"read", "journal"},
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1],
        lambda text: text + "x",
        lambda text: text.upper(),
        lambda text: text.replace("dalhc_", "dalhx_"),
        lambda text: text[:-1] + ("a" if text[-1] != "a" else "b"),
        lambda text: "",
        lambda text: "dalhc__",
        lambda text: "dalhc_" + "\ud800",
        lambda text: f" {text}",
        lambda text: text.split("_", 2)[2],
    ],
)
def test_anything_else_is_refused(change):
    _, text = issue()
    with pytest.raises(Unauthorized):
        services.check_key(change(text))


def test_a_revoked_key_is_refused_at_once_though_it_was_just_used():
    key, text = issue()
    services.check_key(text)
    assert services.known_actor(text)
    services.revoke_key(key.id, by=admin_actor())
    assert services.known_actor(text) is None
    with pytest.raises(Unauthorized):
        services.check_key(text)
    first = RuntimeKey.objects.get().revoked_at_ms
    with clock.at(now_ms() + 60_000):
        services.revoke_key(key.id, by=admin_actor())
    assert RuntimeKey.objects.get().revoked_at_ms == first


def test_a_key_expires_to_the_millisecond_also_when_it_was_just_used():
    now = now_ms()
    _, text = issue(expires_at_ms=now + 10_000)
    with clock.at(now + 9_999):
        services.check_key(text)
    with clock.at(now + 10_000):
        assert services.known_actor(text) is None
        with pytest.raises(Unauthorized):
            services.check_key(text)


def test_an_inactive_persons_key_is_refused():
    user = User.objects.create_user("mia")
    _, text = issue(agent=None, user=user, scopes=("read",))
    services.check_key(text)
    services.set_active(user.id, False, by=admin_actor())
    with pytest.raises(Unauthorized):
        services.check_key(text)


def test_the_last_use_is_noted_at_most_once_a_minute():
    _, text = issue()
    with clock.at(1_900_000_000_000):
        services.check_key(text)
    forget()
    with clock.at(1_900_000_059_000):
        services.check_key(text)
    assert RuntimeKey.objects.get().last_used_at_ms == 1_900_000_000_000
    forget()
    with clock.at(1_900_000_060_000):
        services.check_key(text)
    assert RuntimeKey.objects.get().last_used_at_ms == 1_900_000_060_000


@pytest.mark.parametrize(
    "scopes", [("decide",), ("admin",), ("read", "decide"), (), ("other",), ("read", "read ")]
)
def test_a_runtimes_key_can_never_decide_nor_manage(scopes):
    with pytest.raises(InvalidKey):
        issue(scopes=scopes)


@pytest.mark.parametrize("scopes", [("journal",), ("read", "wake"), ()])
def test_a_persons_key_never_writes_a_journal(scopes):
    with pytest.raises(InvalidKey):
        issue(agent=None, user=User.objects.create_user("mia"), scopes=scopes)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""}, {"name": " "}, {"name": "x" * 101}, {"agent": ""}, {"agent": "\u200b"},
        {"agent": "x" * 101}, {"agent": None},
    ],
)  # fmt: skip
def test_a_key_needs_a_name_and_an_owner(fields):
    with pytest.raises(InvalidKey):
        issue(**fields)


def test_a_key_has_one_owner():
    with pytest.raises(InvalidKey):
        issue(user=User.objects.create_user("mia"))


@pytest.mark.parametrize("by", [runtime_actor(), principal_actor(), reviewer_actor()])
def test_only_an_admin_issues_and_revokes(by):
    key, _ = issue()
    with pytest.raises(Forbidden):
        issue(by=by)
    with pytest.raises(Forbidden):
        services.revoke_key(key.id, by=by)
    assert RuntimeKey.objects.get().revoked_at_ms is None
