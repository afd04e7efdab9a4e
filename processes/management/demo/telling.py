"""Telling the stories: each becomes a process through the services, at the time it happened."""

from __future__ import annotations

import io
from collections.abc import Callable

from dalhc import clock
from processes import services
from processes.journal.attention import Claim
from processes.journal.canonical import canonical_args
from processes.journal.commands import (
    AppendStep,
    Choice,
    Complete,
    Fail,
    OpenProcess,
    Resume,
    Suspend,
)
from processes.management.demo.going import GOING
from processes.management.demo.story import Asked, Did, Stop, Story
from processes.management.demo.waiting import WAITING
from processes.models import Suspension
from processes.services import Actor
from processes.shown import times

MINUTE = 60_000


def tell_all(principal: Actor) -> int:
    """Every story; returns how many."""
    now = clock.now_ms()
    stories = (*WAITING, *GOING)
    for story in stories:
        Teller(story, principal, now).tell()
    return len(stories)


class Teller:
    """One story on its own clock, which runs from its opening to its end."""

    def __init__(self, story: Story, principal: Actor, now: int) -> None:
        self.story, self.principal, self.now = story, principal, now
        scopes = frozenset({"journal", "read", "wake"})
        self.agent = Actor("runtime", story.agent, agent=story.agent, scopes=scopes)
        self.at = now - story.minutes * MINUTE
        until = now - (story.stop.minutes if story.stop else 1) * MINUTE
        self.pace = max(1, (until - self.at) // (len(story.did) * 2 + 2))

    def tell(self) -> None:
        self._now(self._open)
        for deed in self.story.did:
            self._did(deed) if isinstance(deed, Did) else self._asked(deed)
        if self.story.stop:
            self._stopped(self.story.stop)
        if self.story.ended:
            self._now(self._end)

    def _now(self, do: Callable[..., object], *args: object) -> None:
        self.at = min(self.at + self.pace, self.now)
        with clock.at(self.at):
            do(*args)

    def _open(self) -> None:
        story = self.story
        command = OpenProcess(
            id=story.id,
            objective=story.objective,
            cycle_id=story.cycle,
            cycle_phase=story.phase,
            objective_id=story.task,
            objective_class=story.kind,
            objective_due_bucket=story.due,
            start=story.started,
        )
        services.open_process(command, by=self.agent)

    def _did(self, deed: Did) -> None:
        self._now(self._append, deed)
        for path, text in deed.files.items():
            self._now(self._leave, path, text)
        for _ in range(deed.again):
            self._now(self._append, deed)

    def _append(self, deed: Did) -> None:
        step = AppendStep(
            tool=deed.tool,
            args=canonical_args(deed.args),
            success=deed.ok,
            result_digest=deed.digest,
            artifacts=tuple(deed.files),
            effect=deed.effect,
        )
        services.append(self.story.id, [step], by=self.agent)

    def _leave(self, path: str, text: str) -> None:
        services.put_artifact(self.story.id, path, io.BytesIO(text.encode()), by=self.agent)

    def _asked(self, asked: Asked) -> None:
        self._now(self._suspend, Suspend(reason="ask_user", question=asked.question))
        self._now(self._answer, asked.answer)
        self._now(lambda: services.resume(self.story.id, Resume(), by=self.agent))

    def _suspend(self, command: Suspend) -> None:
        services.suspend(self.story.id, command, by=self.agent)

    def _answer(self, text: str) -> None:
        stop = Suspension.objects.of(self.story.id).open().get()
        choice = Choice(
            action="answer", answer=text, review_digest=services.review_digest(stop)
        )
        services.decide(stop.id, choice, by=self.principal)

    def _stopped(self, stop: Stop) -> None:
        self.at = self.now - stop.minutes * MINUTE - self.pace
        action = {"tool": stop.action[0], "args": stop.action[1]} if stop.action else None
        command = Suspend.model_validate(
            {
                "reason": stop.reason,
                "question": stop.question,
                "detail": stop.detail,
                "options": stop.options,
                "response_schema": stop.schema,
                "proposed_action": action,
                "due_at": self._in(stop.due),
                "expires_at": self._in(stop.expires),
                "on_timeout": stop.on_timeout,
                "default_answer": stop.default,
                "priority": stop.priority,
                "assignees": [self.principal.name] if stop.for_principal else [],
            }
        )
        self._now(self._suspend, command)
        if stop.claimed:
            self._now(self._claim)
        if self.story.answered:
            self._now(self._answer, self.story.answered)

    def _in(self, minutes: int | None) -> str | None:
        return None if minutes is None else times.iso(self.now + minutes * MINUTE)

    def _claim(self) -> None:
        stop = Suspension.objects.of(self.story.id).open().get()
        services.claim(stop.id, Claim(), by=self.principal)

    def _end(self) -> None:
        state, words = self.story.ended or ("completed", "")
        if state == "completed":
            services.complete(self.story.id, Complete(final_text=words), by=self.agent)
        else:
            services.fail(self.story.id, Fail(error=words), by=self.agent)
