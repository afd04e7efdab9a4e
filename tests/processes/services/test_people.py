"""Three roles; the last admin stays; a changed role counts from the next request."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.db import connection

from processes import services
from processes.services import Forbidden, keys
from processes.services.people import InvalidPerson
from tests.making import admin_actor, principal_actor, reviewer_actor, runtime_actor

PASSWORD = "green otters row at dawn"
ADMIN = admin_actor()


@pytest.fixture(autouse=True)
def _quick_passwords(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def add(name: str = "mia", role: str = "principal", password: str = PASSWORD) -> User:
    return services.add_person(name, role, password, by=ADMIN)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("role", "scopes"),
    [("principal", {"read", "decide"}), ("reviewer", {"read"}), ("admin", {"read", "admin"})],
)
def test_a_role_says_what_a_person_may_do(role, scopes):
    assert services.person(add(role=role)).scopes == scopes
    other = add("ben", "reviewer")
    services.change_role(other.id, role, by=ADMIN)
    assert services.person(User.objects.get(username="ben")).scopes == scopes


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "role", "password"),
    [
        ("mia", "owner", PASSWORD), ("mia", "", PASSWORD), ("", "admin", PASSWORD), ("a b",
            "admin", PASSWORD),
        ("mia", "admin", "short"), ("mia", "admin", "password123"), ("x" * 151, "admin",
            PASSWORD),
    ],
)  # fmt: skip
def test_a_person_needs_a_name_a_role_and_a_password_hard_to_guess(name, role, password):
    with pytest.raises(InvalidPerson):
        add(name, role, password)
    assert not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("again", ["mia", "Mia", "MIA"])
def test_a_name_is_given_once_in_any_case(again):
    add("mia")
    with pytest.raises(InvalidPerson):
        add(again)


@pytest.mark.django_db
def test_B92_the_last_admin_stays_one():
    ada = add("ada", "admin")
    for last in (
        lambda: services.change_role(ada.id, "reviewer", by=ADMIN),
        lambda: services.set_active(ada.id, False, by=ADMIN),
    ):
        with pytest.raises(InvalidPerson):
            last()
    add("eve", "admin")
    services.set_active(ada.id, False, by=ADMIN)
    with pytest.raises(InvalidPerson):
        services.change_role(User.objects.get(username="eve").id, "principal", by=ADMIN)


@pytest.mark.django_db
def test_a_new_password_is_told_once_and_the_old_one_is_void():
    mia = add()
    new = services.reset_password(mia.id, by=ADMIN)
    assert authenticate(username="mia", password=PASSWORD) is None
    assert authenticate(username="mia", password=new) == mia


@pytest.mark.django_db
def test_who_can_decide_is_known_by_name():
    add("zoe")
    add("mia")
    add("ada", "admin")
    services.set_active(add("gone").id, False, by=ADMIN)
    assert services.deciders() == ["mia", "zoe"]


@pytest.mark.django_db
@pytest.mark.parametrize("by", [runtime_actor(), principal_actor(), reviewer_actor()])
def test_only_an_admin_manages_people(by):
    mia = add()
    for verb in (
        lambda: services.add_person("ben", "admin", PASSWORD, by=by),
        lambda: services.change_role(mia.id, "admin", by=by),
        lambda: services.reset_password(mia.id, by=by),
        lambda: services.set_active(mia.id, False, by=by),
    ):
        with pytest.raises(Forbidden):
            verb()
    assert services.person(User.objects.get()).scopes == {"read", "decide"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", ["role", "active"])
def test_what_is_remembered_of_keys_is_dropped_after_the_change_is_there(change, monkeypatch):
    """Dropped earlier, another request could remember the old role once more."""
    mia, seen = add(), []

    def look() -> None:
        user = User.objects.get(username="mia")
        seen.append((user.is_active, user.is_superuser))
        connection.close()

    def forget() -> None:
        other = threading.Thread(target=look)
        other.start()
        other.join(10)

    monkeypatch.setattr(keys, "forget", forget)
    if change == "role":
        services.change_role(mia.id, "admin", by=ADMIN)
        assert seen == [(True, True)]
    else:
        services.set_active(mia.id, False, by=ADMIN)
        assert seen == [(False, False)]
