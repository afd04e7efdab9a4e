"""Answering a process that files own is its resume: its file says so, or nothing is decided."""

from __future__ import annotations

import os

import pytest

from dalhc.db import writer
from processes import services
from processes.journal import errors, saving
from processes.journal.commands import (
    AppendStep,
    Choice,
    Complete,
    Fail,
    Resume,
    Stop,
    Suspend,
    TakeLease,
)  # fmt: skip
from processes.models import Decision, Event
from processes.services import decisions, writeback
from processes.services.leases import lease
from tests.chain import assert_chain
from tests.files import Journals
from tests.making import choice, decide, principal_actor, reviewer_actor, runtime_actor

pytestmark = pytest.mark.django_db
MIA = principal_actor()


@pytest.fixture
def there(tmp_path):
    return Journals(tmp_path / "journals")


@pytest.fixture
def asks(there):
    """A mirrored process that asks its principal."""
    return there.golden("suspended-ask_user")


def test_N03_N06_an_answer_is_two_turns_and_running(there, asks):
    stop = decide(asks, answer="Müller")
    told = there.told(asks.id)
    assert (told["state"], told["principal_answer"], told["question"]) == (
        "running", "Müller", None,
    )  # fmt: skip
    assert told["turns"][-2:] == [
        {"role": "assistant", "content": "Which supplier first?"},
        {"role": "user", "content": "Müller"},
    ]
    assert (stop.status, asks.record.state) == ("delivered", "running")
    assert there.runtime.resume_at(asks.id).result == "continue"
    assert_chain(asks.id)
    assert asks.kinds == ["import", "decide", "resume"]


def test_N18_who_answered_and_when_is_kept_beside_the_record(there, asks):
    decide(asks, answer="Müller")
    decision = Decision.objects.get(suspension_id=asks.suspension_id, live=True)
    assert (decision.by, decision.answer) == ("principal:mia", "Müller")
    assert Event.objects.of(asks.id).get(kind="resume").actor == "principal:mia"


def test_a_decline_is_the_answer_turn(there, asks):
    stop = decide(asks, "decline", note="Ask someone else.")
    assert there.told(asks.id)["turns"][-1]["content"] == "Ask someone else."
    assert stop.status == "declined"


@pytest.mark.parametrize("reason", ["guard", "unverified", "step_budget", "wall_clock"])
def test_N08_N11_let_it_resume_writes_running(there, reason):
    made = there.golden(f"suspended-{reason}")
    decide(made, "approve")
    told = there.told(made.id)
    assert (told["state"], told["suspend_reason"], told["turns"]) == ("running", None, [])


@pytest.mark.parametrize("name", ["suspended-ask_user", "suspended-guard"])
def test_to_stop_it_writes_failed_with_the_note_as_a_turn(there, name):
    made = there.golden(name)
    decide(made, "stop", note="Too risky.")
    told = there.told(made.id)
    assert (told["state"], told["suspend_reason"]) == ("failed", None)
    assert told["turns"] == [{"role": "user", "content": "Too risky."}]
    assert made.columns["outcome"] == "Too risky."
    assert Event.objects.of(made.id).get(kind="finish").actor == "principal:mia"


def test_a_running_process_is_ended_in_its_file(there):
    made = there.golden("running")
    services.stop(made.id, Stop(note="Enough."), by=MIA)
    told = there.told(made.id)
    assert (told["state"], told["turns"][-1]["content"]) == ("failed", "Enough.")
    assert (made.record.state, made.columns["outcome"]) == ("failed", "Enough.")
    with pytest.raises(errors.ProcessTerminal):
        services.stop(made.id, Stop(note="Again."), by=MIA)


def test_used_in_the_step_that_comes_next(there, asks):
    decide(asks, answer="Müller")
    there.runtime.append_step_at(asks.id, "run", "next")
    there.look(asks.id)
    assert (asks.stop.status, asks.stop.used_step) == ("used", 4)


def test_unknown_keys_survive_an_answer(there):
    made = there.golden("unknown-keys")
    before = there.told(made.id)
    decide(made, answer="eu")
    told = there.told(made.id)
    assert {name: told[name] for name in ("model", "reason_code")} == {
        name: before[name] for name in ("model", "reason_code")
    }
    assert told["steps"] == before["steps"]


def test_there_is_no_take_back(there, asks):
    decide(asks, answer="Müller")
    with pytest.raises(errors.NotTakenBack):
        services.take_back(asks.suspension_id, by=MIA)


def test_had_the_runtime_changed_it_nothing_is_written(there, asks):
    there.write(asks.id, cycle_id="meanwhile")
    before = (there.root / f"{asks.id}.json").read_bytes()
    with pytest.raises(errors.FileChanged):
        decide(asks, answer="Müller")
    assert (there.root / f"{asks.id}.json").read_bytes() == before
    assert not Decision.objects.filter(live=True).exists()
    assert (asks.stop.status, asks.columns["decided"]) == ("open", False)
    assert asks.columns["cycle_id"] == "meanwhile"  # and it is shown as it stands now
    decide(asks, answer="Müller")
    assert there.told(asks.id)["principal_answer"] == "Müller"


def test_a_runtime_that_was_faster_wins(there, asks):
    there.runtime.resume_at(asks.id, "from the console")
    with pytest.raises(errors.FileChanged):
        decide(asks, answer="late")
    assert there.told(asks.id)["principal_answer"] == "from the console"
    assert (asks.stop.status, asks.record.state) == ("superseded", "running")


@pytest.mark.parametrize(
    "verb",
    [
        lambda made: decide(made, answer="Müller"),
        lambda made: services.stop(made.id, Stop(note="x"), by=MIA),
    ],
)
def test_a_file_that_is_gone_is_not_made_anew(there, asks, verb):
    (there.root / f"{asks.id}.json").unlink()
    with pytest.raises(errors.FileGone):
        verb(asks)
    assert os.listdir(there.root) == []
    assert asks.stop.status == "open"


def test_a_broken_file_keeps_its_bytes(there, asks):
    path = there.root / f"{asks.id}.json"
    path.write_bytes(path.read_bytes()[:-9])
    before = path.read_bytes()
    with pytest.raises(errors.FileChanged):
        decide(asks, answer="Müller")
    assert path.read_bytes() == before
    assert asks.stop.status == "open"


def test_a_disk_that_cannot_be_written_keeps_the_decision_for_later(there, asks, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(saving, "replace", full)
        stop = decide(asks, answer="Müller")
        writeback.deliver_all()
        assert (stop.status, asks.columns["decided"]) == ("answered", True)
        assert there.told(asks.id)["state"] == "suspended"
        with pytest.raises(errors.NotTakenBack):
            services.take_back(stop.id, by=MIA)
    writeback.deliver_all()
    assert there.told(asks.id)["principal_answer"] == "Müller"
    assert asks.stop.status == "delivered"


def test_a_death_before_the_write_is_made_good(there, asks):
    """The decision is stored, and then the server dies."""
    decisions.decide(asks.suspension_id, choice(asks, answer="Müller"), by=MIA)
    assert there.told(asks.id)["state"] == "suspended"
    writeback.deliver_all()
    assert there.told(asks.id)["principal_answer"] == "Müller"
    assert asks.stop.status == "delivered"


def test_a_death_after_the_write_is_found_in_the_file(there, asks, monkeypatch):
    with monkeypatch.context() as dying:
        dying.setattr(writeback.mirror, "take", lambda *_, **__: None)
        decide(asks, answer="Müller")
    assert (asks.columns["decided"], asks.record.state) == (True, "suspended")
    there.runtime.append_step_at(asks.id, "run", "next")  # and its runtime goes on meanwhile
    there.look(asks.id)
    assert (asks.stop.status, asks.record.state) == ("delivered", "running")
    assert Decision.objects.get(live=True).answer == "Müller"


def test_a_change_seen_before_the_write_withdraws_what_was_decided(there, asks):
    decisions.decide(asks.suspension_id, choice(asks, answer="Müller"), by=MIA)
    there.put(asks.id, cycle_id="meanwhile")
    assert (asks.stop.status, asks.columns["decided"]) == ("open", False)
    writeback.deliver_all()
    assert there.told(asks.id)["state"] == "suspended"


def test_inside_a_transaction_the_file_waits_for_its_end(there, asks):
    def within():
        stop = decide(asks, answer="Müller")
        assert there.told(asks.id)["state"] == "suspended"
        with pytest.raises(errors.OwnedByFiles):
            services.stop(asks.id, Stop(note="x"), by=MIA)
        return stop

    assert writer.write(within).status == "answered"
    writeback.deliver_all()
    assert there.told(asks.id)["principal_answer"] == "Müller"


def test_N17_the_first_decision_wins(there, asks):
    seen = choice(asks, answer="Müller")
    services.decide(asks.suspension_id, seen, by=MIA)
    replay = services.decide(asks.suspension_id, seen, by=MIA)
    assert replay.status == "delivered"
    with pytest.raises(errors.AlreadyAnswered):
        services.decide(asks.suspension_id, seen, by=principal_actor("ben"))
    assert len(there.told(asks.id)["turns"]) == 2


@pytest.mark.parametrize("by", [reviewer_actor(), runtime_actor("dal")])
def test_who_may_not_decide_may_not_here(there, asks, by):
    with pytest.raises(services.Forbidden):
        services.decide(asks.suspension_id, choice(asks, answer="x"), by=by)
    with pytest.raises(services.Forbidden):
        services.stop(asks.id, Stop(note="x"), by=by)
    assert there.told(asks.id)["state"] == "suspended"


VERBS = {
    "append": lambda id, by: services.append(
        id, [AppendStep(tool="run", args="ls", success=True)], by=by
    ),
    "suspend": lambda id, by: services.suspend(id, Suspend(reason="guard"), by=by),
    "resume": lambda id, by: services.resume(id, Resume(), by=by),
    "complete": lambda id, by: services.complete(id, Complete(), by=by),
    "fail": lambda id, by: services.fail(id, Fail(), by=by),
    "lease": lambda id, by: lease(id, TakeLease(owner="x"), by=by),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", ["running", "suspended-opened", "completed"])
def test_a_runtime_does_not_write_over_the_api_what_files_own(there, verb, name):
    made = there.golden(name)
    before, text = made.columns, (there.root / f"{name}.json").read_bytes()
    with pytest.raises(errors.OwnedByFiles):
        VERBS[verb](made.id, made.by)
    assert made.columns == before
    assert (there.root / f"{name}.json").read_bytes() == text


def test_a_stale_digest_decides_nothing(there, asks):
    stale = Choice(action="answer", answer="x", review_digest="0" * 64)
    with pytest.raises(errors.StaleReview):
        services.decide(asks.suspension_id, stale, by=MIA)
    assert there.told(asks.id)["state"] == "suspended"


def test_a_link_in_the_files_place_is_not_followed_and_nothing_is_decided(
    there, asks, tmp_path
):
    other = there.golden("suspended-guard")
    elsewhere, file = tmp_path / "elsewhere.json", there.root / f"{asks.id}.json"
    file.rename(elsewhere)
    before = elsewhere.read_bytes()
    file.symlink_to(elsewhere)
    with pytest.raises(errors.FileChanged):
        decide(asks, answer="Müller")
    assert elsewhere.read_bytes() == before
    assert not Decision.objects.filter(live=True).exists()
    assert (asks.stop.status, asks.record.state) == ("open", "suspended")
    writeback.deliver_all()
    assert decide(other, "approve").status == "delivered"
