"""One outcome at the expiry, whoever comes a millisecond before or after it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dalhc import clock
from processes import services
from processes.journal import errors
from processes.models import Decision, Event
from processes.services import housekeeping
from tests.chain import assert_chain
from tests.making import (
    append,
    choice,
    decide,
    make_process,
    principal_actor,
    resume,
    suspend,
)

pytestmark = pytest.mark.django_db

BEGIN = 1_795_973_000_000
OVER = BEGIN + 400_000
PROPOSED = {"tool": "rm", "args": {"path": "x"}}


def moment(ms: int) -> str:
    at = datetime.fromtimestamp(ms / 1000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def asking(on_timeout="decline", question: str | None = "Which?", **fields):
    with clock.at(BEGIN):
        return make_process(
            question=question, expires_at=moment(OVER), on_timeout=on_timeout, **fields
        )


def outcomes(made):
    """How often it was decided, by anyone."""
    kinds = [kind for kind in made.kinds if kind in {"decide", "expire"}]
    return kinds, Decision.objects.filter(suspension_id=made.suspension_id, live=True).count()


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_an_answer_around_the_expiry_has_one_outcome_and_the_loser_is_told(offset):
    made = asking("default", default_answer="eu")
    with clock.at(OVER + offset):
        if offset < 0:
            decide(made, answer="us")
        else:
            with pytest.raises(errors.Expired) as late:
                decide(made, answer="us")
            assert late.value.current == {
                "who": "system:system", "when_ms": OVER, "action": "answer", "answer": "eu",
                "note": None,
            }  # fmt: skip
        assert services.expire(made.suspension_id).status == made.stop.status
    kinds, live = outcomes(made)
    assert (kinds, live) == ((["decide"] if offset < 0 else ["expire"]), 1)
    assert resume(made).decision.answer == ("us" if offset < 0 else "eu")


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_a_resume_around_the_expiry_finds_it_settled(offset):
    made = asking("default", default_answer="eu")
    with clock.at(OVER + offset):
        resumed = resume(made)
    assert resumed.result == ("needs_answer" if offset < 0 else "continue")
    if offset >= 0:
        assert resumed.decision.by == "system:system"
        assert made.record.principal_answer == "eu"


def test_a_declined_question_goes_on_and_is_told_by_when_nobody_answered():
    made = asking("decline")
    with clock.at(OVER):
        told = resume(made).decision
    assert (told.action, told.note) == ("decline", "No answer by 2026-11-29 17:30 UTC.")
    assert made.stop.status == "expired"
    append(made)
    assert (made.stop.status, made.stop.used_step) == ("expired", 1)


def test_a_proposed_call_is_denied_and_never_approved():
    made = asking("decline", question=None, reason="guard", proposed_action=PROPOSED)
    with clock.at(OVER):
        assert resume(made).decision.action == "deny"
    with pytest.raises(errors.Denied):
        append(made, "rm", args={"path": "x"})


def test_a_process_may_end_instead_of_waiting_for_ever():
    made = asking("stop", question=None, reason="guard")
    with clock.at(OVER):
        assert resume(made).result == "terminal"
    assert (made.record.state, made.stop.status) == ("failed", "expired")
    assert made.row.host.outcome == "No answer by 2026-11-29 17:30 UTC."


def test_waiting_is_not_ended_by_time():
    made = asking("wait")
    with clock.at(OVER + 1):
        assert housekeeping.sweep() is None
        decide(made, answer="eu")
    assert made.stop.status == "answered"


def test_B61_the_log_says_that_the_system_used_the_default():
    made = asking("default", default_answer="eu")
    with clock.at(OVER):
        services.expire(made.suspension_id)
    last = Event.objects.of(made.id).order_by("seq").last()
    assert (last.kind, last.actor) == ("expire", "system:system")
    assert '"reason":"default_on_timeout"' in last.data
    assert_chain(made.id)


def test_what_has_expired_is_not_taken_back():
    made = asking("default", default_answer="eu")
    with clock.at(OVER):
        services.expire(made.suspension_id)
        with pytest.raises(errors.NotTakenBack):
            services.take_back(made.suspension_id, by=principal_actor())


def test_an_answer_in_time_is_not_taken_back_after_it():
    made = asking("default", default_answer="eu")
    with clock.at(OVER - 1):
        decide(made, answer="us")
    with clock.at(OVER), pytest.raises(errors.NotTakenBack):
        services.take_back(made.suspension_id, by=principal_actor())


def test_the_housekeeper_settles_what_is_over_and_says_when_the_next_is():
    first, second = asking("decline"), asking("stop")
    with clock.at(BEGIN):
        third = make_process(question="?", expires_at=moment(OVER + 500), on_timeout="decline")
    with clock.at(OVER - 1):
        assert housekeeping.sweep() == OVER
    with clock.at(OVER):
        assert housekeeping.sweep() == OVER + 500
    assert [made.stop.status for made in (first, second, third)] == [
        "expired", "expired", "open",
    ]  # fmt: skip
    with clock.at(OVER + 500):
        assert housekeeping.sweep() is None


def test_an_expiry_in_the_past_is_refused():
    made = make_process(running=True)
    with clock.at(OVER), pytest.raises(errors.InvalidTimeout):
        suspend(made, question="?", expires_at=moment(OVER), on_timeout="stop")


def test_a_default_that_nobody_could_choose_is_refused():
    made = make_process(running=True)
    fields = {"question": "?", "expires_at": moment(4_000_000_000_000), "on_timeout": "default"}
    with pytest.raises(errors.AnswerNotOffered):
        suspend(made, options=["eu", "us"], default_answer="moon", **fields)
    with pytest.raises(errors.AnswerEmpty):
        suspend(made, default_answer=" ", **fields)
    with pytest.raises(errors.AnswerMisfit):
        suspend(made, response_schema={"type": "integer"}, default_answer='"x"', **fields)
    suspend(made, response_schema={"type": "integer"}, default_answer="7", **fields)


def test_a_crashed_agent_that_counts_its_time_anew_asks_once():
    made = asking("decline", ask_key="k")
    with clock.at(BEGIN + 5_000):
        again = suspend(
            made, question="Which?", ask_key="k", expires_at=moment(OVER + 5_000),
            on_timeout="decline",
        )  # fmt: skip
    assert again.suspension_id == made.suspension_id
    assert again.stop.expires_at_ms == OVER


def test_a_typed_word_is_kept_when_its_time_is_over():
    made = asking("decline")
    with clock.at(BEGIN):
        typed = choice(made, answer="eu")
    with clock.at(OVER), pytest.raises(errors.Expired):
        services.decide(made.suspension_id, typed, by=principal_actor())
    assert made.stop.status == "expired"
