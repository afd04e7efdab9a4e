"""What a runtime does with its processes, verb by verb (api.md, Processes)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack
from uuid import uuid4

from dalhc.client.errors import Json
from dalhc.client.models import (
    Appended,
    Artifact,
    Event,
    Head,
    Lease,
    Next,
    Record,
    Reply,
    Resumed,
    Step,
    Suspended,
    Turn,
)
from dalhc.client.pages import pages, rows
from dalhc.client.wire import Wire, given, part

type Args = str | dict[str, Any] | list[Any]


class Metadata(TypedDict, total=False):
    """What a host files a process under; never changes what the process does (S0:21)."""

    cycle_id: str | None
    cycle_phase: str | None
    objective_id: str | None
    objective_class: str | None
    objective_due_bucket: str | None


class NewStep(TypedDict, total=False):
    """A step to record; `tool`, `args` (text, object or array) and `success` are required."""

    tool: str
    args: Args
    success: bool
    result_digest: str
    artifacts: Sequence[str]
    attempt_id: str
    effect: str


class Processes:
    """The verbs of a process, over a `Wire`."""

    _wire: Wire

    def open(
        self,
        objective: str,
        *,
        id: str | None = None,
        start: bool = False,
        **metadata: Unpack[Metadata],
    ) -> Record:
        """Open a process, suspended with the reason `opened`; `start` also resumes it.

        The same id and body again is the same process; another body is `process_exists`.
        """
        body = {"objective": objective, "id": id, "start": start or None, **metadata}
        return Record.model_validate(self._wire.post("processes", given(body)))

    def get(self, id: str, *, last_steps: int | None = None) -> Record:
        """The record; with `last_steps` only so many of the newest steps."""
        tail = None if last_steps is None else f"tail:{last_steps}"
        return Record.model_validate(self._wire.get(_process(id), {"steps": tail}))

    def list(self, **filters: str | bool | int | None) -> Iterator[Head]:
        """Heads. Filters: state, reason, agent, held, q, updated_after and the metadata."""
        return pages(self._wire, "processes", Head, filters)

    def journal(self, id: str) -> bytes:
        """The exact journal file of the process."""
        return self._wire.get_bytes(f"{_process(id)}/journal")

    def append(
        self,
        id: str,
        tool: str,
        args: Args,
        success: bool = True,
        result_digest: str = "",
        *,
        artifacts: Sequence[str] = (),
        effect: str | None = None,
        attempt_id: str | None = None,
        lease_epoch: int | None = None,
    ) -> Appended:
        """Record one step; `skipped` in the reply says that this call had already succeeded.

        A failure has no key of its own, so it gets an `attempt_id`: sent twice, recorded once.
        """
        step: Json = {
            "tool": tool,
            "args": args,
            "success": success,
            "result_digest": result_digest,
            "artifacts": [*artifacts] or None,
            "effect": effect,
            "attempt_id": attempt_id or _attempt(success),
            "lease_epoch": lease_epoch,
        }
        reply = self._wire.post_by_itself(f"{_process(id)}/steps", given(step))
        return Appended.model_validate(reply)

    def begin_attempt(
        self,
        id: str,
        tool: str,
        args: Args,
        attempt_id: str,
        *,
        effect: str = "at_most_once",
        lease_epoch: int | None = None,
    ) -> Step | None:
        """Say that a call is about to be made; its step carries the same `attempt_id`.

        The recorded step when it has succeeded already. Raises MayHaveRun when an earlier
        attempt has no result and no person has let it run again.
        """
        body = {"tool": tool, "args": args, "attempt_id": attempt_id, "effect": effect}
        reply = self._wire.post(
            f"{_process(id)}/attempts", given(body | {"lease_epoch": lease_epoch})
        )
        return None if reply["step"] is None else Step.model_validate(reply["step"])

    def append_many(
        self, id: str, steps: Sequence[NewStep], *, lease_epoch: int | None = None
    ) -> tuple[Appended, ...]:
        """Record up to 100 steps in order, in one transaction."""
        body = [
            given({"attempt_id": _attempt(step["success"]), "lease_epoch": lease_epoch, **step})
            for step in steps
        ]
        reply = self._wire.post_by_itself(f"{_process(id)}/steps", body)
        return tuple(map(Appended.model_validate, reply["results"]))

    def steps(self, id: str, *, after: int | None = None) -> Iterator[Step]:
        """Recorded steps in order, page after page, those past the seq `after`."""
        return rows(self._wire, f"{_process(id)}/steps", Step, after)

    def turns(self, id: str, *, after: int | None = None) -> Iterator[Turn]:
        return rows(self._wire, f"{_process(id)}/turns", Turn, after)

    def events(self, id: str, *, after: int | None = None) -> Iterator[Event]:
        return rows(self._wire, f"{_process(id)}/events", Event, after)

    def suspend(
        self,
        id: str,
        reason: str,
        *,
        question: str | None = None,
        options: Sequence[str] | None = None,
        response_schema: Mapping[str, Any] | None = None,
        detail: str | None = None,
        ask_key: str | None = None,
        hold: bool = False,
        proposed_action: Mapping[str, Any] | None = None,
        strict: bool = False,
        lease_epoch: int | None = None,
    ) -> Suspended:
        """Stop: ask_user (with a question), guard, unverified, step_budget or wall_clock.

        The same `ask_key` again returns the same suspension, so a crashed agent asks once.
        """
        body: Json = {
            "reason": reason,
            "question": question,
            "options": None if options is None else [*options],
            "response_schema": response_schema,
            "detail": detail,
            "ask_key": ask_key,
            "hold": hold or None,
            "proposed_action": proposed_action,
            "strict": strict or None,
            "lease_epoch": lease_epoch,
        }
        return Suspended.model_validate(self._wire.post(f"{_process(id)}/suspend", given(body)))

    def next(self, id: str, *, wait: int = 0) -> Next:
        """What to do next; the reply waits up to `wait` (30 at most) seconds for a decision."""
        reply = self._wire.get(f"{_process(id)}/next", {"wait": wait or None}, wait=wait)
        return Next.model_validate(reply)

    def resume(self, id: str, *, lease_epoch: int | None = None) -> Resumed:
        """Go on. The only verb that hands over what a person decided."""
        return self._written(Resumed, id, "resume", {"lease_epoch": lease_epoch})

    def complete(
        self, id: str, final_text: str | None = None, *, lease_epoch: int | None = None
    ) -> Head:
        """The objective is reached; `final_text` is what to say about it."""
        body = {"final_text": final_text, "lease_epoch": lease_epoch}
        return self._written(Head, id, "complete", body)

    def fail(
        self, id: str, error: str | None = None, *, lease_epoch: int | None = None
    ) -> Head:
        """The objective is given up; `error` says why."""
        return self._written(Head, id, "fail", {"error": error, "lease_epoch": lease_epoch})

    def lease(self, id: str, owner: str, ttl_s: int = 60) -> Lease:
        """Claim the run for `ttl_s` seconds. Raises Leased while someone else holds it."""
        return self._written(Lease, id, "lease", {"owner": owner, "ttl_s": ttl_s})

    def heartbeat(self, id: str, lease_epoch: int, ttl_s: int = 60) -> Lease:
        body = {"lease_epoch": lease_epoch, "ttl_s": ttl_s}
        return self._written(Lease, id, "heartbeat", body)

    def release(self, id: str, lease_epoch: int) -> None:
        self._wire.post(f"{_process(id)}/release", {"lease_epoch": lease_epoch})

    def put_artifact(
        self, id: str, path: str, content: bytes, *, lease_epoch: int | None = None
    ) -> Artifact:
        """Upload a file of up to 32 MiB under a relative path. The same again is the same."""
        reply = self._wire.put_bytes(_artifact(id, path), content, {"lease_epoch": lease_epoch})
        return Artifact.model_validate(reply)

    def get_artifact(self, id: str, path: str) -> bytes:
        return self._wire.get_bytes(_artifact(id, path))

    def stop(self, id: str, note: str) -> Head:
        """End the process `id` as failed; the note says why."""
        return self._written(Head, id, "stop", {"note": note})

    def _written[R: Reply](self, kind: type[R], id: str, verb: str, body: Json) -> R:
        return kind.model_validate(self._wire.post(f"{_process(id)}/{verb}", given(body)))


def _process(id: str) -> str:
    return f"processes/{part(id)}"


def _artifact(id: str, path: str) -> str:
    return f"{_process(id)}/artifacts/{'/'.join(part(name) for name in path.split('/'))}"


def _attempt(success: bool) -> str | None:
    return None if success else uuid4().hex
