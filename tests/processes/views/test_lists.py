from __future__ import annotations

import re

import pytest

from dalhc import clock
from processes import services
from processes.journal.commands import TakeLease
from tests.making import decide, make_process

MINUTE = 60_000


def sections(page) -> dict[str, str]:
    parts = re.findall(r'<h2 id="(\w+)">(.*?)</section>', page.content.decode(), re.DOTALL)
    return dict(parts)


def test_running_has_its_three_sections(principal):
    make_process(objective="Going", running=True)
    make_process(objective="Untouched")
    decide(make_process(objective="Asked", question="Which?"), answer="eu")
    make_process(objective="Waiting", question="Which?")
    found = sections(principal.get("/running/"))
    assert "Asked" in found["decided"] and "mia answered: eu" in found["decided"]
    assert "Going" in found["running"] and "step 1 may run again" in found["running"]
    assert "Untouched" in found["opened"]
    assert "Waiting" not in "".join(found.values())


def test_a_lease_is_named_and_its_silence_too(principal):
    held, silent = make_process(running=True), make_process(running=True)
    services.lease(held.id, TakeLease(owner="host-1"), by=held.by)
    with clock.at(clock.now_ms() - 10 * MINUTE):
        services.lease(silent.id, TakeLease(owner="host-2"), by=silent.by)
    found = sections(principal.get("/running/"))["running"]
    assert "Held by host-1" in found
    assert "Its runtime has gone silent" in found


def test_each_section_is_paged_alone(principal):
    for number in range(52):
        make_process(objective=f"Going {number}", running=True)
    page = principal.get("/running/")
    more = re.search(r'href="(\?only=running[^"]*)"', page.content.decode())[1]
    found = sections(principal.get("/running/" + more.replace("&amp;", "&")))
    assert list(found) == ["running"]
    assert re.findall(r"Going \d+", found["running"]) == ["Going 1", "Going 0"]


def test_settled_shows_how_it_ended(principal):
    make_process(objective="Done", ended="completed")
    make_process(objective="Broken", ended="failed")
    both = principal.get("/settled/").content.decode()
    assert "Done" in both and "Broken" in both
    failed = principal.get("/settled/?state=failed").content.decode()
    assert "Broken" in failed and ">Done<" not in failed
    assert "Nothing has settled" in principal.get("/settled/?after=1.x").content.decode()


@pytest.mark.parametrize("q", ["needle", "NEEDLE", "which needle", "needle-1"])
def test_search_finds_objective_question_and_id(reviewer, q):
    make_process(id="needle-1", objective="Find the needle", question="Which needle?")
    make_process(objective="Hay")
    page = reviewer.get("/search/", {"q": q}).content.decode()
    assert "Find the needle" in page and "Hay" not in page


@pytest.mark.parametrize("q", ["%", "_", "100%_", "\\", "'; DROP TABLE--", "%' OR 1=1"])
def test_search_takes_every_sign_as_itself(reviewer, q):
    make_process(id="plain", objective="Plain words")
    assert "Nothing found" in reviewer.get("/search/", {"q": q}).content.decode()
    make_process(id="with", objective=f"With {q} in it")
    found = reviewer.get("/search/", {"q": q}).content.decode()
    assert found.count("class=row") == 1


def test_a_search_is_bounded(reviewer):
    assert reviewer.get("/search/", {"q": "x" * 201}).status_code == 422
    assert reviewer.get("/search/", {"q": "a\0b"}).status_code == 422
    assert reviewer.get("/search/", {"q": "  "}).status_code == 200


def test_hidden_characters_are_shown_in_every_list(principal):
    make_process(objective="a\u200bb", running=True)
    assert 'a<mark class="hid">⟦U+200B⟧</mark>b' in principal.get("/running/").content.decode()
