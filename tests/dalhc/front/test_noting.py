"""What is kept of a request."""

from __future__ import annotations

import pytest

from dalhc.front.noting import door_of
from dalhc.http.requests import HOST

DOORS = {
    "/": "page",
    "/processes/a/": "page",
    "/nothing": "page",
    "/status/": "page",
    "/api/v1/processes": "api",
    "/api/nothing": "api",
    "/static/css/base.css": "static",
    "/healthz": "probe",
    "/readyz": "probe",
    "/metrics": "probe",
} | dict.fromkeys(sorted(HOST), "api")


@pytest.mark.parametrize("path", DOORS)
def test_an_address_is_counted_at_its_own_door(path: str) -> None:
    assert door_of(path) == DOORS[path]
