"""What recovery leaves, counted exactly, whatever moment it recovers from (contract M20)."""

from __future__ import annotations

import pytest

from dalhc.clock import at, now_ms
from dalhc.db.failpoints import NAMES
from descriptors import services
from descriptors.models import ConditionRow, SleeperRow
from processes import services as runs
from processes.journal.commands import BeginAttempt
from processes.models import Event, Step
from tests.chain import assert_chain
from tests.descriptors import making
from tests.descriptors.dying import dying
from tests.descriptors.making import on
from tests.making import append

pytestmark = pytest.mark.django_db
LEASE_S = 60

# Attempts begun, attempts left open, steps found recorded, by the second runtime.
LEFT = {
    "after_claim": (1, 0, 0),
    "mid_stream": (2, 1, 0),
    "before_append_commit": (2, 1, 0),
    "after_append_commit": (1, 0, 1),
    "after_session_flush": (1, 0, 1),
    "after_wait_commit": (1, 0, 1),
}


@pytest.mark.parametrize("point", NAMES)
def test_m20_a_recovery_leaves_exactly_so_many_attempts_leases_and_rows(point):
    made = making.asleep(on("explicit", "go"), on("explicit", "stop"))
    making.signal("go", kind="explicit")
    now = now_ms()
    with dying(point) as fate, at(now):
        cycle(made, "first", fate)
    assert fate == [point]
    with at(now + (LEASE_S + 1) * 1_000):
        recorded = cycle(made, "second", [])
        assert making.claim().wakes == ()
    begun, still_open, found = LEFT[point]
    kinds = list(Event.objects.of(made.id).values_list("kind", flat=True))
    counts = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    assert counts == {
        "attempt": begun, "claim": 2, "commit": 1, "interrupted": 1, "open": 1, "resume": 1,
        "sleep": 1, "step": 1, "wake": 1,
    }  # fmt: skip
    assert (len(runs.open_attempts(made.id)), recorded) == (still_open, bool(found))
    host = made.row.host
    assert (host.lease_epoch, host.lease_owner, host.lease_until_ms) == (2, None, None)
    assert (Step.objects.count(), SleeperRow.objects.count(), ConditionRow.objects.count()) == (
        1, 1, 1,
    )  # fmt: skip
    assert SleeperRow.objects.get().wakes == 2
    assert_chain(made.id)
    assert services.check() == []


def cycle(made, name: str, fate: list[str]) -> bool:
    """One continuation of a runtime, up to where it dies; whether its step was recorded."""
    [wake] = making.claim(ttl_s=LEASE_S).wakes
    if fate:
        return False
    epoch = wake.row.host.lease_epoch
    call = {"tool": "pay", "args": {"invoice": 7}, "effect": "at_least_once"}
    attempt = BeginAttempt.model_validate(call | {"attempt_id": name, "lease_epoch": epoch})
    recorded = runs.begin(made.id, attempt, by=made.by).step is not None
    append(made, **call, attempt_id=name, lease_epoch=epoch)
    place = None if fate else making.committed(made)
    if not fate:
        making.commit(made, epoch, on("explicit", "again"), last_committed=place)
    return recorded
