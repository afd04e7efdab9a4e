"""Bodies are taken as they are or refused; nothing is trimmed, coerced or guessed."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from processes.journal import commands, errors
from processes.journal.canonical import step_key

STEP = {"tool": "run", "args": {"a": 1}, "success": True}
STOP = {"reason": "guard"}
ASK = {"reason": "ask_user", "question": "Which?"}
SEEN = {"review_digest": "0" * 64}
DECIDE = {"action": "answer", "answer": "eu"} | SEEN
OPEN = {"objective": "Tidy"}


def read(model: type[BaseModel], body: dict[str, object], **more: object) -> BaseModel:
    return model.model_validate(body | more)


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (commands.OpenProcess, OPEN),
        (commands.AppendStep, STEP),
        (commands.Suspend, ASK),
        (commands.Choice, DECIDE),
        (commands.Resume, {}),
        (commands.Complete, {}),
        (commands.Fail, {}),
        (commands.Stop, {"note": "why"}),
        (commands.TakeLease, {"owner": "boot-1"}),
        (commands.HoldLease, {"lease_epoch": 1}),
        (commands.Nack, {"error": "why"}),
    ],
)
@pytest.mark.parametrize(
    "name", ["rev", "principal_answer", "approved_by", "__proto__", "_connector", "state", "Id"]
)
def test_an_unknown_field_is_refused(model, body, name):
    read(model, body)
    with pytest.raises(ValidationError) as refused:
        read(model, body, **{name: "x"})
    assert [error["type"] for error in refused.value.errors()] == ["extra_forbidden"]


@pytest.mark.parametrize(
    ("model", "body", "name", "value"),
    [
        *((commands.AppendStep, STEP, "success", value) for value in ("yes", 1, "on", None,
            "true")),
        *((commands.AppendStep, STEP, "tool", value) for value in (1, None, ["run"])),
        *((commands.AppendStep, STEP, "lease_epoch", value) for value in ("1", 1.0, -1, True)),
        (commands.AppendStep, STEP, "effect", "exactly_once"),
        (commands.AppendStep, STEP, "attempt_id", ""),
        (commands.AppendStep, STEP, "attempt_id", "x" * 201),
        (commands.AppendStep, STEP, "artifacts", "a.txt"),
        (commands.AppendStep, STEP, "artifacts", [1]),
        (commands.AppendStep, STEP, "result_digest", None),
        *((commands.OpenProcess, OPEN, "objective", value) for value in (None, 1, "x" * 8_001)),
        *((commands.OpenProcess, OPEN, "start", value) for value in (1, "true", None)),
        (commands.OpenProcess, OPEN, "id", 7),
        *((commands.OpenProcess, OPEN, name, "x" * 201) for name in ("cycle_id",
            "objective_due_bucket")),
        (commands.OpenProcess, OPEN, "cycle_id", 5),
        *((commands.Suspend, ASK, "question", value) for value in ("x" * 8_001, 5)),
        (commands.Suspend, ASK, "detail", "x" * 2_001),
        (commands.Suspend, ASK, "hold", "yes"),
        *((commands.Suspend, ASK, "options", value) for value in ([], [""], ["x" * 501],
            ["a"] * 51, "ab")),
        *((commands.Choice, DECIDE, "action", value) for value in ("", "ANSWER", "yes", None)),
        *((commands.Choice, DECIDE, "review_digest", value) for value in ("", "0" * 63,
            "G" * 64, "A" * 64, "0" * 65, "0" * 64 + "\n")),
        (commands.Choice, DECIDE, "answer", "x" * 8_001),
        (commands.Choice, DECIDE, "answer", 5),
        (commands.Choice, DECIDE, "note", "x" * 2_001),
        *((commands.TakeLease, {"owner": "a"}, "ttl_s", value) for value in (0, 3_601, "60",
            1.5)),
        *((commands.TakeLease, {}, "owner", value) for value in ("", "x" * 201)),
        (commands.Complete, {}, "final_text", "x" * 8_001),
        (commands.Fail, {}, "error", 5),
        (commands.Stop, {}, "note", "x" * 2_001),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_or_size_is_refused(model, body, name, value):
    with pytest.raises(ValidationError):
        read(model, body, **{name: value})


@pytest.mark.parametrize("objective", ["", " ", "  \n", "\u3164", "\u200b\ufeff"])
def test_an_objective_without_a_visible_character_is_empty(objective):
    with pytest.raises(errors.ObjectiveEmpty):
        read(commands.OpenProcess, OPEN, objective=objective)


def test_text_is_kept_as_it_came():
    text = "  \u00e9e\u0301\r\n\t\u202e \U0001f600 "
    opened = read(commands.OpenProcess, OPEN, objective=text, cycle_id=" x ")
    assert (opened.objective, opened.cycle_id) == (text, " x ")


def test_bounds_are_inclusive():
    read(commands.OpenProcess, OPEN, objective="x" * 8_000, cycle_id="x" * 200, id="a" * 80)
    read(
        commands.Suspend,
        ASK,
        question="x" * 8_000,
        detail="x" * 2_000,
        options=["x" * 500] * 50,
    )
    read(commands.AppendStep, STEP, tool="x" * 200, attempt_id="x" * 200)
    read(commands.Choice, DECIDE, answer="x" * 8_000)


@pytest.mark.parametrize(
    "tool", ["", "x" * 201, "a\nb", "a\r", "\0", "\x7f", "\x85", "a\u2028b", "\u2029"]
)
def test_a_tool_name_has_no_newline_and_no_control(tool):
    with pytest.raises(errors.InvalidTool):
        read(commands.AppendStep, STEP, tool=tool)


@pytest.mark.parametrize(
    "args", [None, 1, 0.5, True, "x" * 65_537, "\u00e9" * 32_769, {"a": "x" * 65_530}]
)
def test_arguments_that_are_no_object_array_or_text_or_too_long_are_refused(args):
    with pytest.raises(errors.InvalidArgs):
        read(commands.AppendStep, STEP, args=args)


def test_arguments_may_fill_their_bound():
    assert len(read(commands.AppendStep, STEP, args="\u00e9" * 32_768).args) == 32_768


def test_a_text_that_utf_8_cannot_carry_is_refused():
    with pytest.raises((ValidationError, errors.InvalidArgs)):
        read(commands.AppendStep, STEP, args="\ud800")


def test_arguments_become_their_canonical_text():
    assert read(commands.AppendStep, STEP, args={"b": 1, "a": 2}).args == '{"a":2,"b":1}'
    assert read(commands.AppendStep, STEP, args='{"b": 1}').args == '{"b": 1}'


def test_the_right_key_is_taken():
    key = step_key("run", '{"a":1}')
    assert read(commands.AppendStep, STEP, idempotency_key=key).key == key


@pytest.mark.parametrize(
    "change", [str.upper, lambda key: key[1:], lambda key: "", lambda key: "0" * 64]
)
def test_any_other_key_is_refused(change):
    with pytest.raises(errors.IdempotencyKeyMismatch):
        read(commands.AppendStep, STEP, idempotency_key=change(step_key("run", '{"a":1}')))


@pytest.mark.parametrize(
    "reason", ["paused", "", "ASK_USER", "opened", "timeout", None, 5, ["guard"], " guard"]
)
def test_only_five_reasons_suspend(reason):
    with pytest.raises(errors.InvalidSuspendReason):
        read(commands.Suspend, STOP, reason=reason)


@pytest.mark.parametrize("question", [None, "", " \n", "\u3164"])
def test_asking_needs_a_question(question):
    with pytest.raises(errors.QuestionRequired):
        read(commands.Suspend, ASK, question=question)


def test_a_guard_may_have_words_but_no_options():
    assert read(commands.Suspend, STOP, question="Look at this").question == "Look at this"
    with pytest.raises(errors.QuestionRequired):
        read(commands.Suspend, STOP, options=["a"])


def test_a_question_has_no_proposed_action():
    proposed = {"tool": "rm", "args": {"path": "x"}}
    held = read(commands.Suspend, STOP, proposed_action=proposed)
    assert held.proposed_action.args == '{"path":"x"}'
    with pytest.raises(errors.ActionNotOffered):
        read(commands.Suspend, ASK, proposed_action=proposed)


@pytest.mark.parametrize("answer", [None, "", " ", "\n\u3164"])
def test_a_blank_answer_is_none(answer):
    with pytest.raises(errors.AnswerEmpty):
        read(commands.Choice, DECIDE, answer=answer)


@pytest.mark.parametrize("action", ["decline", "deny", "stop"])
@pytest.mark.parametrize("note", [None, "", " "])
def test_a_refusal_says_why(action, note):
    with pytest.raises(errors.NoteRequired):
        read(commands.Choice, SEEN, action=action, note=note)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"action": "edit"}, errors.InvalidArgs),
        ({"action": "approve", "answer": "eu"}, errors.ActionNotOffered),
        ({"action": "approve", "args": {}}, errors.ActionNotOffered),
        ({"action": "answer", "answer": "eu", "args": {}}, errors.ActionNotOffered),
        ({"action": "deny", "note": "no", "answer": "eu"}, errors.ActionNotOffered),
        ({"action": "edit", "args": 5}, errors.InvalidArgs),
    ],
)
def test_a_choice_carries_what_its_action_needs_and_nothing_else(body, problem):
    with pytest.raises(problem):
        read(commands.Choice, SEEN, **body)


def test_an_edit_is_canonical_and_keeps_its_types():
    edited = read(
        commands.Choice, SEEN, action="edit", args={"n": 1, "ok": True, "x": None, "l": [1]}
    )
    assert edited.args == '{"l":[1],"n":1,"ok":true,"x":null}'


@pytest.mark.parametrize("note", [None, "", " \n"])
def test_a_stop_and_a_nack_say_why(note):
    for model, name in ((commands.Stop, "note"), (commands.Nack, "error")):
        with pytest.raises((errors.NoteRequired, ValidationError)):
            read(model, {}, **{name: note})


def test_a_command_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        read(commands.AppendStep, STEP).tool = "other"
