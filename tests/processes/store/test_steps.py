"""Steps are found by key and by attempt, each within its process."""

from __future__ import annotations

import pytest

from processes.journal.canonical import step_key
from processes.models import Step
from processes.store import steps
from tests.making import append, decide, make_process, resume

pytestmark = pytest.mark.django_db
PROPOSED = {"tool": "rm", "args": {"path": "x"}}
KEY = step_key("rm", '{"path":"x"}')


def test_only_a_success_is_found_by_its_key():
    made = make_process(running=True)
    failed = append(made, args={"n": 1}, success=False).step
    done = append(made, args={"n": 2}).step
    keys = [failed["idempotency_key"], done["idempotency_key"], "0" * 64]
    assert steps.successes(made.id, keys) == {done["idempotency_key"]: done}
    assert steps.successes(make_process().id, keys) == {}


def test_an_attempt_is_found_within_its_process():
    made = make_process(running=True)
    tried = append(made, success=False, attempt_id="try-1").step
    assert steps.attempts(made.id, ["try-1", "try-2"]) == {"try-1": tried}
    assert steps.attempts(make_process().id, ["try-1"]) == {}


def test_a_found_step_is_what_was_stored():
    made = make_process(running=True)
    new = append(
        made,
        args={"\u00e9": 1},
        artifacts=["a/\u00e9"],
        result_digest="x" * 2_001,
        effect="idempotent",
    ).step
    found = steps.successes(made.id, [new["idempotency_key"]])[new["idempotency_key"]]
    assert found == new
    assert found["success"] is True and found["digest_clipped"] is True
    assert Step.objects.get(process_id=made.id).artifacts == ("a/\u00e9",)


def test_a_skip_is_counted_on_the_step_and_on_the_process():
    made = make_process(steps=2)
    steps.count_skips(made.id, [1, 2])
    steps.count_skips(made.id, [2])
    assert list(Step.objects.of(made.id).order_by("seq").values_list("skips", flat=True)) == [
        1,
        2,
    ]
    assert made.columns["skipped"] == 3


def test_a_denied_call_is_known_within_its_process_until_it_is_taken_back():
    from processes import services
    from tests.making import principal_actor

    made = make_process(reason="guard", proposed_action=PROPOSED)
    assert not steps.is_denied(made.id, KEY)
    decide(made, "deny", note="no")
    assert steps.is_denied(made.id, KEY)
    assert not steps.is_denied(made.id, step_key("rm", "{}"))
    assert not steps.is_denied(make_process().id, KEY)
    services.take_back(made.suspension_id, by=principal_actor())
    assert not steps.is_denied(made.id, KEY)
    decide(made, "approve")
    resume(made)
    assert not steps.is_denied(made.id, KEY)
