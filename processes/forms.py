"""What people send: read exactly as typed, bounded, and turned into the commands of the
contract.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from pydantic import ValidationError

from dalhc.clock import now_ms
from dalhc.http.carrying import WORDS
from dalhc.http.problems import InvalidRequest, TooLarge
from processes.answering.fields import fields as schema_fields
from processes.answering.filling import fill
from processes.journal import limits
from processes.journal.attention import Reassign, Snooze
from processes.journal.commands import Choice, Stop
from processes.journal.drafting import SaveDraft
from processes.journal.errors import InvalidArgs, UnknownAssignee
from processes.journal.parse import parse_json
from processes.models import Suspension
from processes.models.runtime import SCOPES
from processes.notices.address import URL_CHARS
from processes.notices.words import KINDS
from processes.services.people import ROLES
from processes.shown import editing, times
from processes.shown.times import DAY

# What of the form belongs to which decision; the rest of it is not looked at.
PARTS = {
    "answer": ("answer",),
    "decline": ("note",),
    "approve": ("note",),
    "edit": ("args", "note"),
    "deny": ("note",),
    "stop": ("note",),
}


class Words(forms.CharField):
    """Text as it was typed: nothing trimmed. Browsers send each
    line's end as two characters.
    """

    def __init__(self, most: int, **kwargs: Any) -> None:
        super().__init__(required=False, strip=False, empty_value=None, **kwargs)
        self.most = most

    def to_python(self, value: Any) -> str | None:
        text: str | None = super().to_python(value)
        return None if text is None else text.replace("\r\n", "\n")

    def validate(self, value: str | None) -> None:
        if value is not None and len(value) > self.most:
            raise forms.ValidationError(
                f"{len(value):,} characters; at most {self.most:,} can be sent."
            )


class Checked(forms.Form):
    """A form whose faults are one refusal, each with a pointer to its field."""

    def require_valid(self) -> dict[str, Any]:
        """What was sent. Raises InvalidRequest."""
        if self.is_valid():
            return self.cleaned_data
        errors = tuple(
            {"pointer": f"/{name}", "detail": " ".join(map(str, said))}
            for name, said in self.errors.items()
        )
        raise InvalidRequest(" ".join(error["detail"] for error in errors), errors=errors)


class DecisionForm(Checked):
    """What a person decides about a suspension, and the digest of what they saw."""

    suspension_id = forms.CharField(max_length=48)
    review_digest = forms.RegexField(r"^[0-9a-f]{64}\Z")
    action = forms.ChoiceField(choices=[(action, action) for action in PARTS])
    answer = Words(limits.TEXT_CHARS)
    note = Words(limits.NOTE_CHARS)
    args = Words(limits.ARGS_BYTES)
    seen_by = forms.CharField(required=False, max_length=150)

    def choice(self, stop: Suspension) -> Choice:
        """The decision. Raises InvalidRequest, AnswerEmpty, AnswerMisfit, NoteRequired,
        InvalidArgs, NotJson and the other refusals of a command.
        """
        sent = self.require_valid()
        fields = {name: sent[name] for name in PARTS[sent["action"]]}
        if "answer" in fields and stop.response_schema is not None and not fields["answer"]:
            lists = dict(self.data.lists())  # type: ignore[attr-defined]
            fields["answer"] = fill(schema_fields(stop.response_schema), lists)
        if "answer" in fields and stop.options is not None:
            fields["answer"] = _offered(fields["answer"], stop.options)
        if "args" in fields:
            fields["args"] = self._args(fields["args"], stop.proposed_args or "")
        head = {"action": sent["action"], "review_digest": sent["review_digest"]}
        return Choice.model_validate({**head, **fields})

    def _args(self, text: str | None, before: str) -> Any:
        """In one text, or field by field."""
        if text is not None:
            return _args(text, before)
        lists = dict(self.data.lists())  # type: ignore[attr-defined]
        return editing.fill(before, lists) if editing.is_sent(before, lists) else None


# Every name a field of a typed answer can have; those of words are carrying.WORDS.
TYPED = tuple(f"f{n}{end}" for n in range(limits.FIELDS) for end in ("", "-null"))


class DraftForm(Checked):
    """What someone is typing: all of it, however wrong it still is."""

    suspension_id = forms.CharField(max_length=48)
    action = forms.ChoiceField(choices=[(action, action) for action in PARTS])
    typed_at = forms.IntegerField(min_value=0, max_value=limits.TIME_MS)

    def command(self) -> SaveDraft:
        """The fields that hold something a person wrote. Raises InvalidRequest, TooLarge."""
        sent = self.require_valid()
        lists = dict(self.data.lists())  # type: ignore[attr-defined]
        kept = {name: lists[name] for name in (*WORDS, *TYPED) if name in lists}
        if sum(len(value) for values in kept.values() for value in values) > limits.DRAFT_CHARS:
            raise TooLarge(f"A draft has at most {limits.DRAFT_CHARS:,} characters.")
        return SaveDraft(action=sent["action"], content=kept, typed_at_ms=sent["typed_at"])


class StopForm(Checked):
    """Why a process is ended."""

    note = Words(limits.NOTE_CHARS)

    def command(self) -> Stop:
        """Raises NoteRequired."""
        return Stop.model_validate({"note": self.require_valid()["note"] or ""})


class SnoozeForm(Checked):
    """How long it is put off; no minutes bring it back."""

    suspension_id = forms.CharField(max_length=48)
    minutes = forms.IntegerField(required=False, min_value=1, max_value=525_600)

    def until(self) -> Snooze:
        minutes = self.require_valid()["minutes"]
        until = times.iso(now_ms() + minutes * times.MINUTE) if minutes else None
        return Snooze.model_validate({"until": until})


class ReassignForm(Checked):
    """Names with commas between; none is for everyone."""

    suspension_id = forms.CharField(max_length=48)
    assignees = forms.CharField(required=False, max_length=2_000)

    def command(self) -> Reassign:
        """Raises InvalidRequest, UnknownAssignee."""
        typed = self.require_valid()["assignees"].replace(",", " ").split()
        names = list(dict.fromkeys(typed))
        try:
            return Reassign.model_validate({"assignees": names})
        except ValidationError:
            raise UnknownAssignee(pointer="/assignees") from None


class KeyForm(Checked):
    """A new key, for an agent or for a person's program."""

    name = forms.CharField(max_length=limits.AGENT_CHARS, label="Name")
    agent = forms.CharField(required=False, max_length=limits.AGENT_CHARS)
    user = forms.ModelChoiceField(
        User.objects.filter(is_active=True).order_by("username"), required=False
    )
    owner = forms.ModelChoiceField(
        User.objects.filter(is_active=True).order_by("username"), required=False
    )
    scopes = forms.MultipleChoiceField(choices=[(scope, scope) for scope in SCOPES])
    days = forms.IntegerField(required=False, min_value=1, max_value=3650)

    def fields_of_key(self) -> dict[str, Any]:
        sent = self.require_valid()
        days = sent.pop("days")
        expires = now_ms() + days * DAY if days else None
        return {**sent, "agent": sent["agent"] or None, "expires_at_ms": expires}


class RecipientForm(Checked):
    """Who is told, and about what."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in ("webhook", "email")])
    address = forms.CharField(max_length=URL_CHARS)
    wants = forms.MultipleChoiceField(choices=[(kind, kind) for kind in KINDS])


class PersonForm(Checked):
    """Someone who may log in."""

    username = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=[(role, role) for role in ROLES])
    password = forms.CharField(max_length=128, strip=False)


class RoleForm(Checked):
    role = forms.ChoiceField(choices=[(role, role) for role in ROLES])


def _offered(answer: str | None, options: tuple[str, ...]) -> str | None:
    """The option as the process wrote it: a browser changes the line ends inside it."""
    return next((one for one in options if one.replace("\r\n", "\n") == answer), answer)


def _args(text: str, before: str) -> Any:
    """Edited arguments keep their form: JSON stays JSON, a plain string stays one."""
    if text.lstrip().startswith(("{", "[")):
        return parse_json(text.encode(), depth=limits.DEPTH_API)
    if before.startswith(("{", "[")):
        raise InvalidArgs("The arguments were JSON and must stay JSON.", pointer="/args")
    return text
