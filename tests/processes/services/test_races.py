"""Real threads, the real writer, a database in a file: one winner, and nobody misled."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from dalhc.db import writer
from dalhc.problems import Problem
from processes import services
from processes.journal.commands import Complete, Fail, OpenProcess, Suspend, TakeLease
from processes.models import Decision, Event, Process, Step, Suspension
from tests.chain import assert_chain
from tests.making import (
    Made,
    append,
    choice,
    decide,
    make_process,
    principal_actor,
    resume,
    runtime_actor,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _writer() -> Iterator[None]:
    writer.start()
    yield
    writer.stop()


def at_once(works: list[Callable[[], Any]]) -> list[Any]:
    """Everybody starts together; what each got, a refusal as its problem, in their order."""
    gate, results = threading.Barrier(len(works)), [None] * len(works)

    def run(place: int) -> None:
        try:
            gate.wait(20)
            results[place] = works[place]()
        except Problem as problem:
            results[place] = problem
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def words(results: list[Any]) -> Counter[str]:
    """How many won, and which refusals the others got."""
    return Counter(one.code if isinstance(one, Problem) else "won" for one in results)


def test_A17_sixteen_runtimes_append_forty_calls_and_each_is_stored_once():
    made = make_process(running=True)

    def run() -> list[bool]:
        return [append(made, args={"n": n}).skipped for n in range(40)]

    runs = at_once([run] * 16)
    assert [sum(not skipped[n] for skipped in runs) for n in range(40)] == [1] * 40
    steps = list(Step.objects.of(made.id).order_by("seq"))
    assert [step.seq for step in steps] == list(range(1, 41))
    assert made.record.steps_used == 40
    assert len(assert_chain(made.id)) == 42
    writer.stop()  # what was submitted for the counts is written
    assert Process.objects.get(id=made.id).skipped == 40 * 15


def test_A20_workers_that_reach_one_call_together_store_one_row():
    made = make_process(running=True)
    for number in range(10):
        results = at_once([lambda n=number: append(made, args={"n": n})] * 8)
        assert sorted(one.skipped for one in results) == [False] + [True] * 7
        assert len({one.step["seq"] for one in results}) == 1
    assert Step.objects.count() == 10


def test_a_failure_and_a_success_that_race_are_both_kept_or_the_failure_is_skipped():
    for number in range(10):
        made = make_process(running=True)
        results = at_once(
            [
                lambda m=made, s=success: append(m, args="x", success=s)
                for success in (True, False)
            ]
        )
        kept = list(Step.objects.of(made.id).order_by("seq").values_list("success", flat=True))
        assert kept in ([True], [False, True]), number
        assert results[0].skipped is False


def test_N17_fifty_people_answer_at_once_and_forty_nine_are_told_who_was_first():
    made = make_process(question="Which?")
    seen = choice(made, answer="x")
    results = at_once(
        [
            lambda n=n: services.decide(
                made.suspension_id,
                seen.model_copy(update={"answer": f"answer {n}"}),
                by=principal_actor(f"person-{n}"),
            )
            for n in range(50)
        ]
    )
    assert words(results) == {"won": 1, "already_answered": 49}
    winner = Decision.objects.get()
    assert {one.current["who"] for one in results if isinstance(one, Problem)} == {winner.by}
    done = resume(made)
    assert done.decision.answer == winner.answer
    assert [turn.content for turn in made.record.turns] == ["Which?", winner.answer]
    assert made.kinds.count("decide") == 1
    assert_chain(made.id)


def test_one_person_who_clicks_twice_sees_two_successes():
    made = make_process(question="Which?")
    same = choice(made, answer="eu")
    results = at_once(
        [lambda: services.decide(made.suspension_id, same, by=principal_actor())] * 4
    )
    assert words(results) == {"won": 4}
    assert Decision.objects.count() == 1


def test_two_resumes_at_once_deliver_one_answer_and_add_one_pair_of_turns():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    results = at_once([lambda: resume(made)] * 8)
    assert {(one.result, one.decision.answer) for one in results} == {("continue", "eu")}
    assert made.kinds.count("resume") == 2  # the start and the one that delivered
    assert len(made.record.turns) == 2
    assert_chain(made.id)


def test_a_take_back_and_a_resume_that_race_leave_one_truth():
    outcomes = set()
    for _ in range(12):
        made = make_process(question="Which?")
        decide(made, answer="eu")
        back, on = at_once(
            [
                lambda m=made: services.take_back(m.suspension_id, by=principal_actor()),
                lambda m=made: resume(m),
            ]
        )
        if isinstance(back, Problem):
            assert (back.code, on.result, made.record.state) == (
                "not_taken_back",
                "continue",
                "running",
            )
            assert made.record.principal_answer == "eu"
        else:
            assert (on.result, made.record.state) == ("needs_answer", "suspended")
            assert made.record.turns == () and made.stop.status == "open"
        outcomes.add(made.record.state)
        assert_chain(made.id)
    assert outcomes


def test_a_decision_and_a_take_back_that_race_leave_one_truth():
    for _ in range(8):
        made = make_process(question="Which?")
        decide(made, answer="eu")
        late = choice(made, answer="us")
        results = at_once(
            [
                lambda m=made: services.take_back(m.suspension_id, by=principal_actor()),
                lambda m=made, c=late: services.decide(
                    m.suspension_id, c, by=principal_actor("ben")
                ),
            ]
        )
        assert not isinstance(results[0], Problem)
        live = list(Decision.objects.filter(suspension_id=made.suspension_id, live=True))
        if isinstance(results[1], Problem):
            assert results[1].code == "already_answered"
            assert live == [] and made.stop.status == "open" and not made.row.host.decided
        else:
            assert [one.answer for one in live] == ["us"] and made.row.host.decided
        assert_chain(made.id)


def test_steps_and_a_suspension_that_race_leave_no_step_after_the_stop():
    for _ in range(8):
        made = make_process(running=True)
        results = at_once(
            [lambda m=made, n=n: append(m, args={"n": n}) for n in range(6)]
            + [lambda m=made: services.suspend(m.id, Suspend(reason="guard"), by=m.by)]
        )
        assert set(words(results[:6])) <= {"won", "not_running"}
        kinds = made.kinds
        assert kinds[-1] == "suspend"
        assert kinds.count("step") == words(results[:6])["won"] == made.record.steps_used
        assert_chain(made.id)


def test_a_stop_and_a_step_that_race_never_leave_a_step_after_the_end():
    for _ in range(6):
        made = make_process(reason="step_budget")
        seen = choice(made, "stop", note="enough")
        at_once(
            [
                lambda m=made, c=seen: services.decide(
                    m.suspension_id, c, by=principal_actor()
                ),
                lambda m=made: (resume(m), append(m)),
            ]
        )
        assert made.kinds[-1] in {"finish", "step"}
        if made.record.state == "failed":
            assert made.kinds[-1] == "finish"
            assert not Suspension.objects.filter(process_id=made.id, status="open").exists()
        assert_chain(made.id)


def test_one_of_many_ends_wins_and_the_process_has_one_outcome():
    made = make_process(running=True)
    ends = [lambda: services.complete(made.id, Complete(final_text="done"), by=made.by)] * 4
    ends += [lambda: services.fail(made.id, Fail(error="broke"), by=made.by)] * 4
    results = words(at_once(ends))
    assert results == {"won": 4, "process_terminal": 4}
    assert made.kinds.count("finish") == 1


def test_one_of_sixteen_runtimes_gets_the_lease():
    made = make_process(running=True)
    results = at_once(
        [
            lambda n=n: services.lease(made.id, TakeLease(owner=f"boot-{n}"), by=made.by)
            for n in range(16)
        ]
    )
    assert words(results) == {"won": 1, "leased": 15}
    assert made.row.host.lease_epoch == 1


def test_one_id_is_opened_once_however_it_is_spelled():
    names = ["Run", "run", "RUN", "rUn"] * 3
    results = at_once(
        [
            lambda name=name, n=n: services.open_process(
                OpenProcess(objective=f"x{n}", id=name), by=runtime_actor()
            )
            for n, name in enumerate(names)
        ]
    )
    assert words(results) == {"won": 1, "process_exists": 11}
    assert Process.objects.count() == Event.objects.count() == 1


def test_the_same_question_sent_twice_at_once_is_asked_once():
    made = make_process(running=True)
    asked = Suspend(reason="ask_user", question="Which?", ask_key="q")
    results = at_once([lambda: services.suspend(made.id, asked, by=made.by)] * 6)
    assert len({stop.id for stop in results}) == 1
    assert Suspension.objects.count() == 1


def test_processes_do_not_wait_for_each_other():
    many = [make_process(running=True) for _ in range(8)]

    def run(made: Made) -> None:
        for number in range(20):
            append(made, args={"n": number})

    at_once([lambda made=made: run(made) for made in many])
    for made in many:
        assert made.record.steps_used == 20
        assert_chain(made.id)
