"""The chain of events recomputed from the columns, by another hand than the product's."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from processes.models import Event, Process, Step


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def assert_chain(process_id: str) -> list[Event]:
    """Contiguous from 0, each hash right, the last one on the process row. Returns them."""
    events = list(Event.objects.of(process_id).order_by("seq"))
    assert [event.seq for event in events] == list(range(len(events)))
    last = "0" * 64
    for event in events:
        assert event.prev_hash == last
        body = {
            "process_id": event.process_id, "seq": event.seq, "kind": event.kind,
            "actor": event.actor, "at_ms": event.at_ms, "data": json.loads(event.data),
        }  # fmt: skip
        last = sha(f"{last}\n{canonical(body)}")
        assert event.hash == last
        assert event.data == canonical(json.loads(event.data))
    process = Process.objects.get(id=process_id)
    assert (process.revision, process.chain) == (len(events) - 1, last)
    _assert_steps(process_id, events)
    return events


def _assert_steps(process_id: str, events: list[Event]) -> None:
    """A step's event holds the hash of everything stored but the count of replays."""
    told = [json.loads(event.data) for event in events if event.kind == "step"]
    taken = Step.objects.of(process_id).order_by("-seq")[: len(told)][::-1]
    for step, said in zip(taken, told, strict=True):
        fields = {
            "args": step.args, "artifacts": json.loads(step.artifacts_json),
            "artifacts_dropped": step.artifacts_dropped, "at_ms": step.at_ms,
            "attempt_id": step.attempt_id, "digest_clipped": step.digest_clipped,
            "effect": step.effect, "idempotency_key": step.idempotency_key,
            "result_digest": step.result_digest, "seq": step.seq, "success": step.success,
            "tool": step.tool,
        }  # fmt: skip
        assert said["step"] == step.seq
        assert said["key"] == step.idempotency_key
        assert said["success"] is step.success
        assert said["hash"] == sha(canonical(fields))
