"""The tool loop on a server and on files: the same script, the same outcome."""

from __future__ import annotations

import time

import pytest

from dalhc.client import (
    Ask,
    Budget,
    Call,
    Done,
    GiveUp,
    JournalFolder,
    Outcome,
    Result,
    run_tool_loop,
    scripted,
)  # fmt: skip
from dalhc.client.errors import DalhcError
from processes.journal import errors
from processes.journal.errors import ProcessNotFound
from tests.dalhc.client.bench import Bench, OnFiles, OnServer
from tests.dalhc.client.desk import Crash


@pytest.fixture(params=["server", "files"])
def bench(request, tmp_path) -> Bench:
    if request.param == "server":
        return OnServer(request.getfixturevalue("desk"))
    return OnFiles(JournalFolder(tmp_path / "journals", environ={}))


ONE, TWO = Call("run", {"n": 1}), Call("run", {"n": 2})


def test_a_script_runs_to_its_end(bench):
    told = bench.script(ONE, TWO, Done("Tidied."))
    assert told == Outcome("completed", text="Tidied.", steps=2)
    assert bench.ran == [{"n": 1}, {"n": 2}]
    assert bench.record.state == "completed"
    assert [step.result_digest for step in bench.record.steps] == [
        "ran {'n': 1}", "ran {'n': 2}",
    ]  # fmt: skip


def test_an_answer_comes_back_as_two_turns(bench):
    script = (ONE, Ask("Which?"), TWO, Done("Tidied."))
    assert bench.script(*script) == Outcome("suspended", "ask_user", "Which?", 1)
    assert bench.script(*script) == Outcome("suspended", "ask_user", "Which?", 0)
    bench.answer("eu")
    heard = []

    def plan(told):
        heard.append([(turn.role, turn.content) for turn in told.turns])
        return scripted(*script)(told)

    assert bench.go(plan).state == "completed"
    assert heard[0] == [("assistant", "Which?"), ("user", "eu")]
    assert bench.ran == [{"n": 1}, {"n": 2}]


def test_F10_each_step_is_recorded_before_anything_is_decided(bench):
    seen = []

    def plan(told):
        seen.append(([*told.steps], [*bench.record.steps]))
        return scripted(ONE, TWO, Done("x"))(told)

    bench.go(plan)
    assert [len(told) for told, _ in seen] == [0, 1, 2]
    assert all(len(told) == len(kept) for told, kept in seen)


def test_K03_after_a_crash_only_the_unrecorded_step_runs_again(bench):
    script = (ONE, TWO, Done("x"))

    def dies(args):
        bench.run(args)
        if args == {"n": 2}:
            raise Crash
        return "ok"

    with pytest.raises(Crash):
        bench.script(*script, run=dies)
    assert bench.record.state == "running"
    assert bench.script(*script).state == "completed"
    assert bench.ran == [{"n": 1}, {"n": 2}, {"n": 2}]
    assert len(bench.record.steps) == 2


def test_a_failing_tool_is_a_failed_step_that_the_planner_sees(bench):
    def breaks(args):
        raise ValueError("no such file")

    def plan(told):
        return GiveUp(told.steps[0].result_digest) if told.steps else ONE

    assert bench.go(plan, run=breaks) == Outcome(
        "failed", text="ValueError: no such file", steps=1
    )
    assert [step.success for step in bench.record.steps] == [False]
    assert bench.record.state == "failed"


def test_an_unknown_tool_is_a_failed_step(bench):
    def plan(told):
        return Done(told.steps[0].result_digest) if told.steps else Call("fly", {})

    assert bench.go(plan).text == "There is no tool fly. There are: run."


def test_a_budget_of_steps_suspends_after_the_step_is_kept(bench):
    script = (ONE, TWO, Done("x"))
    told = bench.script(*script, budget=Budget(steps=1))
    assert (told.state, told.reason, told.steps) == ("suspended", "step_budget", 1)
    assert (len(bench.record.steps), bench.record.suspend_reason) == (1, "step_budget")
    assert bench.script(*script, budget=Budget(steps=5)).state == "completed"
    assert bench.ran == [{"n": 1}, {"n": 2}]


def test_a_budget_of_time_suspends(bench):
    def slow(args):
        time.sleep(0.05)
        return "ok"

    told = bench.script(ONE, TWO, Done("x"), budget=Budget(seconds=0.04), run=slow)
    assert (told.reason, told.steps) == ("wall_clock", 1)


def test_too_many_calls_of_one_tool_are_a_guard_before_the_call(bench):
    told = bench.script(ONE, TWO, Done("x"), budget=Budget(calls_per_tool={"run": 1}))
    assert (told.reason, told.text) == (
        "guard",
        "run was called 1 times, which is all it may be.",
    )
    assert bench.ran == [{"n": 1}]
    bench.approve()
    assert bench.script(ONE, TWO, Done("x")).state == "completed"


def test_the_same_failing_call_again_and_again_is_a_guard(bench):
    def breaks(args):
        bench.run(args)
        raise ValueError("no")

    told = bench.go(lambda _: ONE, Budget(repeats=2, idle=None), run=breaks)
    assert (told.reason, len(bench.ran)) == ("guard", 3)


def test_a_recorded_success_is_never_run_again(bench):
    repeated = []

    def plan(told):
        repeated.append(told.repeated)
        return ONE

    told = bench.go(plan, Budget(repeats=3, idle=None))
    assert (told.reason, bench.ran) == ("guard", [{"n": 1}])
    assert repeated[0] is None and repeated[-1].result_digest == "ran {'n': 1}"
    assert bench.record.steps_used == 1


def test_another_spelling_is_the_same_call(bench):
    calls = iter([Call("run", {"a": 1, "b": 2}), Call("run", {"b": 2, "a": 1}), Done("x")])
    assert bench.go(lambda _: next(calls)).state == "completed"
    assert len(bench.ran) == 1


def test_moves_without_anything_new_are_a_guard(bench):
    numbers = iter(range(99))

    def breaks(args):
        raise ValueError("no")

    told = bench.go(lambda _: Call("run", {"n": next(numbers)}), Budget(idle=4), run=breaks)
    assert (told.reason, told.text) == ("guard", "Nothing new in 4 moves.")


def test_an_unverified_result_waits_for_a_person_and_is_then_believed(bench):
    script = (ONE, Done("I think so.", verified=False))
    told = bench.script(*script)
    assert (told.state, told.reason, told.text) == ("suspended", "unverified", "I think so.")
    assert bench.record.suspend_reason == "unverified"
    bench.approve()
    assert bench.script(*script) == Outcome("completed", text="I think so.")


def test_only_as_the_first_move_after_it(bench):
    bench.script(Done("Maybe.", verified=False))
    bench.approve()
    told = bench.script(ONE, Done("Maybe.", verified=False))
    assert told.reason == "unverified"


def test_a_run_that_has_ended_says_how(bench):
    bench.script(Done("x"))
    assert bench.script(ONE).state == "completed"
    assert bench.ran == []


def test_a_person_who_ends_it_ends_the_loop(bench):
    def ends(args):
        bench.end("Enough.")
        return "ok"

    assert bench.script(ONE, TWO, run=ends).state == "failed"
    assert bench.script(ONE).state == "failed"


def test_what_the_planner_raises_leaves_the_process_running(bench):
    def plan(told):
        raise ConnectionError("the model is away")

    with pytest.raises(ConnectionError):
        bench.go(plan)
    assert bench.record.state == "running"


def test_a_tool_names_its_files(bench):
    bench.script(ONE, Done("x"), run=lambda _: Result("made", ("out/a.txt",)))
    assert bench.record.steps[0].artifacts == ("out/a.txt",)


def test_a_held_process_comes_back_at_once(desk):
    bench = OnServer(desk)
    bench.script(Done("Maybe.", verified=False))
    told = bench.script(Done("Maybe.", verified=False))
    assert (told.state, told.reason, told.steps) == ("suspended", "unverified", 0)


def test_a_lease_is_taken_and_given_back(desk):
    run = desk.runtime.run("Tidy", id="a", lease=True)
    assert run_tool_loop(run, scripted(ONE, Done("x")), {"run": str}).state == "completed"
    assert desk.count("POST", "/lease") == 1


def test_another_objective_is_another_process(bench):
    bench.script(ONE, Ask("Which?"))
    with pytest.raises((errors.ProcessExists, DalhcError), match="another objective"):
        bench.script(ONE, objective="Paint")


def test_a_folder_run_of_an_unknown_id_needs_an_objective(tmp_path):
    with pytest.raises(ProcessNotFound):
        run_tool_loop(JournalFolder(tmp_path, environ={}).run(id="a"), scripted(), {})
