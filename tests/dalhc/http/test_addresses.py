"""Who is counted when a password is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from dalhc.http.addresses import client_address

PROXY = "10.0.0.9"


def address(settings: Any, forwarded: str | None, *, https: bool = True) -> str:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"https": https})
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=PROXY))


def test_without_a_proxy_a_header_says_nothing(settings: Any) -> None:
    assert address(settings, "203.0.113.5", https=False) == PROXY


@pytest.mark.parametrize(
    ("forwarded", "found"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("2001:db8::5", "2001:db8::5"),
        ("198.51.100.1, 203.0.113.5", "203.0.113.5"),
        ("198.51.100.1,\t203.0.113.5 ", "203.0.113.5"),
    ],
)
def test_behind_a_proxy_it_is_what_the_proxy_wrote_last(
    settings: Any, forwarded: str, found: str
) -> None:
    assert address(settings, forwarded) == found


@pytest.mark.parametrize(
    "forwarded", [None, "", "203.0.113.5,", "unknown", "x" * 5000, "1.2.3"]
)
def test_what_is_no_address_is_not_believed(settings: Any, forwarded: str | None) -> None:
    assert address(settings, forwarded) == PROXY
