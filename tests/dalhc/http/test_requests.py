"""A request's id, and what Django itself refuses under /api."""

from __future__ import annotations

import pytest
from django.http import HttpResponse, HttpResponseNotAllowed
from django.test import RequestFactory

from dalhc.http.requests import ApiMiddleware, RequestIdMiddleware, is_api, new_request_id


def passed(path, response):
    """The response as it leaves the API's part of the house."""
    request = RequestFactory().get(path)
    return RequestIdMiddleware(ApiMiddleware(lambda _: response))(request)


@pytest.mark.parametrize("given", ["job-12345", "A_b-c_d9", "x" * 64])
def test_a_plain_word_is_kept_as_the_requests_id(given):
    assert new_request_id(given) == given


@pytest.mark.parametrize(
    "given", [None, "", "short", "x" * 65, "a\nb\nc\nd\ne", "ééééééééé", "a b c d e"]
)
def test_anything_else_is_replaced(given):
    found = new_request_id(given)
    assert found.startswith("req_") and found != new_request_id(given)


@pytest.mark.parametrize(
    ("status", "code"), [(404, "not_found"), (405, "method_not_allowed"), (500, "internal")]
)
def test_a_page_of_django_becomes_a_problem_under_the_api(status, code):
    reply = passed("/api/v1/x", HttpResponse("<h1>Sorry</h1>", status=status))
    assert (reply.status_code, reply["Content-Type"]) == (status, "application/problem+json")
    assert f'"code": "{code}"'.encode() in reply.content
    assert reply["X-Request-Id"].encode() in reply.content


def test_the_allowed_methods_are_kept():
    reply = passed("/api/v1/x", HttpResponseNotAllowed(["GET"]))
    assert reply["Allow"] == "GET"


def test_pages_and_json_are_left_alone():
    page = passed("/x", HttpResponse("<h1>Sorry</h1>", status=404))
    assert page.content == b"<h1>Sorry</h1>" and "Cache-Control" not in page
    said = HttpResponse(b"{}", status=404, content_type="application/json")
    assert passed("/api/v1/x", said).content == b"{}"


def test_a_reply_of_the_api_is_not_for_caches_unless_it_says_so_itself():
    assert passed("/api/v1/x", HttpResponse(b"{}"))["Cache-Control"] == "no-store"
    own = HttpResponse(b"x", headers={"Cache-Control": "no-store, private"})
    assert passed("/api/v1/x", own)["Cache-Control"] == "no-store, private"


def test_only_addresses_below_the_api_are_the_apis():
    assert is_api("/api/v1/x") and is_api("/api/")
    assert not is_api("/apis") and not is_api("/x/api/")
