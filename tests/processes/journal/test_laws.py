"""Laws of the record and its rules, tried on random ones."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from dalhc.problems import Problem
from processes.journal import files, rules
from processes.journal.canonical import step_key
from processes.journal.commands import Suspend
from processes.journal.record import (
    METADATA,
    ProcessHead,
    ProcessRecord,
    ProcessStep,
    ProcessTurn,
    Reason,
    State,
)

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
text = st.text(letters, max_size=30)
visible = text.map(lambda value: value + "x")
steps = st.builds(
    lambda tool, args, success, digest, artifacts: ProcessStep(
        tool=tool, args=args, success=success, result_digest=digest,
        artifacts=tuple(f"o/{n}" for n in range(artifacts)), idempotency_key=step_key(tool,
            args),
    ),
    st.text("abc\u00e9_ ", min_size=1, max_size=9), text, st.booleans(), text, st.integers(0,
        32),
)  # fmt: skip
turns = st.builds(ProcessTurn, role=st.sampled_from(["assistant", "user"]), content=text)
times = st.integers(1, 253_402_300_799_999)


@st.composite
def records(draw: st.DrawFn) -> ProcessRecord:
    state = draw(st.sampled_from(State))
    reason = draw(st.sampled_from(Reason)) if state is State.SUSPENDED else None
    return ProcessRecord(
        id=draw(st.from_regex(r"[A-Za-z0-9_-]{1,20}x", fullmatch=True)),
        objective=draw(visible), state=state, suspend_reason=reason,
        question=draw(visible if reason is Reason.ASK_USER else st.none() | text),
        principal_answer=draw(st.none() | text), steps_used=draw(st.integers(0, 99)),
        created_at_ms=draw(times), updated_at_ms=draw(times),
        steps=tuple(draw(st.lists(steps, max_size=4))), turns=tuple(draw(st.lists(turns,
            max_size=4))),
        **{name: draw(st.none() | text) for name in METADATA},
    )  # fmt: skip


unknown = st.dictionaries(
    st.text("xyz\u00e9", min_size=3, max_size=8),
    st.none() | st.booleans() | st.integers() | text | st.lists(text, max_size=2),
    max_size=3,
)


@given(records(), unknown, unknown, unknown)
def test_a_record_survives_its_file_unknown_keys_too(record, head, step, turn):
    extra = {
        "head": head,
        "steps": {"1": step} if record.steps and step else {},
        "turns": {"1": turn} if record.turns and turn else {},
    }
    body = files.dump(record, extra)
    loaded, kept = files.load(body.encode())
    assert loaded == record
    assert kept == extra
    assert files.dump(loaded, kept) == body


@given(records())
def test_the_rules_never_change_what_they_were_given(record):
    head = ProcessHead(**record.model_dump(exclude={"steps", "turns"}))
    before = head.model_dump_json()
    for verb in (
        lambda: rules.append(head, 5),
        lambda: rules.suspend(head, Suspend(reason="guard"), 5),
        lambda: rules.resume(head, rules.Decided("eu"), 5),
        lambda: rules.finish(head, State.FAILED, 5),
        lambda: rules.stop(head, 5),
    ):
        with contextlib.suppress(Problem, rules.NeedsAnswer):
            assert verb().head.id == head.id
    assert head.model_dump_json() == before
