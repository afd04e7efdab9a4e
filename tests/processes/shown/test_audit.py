"""The log across all processes: filtered, in order, page by page, no walk over the steps."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dalhc import clock
from dalhc.http.problems import InvalidRequest
from processes.shown import audit as audits
from processes.shown.audit import Filters, audit
from processes.shown.place import Place
from tests.making import decide, make_process, principal_actor

pytestmark = pytest.mark.django_db


def told(**filters: str) -> list[tuple[str, str, str]]:
    found = audit(Filters.of(filters), None)
    return [(line.process_id, line.who, line.what) for line in found.lines]


def lived() -> None:
    make_process(id="a", steps=2, ended="completed")
    decide(make_process(id="b", question="Which?"), answer="eu")
    decide(make_process(id="c", question="Which?"), by=principal_actor("ana"), answer="eu")


def test_the_newest_is_first_and_steps_are_left_out():
    lived()
    found = told()
    assert found[0] == ("c", "ana", "decided")
    assert found[-1] == ("a", "tidier", "opened it")
    assert not any("step" in what for _, _, what in found)


def test_what_happened_is_said_in_words():
    lived()
    assert [what for _, _, what in told(process="b")] == [
        "decided", "stopped: Question", "resumed it", "opened it",
    ]  # fmt: skip
    assert ("a", "tidier", "completed it") in told()


def test_one_process_is_shown_with_its_steps():
    lived()
    assert [what for _, _, what in told(process="a")][:3] == [
        "completed it", "took step 2", "took step 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("who", "expected"), [("mia", {"b"}), ("principal:ana", {"c"}), ("tidier", {"a", "b", "c"}),
        ("nobody", set()), ("runtime:mia", set())],
)  # fmt: skip
def test_who_did_it(who, expected):
    lived()
    assert {process for process, _, _ in told(who=who)} == expected


def test_a_kind_and_a_person_together():
    lived()
    assert told(kind="decisions") == [("c", "ana", "decided"), ("b", "mia", "decided")]
    assert told(kind="decisions", who="mia") == [("b", "mia", "decided")]
    assert {what for _, _, what in told(kind="ends")} == {"opened it", "completed it"}
    assert told(kind="unknown") == told()


def test_days_begin_and_end_in_utc():
    for day, id in ((1, "a"), (2, "b"), (3, "c")):
        with clock.at(1_790_000_000_000 // 86_400_000 * 86_400_000 + day * 86_400_000):
            make_process(id=id)
    days = ["2026-09-22", "2026-09-23"]
    assert [process for process, _, _ in told(since=days[0])] == ["c", "b", "a"]
    assert [process for process, _, _ in told(since=days[1])] == ["c", "b"]
    assert [process for process, _, _ in told(until=days[0])] == ["a"]
    assert [process for process, _, _ in told(since=days[1], until=days[1])] == ["b"]


@pytest.mark.parametrize(
    "filters", [{}, {"kind": "ends"}, {"process": "p00"}, {"who": "tidier"}]
)
def test_pages_show_each_event_once(monkeypatch, filters):
    monkeypatch.setattr(audits, "LENGTH", 3)
    with clock.at(1_790_000_000_000):  # all at once: ties are told apart
        for number in range(4):
            make_process(id=f"p0{number}", running=True, steps=2 if number == 0 else 0)
    seen, place = [], None
    while True:
        found = audit(Filters.of(filters), place)
        seen += [line.event.pk for line in found.lines]
        if not found.older:
            break
        place = Place.of({"after": found.older})
    assert len(seen) == len(set(seen)) > 3
    assert seen == sorted(seen, reverse=True)


def test_an_edited_event_stands_out():
    make_process(id="a")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE processes_event SET actor = 'runtime:other'")
    [line] = audit(Filters.of({}), None).lines
    assert not line.holds


@pytest.mark.parametrize(
    "filters",
    [{"since": "today"}, {"until": "2026-13-01"}, {"who": "x" * 201}],
)
def test_an_odd_filter_is_refused(filters):
    with pytest.raises(InvalidRequest):
        Filters.of(filters)


@pytest.mark.sqlite
@pytest.mark.parametrize("filters", [{}, {"kind": "decisions"}, {"who": "mia"}])
def test_no_page_walks_over_the_log(filters):
    """Each read has its index: the plan names one and sorts nothing."""
    lived()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        audit(Filters.of(filters), Place(2**50, "5"))
    assert asked.captured_queries
    for query in asked.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plan = " ".join(row[3] for row in cursor.fetchall())
        assert "USING INDEX event_" in plan and "TEMP B-TREE" not in plan, plan
