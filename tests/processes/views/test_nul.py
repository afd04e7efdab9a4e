"""A NUL in a field of a page is refused before anything asks the database for it."""

from __future__ import annotations

import pytest

from tests.making import make_process

SAID = "A field holds a NUL character."


@pytest.mark.parametrize(
    "path",
    [
        "/?agent=a%00", "/?whose=mine&until=%00", "/several/?agent=%00", "/search/?q=a%00",
        "/audit/?who=a%00", "/artifacts/?type=a%00", "/cycles/?cycle=a%00",
        "/processes/{id}/compare/?with=a%00", "/processes/{id}/?tab=%00",
    ],
)  # fmt: skip
def test_of_an_address(principal, path):
    answer = principal.get(path.replace("{id}", make_process(question="Which?").id))
    assert (answer.status_code, SAID in answer.content.decode()) == (422, True)


@pytest.mark.parametrize(
    "path",
    [
        "decision",
        "claim",
        "release",
        "reassign",
        "snooze",
        "draft",
        "decision/back",
        "decision/ring",
    ],
)
def test_of_a_form(principal, path):
    made = make_process(question="Which?")
    answer = principal.post(f"/processes/{made.id}/{path}/", {"suspension_id": "a\0"})
    assert (answer.status_code, SAID in answer.content.decode()) == (422, True)


@pytest.mark.parametrize("path", ["/several/seen/", "/several/done/"])
@pytest.mark.parametrize("name", ["id", "item", "note"])
def test_of_several(principal, path, name):
    form = {"action": "stop", "note": "x", name: "a\0"}
    assert principal.post(path, form).status_code == 422


def test_of_a_login(client, db):
    assert client.post("/login/", {"username": "a\0", "password": "x"}).status_code == 422


def test_nothing_is_shown_or_carried_of_one_without_a_login(client, db):
    made = make_process(question="Which?")
    answer = client.post(f"/processes/{made.id}/decision/", {"answer": "a\0"})
    assert answer.status_code == 422
    assert "Which?" not in answer.content.decode() and "carried" not in answer.content.decode()
