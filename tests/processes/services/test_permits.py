"""B88: an approval counts only while its giver may give it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from dalhc import clock
from processes import services
from processes.journal import errors
from processes.models import Event
from tests.chain import assert_chain
from tests.making import decide, make_process, principal_actor, resume
from tests.processes.services.test_expiry import moment

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia(db) -> User:
    user = User.objects.create_user("mia")
    user.groups.add(Group.objects.get_or_create(name="principals")[0])
    return user


def approved(mia: User):
    made = make_process(reason="guard", proposed_action={"tool": "rm", "args": {}})
    decide(made, "approve", by=services.person(mia))
    return made


@pytest.mark.parametrize("how", ["locked out", "another role", "group rule"])
def test_B88_a_right_that_is_gone_opens_the_item_again(mia, how, settings):
    made = approved(mia)
    if how == "locked out":
        User.objects.filter(id=mia.id).update(is_active=False)
    elif how == "another role":
        mia.groups.clear()
    else:
        rules = {"decider_groups": {"guard": "security"}}
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=rules)
    with pytest.raises(errors.ApprovalRequired):
        resume(made)
    assert made.stop.status == "open"
    last = Event.objects.of(made.id).order_by("seq").last()
    assert (last.kind, last.actor) == ("take_back", "system:system")
    assert_chain(made.id)


def test_B88_another_person_can_then_approve_it(mia):
    made = approved(mia)
    mia.groups.clear()
    with pytest.raises(errors.ApprovalRequired):
        resume(made)
    decide(made, "approve", by=principal_actor("ben"))
    assert resume(made).result == "continue"


def test_B88_an_answer_in_the_tools_place_lets_it_go_on_and_is_a_permit_too(mia):
    made = make_process(reason="guard", proposed_action={"tool": "rm", "args": {}})
    decide(made, "answer", by=services.person(mia), answer="done by hand")
    mia.groups.clear()
    with pytest.raises(errors.ApprovalRequired):
        resume(made)
    assert made.stop.status == "open"


def test_an_answer_to_a_question_is_no_permit(mia):
    made = make_process(question="Which?")
    decide(made, answer="eu", by=services.person(mia))
    mia.groups.clear()
    assert resume(made).decision.answer == "eu"


def test_an_approval_without_its_right_whose_time_is_over_is_denied_in_one_resume(mia):
    over = clock.now_ms() + 60_000
    made = make_process(
        reason="guard", proposed_action={"tool": "rm", "args": {}},
        expires_at=moment(over), on_timeout="decline",
    )  # fmt: skip
    decide(made, "approve", by=services.person(mia))
    mia.groups.clear()
    with clock.at(over):
        told = resume(made)
    assert (told.decision.action, told.decision.by) == ("deny", "system:system")
    assert made.kinds[-4:] == ["decide", "take_back", "expire", "resume"]
    assert_chain(made.id)


def test_an_approval_of_someone_who_still_may_counts(mia):
    assert resume(approved(mia)).decision.by == "principal:mia"


def test_a_no_stays_a_no(mia):
    made = make_process(reason="guard", proposed_action={"tool": "rm", "args": {}})
    decide(made, "deny", by=services.person(mia), note="no")
    mia.groups.clear()
    assert resume(made).decision.action == "deny"
