from __future__ import annotations

from dalhc import clock
from processes.models import Process
from processes.shown.listing import LENGTH, lines, state_of
from processes.shown.place import Place
from tests.making import decide, make_process


def test_a_list_is_paged_newest_first(db):
    for number in range(LENGTH + 2):
        make_process(running=True, objective=f"Going {number}.")
    first = lines(Process.objects.running(), None, clock.now_ms(), "mia")
    assert f"Going {LENGTH + 1}." in first.rows and "Going 1." not in first.rows
    second = lines(
        Process.objects.running(), Place.of({"after": first.older}), clock.now_ms(), "mia"
    )
    assert "Going 1." in second.rows and second.older == ""


def test_decisions_come_in_one_query(db, django_assert_num_queries):
    for _ in range(5):
        decide(make_process(question="Which?"), answer="eu")
    with django_assert_num_queries(2):
        found = lines(Process.objects.decided_not_picked_up(), None, clock.now_ms(), "mia")
    assert found.rows.count("You answered: eu") == 5


def test_a_state_is_the_reason_until_someone_has_decided(db):
    asking = make_process(question="Which?")
    assert state_of(Process.objects.get(id=asking.id)) == "ask_user"
    decide(asking, answer="eu")
    assert state_of(Process.objects.get(id=asking.id)) == "decided"
