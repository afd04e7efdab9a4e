"""A request's id, and what Django itself refuses under /api."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from dalhc.http import requests
from dalhc.http.requests import (
    API_HEADERS,
    ApiMiddleware,
    RequestIdMiddleware,
    is_api,
    new_request_id,
)


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


def test_an_address_that_is_not_there_is_a_problem_under_the_api_and_left_alone_elsewhere():
    reply = passed("/api/v1/x", HttpResponse("<h1>Sorry</h1>", status=404))
    assert (reply.status_code, reply["Content-Type"]) == (404, "application/problem+json")
    assert b'"code": "not_found"' in reply.content
    assert reply["X-Request-Id"].encode() in reply.content
    page = passed("/x", HttpResponse("<h1>Sorry</h1>", status=404))
    assert page.content == b"<h1>Sorry</h1>" and "Cache-Control" not in page


def test_an_endpoint_that_fails_beyond_its_own_care_is_a_problem_without_a_stack(monkeypatch):
    def fails(path):
        raise RuntimeError("secret")

    monkeypatch.setattr(requests, "resolve", fails)
    reply = passed("/api/v1/processes", HttpResponse())
    assert (reply.status_code, reply["Content-Type"]) == (500, "application/problem+json")
    assert b"secret" not in reply.content and b"Traceback" not in reply.content


def test_a_reply_of_the_api_has_the_headers_of_every_answer():
    reply = passed("/api/v1/x", HttpResponse())
    assert {name: reply[name] for name in API_HEADERS} == API_HEADERS
    assert API_HEADERS["X-Frame-Options"] == "DENY" and "Cache-Control" in API_HEADERS


def test_only_addresses_below_the_api_are_the_apis():
    assert is_api("/api/v1/x") and is_api("/api/")
    assert not is_api("/apis") and not is_api("/x/api/")
