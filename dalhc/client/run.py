"""A process as a context manager: each step once, each question once, whatever crashes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from dalhc.client.answers import Answer, Verdict, answer, verdict
from dalhc.client.cursor import Cursor, has_ended
from dalhc.client.errors import (
    DalhcError,
    Denied,
    Fenced,
    Forbidden,
    MayHaveRun,
    NotFound,
    RunEnded,
    Unauthorized,
)
from dalhc.client.lease import Lease
from dalhc.client.models import Head
from dalhc.client.retry import AGAIN as TRIED_AGAIN
from dalhc.client.steps import Args, Effect, Steps
from dalhc.client.text import clipped, in_words, sendable
from processes.journal import limits
from processes.journal.canonical import canonical_args

if TYPE_CHECKING:
    from dalhc.client.client import Client
    from dalhc.client.processes import Metadata

AGAIN = "This call may have run before a crash, and it must not run twice."
STARTS_ITSELF = frozenset({"opened", "step_budget", "wall_clock"})
LEFT_ALONE = (RunEnded, Fenced, Unauthorized, Forbidden)


class Run:
    """One process, opened on entering and completed or failed on leaving.

    With an `id` that exists, the run goes on where it stopped: write the body so that it does
    the same again, and what is recorded is not done twice. Leaving by KeyboardInterrupt,
    SystemExit or a lost server changes nothing, so the same `id` goes on later. A tool whose
    effect was made but not recorded when the program died may run again: at least once is the
    promise (S0:31).

    Raises RunEnded when the process has ended, also by a person; Fenced when another took it.
    """

    def __init__(
        self,
        client: Client,
        objective: str | None,
        id: str | None,
        lease: bool,
        metadata: Metadata,
    ) -> None:
        if objective is None and id is None:
            raise ValueError("A run needs an objective, or the id of a process that exists.")
        self.final_text: str | None = None
        self._client, self._objective, self._id = client, objective, id
        self._wants_lease, self._metadata = lease, metadata
        self._asked: Counter[str] = Counter()

    def __enter__(self) -> Self:
        head = self.opened()
        if head.ended:
            raise has_ended(head)
        self._id = head.id
        lease = self._lease = Lease(self._client, head.id) if self._wants_lease else None
        try:
            self._cursor = Cursor(self._client, head, lease)
            self._steps = Steps(self._cursor, head)
            if head.suspend_reason in STARTS_ITSELF:
                self._cursor.go_on()
        except BaseException:
            if lease:
                lease.release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._complete()
            elif isinstance(error, Exception) and not _is_left_alone(error):
                self._fail(error)
        finally:
            if self._lease:
                self._lease.release()

    def __repr__(self) -> str:
        return f"Run({self._id!r})"

    @property
    def client(self) -> Client:
        return self._client

    @property
    def wants_lease(self) -> bool:
        return self._wants_lease

    @property
    def id(self) -> str:
        """The id to go on with; known once the run is entered."""
        if self._id is None:
            raise ValueError("A run has its id once it is entered.")
        return self._id

    def step(
        self, tool: str, args: Args, *, do: Callable[[], str], effect: Effect = "at_least_once"
    ) -> str:
        """The recorded result of this call; `do` runs only when no success is recorded for it.

        What comes back is the digest (2,000 characters at most), the same now and after a
        crash: keep more with `artifact`, whose files are listed with the step if kept in `do`.
        An exception in `do` is recorded as a failed step and raised again. Raises Denied, and
        does nothing, when a person denied this very call.

        An `at_most_once` call is begun on the server before it is made; one that was begun
        before and has no result waits for a person first, who may let it run again.
        """
        try:
            return self._steps.take(tool, args, do, effect)
        except MayHaveRun as unsure:
            self._let_again(tool, args, unsure)
        return self._steps.take(tool, args, do, effect)

    def ask(
        self,
        question: str,
        *,
        options: Sequence[str] | None = None,
        response_schema: dict[str, Any] | None = None,
        detail: str | None = None,
        ask_key: str | None = None,
    ) -> Answer:
        """Ask the principal and wait for the answer, for days if need be. With a
        `response_schema` (such as pydantic's `model_json_schema()`) the answer's text is JSON
        that fits it.

        A restarted run finds its question, or the answer, by `ask_key`. When not given, it is
        made from the question, and from how often the body has asked it.
        """
        schema = () if response_schema is None else (json.dumps(response_schema),)
        key = ask_key or self._key("ask", question, *(options or ()), *schema)
        said: dict[str, Any] = {"question": question, "options": options}
        said |= {"response_schema": response_schema, "detail": _note(detail)}
        return answer(self._cursor.stop("ask_user", key, said))

    def hold(
        self,
        reason: Literal["guard", "unverified"],
        detail: str,
        *,
        proposed_action: tuple[str, Args] | None = None,
        strict: bool = False,
        ask_key: str | None = None,
    ) -> Verdict:
        """Stop until a person lets it go on, or judges the proposed (tool, args). `strict`:
        the server then takes no other step before the approved one.
        """
        action: dict[str, str] | None = None
        if proposed_action:
            tool, args = proposed_action
            action = {"tool": tool, "args": canonical_args(args)}
        key = ask_key or self._key(reason, detail, *(action or {}).values())
        said = {
            "detail": _note(detail),
            "proposed_action": action,
            "hold": True,
            "strict": strict,
        }
        judged = verdict(self._cursor.stop(reason, key, said))
        if judged.action == "deny" and action:
            self._steps.deny(**action)
        return judged

    def pause(self, reason: Literal["step_budget", "wall_clock"], detail: str) -> None:
        """Stop at a boundary until a person lets it go on."""
        self._cursor.stop(reason, None, {"detail": _note(detail), "hold": True})

    def _let_again(self, tool: str, args: Args, unsure: MayHaveRun) -> None:
        """A person decides whether a call that may have run runs again. Raises Denied."""
        key = f"again-{unsure.current.get('attempt_id', '')}"[: limits.KEY_CHARS]
        judged = self.hold("guard", AGAIN, proposed_action=(tool, args), ask_key=key)
        if judged.denied:
            raise Denied("denied") from unsure

    def artifact(self, path: str, content: bytes | str) -> None:
        """Keep a file with the process, under a relative path."""
        raw = content.encode() if isinstance(content, str) else content
        epoch = self._cursor.epoch
        self._cursor.write(
            lambda: self._client.put_artifact(self.id, path, raw, lease_epoch=epoch)
        )
        self._steps.uploaded(path)

    def read_artifact(self, path: str) -> bytes:
        return self._client.get_artifact(self.id, path)

    def opened(self) -> Head:
        """Without an objective the process must exist; with one it is opened if it does not."""
        if self._objective is None:
            return self._client.get(self._id or "", last_steps=1)
        if self._id is not None:
            try:
                head = self._client.get(self._id, last_steps=1)
            except NotFound:
                pass
            else:
                return _same(head, self._objective)
        return self._client.open(self._objective, id=self._id, **self._metadata)

    def _key(self, *words: str) -> str:
        """The same for the same words at the same place, so that a replay finds its stop."""
        key = sha256("\n".join(map(sendable, words)).encode()).hexdigest()[:32]
        self._asked[key] += 1
        return f"{words[0]}-{key}-{self._asked[key]}"

    def _complete(self) -> None:
        self._cursor.go_on()
        text = self.final_text
        final = None if text is None else clipped(text, limits.TEXT_CHARS)
        epoch = self._cursor.epoch
        self._cursor.write(lambda: self._client.complete(self.id, final, lease_epoch=epoch))

    def _fail(self, error: Exception) -> None:
        """Say why, if the server takes it: a suspended process stays suspended."""
        try:
            text = clipped(in_words(error), limits.TEXT_CHARS)
            self._client.fail(self.id, text, lease_epoch=self._cursor.epoch)
        except DalhcError as refused:
            error.add_note(f"The process was not marked as failed: {refused}")


def _is_left_alone(error: Exception) -> bool:
    """The server is away or busy, or the run no longer ours: no failure of the work."""
    if not isinstance(error, DalhcError):
        return False
    away = error.status == 0 or error.status in TRIED_AGAIN or error.status >= 500
    return away or isinstance(error, LEFT_ALONE)


def _same(head: Head, objective: str) -> Head:
    if head.objective != objective:
        raise DalhcError("process_exists", detail=f"{head.id} has another objective.")
    return head


def _note(detail: str | None) -> str | None:
    return None if detail is None else clipped(detail, limits.NOTE_CHARS)
