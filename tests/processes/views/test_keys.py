from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User

from dalhc import clock
from processes import services
from processes.models import RuntimeKey

KEY = re.compile(r"dalhc_[0-9a-f]{8}_[\w-]{20,}")


def issue(admin, **fields):
    sent = {"name": "clerk", "agent": "ledger-clerk", "scopes": ["journal", "read"]} | fields
    return admin.post("/keys/", sent)


def test_a_key_is_shown_once_and_works(admin):
    page = issue(admin, days="30")
    text = KEY.search(page.content.decode())[0]
    key = services.check_key(text)
    assert (key.name, key.agent, key.scopes) == ("clerk", "ledger-clerk", "journal read")
    assert 29 * 86_400_000 < key.expires_at_ms - clock.now_ms() <= 30 * 86_400_000
    assert not KEY.search(admin.get("/keys/").content.decode())


def test_a_persons_key_is_theirs(admin, principal):
    user = User.objects.get(username="principal")
    issue(admin, agent="", user=str(user.id), scopes=["read", "decide"])
    assert RuntimeKey.objects.get().user == user


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 101},
        {"agent": ""},
        {"scopes": ["journal", "decide"]},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"days": "-1"},
        {"days": "x"},
        {"user": "999"},
    ],
)
def test_a_key_that_does_not_fit_is_refused_and_the_form_kept(admin, fields):
    page = issue(admin, **fields)
    assert page.status_code == 422
    said = page.content.decode()
    assert 'role="alert"' in said
    assert fields.get("agent", "ledger-clerk") in said
    assert RuntimeKey.objects.count() == 0


def test_a_revoked_key_ends_at_once(admin):
    text = KEY.search(issue(admin).content.decode())[0]
    answer = admin.post(f"/keys/{RuntimeKey.objects.get().id}/revoke/")
    assert answer.status_code == 303
    assert "revoked" in admin.get("/keys/").content.decode()
    with pytest.raises(services.keys.Unauthorized):
        services.check_key(text)


@pytest.mark.parametrize("id", ["999", "9" * 30])
def test_a_key_that_is_none_is_404(admin, id):
    assert admin.post(f"/keys/{id}/revoke/").status_code == 404
