"""What is cached of a log, and what is read of a long one, row by row (contract M01-M05)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models.signals import post_init
from django.test.utils import CaptureQueriesContext

from dalhc import bell
from descriptors import services
from descriptors.contract.cycle import EVENTS, Sleeper, advance, fold
from descriptors.models import SleeperRow
from descriptors.store import sleepers
from processes.models import Event, Step, Turn
from processes.services import beside
from tests.chain import assert_chain
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import append, decide, make_process, principal_actor, resume, suspend

pytestmark = pytest.mark.django_db


def damaged(find: str, put: str) -> Callable[[SleeperRow], None]:
    def spoil(row: SleeperRow) -> None:
        assert find in row.body
        row.body = row.body.replace(find, put)

    return spoil


def lost(row: SleeperRow) -> None:
    row.body = "{"


@pytest.mark.parametrize(
    "spoil",
    [
        damaged("/home/mia/letters", "/home/eve"),
        damaged('"format_version":1', '"format_version":2'),
        damaged('"source_revision":"', '"source_revision":"0000'),
        damaged('"seq_watermark":1', '"seq_watermark":7'),
        damaged('"agent_preset_id":"tidy"', '"agent_preset_id":"night"'),
        lost,
    ],
)
def test_m01_a_cached_row_that_is_not_its_logs_gives_the_answer_of_a_full_replay(spoil):
    made = making.due()
    replayed = fold(beside.events(made.id, EVENTS))
    row = SleeperRow.objects.get()
    spoil(row)
    row.save()
    wake = making.one()
    assert wake.sleeper.descriptor == replayed.descriptor
    assert wake.recovery == "rebuild"


def test_m01_a_row_behind_its_log_is_made_anew_and_nobody_is_told():
    made = making.due()
    append(made)
    wake = making.one()
    place = making.committed(made)
    said = wake.sleeper.descriptor.last_committed
    assert said.source_revision == place["source_revision"]
    assert services.check() == []


@pytest.fixture
def broken():
    """Everything that is made of the log is out of order, until the end of the test."""
    tables = ("descriptors_sleeper", "descriptors_condition", "processes_search")
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} RENAME TO {table}_lost")
    with pytest.raises(DatabaseError), transaction.atomic():
        making.claim()


def test_m02_an_append_is_kept_with_every_cache_out_of_order(broken, monkeypatch):
    made = make_process(running=True)
    assert not append(made, args={"n": 1}).skipped
    assert append(made, args={"n": 1}).skipped
    monkeypatch.setattr(bell, "ring", None)
    assert not append(made, args={"n": 2}).skipped
    assert Step.objects.of(made.id).count() == 2
    assert_chain(made.id)


@pytest.mark.parametrize("seed", range(12))
def test_m03_a_replay_from_any_cut_is_the_row_there_and_its_suffix(seed):
    made, cuts = walked(random.Random(seed))
    log = list(beside.events(made.id, EVENTS))
    whole = fold(log)
    assert len(cuts) > 8 and services.check() == []
    for seq, cached in cuts:
        found: Sleeper | None = cached
        for at, kind, data, at_ms in log:
            if at > seq:
                found = advance(found, kind, data, at_ms, at)
        assert found == whole, seq


def walked(pick: random.Random):
    """A random life, and the row as it stood after each verb, with where the log stood."""
    made = make_process(running=True)
    making.sleep(made, timer(1), on("wait-provider", "mail"))
    cuts, epoch, asked = [], 0, None
    for _ in range(14):
        doing = pick.choice(("signal", "claim", "commit", "back", "ask", "decide", "step"))
        if doing == "signal":
            making.signal("mail", payload={"n": pick.randrange(9)})
        elif doing == "claim" and not epoch:
            wakes = making.claim().wakes
            epoch = wakes[0].row.host.lease_epoch if wakes else 0
        elif doing == "decide" and asked:
            decide(asked, answer="yes")
            services.wake(made.id, by=principal_actor())
            if epoch:
                resume(made, epoch)
            asked = None if epoch else asked
        elif epoch and doing == "ask" and not asked and made.record.state == "running":
            asked = suspend(made, question="?", lease_epoch=epoch)
        elif epoch and doing == "step" and made.record.state == "running":
            append(made, args={"n": pick.randrange(99)}, lease_epoch=epoch)
        elif epoch and doing in {"commit", "back"}:
            if doing == "back":
                making.give_back(made, epoch)
            else:
                making.commit(
                    made, epoch, timer(pick.choice((2, making.FAR))), on("explicit", "go")
                )
            epoch = 0
        found = sleepers.find(made.id)
        cuts.append((made.row.host.revision, found.sleeper()))
    return made, cuts


@pytest.mark.parametrize(
    ("model", "path"), [(Step, "steps"), (Turn, "turns"), (Event, "events")]
)
def test_m04_a_page_reads_itself_and_never_the_rest(model, path, runtime):
    runtime.get("/processes")  # its key is known from now on
    costs = []
    for length in (6, 60):
        made, read = talkative(length), list[object]()

        def note(instance: object, read: list[object] = read, **_: object) -> None:
            read.append(instance)

        post_init.connect(note, sender=model)
        try:
            with CaptureQueriesContext(connection) as queries:
                page = runtime.get(f"/processes/{made.id}/{path}", limit="3", after="2")
        finally:
            post_init.disconnect(note, sender=model)
        assert [one["seq"] for one in page["results"]] == [3, 4, 5] and page["next"]
        costs.append((len(queries), len(read)))
    assert costs[0] == costs[1] and costs[0][1] == 4  # one more than the page: is there more


def talkative(length: int):
    """So many steps, turns and events at the least."""
    made = make_process(running=True)
    for number in range(length):
        append(made, args={"n": number})
    for number in range(length // 2):
        made = suspend(made, question=f"{number}?")
        decide(made, answer="yes")
        resume(made)
    return made


def test_m05_a_bound_that_is_hit_is_said_and_never_a_shorter_success(runtime):
    made = make_process(running=True)
    for number in range(3):
        append(made, args={"n": number})
    for bad in ("0", "201", "-1", "many"):
        assert runtime.get(f"/processes/{made.id}/steps", 422, limit=bad)["code"]
    page = runtime.get(f"/processes/{made.id}/steps", limit="2")
    assert (len(page["results"]), bool(page["next"])) == (2, True)
    whole = runtime.get(f"/processes/{made.id}")
    assert (len(whole["steps"]), whole["truncated"], whole["steps_next"]) == (3, False, None)
    tail = runtime.get(f"/processes/{made.id}", steps="tail:2")
    assert (len(tail["steps"]), tail["truncated"]) == (2, True) and tail["steps_next"]
    step = {"tool": "run", "args": {}, "success": True}
    refused = runtime.post(f"/processes/{made.id}/steps", [step] * 101, 422)
    assert refused["code"] == "invalid_request"
    kept = runtime.post(
        f"/processes/{made.id}/steps", step | {"artifacts": [f"a{n}" for n in range(40)]}, 201
    )
    assert (len(kept["artifacts"]), kept["artifacts_dropped"]) == (32, 8)
