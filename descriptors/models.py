"""Tables of sleeping agents. Rebuildable: the log of each process has all that the first two
hold, and losing them loses nothing (contract D20).
"""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from descriptors.contract import limits
from descriptors.contract.wake import span
from processes.journal import limits as journal_limits

HEARD = ("explicit", "human", "wait-provider")  # a timer is a due time and needs no row


class SleeperQuery(models.QuerySet["SleeperRow"]):
    """Queries with names."""

    def visible_to(self, agent: str | None) -> Self:
        """A runtime sees its own agent's sleepers; a person (None) sees all."""
        return self if agent is None else self.filter(agent=agent)

    def matching(self, kind: str, key_prefix: str, preset: str, stage: str) -> Self:
        """Of this kind, key prefix, preset and stage; empty is any. A prefix is no pattern."""
        found = self.filter(preset=preset) if preset else self
        if stage:
            found = found.filter(stage=stage)
        if kind == "timer":
            return found.filter(stage="sleeping", settled=None, due_at_ms__isnull=False)
        if kind or key_prefix:
            heard = ConditionRow.objects.under(kind, key_prefix)
            found = found.filter(session_id__in=heard.values("session_id"))
        return found


class SleeperRow(models.Model):
    """One sleeping agent. `body` is its descriptor as canonical JSON; the columns beside it are
    what is looked up.
    """

    session_id = models.CharField(primary_key=True, max_length=journal_limits.ID_CHARS)
    agent = models.CharField(max_length=journal_limits.AGENT_CHARS)
    preset = models.CharField(max_length=limits.PRESET_CHARS)
    stage = models.CharField(max_length=8)
    due_at_ms = models.BigIntegerField(null=True)  # while waking: when the claim lapses
    settled = models.TextField(null=True)  # what woke it, JSON
    wakes = models.PositiveIntegerField(default=0)
    wall_ms = models.BigIntegerField(default=0)
    steps_from = models.PositiveIntegerField(null=True)
    claimed_at_ms = models.BigIntegerField(null=True)
    rebuilt_at_ms = models.BigIntegerField(null=True)
    seq = models.BigIntegerField()  # of the event that wrote the body
    body = models.TextField()

    objects = SleeperQuery.as_manager()

    class Meta:
        db_table = "descriptors_sleeper"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(stage__in=["sleeping", "waking", "spent"]), name="sleeper_stage"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                # With the id, so that what is due is read from the index alone.
                fields=["agent", "due_at_ms", "preset", "session_id"],
                condition=Q(due_at_ms__isnull=False),
                name="sleeper_due",
            ),
            models.Index(
                fields=["due_at_ms"],
                condition=Q(stage="sleeping", due_at_ms__isnull=False),
                name="sleeper_forecast",
            ),
        ]

    def __str__(self) -> str:
        return self.session_id


class ConditionQuery(models.QuerySet["ConditionRow"]):
    """Queries with names."""

    def under(self, kind: str, prefix: str) -> Self:
        """Keys that begin with exactly this text: a range of the index, and no pattern."""
        found = self.filter(kind=kind) if kind else self.filter(kind__in=HEARD)
        if not prefix:
            return found
        first, end = span(prefix)
        found = found.filter(key__gte=first)
        return found if end is None else found.filter(key__lt=end)


class ConditionRow(models.Model):
    """What a sleeper listens to, but for timers, which are its due time."""

    session_id = models.CharField(max_length=journal_limits.ID_CHARS)
    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=limits.KEY_CHARS)

    objects = ConditionQuery.as_manager()

    class Meta:
        db_table = "descriptors_condition"
        indexes: ClassVar = [
            models.Index(fields=["kind", "key"], name="condition_key"),
            models.Index(fields=["session_id"], name="condition_session"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class KeptSignal(models.Model):
    """A signal that came before its sleeper (contract W19). This table is not rebuildable: no
    log has it until somebody is woken by it.
    """

    agent = models.CharField(max_length=journal_limits.AGENT_CHARS, blank=True)  # "": anyone's
    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=limits.KEY_CHARS)
    payload = models.TextField(null=True)
    times = models.PositiveIntegerField(default=1)
    at_ms = models.BigIntegerField()

    class Meta:
        db_table = "descriptors_signal"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "key", "agent"], name="signal_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Incarnation(models.Model):
    """The random id of this database's logs, minted once: a copy's revisions differ."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    name = models.CharField(max_length=16)

    class Meta:
        db_table = "descriptors_incarnation"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=1), name="incarnation_once"),
        ]

    def __str__(self) -> str:
        return self.name
