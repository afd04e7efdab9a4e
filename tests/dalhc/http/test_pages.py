from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import OperationalError
from django.http import HttpResponse
from django.test import RequestFactory
from django_htmx.middleware import HtmxDetails

from dalhc.http.pages import PageMiddleware, frame, refused_by, see
from dalhc.http.problems import NotFound


def asked(path: str = "/", **headers: str):
    request = RequestFactory().get(path, headers=headers)
    request.user, request.htmx = AnonymousUser(), HtmxDetails(request)
    request.request_id, request.resolver_match = "req_test", None
    return request


def test_a_refusal_becomes_a_page_with_its_status():
    answer = PageMiddleware(lambda _: HttpResponse()).process_exception(asked(), NotFound())
    assert answer.status_code == 404
    assert "There is nothing at this address." in answer.content.decode()
    assert "<html" in answer.content.decode()


def test_htmx_gets_the_sentence_alone():
    request = asked(**{"HX-Request": "true"})
    answer = PageMiddleware(lambda _: HttpResponse()).process_exception(request, NotFound())
    assert answer.status_code == 404 and "<html" not in answer.content.decode()


def test_a_busy_database_says_when_to_come_back():
    busy = OperationalError("database is locked")
    answer = PageMiddleware(lambda _: HttpResponse()).process_exception(asked(), busy)
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x")])
def test_a_fault_of_ours_is_not_dressed_up(error):
    assert PageMiddleware(lambda _: HttpResponse()).process_exception(asked(), error) is None


def test_the_api_is_left_alone():
    middleware = PageMiddleware(lambda _: HttpResponse("{}", content_type="application/json"))
    assert middleware.process_exception(asked("/api/v1/x"), NotFound()) is None
    assert "Vary" not in middleware(asked("/api/v1/x")).headers


def test_a_view_shows_its_own_refusal():
    @refused_by(lambda request, problem, process_id: HttpResponse(process_id + problem.code))
    def view(request, process_id):
        raise NotFound

    class Match:
        func, kwargs = view, {"process_id": "x:"}

    request = asked()
    request.resolver_match = Match()
    answer = PageMiddleware(lambda _: HttpResponse()).process_exception(request, NotFound())
    assert answer.content == b"x:not_found"


def test_what_follows_a_post_is_another_address():
    assert (see("login").status_code, see("login")["Location"]) == (303, "/login/")


def test_a_theme_that_is_none_is_none():
    request = asked()
    request.COOKIES["theme"] = '"><script>'
    assert frame(request)["theme"] == ""
