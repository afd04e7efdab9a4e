from __future__ import annotations

import pytest

from processes.answering import checking, schema
from processes.journal.errors import AnswerMisfit

INTEGER = "This should be a whole number."


def told(sent, answer):
    """Pointer and words of each fault."""
    try:
        checking.check(schema.stored(sent), answer)
    except AnswerMisfit as refused:
        return [(error["pointer"], error["detail"]) for error in refused.errors]
    return []


@pytest.mark.parametrize(
    ("sent", "answer", "said"),
    [
        ({"type": "string", "minLength": 3}, '"ab"', "At least 3 characters."),
        ({"type": "string", "maxLength": 1}, '"ab"', "At most 1 characters."),
        ({"minimum": 5}, "4.9999999999999999999", "At least 5."),
        ({"exclusiveMaximum": 5}, "5.0", "Less than 5."),
        ({"type": "integer"}, "1.5", INTEGER),
        ({"type": "integer"}, "true", INTEGER),
        ({"type": "boolean"}, '"true"', "This should be true or false."),
        ({"enum": ["a", 1]}, '"b"', "This is none of the choices."),
        ({"type": "array", "minItems": 1}, "[]", "At least 1 of these."),
        ({"format": "date"}, '"2026-02-30"', "A date, as in 2026-03-31."),
        ({"format": "email"}, '"mia"', "An e-mail address, as in mia@example.org."),
        ({"format": "uri"}, '"example.org"', checking.FORMATS["uri"]),
        ({"format": "date-time"}, '"2026-03-31T17:30:00"', checking.FORMATS["date-time"]),
        ({"format": "time"}, '"17:30"', checking.FORMATS["time"]),
        ({"format": "time"}, '"25:30:00Z"', checking.FORMATS["time"]),
        ({"multipleOf": 0.1}, "0.35", "A multiple of 0.1."),
        ({"multipleOf": 0.1}, "1e999999", "This is too large to be compared with 0.1."),
        ({"pattern": "^a$"}, '"b"', "It has to look like ^a$."),
        ({"additionalProperties": False}, '{"x": 1}', "It has fields that were not asked for."),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, '"x"', INTEGER),
    ],
)  # fmt: skip
def test_each_fault_is_told_in_words(sent, answer, said):
    assert told(sent, answer) == [("/answer", said)]


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        ({"type": "integer"}, "1.0"),
        ({"type": "integer"}, "1e3"),
        ({"type": "integer"}, "9" * 5_000),
        ({"type": "number"}, "1e400"),
        ({"multipleOf": 0.1}, "0.3"),
        ({"enum": [1]}, "1.0"),
        ({"format": "uri"}, '"mailto:mia@example.org"'),
        ({"format": "date-time"}, '"2026-03-31t17:30:00.25z"'),
        ({"format": "time"}, '"17:30:00Z"'),
        ({"format": "time"}, '"17:30:00.5+01:00"'),
        ({"format": "email"}, "3"),
    ],
)
def test_what_fits_is_taken(sent, answer):
    assert told(sent, answer) == []


def test_pointers_lead_to_each_fault():
    sent = {
        "properties": {"a": {"items": {"type": "integer"}}, "b/c": {"type": "string"}},
        "required": ["a", "d"],
    }
    found = told(sent, '{"a": [1, "x"], "b/c": 2}')
    assert [at for at, _ in found] == ["/answer/a/1", "/answer/b~1c", "/answer/d"]


@pytest.mark.parametrize("answer", ["", "eu", "{", "NaN", "[1] 2"])
def test_what_is_no_json_is_said_to_be_none(answer):
    [(at, said)] = told({}, answer)
    assert at == "/answer"
    assert said.startswith("This is no JSON")
