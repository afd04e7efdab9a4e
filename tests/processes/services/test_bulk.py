"""Several at once: each alone, the changed ones left as they are, and no door is wider."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import pytest

from dalhc.db import batch, queue, writer
from processes import services
from processes.journal import errors
from processes.journal.bulk import Bulk
from processes.journal.commands import Choice
from processes.models import Decision, Suspension
from processes.services import Forbidden
from tests.chain import assert_chain
from tests.making import (
    choice,
    decide,
    make_process,
    principal_actor,
    reviewer_actor,
    runtime_actor,
)

pytestmark = pytest.mark.django_db
MIA, BEN = principal_actor("mia"), principal_actor("ben")


def item(made) -> dict[str, str]:
    return {"id": made.suspension_id, "review_digest": services.review_digest(made.stop)}


def bulk(items, action="approve", note=None) -> Bulk:
    return Bulk.model_validate({"action": action, "note": note, "items": items})


def codes(outcomes) -> list[str | None]:
    return [one.problem.code if one.problem else None for one in outcomes]


def test_each_is_decided_and_has_its_own_outcome():
    budget, other = make_process(reason="step_budget"), make_process(reason="unverified")
    asked = make_process(question="Which?")
    found = services.decide_many(bulk([item(budget), item(asked), item(other)]), by=MIA)
    assert codes(found) == [None, "action_not_offered", None]
    assert [made.stop.status for made in (budget, asked, other)] == [
        "answered", "open", "answered",
    ]  # fmt: skip


def test_what_has_changed_or_gone_is_left_as_it_is():
    items = [make_process(question=f"{n}?") for n in range(3)]
    seen = [item(made) for made in items]
    services.put_artifact(items[0].id, "a.txt", _bytes(b"new"), by=items[0].by)
    decide(items[1], answer="x", by=BEN)
    found = services.decide_many(bulk(seen, "decline", "no"), by=MIA)
    assert codes(found) == ["stale_review", "already_answered", None]


def test_a_guard_is_approved_one_at_a_time():
    made = make_process(reason="guard")
    [found] = services.decide_many(bulk([item(made)]), by=MIA)
    assert found.problem.code == "forbidden" and made.stop.status == "open"
    [found] = services.decide_many(bulk([item(made)], "stop", "enough"), by=MIA)
    assert found.problem is None


@pytest.mark.parametrize("by", [reviewer_actor(), runtime_actor()], ids=["reviewer", "runtime"])
def test_only_who_may_decide_one_decides_many(by):
    with pytest.raises(Forbidden):
        services.decide_many(bulk([item(make_process(reason="step_budget"))]), by=by)


def test_nothing_is_named_twice_and_a_no_says_why():
    one = {"id": "susp_1", "review_digest": "0" * 64}
    with pytest.raises(errors.ActionNotOffered):
        bulk([one, one])
    with pytest.raises(errors.NoteRequired):
        bulk([one], "stop", " ")


@pytest.mark.sqlite
def test_two_hundred_take_less_than_a_second_and_a_half_of_a_core():
    made = [make_process(reason="step_budget") for _ in range(200)]
    items = [item(one) for one in made]
    begin = time.thread_time()
    found = services.decide_many(bulk(items), by=MIA)
    took = time.thread_time() - begin
    assert codes(found) == [None] * 200
    assert took < 1.5


def test_two_hundred_that_changed_after_they_were_seen_are_all_refused():
    """T18: every way in which what was shown can change."""
    made = [make_process(question=f"{n}?", detail="d") for n in range(200)]
    seen = [choice(one, answer="yes") for one in made]
    columns = ("question", "detail", "options_json", "proposed_args", "response_schema")
    for number, one in enumerate(made):
        name = columns[number % len(columns)]
        value = '["yes"]' if name == "options_json" else '{"type":"string"}'
        Suspension.objects.filter(id=one.suspension_id).update(
            **{name: value, "proposed_tool": "rm" if name == "proposed_args" else None}
        )
    refused = 0
    for one, typed in zip(made, seen, strict=True):
        with pytest.raises(errors.StaleReview):
            services.decide(one.suspension_id, typed, by=MIA)
        refused += 1
    assert refused == 200
    assert Suspension.objects.filter(status="open").count() == 200


def _bytes(text: bytes):
    return io.BytesIO(text)


def test_a_choice_carries_what_was_seen():
    typed = bulk([{"id": "susp_1", "review_digest": "a" * 64}], "stop", "why")
    assert typed.choice(typed.items[0]) == Choice(
        action="stop", note="why", review_digest="a" * 64
    )


@pytest.fixture
def _writer() -> Iterator[None]:
    writer.start()
    yield
    writer.stop()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_writer")
def test_many_at_once_are_written_together_and_each_has_its_own_outcome():
    made = [make_process(reason="step_budget") for _ in range(30)]
    items = [{"id": one.suspension_id, "review_digest": choice(one, "approve").review_digest}
             for one in made]  # fmt: skip
    decide(made[7], "approve", by=principal_actor("ana"))
    decide(made[8], "approve", by=principal_actor())
    items[9]["review_digest"] = "0" * 64
    items[11]["id"] = "susp_none"
    command = Bulk.model_validate({"action": "approve", "items": items})
    found = services.decide_many(command, by=principal_actor())
    told = {n: one.problem.code for n, one in enumerate(found) if one.problem}
    assert told == {7: "already_answered", 9: "stale_review", 11: "process_not_found"}
    assert [one.id for one in found] == [item["id"] for item in items]
    assert Decision.objects.filter(live=True).count() == 28
    for one in made:
        assert_chain(one.id)
    again = services.decide_many(command, by=principal_actor())
    assert [one.problem and one.problem.code for one in again] == [
        one.problem and one.problem.code for one in found
    ]


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_writer")
def test_two_hundred_at_once_are_some_commits_not_two_hundred(monkeypatch):
    made = [make_process(reason="step_budget") for _ in range(200)]
    items = [{"id": one.suspension_id, "review_digest": choice(one, "approve").review_digest}
             for one in made]  # fmt: skip
    command = Bulk.model_validate({"action": "approve", "items": items})
    commits: list[int] = []
    writes = batch.write_together
    monkeypatch.setattr(
        queue, "write_together", lambda jobs: (commits.append(1), writes(jobs))[1]
    )
    found = services.decide_many(command, by=principal_actor())
    assert all(one.problem is None for one in found)
    assert len(commits) <= 60
