from __future__ import annotations

import pytest

from processes.answering import checking, schema
from processes.answering.fields import fields
from processes.answering.filling import fill, is_blank
from processes.journal.errors import AnswerMisfit

NUMBER = schema.stored({"type": "object", "properties": {"n": {"type": "number"}}})


@pytest.mark.parametrize(
    "digits",
    ["3544790567247868102", "0.2345678901234568", "1e400", "1" + "0" * 30, "-0.0", "0.10"],
)
def test_b74_numbers_arrive_digit_for_digit(digits):
    answer = fill(fields(NUMBER), {"f0": [digits]})
    assert answer == f'{{"n": {digits}}}'
    checking.check(NUMBER, answer)


@pytest.mark.parametrize("typed", ["0,5", "1 000", "0x10", "NaN", "Infinity", "+1", ".5", "١"])
def test_what_is_no_number_is_told_at_its_field(typed):
    with pytest.raises(AnswerMisfit) as refused:
        fill(fields(NUMBER), {"f0": [typed]})
    [error] = refused.value.errors
    assert error == {"pointer": "/answer/n", "detail": "A number, as in 42 or -0.5."}


def test_every_fault_is_told_at_once():
    kept = schema.stored(
        {
            "type": "object",
            "properties": {"a/b": {"type": "integer"}, "c": {"type": "string"}},
            "required": ["a/b", "c"],
        }
    )
    with pytest.raises(AnswerMisfit) as refused:
        fill(fields(kept), {"f0": ["x"], "f1": [""]})
    assert [error["pointer"] for error in refused.value.errors] == ["/answer/a~1b", "/answer/c"]


def test_text_is_kept_with_its_spaces_and_the_browsers_line_ends_are_one():
    kept = schema.stored({"type": "string"})
    assert fill(fields(kept), {"f0": [" a\r\nb "]}) == '" a\\nb "'


def test_a_moment_of_the_browsers_field_is_utc_and_any_other_keeps_its_zone():
    kept = schema.stored({"type": "string", "format": "date-time"})
    form = fields(kept)
    assert fill(form, {"f0": ["2026-03-31T17:30"]}) == '"2026-03-31T17:30:00Z"'
    assert fill(form, {"f0": ["2026-03-31T17:30:05"]}) == '"2026-03-31T17:30:05Z"'
    zoned = fill(form, {"f0": ["2026-03-31T17:30:00+05:30"]})
    assert zoned == '"2026-03-31T17:30:00+05:30"'
    checking.check(kept, zoned)


def test_a_choice_that_was_not_offered_is_refused():
    kept = schema.stored({"enum": ["a"]})
    with pytest.raises(AnswerMisfit):
        fill(fields(kept), {"f0": ['"b"']})


def test_json_is_kept_as_it_was_written():
    kept = schema.stored({"type": "object"})
    written = '{ "n": 1.10,\n "l": [1e400] }'
    assert fill(fields(kept), {"f0": [written]}) == written
    with pytest.raises(AnswerMisfit, match="twice"):
        fill(fields(kept), {"f0": ['{"a": 1, "a": 2}']})


def test_a_form_of_which_nothing_was_sent_is_blank():
    assert is_blank(fields(NUMBER), {"answer": ["{}"]})
    assert not is_blank(fields(NUMBER), {"f0": [""]})
