"""Guessing a password takes long, and tells nothing."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dalhc import clock
from processes.models import Guess
from processes.services import guessing

pytestmark = pytest.mark.django_db
HERE, THERE = "10.0.0.1", "10.0.0.2"


def fail(times: int, name: str = "mia", address: str = HERE) -> None:
    for _ in range(times):
        guessing.note_failure(name, address)


def test_a_few_failures_are_a_slip():
    fail(guessing.FROM_ONE_ADDRESS - 1)
    assert guessing.seconds_to_wait("mia", HERE) == 0


def test_more_have_to_wait_at_this_address_and_under_this_name():
    fail(guessing.FROM_ONE_ADDRESS)
    assert 890 <= guessing.seconds_to_wait("mia", HERE) <= 900
    assert guessing.seconds_to_wait(" MIA ", HERE) > 0  # the same name, spelled otherwise
    assert guessing.seconds_to_wait("mia", THERE) == 0
    assert guessing.seconds_to_wait("ana", HERE) == 0


def test_many_addresses_together_have_to_wait_too():
    for number in range(guessing.FROM_ANYWHERE):
        fail(1, address=f"10.0.1.{number}")
    assert guessing.seconds_to_wait("mia", THERE) > 0


def test_the_wait_ends_and_what_is_old_is_forgotten():
    now = clock.now_ms()
    with clock.at(now):
        fail(guessing.FROM_ONE_ADDRESS)
    with clock.at(now + guessing.WINDOW_MS):
        assert guessing.seconds_to_wait("mia", HERE) == 0
        fail(1, name="ana")
    assert Guess.objects.count() == 2  # of ana alone


def test_what_was_typed_is_not_kept():
    fail(1, name="my-password-in-the-wrong-field")
    assert "password" not in str(Guess.objects.values())


@pytest.fixture
def mia() -> User:
    return User.objects.create_user("mia", password="amber-birch-cedar")


def log_in(password: str, name: str = "mia"):
    return Client().post("/login/", {"username": name, "password": password})


def test_the_right_password_is_not_tried_while_the_name_has_to_wait(mia):
    for _ in range(guessing.FROM_ONE_ADDRESS):
        assert log_in("wrong-wrong-wrong").status_code == 200
    refused = log_in("amber-birch-cedar")
    assert refused.status_code == 429 and int(refused["Retry-After"]) > 800
    assert "Too many tries for this name. Try again in 15 minutes." in refused.content.decode()
    assert "sessionid" not in refused.cookies and "dalhc" not in refused.cookies


def test_B92_a_name_that_is_nobodys_is_answered_alike():
    for _ in range(guessing.FROM_ONE_ADDRESS):
        log_in("wrong-wrong-wrong", name="nobody")
    assert log_in("x", name="nobody").status_code == 429


def test_a_login_begins_anew(mia):
    for _ in range(guessing.FROM_ONE_ADDRESS - 1):
        log_in("wrong-wrong-wrong")
    assert log_in("amber-birch-cedar").status_code == 302
    for _ in range(guessing.FROM_ONE_ADDRESS - 1):
        assert log_in("wrong-wrong-wrong").status_code == 200


def test_an_empty_form_is_no_guess(mia):
    for _ in range(20):
        assert Client().post("/login/", {}).status_code == 200
    assert not Guess.objects.exists()
