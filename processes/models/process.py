"""A process: the head of its record, and what the host keeps about it."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from processes.journal import limits
from processes.journal.record import METADATA, Reason, State
from processes.models.constraints import at_most, one_of

API, FILES = "api", "files"  # who owns a process (architecture §3.9)

models.CharField.register_lookup(Lower)


class ProcessQuery(models.QuerySet["Process"]):
    """Queries with names."""

    def visible_to(self, agent: str | None) -> Self:
        """A runtime sees its own agent's processes; a person (None) sees all (T18)."""
        return self if agent is None else self.filter(agent=agent)

    def running(self) -> Self:
        return self.filter(state=State.RUNNING)

    def not_started(self) -> Self:
        return self.filter(state=State.SUSPENDED, suspend_reason=Reason.OPENED)

    def decided_not_picked_up(self) -> Self:
        return self.filter(state=State.SUSPENDED, decided=True)

    def not_in_their_files(self) -> Self:
        """Owned by files, decided, and the decision is not written yet."""
        return self.filter(decided=True, origin=FILES)

    def settled(self) -> Self:
        return self.filter(state__in=[State.COMPLETED, State.FAILED])

    def newest_first(self) -> Self:
        return self.order_by("-updated_at_ms", "-id")

    def changed_before(self, at_ms: int, id: str) -> Self:
        """After that place in a list that has the newest first."""
        return self.filter(
            Q(updated_at_ms__lt=at_ms) | Q(updated_at_ms=at_ms, id__lt=id),
            updated_at_ms__lte=at_ms,
        )

    def oldest_first(self) -> Self:
        return self.order_by("updated_at_ms", "id")

    def changed_after(self, at_ms: int, id: str) -> Self:
        """After that place in a list that has the oldest first."""
        return self.filter(
            Q(updated_at_ms__gt=at_ms) | Q(updated_at_ms=at_ms, id__gt=id),
            updated_at_ms__gte=at_ms,
        )

    def matching(self, text: str, most: int) -> Self:
        """Found by id, objective or question, among the `most` opened last; an id is found in
        any case. Django escapes LIKE's own signs.
        """
        newest = Process.objects.order_by("-created_at_ms", "-id").values("id")[:most]
        said = Q(objective__icontains=text) | Q(question__icontains=text)
        return self.filter(Q(id=text) | Q(id__in=newest) & (said | Q(id__icontains=text)))


class Process(models.Model):
    """One run of an agent. The first block mirrors ProcessHead by equal names."""

    schema_version = models.PositiveSmallIntegerField(default=limits.SCHEMA_VERSION)
    id = models.CharField(primary_key=True, max_length=limits.ID_CHARS)
    objective = models.TextField()
    state = models.CharField(max_length=16)
    suspend_reason = models.CharField(max_length=16, null=True)
    question = models.TextField(null=True)
    principal_answer = models.TextField(null=True)
    steps_used = models.PositiveIntegerField(default=0)
    cycle_id = models.CharField(max_length=limits.NAME_CHARS, null=True)
    cycle_phase = models.CharField(max_length=limits.NAME_CHARS, null=True)
    objective_id = models.CharField(max_length=limits.NAME_CHARS, null=True)
    objective_class = models.CharField(max_length=limits.NAME_CHARS, null=True)
    objective_due_bucket = models.CharField(max_length=limits.NAME_CHARS, null=True)
    created_at_ms = models.BigIntegerField()
    updated_at_ms = models.BigIntegerField()

    # What the host keeps beside the record.
    agent = models.CharField(max_length=limits.AGENT_CHARS)
    origin = models.CharField(max_length=8, default=API)
    opened_with = models.CharField(max_length=64, default="")  # hash of the opening body
    outcome = models.TextField(null=True)  # final text, error, or the note of a stop
    extra = models.TextField(default="{}")  # unknown keys of an imported file, JSON
    revision = models.BigIntegerField(default=0)
    journal_seq = models.BigIntegerField(null=True)  # its last journal event; None: see the log
    chain = models.CharField(max_length=64)  # hash of the last event
    stored_steps = models.PositiveIntegerField(default=0)
    stored_turns = models.PositiveIntegerField(default=0)
    turns_dropped = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)  # replays seen, best effort
    denials = models.PositiveIntegerField(default=0)
    suspension_id = models.CharField(max_length=48, null=True)  # the open or undelivered one
    unused_id = models.CharField(max_length=48, null=True)  # delivered, no step since
    decided = models.BooleanField(default=False)
    held = models.BooleanField(default=False)
    lease_epoch = models.BigIntegerField(default=0)
    lease_owner = models.CharField(max_length=limits.NAME_CHARS, null=True)
    lease_until_ms = models.BigIntegerField(null=True)

    objects = ProcessQuery.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("id"), name="process_id_ignoring_case"),
            one_of("state", State, "process_state"),
            one_of("suspend_reason", Reason, "process_reason", null=True),
            models.CheckConstraint(
                condition=Q(state="suspended", suspend_reason__isnull=False)
                | (~Q(state="suspended") & Q(suspend_reason__isnull=True)),
                name="process_reason_iff_suspended",
            ),
            models.CheckConstraint(
                condition=~Q(suspend_reason="ask_user") | Q(question__isnull=False),
                name="process_asks_with_question",
            ),
            at_most("id", limits.ID_CHARS, "process_id_length"),
            at_most("objective", limits.OBJECTIVE_CHARS, "process_objective_length"),
            at_most("question", limits.TEXT_CHARS, "process_question_length"),
            at_most("principal_answer", limits.TEXT_CHARS, "process_answer_length"),
            at_most("agent", limits.AGENT_CHARS, "process_agent_length"),
            *(at_most(name, limits.NAME_CHARS, f"process_{name}_length") for name in METADATA),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["-updated_at_ms", "-id"],
                condition=Q(state="running"),
                name="process_running",
            ),
            models.Index(
                fields=["-updated_at_ms", "-id"],
                condition=Q(state__in=["completed", "failed"]),
                name="process_settled",
            ),
            models.Index(
                fields=["-updated_at_ms", "-id"],
                condition=Q(suspend_reason="opened"),
                name="process_not_started",
            ),
            models.Index(
                fields=["-updated_at_ms", "-id"],
                condition=Q(decided=True),
                name="process_decided",
            ),
            models.Index(fields=["-created_at_ms", "-id"], name="process_created"),
            models.Index(
                fields=["agent", "-created_at_ms", "-id"], name="process_agent_created"
            ),
            *(
                models.Index(
                    fields=[name, "-created_at_ms"],
                    condition=Q(**{f"{name}__isnull": False}),
                    name=f"process_{short}",
                )
                for name, short in zip(
                    METADATA, ("cycle", "phase", "objective", "class", "due"), strict=True
                )
            ),
        ]

    def __str__(self) -> str:
        return self.id
