from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.making import make_process
from tests.processes.views.test_decision import form


@pytest.fixture
def strict(principal) -> Client:
    """Checks forms as a browser's are checked."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="principal"))
    return client


def test_a_form_too_old_comes_back_with_its_text(strict):
    asking = make_process(question="Which region?")
    answer = strict.post(f"/processes/{asking.id}/decision/", form(asking, answer="eu & us"))
    said = answer.content.decode()
    assert answer.status_code == 403
    assert f'action="/processes/{asking.id}/decision/"' in said
    assert "\neu &amp; us</textarea>" in said
    assert asking.stop.status == "open"
    token = re.search(r'csrfmiddlewaretoken" value="([^"]+)"', said)[1]
    sent = form(asking, answer="eu & us", csrfmiddlewaretoken=token)
    assert strict.post(f"/processes/{asking.id}/decision/", sent).status_code == 303


def test_another_sites_form_does_not_come_back(strict):
    asking = make_process(question="Which region?")
    answer = strict.post(
        f"/processes/{asking.id}/decision/",
        form(asking, answer="send me"),
        headers={"Sec-Fetch-Site": "cross-site"},
    )
    assert answer.status_code == 403
    assert "send me" not in answer.content.decode()


def test_htmx_is_told_to_send_the_form_itself(strict):
    asking = make_process(question="Which region?")
    answer = strict.post(
        f"/processes/{asking.id}/decision/", form(asking), headers={"HX-Request": "true"}
    )
    assert (answer.status_code, answer.content) == (403, b"")


def test_a_login_page_too_old_keeps_the_text(principal):
    asking = make_process(question="Which region?")
    page = Client().post(f"/processes/{asking.id}/decision/", form(asking, answer="eu"))
    carried = re.search(r'name="carried" value="([^"]+)"', page.content.decode())[1]
    sent = {"username": "principal", "password": "x", "carried": carried}
    again = Client(enforce_csrf_checks=True).post("/login/", sent)
    assert again.status_code == 401
    assert "eu" in again.content.decode() and 'name="carried"' in again.content.decode()


def test_a_login_page_used_in_another_window_gives_the_text_back(strict):
    asking = make_process(question="Which region?")
    page = Client().post(f"/processes/{asking.id}/decision/", form(asking, answer="eu"))
    carried = re.search(r'name="carried" value="([^"]+)"', page.content.decode())[1]
    again = strict.post("/login/", {"username": "x", "password": "x", "carried": carried})
    said = again.content.decode()
    assert again.status_code == 403
    assert "\neu</textarea>" in said and f"/processes/{asking.id}/decision/" in said


def test_passwords_never_come_back(admin):
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="admin"))
    answer = client.post("/people/", {"username": "ina", "password": "amber-lagoon-kelp"})
    assert answer.status_code == 403
    assert "amber-lagoon-kelp" not in answer.content.decode()


@pytest.mark.parametrize("page", ["/nothing/", "/processes/", "/since/x", "/api", "/admin/"])
def test_what_is_not_there_is_a_page_that_says_so(principal, page):
    answer = principal.get(page, follow=True)
    assert answer.status_code == 404
    assert "There is nothing at this address." in answer.content.decode()


def test_a_method_not_taken_is_a_page_that_says_so(principal):
    answer = principal.post("/running/")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert "does not take that method" in answer.content.decode()


def test_too_much_is_a_page_that_says_so(principal):
    asking = make_process(question="Which region?")
    answer = principal.post(f"/processes/{asking.id}/decision/", {"answer": "a" * 300_000})
    assert answer.status_code == 413
    assert "larger than this address takes" in answer.content.decode()


def test_a_failure_says_nothing_about_itself(principal, monkeypatch):
    from processes.shown import waiting

    def broken(*_: object) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(waiting, "page", broken)
    principal.raise_request_exception = False
    answer = principal.get("/")
    said = answer.content.decode()
    assert answer.status_code == 500
    assert "The server failed" in said and "secret" not in said and "Traceback" not in said
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
