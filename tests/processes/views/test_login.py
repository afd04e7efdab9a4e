from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dalhc.http import carrying
from processes.models import Decision
from tests.making import make_process
from tests.processes.views.test_decision import form

PASSWORD = "amber-lagoon-kelp-402"


@pytest.fixture(autouse=True)
def _fast(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def with_password(principal):
    user = User.objects.get(username="principal")
    user.set_password(PASSWORD)
    user.save()
    return user


def carried_in(page) -> str:
    return re.search(r'name="carried" value="([^"]+)"', page.content.decode())[1]


def log_in(client: Client, carried: str = "", name: str = "principal", **more: str):
    fields = {"username": name, "password": PASSWORD, "carried": carried, **more}
    return client.post("/login/", fields)


def test_a_page_is_asked_for_again_after_the_login(with_password):
    made = make_process(running=True)
    client = Client()
    sent = client.get(f"/processes/{made.id}/?before=3")
    assert sent.status_code == 302
    assert sent["Location"] == f"/login/?next=/processes/{made.id}/%3Fbefore%3D3"


def test_text_is_carried_and_sent_once(with_password):
    asking = make_process(question="Which region?")
    client = Client()
    page = client.post(f"/processes/{asking.id}/decision/", form(asking, answer="eu 🧾\r\n"))
    assert page.status_code == 401
    assert "eu 🧾" in page.content.decode()
    carried = carried_in(page)
    sent = log_in(client, carried)
    assert (sent.status_code, sent["Location"]) == (303, f"/processes/{asking.id}/")
    assert [one.answer for one in Decision.objects.all()] == ["eu 🧾\n"]
    assert Decision.objects.get().by == "principal:principal"


def test_text_carried_is_used_once(with_password):
    asking = make_process(question="Which region?")
    client = Client()
    page = client.post(f"/processes/{asking.id}/decision/", form(asking, answer="eu"))
    log_in(client, carried_in(page))
    client.post(
        f"/processes/{asking.id}/decision/back/", {"suspension_id": asking.suspension_id}
    )
    log_in(client, carried_in(page))
    assert asking.stop.status == "open"


def test_text_carried_is_judged_anew(with_password, ana):
    asking = make_process(question="Which region?")
    client = Client()
    page = client.post(f"/processes/{asking.id}/decision/", form(asking, answer="us"))
    ana.post(f"/processes/{asking.id}/decision/", form(asking, answer="eu"))
    sent = log_in(client, carried_in(page))
    said = sent.content.decode()
    assert sent.status_code == 409
    assert "ana answered" in said and "\nus</textarea>" in said


def test_text_is_not_sent_in_another_name(with_password):
    asking = make_process(question="Which region?")
    client = Client()
    sent = form(asking, answer="eu", seen_by="ana")
    page = client.post(f"/processes/{asking.id}/decision/", sent)
    answer = log_in(client, carried_in(page))
    assert answer.status_code == 403
    assert "ana typed this" in answer.content.decode()
    assert asking.stop.status == "open"


def test_text_carried_cannot_be_made_up(with_password):
    asking = make_process(question="Which region?")
    client = Client()
    page = client.post(f"/processes/{asking.id}/decision/", form(asking, answer="eu"))
    for carried in ("nonsense", carried_in(page)[:-2] + "xx", ""):
        client.logout()
        assert log_in(client, carried).status_code == 302
    assert asking.stop.status == "open"


def test_text_carried_ends_after_an_hour(with_password, monkeypatch):
    asking = make_process(question="Which region?")
    client = Client()
    page = client.post(f"/processes/{asking.id}/decision/", form(asking, answer="eu"))
    monkeypatch.setattr(carrying, "SECONDS", -1)
    log_in(client, carried_in(page))
    assert asking.stop.status == "open"


def test_a_wrong_password_keeps_the_text(with_password):
    asking = make_process(question="Which region?")
    client = Client()
    page = client.post(f"/processes/{asking.id}/decision/", form(asking, answer="eu"))
    again = client.post(
        "/login/", {"username": "principal", "password": "no", "carried": carried_in(page)}
    )
    assert "do not fit together" in again.content.decode()
    log_in(client, carried_in(again))
    assert asking.stop.status == "answered"


def test_more_than_fits_is_not_carried(with_password):
    asking = make_process(question="Which region?")
    page = Client().post(
        f"/processes/{asking.id}/decision/", form(asking, answer="a" * 100_000)
    )
    assert page.status_code == 302


def test_htmx_is_told_to_send_the_form_itself():
    answer = Client().post(
        "/processes/x/decision/", {"answer": "eu"}, headers={"HX-Request": "true"}
    )
    assert (answer.status_code, answer.content) == (401, b"")


@pytest.mark.parametrize(
    "next",
    [
        "//evil",
        "/\\evil",
        "https:evil",
        "\x01//evil",
        "javascript:alert(1)",
        "https://evil/",
        "/x\r\nSet-Cookie:x=1",
    ],
)
def test_login_and_theme_lead_nowhere_else(with_password, next):
    sent = log_in(Client(), next=next)
    assert sent["Location"] in {"/", "/x%0D%0ASet-Cookie:x=1"}
    turned = Client().post("/theme/", {"theme": "dark", "next": next})
    assert turned["Location"] in {"/", "/x%0D%0ASet-Cookie:x=1"}
    assert "Set-Cookie:x" not in turned.headers


def test_a_next_of_ten_kilobytes_is_no_error(with_password):
    assert log_in(Client(), next="/" + "x" * 10_000).status_code in {302, 400}


def test_unknown_and_wrong_are_the_same_words(with_password):
    tried = (
        Client().post("/login/", {"username": name, "password": "no"}).content.decode()
        for name in ("principal", "nobody")
    )
    said = {re.search(r'role="alert"[^>]*>([^<]*)', page)[1] for page in tried}
    assert len(said) == 1


def test_the_light_is_in_the_first_paint(principal):
    principal.post("/theme/", {"theme": "dark", "next": "/running/"})
    assert '<html lang="en" data-theme="dark">' in principal.get("/running/").content.decode()
    principal.post("/theme/", {"theme": "auto"})
    assert '<html lang="en">' in principal.get("/running/").content.decode()
    principal.post("/theme/", {"theme": '"><script>'})
    assert '<html lang="en">' in principal.get("/running/").content.decode()


def test_logging_out_is_a_post(principal):
    assert principal.get("/logout/").status_code == 405
    principal.post("/logout/")
    assert principal.get("/").status_code == 302
