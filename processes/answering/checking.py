"""Whether an answer fits its schema: a pure rule, digit for digit, with a pointer per fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from dalhc.problems import Problem
from processes.answering.schema import read
from processes.journal import limits
from processes.journal.errors import AnswerMisfit
from processes.journal.parse import parse_exact
from processes.journal.text import pointer

MOST = 20  # faults told at once
_EXPONENT = 1_000  # beyond it a division would cost more than the answer is worth

type Fault = tuple[str, str]  # a JSON pointer into the answer, and what is wrong there

formats = FormatChecker(formats=("ipv4", "ipv6", "uuid", "regex"))


def check(schema: str, answer: str) -> None:
    """Raise AnswerMisfit unless the answer is JSON that fits the kept schema. Pointers lead
    into the field `answer` of the decision.
    """
    if errors := _errors(schema, answer):
        raise AnswerMisfit("; ".join(one["detail"] for one in errors[:3]), errors=errors)


@lru_cache(maxsize=64)
def _errors(schema: str, answer: str) -> tuple[dict[str, str], ...]:
    """Remembered, so that a large answer is tried before the lock is taken and only looked up
    under it.
    """
    try:
        value = parse_exact(answer, depth=limits.DEPTH_API)
    except Problem:
        return (
            {"pointer": "/answer", "detail": "This is no JSON; numbers and texts are, too."},
        )
    found = list(faults(schema, value))[:MOST]
    return tuple({"pointer": f"/answer{at}", "detail": said} for at, said in found)


def faults(schema: str, value: Any) -> Iterator[Fault]:
    """What does not fit, in the order of the answer's parts."""
    found = sorted(
        _validator(schema).iter_errors(value), key=lambda one: [*map(str, one.absolute_path)]
    )
    for fault in found:
        yield from _told(fault)


@lru_cache(maxsize=256)
def _validator(schema: str) -> Validator:
    made: Validator = Exact(read(schema), format_checker=formats)
    return made


def _told(fault: ValidationError) -> Iterable[Fault]:
    wanted = fault.validator_value
    match fault.validator:
        case "required":
            said = "This is needed."
        case "minLength":
            said = f"At least {wanted} character{'' if wanted == 1 else 's'}."
        case "maxLength":
            said = f"At most {wanted} characters."
        case "minimum":
            said = f"At least {wanted}."
        case "maximum":
            said = f"At most {wanted}."
        case "exclusiveMinimum":
            said = f"More than {wanted}."
        case "exclusiveMaximum":
            said = f"Less than {wanted}."
        case "minItems":
            said = f"At least {wanted} of these."
        case "maxItems":
            said = f"At most {wanted} of these."
        case "format":
            said = FORMATS.get(wanted, f"This is no {str(wanted)[:40]}.")
        case "enum" | "const":
            said = "This is none of the choices."
        case "additionalProperties":
            said = "It has fields that were not asked for."
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            said = f"This should be {' or '.join(_KINDS.get(one, one) for one in kinds)}."
        case "anyOf" | "oneOf":
            if inner := _only_branch(fault):
                return [one for each in inner for one in _told(each)]
            said = "This fits none of the forms it may have."
        case _:
            said = fault.message[:200]
    return [(pointer(*fault.absolute_path), said)]


def _only_branch(fault: ValidationError) -> list[ValidationError]:
    """The faults of the one branch that is not null, for which alone they are worth telling."""
    inner = [one for one in fault.context or () if one.validator_value != "null"]
    is_one = len({one.schema_path[0] for one in inner}) == 1
    return inner if is_one else []


_KINDS = {
    "string": "text", "integer": "a whole number", "number": "a number", "null": "null",
    "boolean": "true or false", "array": "a list", "object": "an object",
}  # fmt: skip
FORMATS = {
    "date": "A date, as in 2026-03-31.",
    "date-time": "A date, a time and its zone, as in 2026-03-31T17:30:00Z.",
    "time": "A time and its zone, as in 17:30:00Z.",
    "email": "An e-mail address, as in mia@example.org.",
    "uri": "An address with its scheme, as in https://example.org.",
}
_EMAIL = re.compile(r"[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)

_TIME = re.compile(r"\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def _is_email(value: object) -> bool:
    return not isinstance(value, str) or bool(_EMAIL.fullmatch(value))


def _is_uri(value: object) -> bool:
    if not isinstance(value, str):
        return True
    parts = urlsplit(value)
    is_plain = value.isprintable() and not any(char.isspace() for char in value)
    return is_plain and bool(parts.scheme) and bool(parts.netloc or parts.path)


def _is_date(value: object) -> bool:
    if not isinstance(value, str):
        return True
    return bool(_DATE.fullmatch(value) and date.fromisoformat(value))


def _is_moment(value: object) -> bool:
    """RFC 3339: always with its zone."""
    if not isinstance(value, str):
        return True
    return bool(_MOMENT.fullmatch(value) and datetime.fromisoformat(value.upper()))


def _is_time(value: object) -> bool:
    """RFC 3339, as above."""
    if not isinstance(value, str):
        return True
    return bool(_TIME.fullmatch(value) and time.fromisoformat(value.upper()) is not None)


for _name, _test in (
    ("email", _is_email), ("uri", _is_uri), ("date", _is_date), ("date-time", _is_moment),
    ("time", _is_time),
):  # fmt: skip
    formats.checks(_name, raises=ValueError)(_test)


def _is_integer(checker: object, value: object) -> bool:
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return isinstance(value, int) and not isinstance(value, bool)


def _multiple_of(
    validator: Validator, unit: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    """In fractions, since 0.3 is a multiple of 0.1."""
    if not validator.is_type(value, "number"):
        return
    if abs(Decimal(value).adjusted()) > _EXPONENT:
        yield ValidationError(f"This is too large to be compared with {unit}.")
    elif Fraction(value) % Fraction(unit):
        yield ValidationError(f"A multiple of {unit}.")


def _required(
    validator: Validator, names: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    """As the standard says, with the pointer at what is missing."""
    if isinstance(value, dict):
        missing = (name for name in names if name not in value)
        yield from (ValidationError("This is needed.", path=(name,)) for name in missing)


def _pattern(
    validator: Validator, pattern: str, value: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(value, str):
        return
    if len(value) > limits.MATCHED_CHARS:
        yield ValidationError(f"At most {limits.MATCHED_CHARS} characters.")
    elif not re.search(pattern, value):
        yield ValidationError(f"It has to look like {pattern}.")


Exact = extend(
    Draft202012Validator,
    {"multipleOf": _multiple_of, "pattern": _pattern, "required": _required},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)
