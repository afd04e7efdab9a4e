"""A run that stops for a person, against the real API: asked once, however often it crashes."""

from __future__ import annotations

import pytest

from dalhc.client import Denied, Run, RunEnded
from tests.dalhc.client.desk import Tool, crashed, die


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


def test_a_failure_while_suspended_leaves_the_question_open(desk):
    desk.acts += [die]
    crashed(desk, lambda run: run.ask("Where to?"))
    with pytest.raises(ZeroDivisionError) as caught, desk.runtime.run(id="tidy-1"):
        raise ZeroDivisionError
    assert "not marked as failed" in caught.value.__notes__[0]
    assert desk.runtime.get("tidy-1").suspend_reason == "ask_user"


def test_a_typed_answer_has_a_value_with_its_digits(desk):
    schema = {"type": "object", "properties": {"price": {"type": "number"}}}
    desk.acts += [desk.decide("answer", answer='{"price": 19.90}')]
    with desk.runtime.run("Tidy up") as run:
        answer = run.ask("For how much?", response_schema=schema)
    assert answer.text == '{"price": 19.90}'
    assert str(answer.value()["price"]) == "19.90"


def test_an_answer_in_the_tools_place_is_no_permission(desk):
    desk.acts += [desk.decide("answer", answer="12 boxes")]
    with desk.runtime.run("Tidy up") as run:
        verdict = run.hold("guard", "Look?", proposed_action=("look", {}), strict=True)
        assert (verdict.denied, verdict.answer) == (True, "12 boxes")
        assert run.step("look", {}, do=lambda: verdict.answer or "") == "12 boxes"
