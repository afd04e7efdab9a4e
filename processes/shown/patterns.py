"""Examples of every component, for the page that shows them all. Nothing here is a row."""

from __future__ import annotations

from typing import Any

from django.utils.safestring import SafeString

from dalhc.clock import now_ms
from processes.answering.schema import stored
from processes.journal.canonical import step_key
from processes.journal.errors import AlreadyAnswered, AnswerMisfit, StaleReview
from processes.journal.record import Reason
from processes.models import Decision, Process, Step, Suspension
from processes.services import Actor
from processes.shown import reasons, rows, times
from processes.shown.ledger import Entry, Ledger
from processes.shown.panel import Kind, Next, Panel
from processes.shown.typed import Typed

READER = Actor("principal", "principal", scopes=frozenset({"read", "decide"}))
ARGS = (
    '{"dry_run":false,"limit":1204,"table":"invoices_archive","when":{"before":"2019-11-28"}}'
)
SCHEMA = {
    "type": "object",
    "properties": {
        "sheets": {"type": "integer", "title": "Sheets", "default": 100, "minimum": 500},
        "price": {"type": "number", "title": "Price", "description": "In EUR, at most."},
        "recycled": {"type": "boolean", "title": "Recycled"},
        "size": {"enum": ["A4", "A3"], "title": "Size"},
        "rooms": {"type": "array", "items": {"enum": ["1.04", "2.11"]}, "title": "Rooms"},
        "by": {"type": ["string", "null"], "format": "date", "title": "By"},
        "at": {"type": "string", "format": "date-time", "title": "Delivery"},
        "note": {"type": "string", "title": "Note"},
    },
    "required": ["sheets", "size"],
}
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "Delete \u202etxt.gpj, and pay\u2066load\u2069",
    f"echo ok{' ' * 300}; rm -rf /srv",
    "https://\u0430pple.com/\u200bdownload",
    f"Zalgo e{chr(0x301) * 500}",
    "{{7*7}} {% debug %} javascript:alert(1)",
    '<button hx-post="/logout/" hx-trigger="load">',
)


def context() -> dict[str, Any]:
    """Everything patterns.html shows."""
    now = now_ms()
    return {
        "rows": rows.html(_row(reason, n, now) for n, reason in enumerate(reasons.ORDER)),
        "panels": _panels(now),
        "ledger": Ledger(_entries(now), older=None, is_newest=True),
        "process": _process(now, "running"),
        "hostile": HOSTILE,
        "long": "A long text keeps its beginning and its end. " * 60,
        "marks": [*reasons.ORDER, Reason.OPENED, *reasons.STATES],
    }


def _row(reason: str, n: int, now: int) -> SafeString:
    span = (2 * times.DAY + 4 * times.HOUR, 6 * times.HOUR, 48 * times.MINUTE, 9_000, 0)[n]
    ask = "The staging and production buckets both hold a copy. Which one is right?"
    meta = rows.meta("ledger-clerk", 14, "review", "208")
    return rows.row(
        "#rows", reason, ask, "Reconcile the March ledger", meta, now - span, now, n == 0
    )


def _panels(now: int) -> list[tuple[str, Panel]]:
    theirs = {"who": "principal:ana", "when_ms": now, "action": "answer", "answer": "eu"}
    typed = Typed({"action": ["answer"], "answer": ["us, because the invoices are there"]})
    question = _stop(now, "ask_user", question="Which region?")
    options = _stop(now, "ask_user", question="Which?", options_json='["eu", "us"]')
    fields = _stop(now, "ask_user", question="How much?", response_schema=stored(SCHEMA))
    misfit = AnswerMisfit(errors=({"pointer": "/answer/sheets", "detail": "At least 500."},))
    held = _stop(now, "guard", detail="Wanted to delete 1,204 rows.", held=True)
    used = _stop(now, "ask_user", delivered_at_ms=now, used_step=15)
    mine, next = _decision(now, "principal"), Next("Which bucket?", "#rows")
    first, stale = AlreadyAnswered(current=theirs), StaleReview()
    return [
        ("A question", _panel("ask", now, question)),
        ("With options", _panel("ask", now, options)),
        ("Typed fields", _panel("ask", now, fields, problem=misfit)),
        ("A held resume", _panel("ask", now, held)),
        ("A proposed action", _panel("ask", now, _proposed(now))),
        ("For a reviewer", _panel("read", now, _proposed(now))),
        ("A receipt", _panel("decided", now, question, mine, next=next)),
        ("Used", _panel("running", now, used, mine)),
        (
            "Someone else was first",
            _panel("decided", now, question, _decision(now, "ana"), problem=first, typed=typed),
        ),
        ("Changed meanwhile", _panel("ask", now, question, problem=stale, typed=typed)),
        ("Not started", _panel("opened", now)),
        ("Ended", _panel("ended", now)),
    ]


def _panel(
    kind: Kind,
    now: int,
    stop: Suspension | None = None,
    decision: Decision | None = None,
    **more: Any,
) -> Panel:
    state = {"ended": "completed", "running": "running"}.get(kind, "suspended")
    return Panel(kind, _process(now, state), stop, decision, READER, digest="0" * 64, **more)


def _process(now: int, state: str) -> Process:
    return Process(
        id="example", objective="Reconcile the March ledger", state=state, steps_used=14,
        stored_steps=14, agent="ledger-clerk", created_at_ms=now - times.DAY, updated_at_ms=now,
        outcome="377 entries matched; one of 20.00 EUR written off.",
    )  # fmt: skip


def _stop(now: int, reason: str, **fields: Any) -> Suspension:
    opened = now - times.DAY
    return Suspension(
        id="susp_example", process_id="example", reason=reason, opened_at_ms=opened, **fields
    )


def _proposed(now: int) -> Suspension:
    words = "Approve: run unit tests"
    return _stop(
        now, "guard", question=words, proposed_tool="delete_rows", proposed_args=ARGS, held=True
    )


def _decision(now: int, who: str) -> Decision:
    return Decision(action="answer", answer="eu", by=f"principal:{who}", at_ms=now)


def _entries(now: int) -> list[Entry]:
    failed, done = _step(13, now, False), _step(14, now, True, skips=2)
    return [
        Entry("asked", 14, now, label="Asked", text="Which region?"),
        Entry("step", 14, now, done, [("ledgers/march/diff.csv", False)], [13]),
        Entry("step", 13, now, failed, pause="2 hours"),
        Entry("said", 12, now, label="You answered", text="The calendar month.", mine=True),
    ]


def _step(seq: int, now: int, success: bool, **fields: Any) -> Step:
    args = '{"bucket":"staging-ledger","month":"2026-03"}'
    return Step(
        seq=seq, tool="read_ledger", args=args, success=success, at_ms=now,
        result_digest="412 entries, 3 of them absent from prod-ledger.",
        idempotency_key=step_key("read_ledger", args), **fields,
    )  # fmt: skip
