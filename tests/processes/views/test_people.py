from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

GOOD = "amber-lagoon-kelp-402"


def test_someone_is_added_and_may_log_in(admin):
    sent = {"username": "ina", "role": "principal", "password": GOOD}
    assert admin.post("/people/", sent).status_code == 303
    assert Client().login(username="ina", password=GOOD)
    page = admin.get("/people/").content.decode()
    assert re.search(r"<td>ina</td>.*?<option selected>principal</option>", page, re.DOTALL)


@pytest.mark.parametrize(
    "fields",
    [
        {"username": ""},
        {"username": "a b<script>"},
        {"username": "admin"},
        {"username": "ADMIN"},
        {"role": "king"},
        {"password": "short"},
        {"password": "password123"},
    ],
)
def test_a_person_that_does_not_fit_is_refused_and_the_form_kept(admin, fields):
    sent = {"username": "ina", "role": "reviewer", "password": GOOD} | fields
    page = admin.post("/people/", sent)
    said = page.content.decode()
    assert page.status_code == 422
    assert 'role="alert"' in said and f'value="{sent["password"]}"' not in said
    assert User.objects.count() == 1


def test_a_new_password_is_shown_once_and_ends_other_logins(admin, principal):
    user = User.objects.get(username="principal")
    page = admin.post(f"/people/{user.id}/password/").content.decode()
    word = re.search(r'<code class="secret"[^>]*>([^<]+)', page)[1]
    assert Client().login(username="principal", password=word)
    assert principal.get("/").status_code == 302
    assert word not in admin.get("/people/").content.decode()


def test_a_role_is_changed(admin, reviewer):
    user = User.objects.get(username="reviewer")
    assert admin.post(f"/people/{user.id}/role/", {"role": "principal"}).status_code == 303
    assert user.groups.get().name == "principals"
    assert admin.post(f"/people/{user.id}/role/", {"role": "king"}).status_code == 422


def test_someone_is_locked_out_and_let_in_again(admin, reviewer):
    user = User.objects.get(username="reviewer")
    admin.post(f"/people/{user.id}/active/", {"active": "0"})
    assert reviewer.get("/").status_code == 302
    admin.post(f"/people/{user.id}/active/", {"active": "1"})
    user.refresh_from_db()
    assert user.is_active


def test_the_last_admin_stays(admin):
    user = User.objects.get(username="admin")
    for page, fields in (("role/", {"role": "reviewer"}), ("active/", {"active": "0"})):
        answer = admin.post(f"/people/{user.id}/{page}", fields)
        assert answer.status_code == 422
        assert "The last admin stays" in answer.content.decode()


def test_nobody_is_404(admin):
    assert admin.post("/people/999/password/").status_code == 404
