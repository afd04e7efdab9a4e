"""One event per write, none for anything else, chained from the first to the last."""

from __future__ import annotations

import json

import pytest

from processes import services
from processes.journal.commands import AppendStep, HoldLease, Nack, TakeLease
from processes.models import Decision, Event, Process
from processes.store import suspensions
from processes.store.log import Spelled, canonical, event_hash
from tests.chain import assert_chain, sha
from tests.making import (
    append,
    decide,
    make_process,
    principal_actor,
    resume,
    runtime_actor,
    suspend,
)

pytestmark = pytest.mark.django_db


def test_a_hash_covers_every_column_of_its_event():
    event = ("0" * 64, "a", 1, "step", "runtime:tidier", 5, '{"x":1}')
    changed = ("1" * 64, "b", 2, "open", "runtime:other", 6, '{"x":2}')
    hashes = {event_hash(*event)}
    for place, value in enumerate(changed):
        hashes.add(event_hash(*event[:place], value, *event[place + 1 :]))
    assert len(hashes) == 8


def test_a_hash_is_sha_256_over_the_last_one_a_newline_and_canonical_json():
    found = event_hash("f" * 64, 'a"', 3, "k\n", "\u00e9", 5, '{"b":1,"c":[]}')
    body = '{"actor":"\u00e9","at_ms":5,"data":{"b":1,"c":[]},'
    body += '"kind":"k\\n","process_id":"a\\"","seq":3}'
    assert found == sha("f" * 64 + "\n" + body)


def test_canonical_data_has_one_spelling():
    assert canonical({"b": "\u00e9", "a": [1, None]}) == '{"a":[1,null],"b":"\u00e9"}'


@pytest.mark.parametrize(
    "data",
    [
        {"descriptor": {"b": '\u00e9"', "a": [1, None, True]}},
        {"z": 1, "descriptor": {"a": {}}, "epoch": 3, "a\n": "x"},
        {"descriptor": {"a": 0.5}, "settled": {"payload": {"descriptor": "{}"}}},
    ],
)
def test_what_is_spelled_already_is_spelled_the_same(data):
    spelled = data | {"descriptor": Spelled(canonical(data["descriptor"]))}
    assert canonical(spelled) == canonical(data)
    assert json.loads(canonical(spelled)) == data


def test_a_whole_life_is_one_chain_with_one_event_per_write():
    made = make_process(running=True)
    append(made, args={"n": 1}, result_digest="\u00e9\n\U0001f600", artifacts=["a/\u00e9.txt"])
    append(made, args={"n": 2}, success=False, attempt_id="try-1", effect="idempotent")
    made = suspend(made, question="Which?", ask_key="q1")
    decide(made, answer="eu")
    services.take_back(made.suspension_id, by=principal_actor())
    decide(made, answer="us")
    resume(made)
    services.nack(made.suspension_id, Nack(error="no such region"), by=made.by)
    services.ack(made.suspension_id, by=made.by)
    services.lease(made.id, TakeLease(owner="boot-1"), by=made.by)
    append(made, args={"n": 3}, lease_epoch=1)
    services.release(made.id, HoldLease(lease_epoch=1), by=made.by)
    made = suspend(made, reason="guard", lease_epoch=1)
    decide(made, "stop", note="enough")
    assert made.kinds == [
        "open", "resume", "step", "step", "suspend", "decide", "take_back", "decide", "resume",
        "nack", "ack", "lease", "step", "release", "suspend", "finish",
    ]  # fmt: skip
    assert_chain(made.id)


def test_a_list_of_steps_is_one_event_per_step():
    made = make_process(running=True)
    steps = [AppendStep(tool="run", args={"n": n}, success=True) for n in range(5)]
    services.append(made.id, [steps[0], *steps], by=made.by)
    assert made.kinds == ["open", "resume", *["step"] * 5]
    assert_chain(made.id)


def test_an_event_says_who():
    made = make_process(question="Which?")
    decide(made, answer="eu", by=principal_actor("mia"))
    actors = [event.actor for event in assert_chain(made.id)]
    assert actors == ["runtime:tidier"] * 3 + ["principal:mia"]


def test_a_decision_says_what_was_seen():
    made = make_process(question="Which?")
    seen = services.review_digest(made.stop)
    decide(made, answer="eu")
    asked, decided = [json.loads(event.data) for event in assert_chain(made.id)][2:]
    assert asked["shown"] == decided["seen"] == seen
    assert decided["content"] == suspensions.decision_hash(Decision.objects.get())
    assert "eu" not in json.dumps(decided)  # a runtime reads events; only resume hands it over


def test_a_stop_by_decision_says_in_the_log_what_was_seen():
    made = make_process(reason="guard")
    seen = services.review_digest(made.stop)
    decide(made, "stop", note="enough")
    told = json.loads(assert_chain(made.id)[-1].data)
    assert (told["seen"], told["suspension"]) == (seen, made.suspension_id)
    assert told["content"] == suspensions.decision_hash(Decision.objects.get())
    assert (told["state"], told["note"]) == ("failed", "enough")


def test_reads_add_no_event():
    made, by = make_process(question="Which?", steps=2), principal_actor()
    before = made.columns
    services.record(made.id, by=by)
    services.next_step(made.id, by=by)
    services.journal_text(made.id, by)
    services.read_row(made.id, by=by)
    services.suspension(made.suspension_id, by=by)
    services.review_digest(made.stop)
    assert made.columns == before
    assert len(assert_chain(made.id)) == 5


def test_a_heartbeat_adds_no_event_and_moves_no_revision():
    made = make_process(running=True)
    services.lease(made.id, TakeLease(owner="boot-1", ttl_s=10), by=made.by)
    before = made.columns
    services.heartbeat(made.id, HoldLease(lease_epoch=1, ttl_s=3_600), by=made.by)
    after = made.columns
    assert after.pop("lease_until_ms") > before.pop("lease_until_ms")
    assert after == before
    assert_chain(made.id)


def test_a_skipped_append_adds_no_event():
    made = make_process(steps=2)
    events = len(assert_chain(made.id))
    append(made, args={"n": 1})
    assert len(assert_chain(made.id)) == events


def test_a_refusal_adds_no_event():
    made = make_process(steps=1)
    with pytest.raises(services.Forbidden):
        services.suspend(made.id, None, by=principal_actor())
    with pytest.raises(Exception, match="no such process"):
        services.next_step("nothing", by=runtime_actor())
    assert len(assert_chain(made.id)) == 3


def test_an_event_is_never_changed_nor_removed():
    make_process()
    with pytest.raises(TypeError):
        Event.objects.update(kind="x")
    with pytest.raises(TypeError):
        Event.objects.all().delete()
    with pytest.raises(TypeError):
        Event.objects.filter(seq=0).update(kind="x")


def test_a_process_with_events_is_not_deleted():
    made = make_process()
    with pytest.raises(Exception, match="protected"):
        Process.objects.filter(id=made.id).delete()
