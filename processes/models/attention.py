"""Whose a stop is, and until when: the columns of a suspension that say who should look."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from processes.journal import limits
from processes.journal.timing import PRIORITIES, TIMEOUTS
from processes.models.constraints import at_most, one_of


class Attention(models.Model):
    """`holder` is the actor who has claimed it; `rank` its place in the inbox."""

    agent = models.CharField(max_length=limits.AGENT_CHARS, default="")
    owner = models.CharField(max_length=150, null=True)  # of the agent's key, when it asked
    rank = models.BigIntegerField(default=0)
    priority = models.CharField(max_length=8, default="normal")
    due_at_ms = models.BigIntegerField(null=True)
    expires_at_ms = models.BigIntegerField(null=True)
    on_timeout = models.CharField(max_length=8, default="wait")
    default_answer = models.TextField(null=True)
    assignees_json = models.TextField(default="[]")
    holder = models.CharField(max_length=200, null=True)
    claimed_at_ms = models.BigIntegerField(null=True)
    snoozed_until_ms = models.BigIntegerField(null=True)
    snoozed_by = models.CharField(max_length=200, null=True)

    class Meta:
        abstract = True

    @property
    def assignees(self) -> tuple[str, ...]:
        return tuple(json.loads(self.assignees_json))


class Assignment(models.Model):
    """One name a suspension is meant for, so that a person's list is found by an index."""

    suspension = models.ForeignKey(
        "processes.Suspension", models.CASCADE, related_name="assignments"
    )
    name = models.CharField(max_length=limits.ASSIGNEE_CHARS)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["name", "suspension"], name="assignment_once"),
        ]

    def __str__(self) -> str:
        return f"{self.suspension_id} {self.name}"


CONSTRAINTS: list[Any] = [
    one_of("priority", PRIORITIES, "suspension_priority"),
    one_of("on_timeout", TIMEOUTS, "suspension_on_timeout"),
    at_most("default_answer", limits.TEXT_CHARS, "suspension_default_length"),
]
_WAITING = Q(status="open", snoozed_until_ms__isnull=True)
INDEXES = [
    models.Index(
        fields=["opened_at_ms", "id"], condition=_WAITING, name="suspension_longest_waiting"
    ),
    models.Index(fields=["rank", "id"], condition=_WAITING, name="suspension_ranked"),
    models.Index(
        fields=["reason", "rank", "id"], condition=_WAITING, name="suspension_ranked_reason"
    ),
    models.Index(
        fields=["expires_at_ms"],
        condition=Q(status="open", expires_at_ms__isnull=False),
        name="suspension_expiring",
    ),
    models.Index(
        fields=["snoozed_until_ms"],
        condition=Q(status="open", snoozed_until_ms__isnull=False),
        name="suspension_snoozed",
    ),
    models.Index(
        fields=["holder"],
        condition=Q(status="open", holder__isnull=False),
        name="suspension_held_by",
    ),
    models.Index(
        fields=["agent", "rank", "id"], condition=_WAITING, name="suspension_ranked_agent"
    ),
    models.Index(fields=["agent"], condition=Q(status="open"), name="suspension_open_agent"),
]
