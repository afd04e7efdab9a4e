"""Lists: every row once, whatever its time; a cursor belongs to its list and its filters."""

from __future__ import annotations

import base64
import json

import pytest
from django.utils.http import urlencode

from dalhc import clock
from tests.making import make_process
from tests.processes.api.callers import code

NOW = 1_790_000_000_000


@pytest.fixture
def ties(db):
    """Seven processes, five of one millisecond; two question their principal."""
    for n, at in enumerate([0, 5, 5, 5, 5, 5, 9]):
        with clock.at(NOW + at):
            make_process(id=f"p{n}", metadata={"cycle_id": "odd" if n % 2 else "even"})


def walk(caller, url):
    """Page after page, forwards: the ids, and the last page."""
    pages = []
    while url:
        body = caller.get(url.removeprefix("http://testserver")).json()
        pages.append([one["id"] for one in body["results"]])
        url, last = body["next"], body
    return pages, last


@pytest.mark.usefixtures("ties")
@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 50])
def test_every_row_comes_once_also_under_ties(mia, limit):
    pages, _ = walk(mia, f"/api/v1/processes?limit={limit}")
    assert [one for page in pages for one in page] == ["p6", "p5", "p4", "p3", "p2", "p1", "p0"]
    assert all(len(page) == limit for page in pages[:-1])


@pytest.mark.usefixtures("ties")
def test_previous_leads_back_the_same_way(mia):
    pages, last = walk(mia, "/api/v1/processes?limit=3")
    back = []
    while url := last["previous"]:
        last = mia.get(url.removeprefix("http://testserver")).json()
        back.append([one["id"] for one in last["results"]])
    assert back == pages[-2::-1]
    assert last["next"]


@pytest.mark.usefixtures("ties")
def test_a_page_has_its_links_in_the_header_too(mia):
    first = mia.get("processes?limit=3")
    body = first.json()
    assert first["Link"] == f'<{body["next"]}>; rel="next"'
    second = mia.get(f"processes?limit=3&cursor={body['next_cursor']}")
    assert 'rel="next"' in second["Link"] and 'rel="previous"' in second["Link"]


@pytest.mark.usefixtures("ties")
def test_a_row_that_comes_meanwhile_moves_no_page(mia):
    first = mia.get("processes?limit=3").json()
    make_process(id="newer")
    second = mia.get(first["next"].removeprefix("http://testserver")).json()
    assert [one["id"] for one in second["results"]] == ["p3", "p2", "p1"]


@pytest.mark.usefixtures("ties")
def test_a_count_is_given_when_asked_for(mia):
    assert "count" not in mia.get("processes?limit=1").json()
    assert mia.get("processes?limit=1&count=true").json()["count"] == 7
    assert mia.get("processes?cycle_id=odd&count=true").json()["count"] == 3


def test_an_empty_list_is_a_page(mia):
    body = mia.get("processes").json()
    assert body == {"results": [], "next": None, "previous": None, "next_cursor": None}
    assert "Link" not in mia.get("suspensions")


@pytest.mark.usefixtures("ties")
def test_a_cursor_is_bound_to_its_filters(mia):
    cursor = mia.get("processes?limit=1&cycle_id=odd").json()["next_cursor"]
    for query in ("", "cycle_id=even&", "cycle_id=odd&agent=tidier&"):
        refused = mia.get(f"processes?{query}cursor={cursor}")
        assert code(refused) == (400, "bad_cursor")
    assert mia.get(f"processes?cycle_id=odd&limit=3&cursor={cursor}").status_code == 200


def forged(**change):
    """A cursor of the unfiltered list with something else in it."""
    value = json.loads(base64.urlsafe_b64decode(forged.real + "=="))
    return base64.urlsafe_b64encode(json.dumps(value | change).encode()).decode()


BROKEN = [
    "", "x", "!!!!", "AAAA", "é", "%00", "bnVsbA", "W10", "e30", "W1tb" * 30_000,
    base64.urlsafe_b64encode(b"\xff\xfe{}").decode(),
]  # fmt: skip
FORGED = [
    {"d": "x"}, {"d": []}, {"d": {}}, {"d": None}, {"k": None}, {"k": []}, {"k": [1]},
    {"k": [1, 2]}, {"k": ["1", "a"]}, {"k": [1.5, "a"]}, {"k": [True, "a"]}, {"k": [1, "a", 3]},
    {"k": [2**63, "a"]}, {"k": [-(2**70), "a"]}, {"k": {"0": 1}}, {"f": None}, {"f": []},
    {"k": [1, "\ud800"]}, {"k": [1, "\0"]},
]  # fmt: skip


@pytest.mark.usefixtures("ties")
@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:12] or "empty")
def test_a_broken_cursor_is_refused(mia, text):
    assert code(mia.get(f"processes?{urlencode({'cursor': text})}")) == (400, "bad_cursor")


@pytest.mark.usefixtures("ties")
@pytest.mark.parametrize("change", FORGED, ids=repr)
def test_a_forged_cursor_is_refused(mia, change):
    forged.real = mia.get("processes?limit=1").json()["next_cursor"]
    assert mia.get(f"processes?cursor={forged.real}").status_code == 200
    assert code(mia.get(f"processes?cursor={forged(**change)}")) == (400, "bad_cursor")
