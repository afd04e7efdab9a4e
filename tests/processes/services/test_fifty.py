"""T16: fifty people answer at once, a hundred times: one winner each, the others told who."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from dalhc.db import writer
from processes import services
from processes.journal import errors
from processes.models import Decision
from tests.making import choice, make_process, principal_actor

PEOPLE, ROUNDS = 50, 100


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_of_fifty_who_answer_at_once_one_wins_a_hundred_times():
    writer.start()
    try:
        with ThreadPoolExecutor(PEOPLE) as people:
            for _ in range(ROUNDS):
                made = make_process(question="Which?")
                won, told = answer_together(people, made)
                [decision] = Decision.objects.filter(suspension_id=made.suspension_id)
                assert won == [decision.by]
                assert told == [(decision.by, decision.answer)] * (PEOPLE - 1)
                assert made.kinds.count("decide") == 1
            list(people.map(lambda _: connection.close(), range(4 * PEOPLE)))
    finally:
        writer.stop()


def answer_together(
    people: ThreadPoolExecutor, made
) -> tuple[list[str], list[tuple[str, str]]]:
    """Who won, and what each loser was told: by whom and what."""
    gate, typed = threading.Barrier(PEOPLE), choice(made, answer="x")

    def answer(number: int) -> str | tuple[str, str]:
        by = principal_actor(f"p{number}")
        mine = typed.model_copy(update={"answer": f"answer of {number}"})
        gate.wait(60)
        try:
            services.decide(made.suspension_id, mine, by=by)
        except errors.AlreadyAnswered as first:
            return first.current["who"], first.current["answer"]
        return str(by)

    found = list(people.map(answer, range(PEOPLE)))
    return (
        [one for one in found if isinstance(one, str)],
        [one for one in found if isinstance(one, tuple)],
    )
