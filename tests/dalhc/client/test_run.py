"""A run against the real API: nothing recorded is done again, nothing asked is asked again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest

from dalhc.client import Denied, Run, RunEnded
from dalhc.client.errors import DalhcError, refusal
from tests.dalhc.client.desk import Desk


class Tool:
    """Something with an effect, counted."""

    def __init__(self, result: str = "done") -> None:
        self.calls, self.result = 0, result

    def __call__(self) -> str:
        self.calls += 1
        return self.result


class Crash(BaseException):
    """The program dies here."""


def die(_: object) -> None:
    raise Crash


def crashed(desk: Desk, body: Callable[[Run], object]) -> None:
    """A run `tidy-1` that does `body` and then dies, if it has not died before."""
    with contextlib.suppress(Crash), desk.runtime.run("Tidy up", id="tidy-1") as run:
        body(run)
        raise Crash


def test_a_run_opens_records_and_completes(desk):
    with desk.runtime.run("Tidy up", cycle_phase="tidy") as run:
        assert run.step("look", {"at": "shelf"}, do=lambda: "3 boxes") == "3 boxes"
        run.artifact("out/list.txt", "one\ntwo\n")
        run.final_text = "Tidied."
    record = desk.runtime.get(run.id)
    assert (record.state, record.outcome) == ("completed", "Tidied.")
    assert record.cycle_phase == "tidy"
    assert [(step.tool, step.args, step.success) for step in record.steps] == [
        ("look", '{"at":"shelf"}', True)
    ]
    assert desk.runtime.get_artifact(run.id, "out/list.txt") == b"one\ntwo\n"


def test_a_recorded_step_is_not_done_again_and_shows_as_skipped(desk):
    look, lift = Tool("3 boxes"), Tool("lifted")
    crashed(desk, lambda run: run.step("look", {}, do=look))
    assert desk.runtime.get("tidy-1").state == "running"

    with desk.runtime.run(id="tidy-1") as run:
        assert run.step("look", {}, do=look) == "3 boxes"
        run.step("lift", {}, do=lift)
    assert (look.calls, lift.calls) == (1, 1)
    record = desk.runtime.get("tidy-1")
    assert [step.tool for step in record.steps] == ["look", "lift"]
    [first, _] = desk.runtime._wire.get("processes/tidy-1/steps")["results"]
    assert first["skips"] == 1


def test_equal_arguments_in_another_spelling_are_the_same_step(desk):
    tool = Tool()
    with desk.runtime.run("Tidy up") as run:
        run.step("lift", {"a": 1, "b": [1e16]}, do=tool)
        run.step("lift", {"b": [1e16], "a": 1}, do=tool)
        run.step("lift", '{"a":1,"b":[1e+16]}', do=tool)
    assert tool.calls == 1


def test_what_a_step_returns_is_what_is_recorded(desk):
    long = Tool("x" * 5_000)
    returned = []
    crashed(desk, lambda run: returned.append(run.step("look", {}, do=long)))
    with desk.runtime.run(id="tidy-1") as run:
        returned.append(run.step("look", {}, do=long))
    assert returned == ["x" * 2_000] * 2
    assert desk.runtime.get("tidy-1").steps[0].result_digest == returned[0]


def test_text_that_utf8_cannot_hold_is_written_out(desk):
    with desk.runtime.run("Tidy up") as run:
        assert run.step("look", {}, do=Tool("caf\udce9 \0")) == "caf\\udce9 \\x00"


def test_files_kept_inside_a_step_are_listed_with_it(desk):
    with desk.runtime.run("Tidy up") as run:

        def do() -> str:
            run.artifact("a.txt", "a")
            run.artifact("b.txt", b"b")
            run.artifact("a.txt", "A")
            return "two files"

        run.step("write", {}, do=do)
        run.artifact("c.txt", "c")
    assert desk.runtime.get(run.id).steps[0].artifacts == ("a.txt", "b.txt")
    assert desk.runtime.get_artifact(run.id, "a.txt") == b"A"


def test_a_tool_that_fails_is_recorded_and_may_be_tried_again(desk):
    def broken() -> str:
        raise OSError("disk full")

    with desk.runtime.run("Tidy up") as run:
        with pytest.raises(OSError, match="disk full"):
            run.step("lift", {}, do=broken)
        run.step("lift", {}, do=Tool())
    first, second = desk.runtime.get(run.id).steps
    assert (first.success, first.result_digest) == (False, "OSError: disk full")
    assert second.success


def test_an_exception_fails_the_process_with_its_text(desk):
    with pytest.raises(ValueError, match="no shelf"), desk.runtime.run("Tidy up") as run:
        raise ValueError("no shelf")
    record = desk.runtime.get(run.id)
    assert (record.state, record.outcome) == ("failed", "ValueError: no shelf")


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interruption_leaves_the_process_to_go_on(desk, leaving):
    def leave() -> str:
        raise leaving

    with pytest.raises(leaving), desk.runtime.run("Tidy up", id="tidy-1") as run:
        run.step("look", {}, do=leave)
    assert desk.runtime.get("tidy-1").state == "running"


def test_a_question_waits_for_its_answer(desk):
    desk.acts += [lambda _: None, desk.decide("answer", answer="the shelf")]
    with desk.runtime.run("Tidy up") as run:
        answer = run.ask("Where to?", options=["the shelf", "the bin"], detail="Two places.")
    assert (answer.action, answer.text, answer.declined) == ("answered", "the shelf", False)
    record = desk.runtime.get(run.id)
    assert [(turn.role, turn.content) for turn in record.turns] == [
        ("assistant", "Where to?"),
        ("user", "the shelf"),
    ]
    assert record.state == "completed"


def test_a_declined_question_comes_back_with_the_note(desk):
    desk.acts += [desk.decide("decline", note="Ask Ida.")]
    with desk.runtime.run("Tidy up") as run:
        answer = run.ask("Where to?")
    assert (answer.action, answer.text, answer.note) == ("declined", "", "Ask Ida.")
    assert answer.declined


def test_a_decision_taken_back_is_waited_for_again(desk):
    def decide_and_take_back(at):
        desk.decide("answer", answer="the bin")(at)
        [stop] = at.person.suspensions(status="answered")
        at.person.take_back(stop.id)

    desk.acts += [decide_and_take_back, desk.decide("answer", answer="the shelf")]
    with desk.runtime.run("Tidy up") as run:
        assert run.ask("Where to?").text == "the shelf"


@pytest.mark.parametrize("answered", [False, True])
def test_a_question_is_asked_once_whether_or_not_it_was_answered_meanwhile(desk, answered):
    look = Tool("3 boxes")
    desk.acts += [die]

    def body(run: Run) -> None:
        run.step("look", {}, do=look)
        run.ask("Where to?")

    crashed(desk, body)
    if answered:
        desk.decide("answer", answer="the shelf")(desk)
        desk.acts += [lambda _: None]
    else:
        desk.acts += [desk.decide("answer", answer="the shelf")]

    appended = desk.count("POST", "/steps")
    with desk.runtime.run(id="tidy-1") as run:
        assert run.step("look", {}, do=look) == "3 boxes"
        assert desk.count("POST", "/steps") == appended, "suspended: read, not sent"
        assert run.ask("Where to?").text == "the shelf"
    assert look.calls == 1
    assert len(desk.runtime.get("tidy-1").turns) == 2


def test_an_answer_is_found_again_after_a_crash_that_followed_it(desk):
    desk.acts += [desk.decide("answer", answer="the shelf")]
    crashed(desk, lambda run: run.ask("Where to?"))
    with desk.runtime.run(id="tidy-1") as run:
        assert run.ask("Where to?").text == "the shelf"
    assert len(desk.runtime.get("tidy-1").turns) == 2


def test_earlier_answers_are_found_while_a_later_question_waits(desk):
    desk.acts += [desk.decide("answer", answer="one"), die]
    crashed(desk, lambda run: (run.ask("First?"), run.ask("Second?")))

    desk.acts += [desk.decide("answer", answer="two")]
    with desk.runtime.run(id="tidy-1") as run:
        assert run.ask("First?").text == "one"
        assert [stop.question for stop in desk.open_stops()] == ["Second?"]
        assert run.ask("Second?").text == "two"
    assert len(desk.runtime.get("tidy-1").turns) == 4


def test_the_same_words_asked_twice_are_two_questions(desk):
    desk.acts += [desk.decide("answer", answer="abc"), desk.decide("answer", answer="42")]
    with desk.runtime.run("Tidy up") as run:
        assert [run.ask("How old?").text for _ in range(2)] == ["abc", "42"]


def test_a_step_that_is_new_waits_for_the_question_before_it(desk):
    """The body changed between two starts: it no longer asks what still waits."""
    desk.acts += [die]
    crashed(desk, lambda run: run.ask("Where to?"))
    desk.acts += [desk.decide("answer", answer="the shelf")]
    tool = Tool()
    with desk.runtime.run(id="tidy-1") as run:
        run.step("lift", {}, do=tool)
        assert tool.calls == 1
        assert run.ask("Where to?").text == "the shelf"


@pytest.mark.parametrize(
    ("action", "fields", "args", "denied"),
    [
        ("approve", {}, None, False),
        ("edit", {"args": {"cmd": "ls"}}, '{"cmd":"ls"}', False),
        ("deny", {"note": "Too broad."}, None, True),
    ],
)
def test_a_held_action_is_judged(desk, action, fields, args, denied):
    desk.acts += [desk.decide(action, **fields)]
    with desk.runtime.run("Tidy up") as run:
        verdict = run.hold("guard", "Wants to run sh.", proposed_action=("sh", {"cmd": "rm"}))
        assert (verdict.action, verdict.args, verdict.denied) == (action, args, denied)
        assert verdict.note == fields.get("note", "")
        tool = Tool()
        if denied:
            with pytest.raises(Denied):
                run.step("sh", {"cmd": "rm"}, do=tool)
            assert tool.calls == 0
            run.step("sh", {"cmd": "ls"}, do=tool)


def test_a_hold_is_not_made_again_after_a_crash(desk):
    desk.acts += [desk.decide("approve")]
    crashed(desk, lambda run: run.hold("unverified", "The count looks wrong."))
    with desk.runtime.run(id="tidy-1") as run:
        assert run.hold("unverified", "The count looks wrong.").action == "approve"


def test_a_pause_waits_until_a_person_lets_it_go_on(desk):
    desk.acts += [lambda _: None, desk.decide("approve")]
    with desk.runtime.run("Tidy up") as run:
        run.pause("step_budget", "40 steps used.")
    assert desk.runtime.get(run.id).state == "completed"


def test_a_run_that_starts_in_a_pause_waits_too(desk):
    desk.acts += [die]
    crashed(desk, lambda run: run.pause("wall_clock", "An hour has passed."))
    desk.acts += [desk.decide("approve")]
    tool = Tool()
    with desk.runtime.run(id="tidy-1") as run:
        run.step("look", {}, do=tool)
    assert tool.calls == 1


def test_a_person_who_ends_the_process_ends_the_run_with_a_note(desk):
    desk.acts += [desk.decide("stop", note="Not today.")]
    with (
        pytest.raises(RunEnded, match="Not today") as caught,
        desk.runtime.run("Tidy up") as run,
    ):
        run.ask("Where to?")
    assert (caught.value.state, caught.value.note) == ("failed", "Not today.")


def test_a_running_process_ended_by_a_person_refuses_the_next_step(desk):
    def stopped_meanwhile() -> str:
        desk.person.stop("tidy-1", "Wrong shelf.")
        return "lifted"

    with (
        pytest.raises(RunEnded) as caught,
        desk.runtime.run("Tidy up", id="tidy-1") as run,
    ):
        run.step("lift", {}, do=stopped_meanwhile)
    assert caught.value.note == "Wrong shelf."


def test_a_process_that_has_ended_is_not_run_again(desk):
    with desk.runtime.run("Tidy up", id="tidy-1") as run:
        run.final_text = "Tidied."
    with pytest.raises(RunEnded) as caught, desk.runtime.run(id="tidy-1"):
        pytest.fail("the body ran")
    assert (caught.value.state, caught.value.note) == ("completed", "Tidied.")


@pytest.mark.parametrize(
    ("status", "code", "state"),
    [(503, "busy", "running"), (500, "internal", "running"), (401, "unauthorized", "running"),
     (422, "invalid_request", "failed")],
)  # fmt: skip
def test_only_the_works_own_failures_fail_the_process(desk, status, code, state):
    with pytest.raises(DalhcError), desk.runtime.run("Tidy up", id="tidy-1"):
        raise refusal(status, {"code": code})
    assert desk.runtime.get("tidy-1").state == state


def test_a_failure_while_suspended_leaves_the_question_open(desk):
    desk.acts += [die]
    crashed(desk, lambda run: run.ask("Where to?"))
    with pytest.raises(ZeroDivisionError) as caught, desk.runtime.run(id="tidy-1"):
        raise ZeroDivisionError
    assert "not marked as failed" in caught.value.__notes__[0]
    assert desk.runtime.get("tidy-1").suspend_reason == "ask_user"


def test_an_id_with_another_objective_is_refused(desk):
    with desk.runtime.run("Tidy up", id="tidy-1"):
        pass
    other = desk.runtime.run("Paint the wall", id="tidy-1")
    with pytest.raises(DalhcError, match="another objective"), other:
        pytest.fail("the body ran")


def test_a_run_needs_an_objective_or_an_id(desk):
    with pytest.raises(ValueError, match="needs an objective"):
        desk.runtime.run()


def test_arguments_json_cannot_hold_are_refused_before_the_tool_runs(desk):
    tool = Tool()
    with pytest.raises(Exception, match="NaN"), desk.runtime.run("Tidy up") as run:
        run.step("lift", {"x": float("nan")}, do=tool)
    assert tool.calls == 0
