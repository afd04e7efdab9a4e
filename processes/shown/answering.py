"""The fields of a typed answer, with what stands in them and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from processes.answering.fields import Field, Option, fields
from processes.answering.filling import is_blank
from processes.models import Suspension
from processes.shown.typed import Typed

_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?[Zz]?", re.ASCII)
_WIDE = 200  # a text that may be longer is written over several lines
_FEW, _SHORT = 4, 12
_TYPES = {"email": "email", "uri": "url", "date": "date"}


@dataclass(frozen=True, slots=True)
class Filled:
    """A field as it is shown."""

    field: Field
    values: tuple[str, ...]
    is_null: bool
    fault: str
    is_first: bool

    @property
    def value(self) -> str:
        """The browser's own field of a moment has no zone; it is labelled UTC."""
        text = self.values[-1] if self.values else ""
        return text.rstrip("Zz") if self.is_local else text

    @property
    def options(self) -> list[tuple[Option, bool]]:
        return [(option, option.value in self.values) for option in self.field.options]

    @property
    def has_none(self) -> bool:
        """Nothing is chosen."""
        return not any(self.values)

    @property
    def is_brief(self) -> bool:
        """Few and short choices stand side by side."""
        options = self.field.options
        return len(options) <= _FEW and all(len(one.title) <= _SHORT for one in options)

    @property
    def is_local(self) -> bool:
        """A moment the browser's own field can show: none yet, or one in UTC."""
        text = self.values[-1] if self.values else ""
        return self.field.kind == "moment" and (not text or bool(_LOCAL.fullmatch(text)))

    @property
    def type(self) -> str:
        """Of an input. A number is text: the browser's own field would round it."""
        return "datetime-local" if self.is_local else _TYPES.get(self.field.kind, "text")

    @property
    def is_wide(self) -> bool:
        kind = self.field.kind
        return kind in {"lines", "json"} or (kind == "text" and self.field.most > _WIDE)

    @property
    def described(self) -> str:
        """The ids of what is said about it."""
        post = self.field.post
        said = (("hint", self.field.hint), ("fault", self.fault))
        return " ".join(f"{post}-{name}" for name, text in said if text)


def filled(stop: Suspension, typed: Typed, errors: Sequence[dict[str, str]]) -> list[Filled]:
    """The form of a question with a schema; the defaults where nothing was typed yet."""
    if stop.response_schema is None:
        return []
    form = fields(stop.response_schema)
    lists = typed.lists
    untouched = is_blank(form, lists)
    return [
        Filled(
            field,
            field.initial if untouched else tuple(lists.get(field.post, ())),
            not untouched and any(lists.get(field.null, ())),
            _fault(field, errors),
            number == 0,
        )
        for number, field in enumerate(form)
    ]


def unclaimed(form: Sequence[Filled], errors: Sequence[dict[str, str]]) -> list[str]:
    """What is wrong with the answer and stands beside no field."""
    claimed = [f"/answer{one.field.pointer}" for one in form]
    return [
        _told(one["pointer"].removeprefix("/answer"), one["detail"])
        for one in errors
        if not any(
            one["pointer"] == at or one["pointer"].startswith(f"{at}/") for at in claimed
        )
    ]


def _fault(field: Field, errors: Sequence[dict[str, str]]) -> str:
    """What is wrong with this field, or somewhere inside it."""
    at = f"/answer{field.pointer}"
    said = [
        _told(one["pointer"].removeprefix(at), one["detail"])
        for one in errors
        if one["pointer"] == at or one["pointer"].startswith(f"{at}/")
    ]
    return " ".join(said)


def _told(inside: str, detail: str) -> str:
    return f"{inside}: {detail}" if inside else detail
