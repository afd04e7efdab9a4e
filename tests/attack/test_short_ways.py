"""The routes that a real server answers without Django, as everyone: the same rights, whether a
key was seen a moment ago or never (T18, T19).
"""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from dalhc.front.routes import ROUTES
from tests.serving import Served

WHO = ("nobody", "own", "another", "person")

# By the function that answers: method, path, body, and the status for nobody, the agent itself,
# another agent, and a person who may decide.
ROWS: dict[str, tuple[str, str, Any, tuple[int, int, int, int]]] = {
    "next_action": ("GET", "processes/{id}/next?wait=1", None, (401, 200, 404, 200)),
    "append": (
        "POST",
        "processes/{id}/steps",
        {"tool": "run", "args": {}, "success": True},
        (401, 201, 404, 403),
    ),
    "decide": ("POST", "suspensions/{stop}/decision", "choice", (401, 403, 403, 200)),
    "claim": ("POST", "wakes/claim?wait=1", {}, (401, 200, 200, 403)),
    "measured": ("GET", "/metrics", None, (401, 403, 403, 200)),
}


def test_every_short_way_has_a_row() -> None:
    assert {route.__name__ for _, _, route in ROUTES} == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_short_way_is_as_narrow_as_the_long_one(served: Served, name: str) -> None:
    method, path, body, statuses = ROWS[name]
    id = f"short-{name}"
    start = {"objective": "o", "id": id, "start": True}
    served.runtime.post("processes", json=start).raise_for_status()
    asks = f"{id}-asks"
    served.runtime.post("processes", json=start | {"id": asks}).raise_for_status()
    asked = {"reason": "ask_user", "question": "?"}
    stop = served.runtime.post(f"processes/{asks}/suspend", json=asked).json()["suspension"]
    if body == "choice":
        body = {"action": "answer", "answer": "x", "review_digest": stop["review_digest"]}
    url = path.format(id=id, stop=stop["id"])
    url = f"{served.url}{url}" if url.startswith("/") else url
    with served.caller("") as nobody:
        nobody.headers.pop("Authorization")
        callers = (nobody, served.runtime, served.other, served.person)
        for _ in range(2):  # the second time with a key that is remembered
            for who, caller, status in zip(WHO, callers, statuses, strict=True):
                if status >= 400:
                    assert _status(caller, method, url, body) == status, who
    for who, caller, status in zip(WHO, callers, statuses, strict=True):
        if status < 400:
            assert _status(caller, method, url, body) == status, who
    if name == "append":
        kept = served.runtime.get(f"processes/{id}/journal").json()
        assert kept["steps_used"] == 1


def _status(caller: httpx2.Client, method: str, url: str, body: Any) -> int:
    return caller.request(method, url, json=body).status_code
