"""The whole record, bounded: long histories end in `truncated` and a link, never silently
(contract M05).
"""

from __future__ import annotations

import re
from typing import Any

from django.urls import get_script_prefix

from dalhc.http.problems import InvalidRequest
from processes.api import replies
from processes.journal.record import ProcessStep
from processes.models import Step, Turn
from processes.services import Row

MOST_STEPS, MOST_CHARS = 1_000, 1024 * 1024
_TAIL = re.compile(r"tail:([0-9]{1,4})", re.ASCII)


def whole_record(row: Row, tail: str | None) -> dict[str, Any]:
    """A RecordReply. `tail` is `tail:N` for the last N steps; else the first 1,000, or 1 MiB
    of them.
    """
    steps = _steps(row, _last(tail))
    turns = Turn.objects.filter(process_id=row.head.id).order_by("seq")
    truncated = len(steps) < row.host.stored_steps
    after = steps[-1].seq if steps and tail is None else 0
    path = f"{get_script_prefix()}api/v1/processes/{row.head.id}/steps?after={after}"
    return {
        **replies.head(row),
        "steps": [_shown(step) for step in steps],
        "turns": [{"role": turn.role, "content": turn.content} for turn in turns],
        "truncated": truncated,
        "steps_next": path if truncated else None,
    }


def _last(tail: str | None) -> int | None:
    if tail is None:
        return None
    found = _TAIL.fullmatch(tail)
    if found is None or not 0 < int(found[1]) <= MOST_STEPS:
        raise InvalidRequest(f"?steps is tail:1 to tail:{MOST_STEPS}.")
    return int(found[1])


def _steps(row: Row, last: int | None) -> list[Step]:
    steps = Step.objects.of(row.head.id)
    if last is not None:
        return list(steps.newest_first()[:last])[::-1]
    kept: list[Step] = []
    size = 0
    for step in steps.after(0)[:MOST_STEPS].iterator(100):
        size += len(step.args) + len(step.result_digest) + len(step.artifacts_json)
        if kept and size > MOST_CHARS:
            break
        kept.append(step)
    return kept


def _shown(step: Step) -> dict[str, Any]:
    return ProcessStep.model_validate(step).model_dump(mode="json")
