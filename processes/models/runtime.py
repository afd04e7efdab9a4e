"""A key of a runtime or of a person's program: shown once, kept
as a hash (api.md auth, T16).
"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from processes.journal import limits

SCOPES = ("journal", "read", "wake", "decide", "admin")


class RuntimeKey(models.Model):
    """`agent` binds a runtime's key to its processes; a person's key
    has `user` and sees all.
    """

    prefix = models.CharField(max_length=12, unique=True)
    digest = models.CharField(max_length=64)  # SHA-256 of the whole key
    name = models.CharField(max_length=limits.AGENT_CHARS)
    agent = models.CharField(max_length=limits.AGENT_CHARS, null=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="runtime_keys"
    )
    owner = models.ForeignKey(  # of the agent: whom four-eyes keeps from approving what it asks
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    scopes = models.CharField(max_length=60)  # words with spaces between
    created_at_ms = models.BigIntegerField()
    expires_at_ms = models.BigIntegerField(null=True)
    revoked_at_ms = models.BigIntegerField(null=True)
    last_used_at_ms = models.BigIntegerField(null=True)

    class Meta:
        ordering: ClassVar = ["-created_at_ms", "-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(agent__isnull=True) | models.Q(user__isnull=True),
                name="key_of_agent_or_person",
            ),
        ]

    def __str__(self) -> str:
        return f"dalhc_{self.prefix}_…"

    @property
    def scope_set(self) -> frozenset[str]:
        return frozenset(self.scopes.split())
