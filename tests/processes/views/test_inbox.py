from __future__ import annotations

import re
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dalhc import clock
from processes.shown import reasons
from tests.making import decide, make_process

DAY = 86_400_000


def polled(page) -> str:
    """The address the page asks for changes."""
    return re.search(r'hx-get="(/since[^"]*)"', page.content.decode())[1].replace("&amp;", "&")


def rows(page) -> list[str]:
    return re.findall(r"<bdi class=ask>(.*?)</bdi>", page.content.decode())


def test_the_oldest_is_on_top(principal):
    now = clock.now_ms()
    for number, age in enumerate((1, 3, 2)):
        with clock.at(now - age * DAY):
            make_process(question=f"Question {number}?")
    page = principal.get("/")
    assert rows(page) == ["Question 1?", "Question 2?", "Question 0?"]
    assert "3 processes, the oldest for three days" in page.content.decode()


def test_a_filter_shows_its_reason_and_every_count_stays(principal):
    make_process(question="Which region?")
    make_process(reason="guard", detail="Too many rows.")
    page = principal.get("/?reason=guard").content.decode()
    assert "Too many rows." in page and "Which region?" not in page
    counts = re.findall(r'<span class="num">([^<]*)</span>', page)
    assert counts == ["2", "1", "1", "0", "0", "0"]


def test_a_view_is_reached_by_hand_and_kept_in_its_address(principal):
    made = make_process(question="Mine?", agent="ledger clerk & co")
    make_process(question="Another's?", agent="painter")
    make_process(reason="guard", detail="Held.", agent="ledger clerk & co")
    facts = principal.get(f"/processes/{made.id}/").content.decode()
    of_agent = unescape(re.search(r'href="(/\?agent=[^"]+)"', facts)[1])
    said = principal.get(of_agent).content.decode()
    assert "only of" in said and "Mine?" in said and "Held." in said
    assert "Another&#x27;s?" not in said
    view = next(link for link in links(said) if "whose=free" in link)
    guards = next(link for link in links(follow(principal, view)) if "reason=guard" in link)
    kept = follow(principal, guards)
    assert guards == "?reason=guard&whose=free&agent=ledger+clerk+%26+co"
    assert "Held." in kept and "Mine?" not in kept
    assert "Another&#x27;s?" in follow(principal, next(
        link for link in links(said) if link == "/"
    ))  # fmt: skip
    assert "?reason=guard&whose=free" in links(kept)  # of every agent again


def links(said):
    return [unescape(link) for link in re.findall(r'href="([^"]*)"', said)]


def follow(client, link):
    return client.get(f"/{link}" if link.startswith("?") else link).content.decode()


def test_an_unknown_filter_is_no_filter(principal):
    make_process(question="Which region?")
    assert rows(principal.get("/?reason=' OR 1")) == ["Which region?"]


@pytest.mark.parametrize("reason", ["", *reasons.ORDER])
def test_a_count_is_the_length_of_its_list_over_all_pages(principal, reviewer, reason):
    """Cases B38, for every role and filter."""
    for number in range(60):
        make_process(question=f"Question {number}?")
    make_process(reason="guard", detail="Too many rows.")
    for client in (principal, reviewer):
        page = client.get("/", {"reason": reason})
        shown, found = rows(page), page
        while more := re.search(r'rel="next" href="([^"]*)"', found.content.decode()):
            found = client.get("/" + more[1].replace("&amp;", "&"))
            shown += rows(found)
        counts = re.findall(r'<span class="num">(\d+)</span>', page.content.decode())
        mine = counts[["", *reasons.ORDER].index(reason)]
        assert len(shown) == len(set(shown)) == int(mine)


def test_pages_turn_both_ways(principal):
    for number in range(60):
        make_process(question=f"Question {number:02}?")
    first = principal.get("/")
    newer = re.search(r'rel="next" href="([^"]*)"', first.content.decode())[1]
    second = principal.get("/" + newer)
    assert rows(second) == [f"Question {number}?" for number in range(50, 60)]
    older = re.search(r'rel="prev" href="([^"]*)"', second.content.decode())[1]
    assert rows(principal.get("/" + older)) == rows(first)


@pytest.mark.parametrize(
    "place", ["-1", "1e9", "x.y", "١.a", "1.", "9" * 400, "1.a%0a", "' OR 1"]
)
def test_a_place_that_is_none_is_refused(principal, place):
    answer = principal.get(f"/?after={place}")
    assert answer.status_code == 400
    assert "The cursor is not one this list gave out" in answer.content.decode()


def test_two_queries_besides_session_and_user(principal):
    for number in range(60):
        make_process(question=f"Question {number}?")
    principal.get("/")
    with CaptureQueriesContext(
        connection,
    ) as asked:
        principal.get("/")
    assert len(asked) == 4


def test_fifty_long_rows_are_less_than_thirty_kilobytes(principal):
    for number in range(51):
        make_process(
            question=f"{number}: both buckets hold a copy of the March ledger, and they differ "
            "by three entries. Which one is right?",
            objective="Reconcile the March ledger against the bank statement",
            metadata={"cycle_id": "208", "cycle_phase": "review"},
            steps=1,
        )
    page = principal.get("/")
    assert len(rows(page)) == 50
    assert len(page.content) < 30_000


def test_B52_a_poll_says_nothing_while_nothing_changed(principal):
    make_process(question="Which region?")
    poll = polled(principal.get("/"))
    with CaptureQueriesContext(connection) as asked:
        answer = principal.get(poll, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert len(asked) == 3


def test_a_poll_tells_who_came_and_who_went(principal):
    going = make_process(question="Which region?")
    staying = make_process(question="Which day?")
    poll = polled(principal.get("/"))
    decide(going, answer="eu")
    make_process(question="Which colour?")
    answer = principal.get(poll, headers={"HX-Request": "true"}).content.decode()
    assert "1 new — press r" in answer and "Which colour?" in answer
    assert f"/processes/{staying.id}/" in answer
    assert f"/processes/{going.id}/" not in answer
    assert "<title>(2) Waiting on you</title>" in answer
    assert "class=row" not in answer


def test_one_that_closes_while_another_opens_is_noticed(principal):
    going = make_process(question="Which region?")
    poll = polled(principal.get("/"))
    decide(going, answer="eu")
    make_process(question="Which day?")
    assert principal.get(poll, headers={"HX-Request": "true"}).status_code == 200


def test_a_decision_taken_back_is_no_longer_gone(principal):
    from processes import services
    from tests.making import principal_actor

    going = make_process(question="Which region?")
    make_process(question="Which day?")
    poll = polled(principal.get("/"))
    decide(going, answer="eu")
    changed = polled(principal.get(poll, headers={"HX-Request": "true"}))
    services.take_back(going.suspension_id, by=principal_actor())
    answer = principal.get(changed, headers={"HX-Request": "true"}).content.decode()
    assert f"/processes/{going.id}/" in answer
    assert "press r" not in answer


def test_an_empty_desk_says_one_true_fact(principal):
    make_process(running=True)
    assert "1 process is running." in principal.get("/").content.decode()
    assert (
        "No process is stopped by a guard." in principal.get("/?reason=guard").content.decode()
    )


def test_an_empty_desk_is_filled_at_once(principal):
    poll = polled(principal.get("/"))
    make_process(question="Which region?")
    answer = principal.get(poll, headers={"HX-Request": "true"})
    assert answer.headers["HX-Refresh"] == "true"


def test_counts_stop_at_999(principal, monkeypatch):
    from processes.shown import waiting

    monkeypatch.setattr(waiting, "MOST", 2)
    waiting._plain_counts.cache_clear()
    for number in range(4):
        make_process(question=f"Question {number}?")
    page = principal.get("/").content.decode()
    waiting._plain_counts.cache_clear()
    assert '<span class="num">2+</span>' in page
