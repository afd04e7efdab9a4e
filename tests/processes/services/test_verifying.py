"""An edited, dropped, added or swapped event is found from the rows alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from django.db import connection

from processes import services
from processes.journal.commands import Choice
from processes.services.broken import Broken
from processes.services.verifying import verify_chains
from tests.making import decide, make_process, principal_actor, say

pytestmark = pytest.mark.django_db


def execute(sql: str, *params: object) -> Iterable[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall() if cursor.description else []


def test_what_was_written_holds():
    make_process(steps=3)
    make_process(question="Which?")
    assert verify_chains(execute) == 2


def test_a_host_s_own_words_are_taken_for_nothing_of_ours():
    say(make_process(question="Which?"))
    assert verify_chains(execute) == 1


@pytest.mark.parametrize("column", ["kind", "actor", "data", "at_ms", "hash", "prev_hash"])
def test_an_edited_event_is_found(column):
    made = make_process(steps=2, id="a")
    value = {"at_ms": 1, "data": '{"x":1}', "kind": "fffff"}.get(column, "f" * 64)
    execute(
        f"UPDATE processes_event SET {column} = %s WHERE process_id = %s AND seq = 2",
        value,
        made.id,
    )
    with pytest.raises(Broken, match="a: "):
        verify_chains(execute)


@pytest.mark.parametrize("seq", [0, 1, 3])
def test_a_dropped_event_is_found(seq):
    made = make_process(steps=2)
    execute("DELETE FROM processes_event WHERE process_id = %s AND seq = %s", made.id, seq)
    with pytest.raises(Broken):
        verify_chains(execute)


def test_swapped_events_are_found():
    made = make_process(steps=2)
    for old, new in ((2, 99), (3, 2), (99, 3)):
        execute(
            "UPDATE processes_event SET seq = %s WHERE process_id = %s AND seq = %s",
            new,
            made.id,
            old,
        )
    with pytest.raises(Broken):
        verify_chains(execute)


def test_an_added_event_is_found():
    made = make_process()
    execute(
        "INSERT INTO processes_event "
        "(process_id, seq, kind, actor, at_ms, data, prev_hash, hash) "
        "SELECT process_id, 1, kind, actor, at_ms, data, hash, hash FROM processes_event "
        "WHERE process_id = %s",
        made.id,
    )
    with pytest.raises(Broken):
        verify_chains(execute)


@pytest.mark.parametrize("change", ["revision = revision + 1", "chain = 'f'"])
def test_a_process_row_that_left_its_log_is_found(change):
    made = make_process()
    execute(f"UPDATE processes_process SET {change} WHERE id = %s", made.id)
    with pytest.raises(Broken, match="disagree"):
        verify_chains(execute)


@pytest.mark.parametrize(
    ("column", "value"), [("result_digest", "forged"), ("args", "other"), ("success", False)]
)
def test_an_edited_step_is_found(column, value):
    made = make_process(steps=3)
    execute(
        f"UPDATE processes_step SET {column} = %s WHERE process_id = %s AND seq = 2",
        value,
        made.id,
    )
    with pytest.raises(Broken, match="the step of event"):
        verify_chains(execute)


def test_a_dropped_step_is_found():
    made = make_process(steps=3)
    execute("DELETE FROM processes_step WHERE process_id = %s AND seq = 3", made.id)
    with pytest.raises(Broken, match="the step of event"):
        verify_chains(execute)


def test_counted_replays_change_nothing():
    made = make_process(steps=1)
    execute("UPDATE processes_step SET skips = 7 WHERE process_id = %s", made.id)
    assert verify_chains(execute) == 1


def test_an_edited_decision_is_found():
    made = make_process(question="Which?")
    choice = Choice(
        action="answer", answer="eu", review_digest=services.review_digest(made.stop)
    )
    services.decide(made.suspension_id, choice, by=principal_actor())
    assert verify_chains(execute) == 1
    execute("UPDATE processes_decision SET answer = 'us'")
    with pytest.raises(Broken, match="the decision of event"):
        verify_chains(execute)


def test_an_edited_vote_is_found(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"two_approvals": ("guard",)})
    made = make_process(reason="guard")
    decide(made, "approve", note="fine")
    assert verify_chains(execute) == 1
    execute("UPDATE processes_vote SET note = 'not fine'")
    with pytest.raises(Broken, match="the vote of event"):
        verify_chains(execute)
