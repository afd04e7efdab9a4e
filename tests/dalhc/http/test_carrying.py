from __future__ import annotations

import pytest
from django.test import RequestFactory

from dalhc.http import carrying
from dalhc.http.carrying import Carried


@carrying.carries("answer", "note")
def view(request):
    raise AssertionError("never called")


def post(**fields: str):
    return RequestFactory().post("/processes/x/decision/", fields)


def test_only_the_fields_of_the_view_are_carried():
    carried = carrying.pack(post(answer="eu", password="secret"), view)
    assert carried.fields == {"answer": "eu"}
    assert carried.path == "/processes/x/decision/"
    assert carrying.unpack(carried.signed) == carried


def test_a_view_that_carries_nothing_carries_nothing():
    assert carrying.pack(post(answer="eu"), lambda request: None) is None
    assert carrying.pack(post(other="eu"), view) is None


def test_what_is_carried_is_bounded():
    assert carrying.pack(post(answer="a" * carrying.MOST_CHARS), view) is not None
    assert carrying.pack(post(answer="a" * (carrying.MOST_CHARS + 1)), view) is None


@pytest.mark.parametrize("text", ["", "x", "a:b:c", "é", "\0"])
def test_what_was_not_signed_here_is_nothing(text):
    assert carrying.unpack(text) is None


def test_each_is_used_once():
    request = post()
    request.session = {}
    first, second = Carried("/", {}, "a"), Carried("/", {}, "b")
    assert [carrying.is_first_use(request, one) for one in (first, second, first)] == [
        True, True, False,
    ]  # fmt: skip


def test_the_text_is_the_first_that_was_typed():
    assert Carried("/", {"seen_by": "ana", "note": "why"}, "").text == "why"
    assert Carried("/", {"seen_by": "ana"}, "").who == "ana"
