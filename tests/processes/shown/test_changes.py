from __future__ import annotations

from processes.shown import changes, waiting
from processes.shown.filters import Filters
from tests.making import decide, make_process

ALL = Filters()


def seen():
    tally, marker = waiting.count(ALL, None)
    return tally, marker


def test_the_newest_is_named_and_the_rest_counted(db):
    make_process(question="Old?")
    until = seen()[0].newest
    make_process(question="First?")
    make_process(question="Second?")
    found = changes.since(*seen(), ALL, None, until)
    assert (found.news.count, found.news.ask) == ("2", "Second?")
    assert found.count == "3"


def test_a_filter_has_news_of_its_own(db):
    until = seen()[0].newest
    make_process(question="Which?")
    assert changes.since(*seen(), Filters("guard"), None, until).news is None


def test_whoever_is_answered_is_no_longer_open(db):
    going, staying = make_process(question="Which?"), make_process(question="When?")
    until = seen()[0].newest
    decide(going, answer="eu")
    found = changes.since(*seen(), ALL, None, until)
    assert found.open == f"/processes/{staying.id}/"
    assert found.news is None


def test_a_marker_changes_with_whatever_the_page_shows(db):
    markers = [seen()[1]]
    one = make_process(question="One?")
    markers.append(seen()[1])
    make_process(question="Two?")
    markers.append(seen()[1])
    decide(one, answer="x")
    markers.append(seen()[1])
    make_process(running=True)
    assert seen()[1] == markers[-1]
    assert len(set(markers)) == 4
