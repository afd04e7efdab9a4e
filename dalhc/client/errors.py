"""What can go wrong between a runtime and the server, each kind with its own title."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


class DalhcError(Exception):
    """The server refused the request.

    `code` is the stable code of the refusal (API.md), `status` the HTTP status (0 when there
    was no reply), `current` the state that refused on a 409 or 412, `request_id` what the
    server's log calls the request.
    """

    def __init__(
        self,
        code: str,
        title: str = "",
        detail: str = "",
        status: int = 0,
        current: Json | None = None,
        request_id: str = "",
        errors: tuple[Json, ...] = (),
    ) -> None:
        self.code = code
        self.title = title or _first_line(type(self).__doc__)
        self.detail = detail or self.title
        self.status = status
        self.current = current or {}
        self.request_id = request_id
        self.errors = errors
        super().__init__(self.detail)

    def __str__(self) -> str:
        return f"{self.detail} ({self.code})"


class Unreachable(DalhcError):
    """The server gave no usable reply in time; whether the request took effect is unknown."""


class Unauthorized(DalhcError):
    """The key is unknown, expired or revoked."""


class Forbidden(DalhcError):
    """The key's scopes do not allow this."""


class NotFound(DalhcError):
    """There is no such thing, or it is not yours."""


class RunEnded(DalhcError):
    """The process has ended; nothing can be added to it.

    `state` is how it ended (`completed` or `failed`), `note` what the person who ended it said.
    """

    @property
    def state(self) -> str:
        return str(self.current.get("state") or "")

    @property
    def note(self) -> str:
        return str(self.current.get("note") or "")


class NotRunning(DalhcError):
    """The process is not running; resume it first."""


class ApprovalRequired(DalhcError):
    """The process is held until a person lets it resume."""


class Denied(DalhcError):
    """A person denied this action; the same call is refused."""


class MayHaveRun(DalhcError):
    """A call that must run at most once was begun before and its result never recorded."""


class Fenced(DalhcError):
    """Another runtime has claimed this process; this one must stop."""


class Leased(DalhcError):
    """Another runtime holds the lease of this process."""


class AlreadyAnswered(DalhcError):
    """Someone has already decided this; `current` says who and when."""


class StaleReview(DalhcError):
    """What was decided on has changed since it was read; nothing was decided."""


_BY_CODE: dict[str, type[DalhcError]] = {
    "unauthorized": Unauthorized,
    "forbidden": Forbidden,
    "process_not_found": NotFound,
    "not_found": NotFound,
    "process_terminal": RunEnded,
    "not_running": NotRunning,
    "approval_required": ApprovalRequired,
    "denied": Denied,
    "may_have_run": MayHaveRun,
    "fenced": Fenced,
    "leased": Leased,
    "already_answered": AlreadyAnswered,
    "stale_review": StaleReview,
}
_BY_STATUS = {401: Unauthorized, 403: Forbidden, 404: NotFound}


def refusal(status: int, body: Any) -> DalhcError:
    """The error for a reply that is not 2xx; `body` is its JSON, None for a proxy's page."""
    problem: Json = body if isinstance(body, dict) else {}
    code = str(problem.get("code") or f"http_{status}")
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, DalhcError)
    return kind(
        code,
        str(problem.get("title") or ""),
        str(problem.get("detail") or problem.get("title") or f"The server answered {status}."),
        status,
        problem.get("current") if isinstance(problem.get("current"), dict) else None,
        str(problem.get("request_id") or ""),
        tuple(error for error in problem.get("errors") or () if isinstance(error, dict)),
    )


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().split("\n")[0]
