"""Two must approve the same; the second does not see what the first said."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import Group, User

from processes import services
from processes.journal import errors
from processes.journal.commands import Choice, Suspend
from processes.models import Decision, Event, Vote
from processes.services import Forbidden
from processes.services.broken import Broken
from processes.services.verifying import verify_chains
from tests.chain import assert_chain
from tests.making import (
    append,
    decide,
    make_process,
    principal_actor,
    resume,
    runtime_actor,
)
from tests.processes.services.test_verifying import execute

pytestmark = pytest.mark.django_db
PROPOSED = {"tool": "rm", "args": {"path": "x"}}
MIA, BEN, EVE = (principal_actor(name) for name in ("mia", "ben", "eve"))


@pytest.fixture(autouse=True)
def _two(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"two_approvals": ("guard",)})


def held():
    return make_process(reason="guard", proposed_action=PROPOSED)


def test_the_first_approval_decides_nothing():
    made = held()
    stop = decide(made, "approve", by=MIA, note="looks fine")
    assert (stop.status, services.approvals(stop)) == ("open", {"needed": 2, "given": 1})
    with pytest.raises(errors.ApprovalRequired):
        resume(made)


def test_a_vote_that_was_removed_is_found(db):
    made = held()
    decide(made, "approve", by=MIA)
    services.take_back(made.suspension_id, by=MIA)
    decide(made, "approve", by=MIA)
    assert verify_chains(execute) == 1
    Vote.objects.first().delete()
    with pytest.raises(Broken, match="the vote of event"):
        verify_chains(execute)


def test_the_second_person_decides_and_the_first_alone_cannot():
    made = held()
    decide(made, "approve", by=MIA)
    decide(made, "approve", by=MIA)
    decide(made, "approve", by=MIA, note="again")
    assert made.stop.status == "open"
    assert decide(made, "approve", by=BEN).status == "answered"
    assert resume(made).decision.by == "principal:ben"
    append(made, "rm", args={"path": "x"})
    assert made.stop.ran == "approved"
    assert_chain(made.id)


def test_a_vote_is_unseen_in_the_log_until_it_is_decided():
    made = held()
    decide(made, "approve", by=MIA, note="the secret reason")
    texts = [event.data for event in Event.objects.of(made.id)]
    assert not any("secret" in text for text in texts)


def test_an_approval_and_an_edit_are_two_opinions():
    made = held()
    decide(made, "approve", by=MIA)
    decide(made, "edit", by=BEN, args={"path": "y"})
    assert made.stop.status == "open"
    assert decide(made, "edit", by=EVE, args={"path": "y"}).status == "answered"
    assert resume(made).decision.args == '{"path":"y"}'


@pytest.mark.parametrize(("action", "status"), [("deny", "answered"), ("stop", "withdrawn")])
def test_one_no_is_enough(action, status):
    made = held()
    decide(made, "approve", by=MIA)
    assert decide(made, action, by=BEN, note="no").status == status


def test_a_vote_is_taken_back_by_whoever_gave_it():
    made = held()
    decide(made, "approve", by=MIA)
    with pytest.raises(errors.NothingDecided):
        services.take_back(made.suspension_id, by=BEN)
    services.take_back(made.suspension_id, by=MIA)
    decide(made, "approve", by=BEN)
    assert made.stop.status == "open"
    assert Vote.objects.filter(live=True).get().by == "principal:ben"


def test_other_reasons_need_one():
    made = make_process(reason="unverified")
    assert decide(made, "approve", by=MIA).status == "answered"
    assert not Decision.objects.filter(by="principal:ben").exists()


def test_four_eyes_keeps_the_agents_owner_from_approving(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"four_eyes": ("guard",), "two_approvals": ()}
    )
    owned = services.Actor(**{**_fields(runtime_actor()), "owner": "mia"})
    made = make_process(running=True)
    command = services_suspend()
    stop = services.suspend(made.id, command, by=owned)
    digest = services.review_digest(stop)
    for action, content in (("approve", {}), ("edit", {"args": {"path": "y"}})):
        with pytest.raises(Forbidden):
            services.decide(stop.id, choose(action, digest, **content), by=MIA)
    denied = services.decide(stop.id, choose("deny", digest, note="no"), by=MIA)
    assert denied.status == "answered"


def test_a_group_decides_what_is_its_own(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"decider_groups": {"guard": "security"}, "two_approvals": ()}
    )
    made = held()
    with pytest.raises(Forbidden, match="security"):
        decide(made, "approve", by=MIA)
    member = services.Actor(**{**_fields(MIA), "groups": frozenset({"security"})})
    assert decide(made, "approve", by=member).status == "answered"


def test_T22_an_agent_has_only_so_many_open(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"open_per_agent": 3})
    for number in range(3):
        make_process(question=f"{number}?")
    with pytest.raises(errors.TooManyOpen):
        make_process(question="one more?")
    make_process(question="another agent's?", agent="painter")


def _fields(actor):
    return {name: getattr(actor, name) for name in actor.__slots__}


def services_suspend():
    return Suspend.model_validate({"reason": "guard", "proposed_action": PROPOSED})


def choose(action, digest, **content):
    return Choice.model_validate({"action": action, "review_digest": digest, **content})


def test_a_vote_about_what_has_changed_since_counts_no_more():
    made = held()
    decide(made, "approve", by=MIA)
    services.put_artifact(made.id, "plan.txt", io.BytesIO(b"other"), by=made.by)
    assert services.approvals(made.stop) == {"needed": 2, "given": 0}
    assert decide(made, "approve", by=BEN).status == "open"
    assert decide(made, "approve", by=MIA).status == "answered"


def test_a_vote_of_who_lost_the_right_counts_no_more():
    made = held()
    user = User.objects.create_user("mia")
    user.groups.add(Group.objects.get_or_create(name="principals")[0])
    decide(made, "approve", by=services.person(user))
    assert services.approvals(made.stop)["given"] == 1
    user.groups.clear()
    assert services.approvals(made.stop)["given"] == 0
    assert decide(made, "approve", by=BEN).status == "open"
    assert decide(made, "approve", by=EVE).status == "answered"
