"""Two hundred turns are kept, the oldest dropped and counted."""

from __future__ import annotations

import pytest

from processes.journal import limits
from processes.journal.record import ProcessTurn
from processes.models import Turn
from processes.store import rows, turns
from tests.making import make_process

pytestmark = pytest.mark.django_db


def add(made, *texts: str) -> dict[str, int]:
    row = made.row
    told = [ProcessTurn(role="user", content=text) for text in texts]
    host = turns.add(row, told, 5, "susp_1", "principal:mia")
    rows.update_host(row, **host)
    return host


def kept(made) -> list[tuple[int, str]]:
    return list(
        Turn.objects.filter(process_id=made.id).order_by("seq").values_list("seq", "content")
    )


def test_turns_count_on_and_the_oldest_past_the_bound_are_dropped():
    made = make_process()
    assert add(made, *(f"t{n}" for n in range(1, 200))) == {
        "stored_turns": 199,
        "turns_dropped": 0,
    }
    assert add(made, "t200") == {"stored_turns": 200, "turns_dropped": 0}
    assert add(made, "t201", "t202") == {"stored_turns": 202, "turns_dropped": 2}
    assert kept(made) == [(n, f"t{n}") for n in range(3, 203)]
    assert len(kept(made)) == limits.TURNS


def test_turns_of_another_process_stay():
    other, made = make_process(), make_process()
    add(other, "mine")
    add(made, *(f"t{n}" for n in range(202)))
    assert kept(other) == [(1, "mine")]


def test_a_turn_says_who_answered_and_where_among_the_steps_it_stands():
    made = make_process(steps=3)
    told = [
        ProcessTurn(role="assistant", content="Which?"),
        ProcessTurn(role="user", content="eu"),
    ]
    turns.add(made.row, told, 5, "susp_1", "principal:mia")
    asked, answered = Turn.objects.filter(process_id=made.id).order_by("seq")
    assert (asked.by, answered.by) == ("", "principal:mia")
    assert {asked.after_step, answered.after_step} == {3}
    assert {asked.suspension_id, answered.suspension_id} == {"susp_1"}
