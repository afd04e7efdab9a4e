"""A problem on the wire."""

from __future__ import annotations

import json

from dalhc.db.refusals import Busy
from dalhc.http.problem_json import document, headers, rendered
from dalhc.http.problems import InvalidRequest, NotFound
from dalhc.http.status import status_of
from dalhc.problems import Problem
from processes.services.keys import Unauthorized


def test_it_has_the_fields_of_the_standard_and_what_dal_clients_read():
    assert document(NotFound("No.", current={"a": 1}), "req_1") == {
        "type": "urn:dalhc:problem:not_found",
        "title": "There is nothing at this address.",
        "status": 404,
        "detail": "No.",
        "code": "not_found",
        "error": "There is nothing at this address.",
        "request_id": "req_1",
        "current": {"a": 1},
    }


def test_it_points_to_what_is_wrong():
    problem = InvalidRequest("It is odd.", pointer="/é")
    assert document(problem, "")["errors"] == [{"pointer": "/é", "detail": "It is odd."}]
    assert "é".encode() in rendered(problem, "")


def test_what_json_cannot_say_is_said_as_text():
    problem = NotFound(current={"set": frozenset({1})})
    assert json.loads(rendered(problem, ""))["current"] == {"set": "frozenset({1})"}


def test_the_headers_say_when_to_try_again_and_what_is_missing():
    assert headers(NotFound()) == {"Cache-Control": "no-store"}
    assert headers(Busy())["Retry-After"] == "1"
    assert headers(Busy(retry_after=7))["Retry-After"] == "7"
    assert headers(Unauthorized())["WWW-Authenticate"] == 'Bearer realm="dalhc"'


def test_a_problem_without_a_status_is_our_fault():
    assert status_of(type("NeverHeardOf", (Problem,), {})()) == 500
