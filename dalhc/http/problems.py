"""Refusals that belong to the transport, not to the contract (api.md conventions)."""

from __future__ import annotations

from dalhc.problems import Problem


class InvalidRequest(Problem):
    """The request is well formed, but something in it is wrong."""


class ExtraField(Problem):
    """The request names a field that does not exist here."""


class NotFound(Problem):
    """There is nothing at this address."""


class MethodNotAllowed(Problem):
    """This address does not take that method."""


class UnsupportedMediaType(Problem):
    """Send application/json in UTF-8."""


class NotAcceptable(Problem):
    """This address answers in JSON only."""


class PreconditionRequired(Problem):
    """Name the revision you saw: send If-Match."""


class BadCursor(Problem):
    """The cursor is not one this list gave out, or its filters have changed."""


class RateLimited(Problem):
    """Too many requests; wait and try again."""


class IdempotencyConflict(Problem):
    """This Idempotency-Key was used with another request."""


class TooLarge(Problem):
    """The body is larger than this address takes."""


class Internal(Problem):
    """The server failed; nothing of this request was kept unless you were told so."""


class TooManyWaiters(Problem):
    """Too many requests are waiting; try again shortly."""
