"""One stop of a process: what the inbox lists."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q

from processes.journal import limits
from processes.journal.record import INBOX_REASONS
from processes.models.attention import CONSTRAINTS, INDEXES, Assignment, Attention
from processes.models.constraints import at_most, one_of
from processes.models.process import Process

STATUSES = (
    "open", "answered", "delivered", "used", "declined", "expired", "withdrawn", "superseded",
)  # fmt: skip

RAN = ("approved", "other")  # what the step after an approval was


class SuspensionQuery(models.QuerySet["Suspension"]):
    """Queries with names."""

    def open(self) -> Self:
        return self.filter(status="open")

    def for_reason(self, reason: str) -> Self:
        return self.filter(reason=reason) if reason else self

    def of(self, process_id: str) -> Self:
        return self.filter(process_id=process_id)

    def visible_to(self, agent: str | None) -> Self:
        return self if agent is None else self.filter(process__agent=agent)

    def waiting(self) -> Self:
        """Open, and nobody has put it off."""
        return self.filter(status="open", snoozed_until_ms__isnull=True)

    def snoozed(self) -> Self:
        return self.filter(status="open", snoozed_until_ms__isnull=False)

    def mine(self, name: str, groups: Iterable[str]) -> Self:
        """Claimed by this person, or meant for them or a group of theirs and not claimed."""
        names = [name, *(f"group:{group}" for group in groups)]
        meant = Assignment.objects.filter(name__in=names).values("suspension_id")
        return self.filter(Q(holder=f"principal:{name}") | Q(holder__isnull=True, id__in=meant))

    def oldest_first(self) -> Self:
        return self.order_by("opened_at_ms", "id")

    def in_order(self) -> Self:
        """Expiring first, then by priority, then oldest."""
        return self.order_by("rank", "id")

    def ranked_before(self, rank: int, id: str) -> Self:
        """Before that place in the order."""
        return self.filter(Q(rank__lt=rank) | Q(rank=rank, id__lt=id), rank__lte=rank)

    def ranked_after(self, rank: int, id: str) -> Self:
        """After that place in the order."""
        return self.filter(Q(rank__gt=rank) | Q(rank=rank, id__gt=id), rank__gte=rank)

    def backwards(self) -> Self:
        return self.order_by("-rank", "-id")

    def asked_since(self, id: str) -> Self:
        """Opened after that one: ids are minted in order."""
        return self.filter(id__gt=id)

    def newest_first(self) -> Self:
        return self.order_by("-opened_at_ms", "-id")


class Suspension(Attention):
    """What was asked, exactly as it was shown, and how far the decision has come."""

    id = models.CharField(primary_key=True, max_length=48)
    process = models.ForeignKey(Process, models.CASCADE, related_name="+", db_index=False)
    reason = models.CharField(max_length=16)
    question = models.TextField(null=True)
    detail = models.TextField(null=True)
    ask_key = models.CharField(max_length=limits.KEY_CHARS, null=True)
    hold = models.BooleanField(default=False)  # asked for by the runtime
    options_json = models.TextField(null=True)
    response_schema = models.TextField(null=True)  # JSON, its keys in the order of the form
    proposed_tool = models.CharField(max_length=limits.NAME_CHARS, null=True)
    proposed_args = models.TextField(null=True)
    strict = models.BooleanField(default=False)  # only the approved call may run next

    held = models.BooleanField(default=False)  # policy or hold: a person must decide
    status = models.CharField(max_length=16, default="open")
    after_step = models.PositiveIntegerField(default=0)
    opened_at_ms = models.BigIntegerField()
    closed_at_ms = models.BigIntegerField(null=True)
    delivered_at_ms = models.BigIntegerField(null=True)
    used_step = models.PositiveIntegerField(null=True)
    ran = models.CharField(max_length=8, null=True)  # of an approved call: approved, other
    nack_error = models.TextField(null=True)

    objects = SuspensionQuery.as_manager()

    class Meta:
        constraints: ClassVar = [
            one_of("status", STATUSES, "suspension_status"),
            one_of("reason", INBOX_REASONS, "suspension_reason"),
            one_of("ran", RAN, "suspension_ran", null=True),
            *CONSTRAINTS,
            at_most("question", limits.TEXT_CHARS, "suspension_question_length"),
            at_most("detail", limits.NOTE_CHARS, "suspension_detail_length"),
            models.UniqueConstraint(
                fields=["process"], condition=Q(status="open"), name="suspension_open_once"
            ),
            models.UniqueConstraint(
                fields=["process", "ask_key"],
                condition=Q(ask_key__isnull=False),
                name="suspension_ask_once",
            ),
        ]
        indexes: ClassVar = [
            *INDEXES,
            models.Index(
                fields=["process", "opened_at_ms", "id"], name="suspension_of_process"
            ),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def options(self) -> tuple[str, ...] | None:
        return None if self.options_json is None else tuple(json.loads(self.options_json))

    @property
    def proposed_action(self) -> dict[str, Any] | None:
        if self.proposed_tool is None:
            return None
        return {"tool": self.proposed_tool, "args": self.proposed_args}
