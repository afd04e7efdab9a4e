"""Refusals of sleeping and waking; each docstring is the message."""

from __future__ import annotations

from dalhc.problems import Problem


class SessionIdRequired(Problem):
    """sessionId required: a descriptor names the process that sleeps, and it is the one in the
    address.
    """


class UnsupportedFormatVersion(Problem):
    """The format_version of a descriptor must be 1."""


class UnknownEnvClass(Problem):
    """The env_class must be host, container, virtual_machine or sandbox."""


class SecretRefused(Problem):
    """A descriptor never holds an environment, a token or a key; name where the secret lives
    instead.
    """


class InvalidWakeCondition(Problem):
    """A wake condition is a timer with a Unix millisecond, or wait-provider, human or explicit
    with a key of 1 to 200 visible characters.
    """


class NotJsonSafe(Problem):
    """A descriptor is plain JSON: no NaN, no bytes, no dates, no live objects."""


class DescriptorNotFound(Problem):
    """No such agent sleeps here, or it is not yours."""


class StaleWatermark(Problem):
    """A watermark never goes back: the descriptor already stands at a later place."""


class AheadOfLog(Problem):
    """The log does not reach that place yet: flush first, then commit what was flushed."""


class OtherSource(Problem):
    """The source_revision is of another log; read the source and name that."""


class NotClaimed(Problem):
    """This agent sleeps; only who claimed its wake commits, or gives it back."""


class StillClaimed(Problem):
    """A runtime has claimed this wake and still holds it."""


class NothingToSleepFor(Problem):
    """The process has ended; nothing wakes it again."""


class UnknownSuspension(Problem):
    """A human condition names a suspension of this very process."""


class TooManySignals(Problem):
    """Too many signals wait for a sleeper; the oldest must be used or expire first."""
