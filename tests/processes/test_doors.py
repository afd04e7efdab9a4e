"""B79: every rule at every door. One person breaks one rule through one door: nothing happens.

Doors: the page, the API, several at once, taking over, and a process that its file owns, where
deciding writes that file. An expiry has no person; what it may do is tried against each rule
too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dalhc import clock
from dalhc.problems import Problem
from processes import services
from processes.journal.attention import Claim
from processes.journal.bulk import Bulk
from processes.journal.commands import OpenProcess, Suspend
from processes.models import Decision, Suspension
from processes.services import SYSTEM, Actor
from processes.services.keys import forget
from tests.files import Journals
from tests.making import Made, principal_actor
from tests.processes.services.test_expiry import BEGIN, OVER, moment

pytestmark = pytest.mark.django_db
PROPOSED = {"tool": "rm", "args": {"path": "x"}}
ADMIN = Actor("system", "tests", scopes=frozenset({"admin", "read"}))


class Mia:
    """The one who tries: logged in, with a key, and as herself."""

    def __init__(self, role: str = "principals") -> None:
        self.user = User.objects.create_user("mia")
        if role:
            self.user.groups.add(Group.objects.get_or_create(name=role)[0])
        self.http = Client()
        self.http.force_login(self.user)
        scopes = ("read", "decide")
        self.key = services.issue_key("mia", user=self.user, scopes=scopes, by=ADMIN)[1]

    @property
    def actor(self) -> Actor:
        return services.person(self.user)


class Place:
    """The folder of a process that files own; None while the database owns it."""

    folder: Path | None = None

    @classmethod
    def file(cls) -> bytes:
        return b"" if cls.folder is None else (cls.folder / "suspended-guard.json").read_bytes()


@pytest.fixture
def in_file(tmp_path: Path) -> Iterator[None]:
    Place.folder = tmp_path / "journals"
    yield
    Place.folder = None


@pytest.fixture(autouse=True)
def _of_the_door(request: pytest.FixtureRequest) -> None:
    """Behind the door `file` every process is one that its file owns."""
    params = getattr(getattr(request.node, "callspec", None), "params", {})
    if params.get("door") == "file":
        request.getfixturevalue("in_file")


def held_in_file(folder: Path, owner: str) -> Made:
    made = Journals(folder).golden("suspended-guard")
    Suspension.objects.filter(id=made.suspension_id).update(owner=owner or None)
    return made


def held(owner: str = "") -> Made:
    if Place.folder is not None:
        return held_in_file(Place.folder, owner)
    key, _ = services.issue_key(
        "k", agent="tidier", owner=User.objects.filter(username=owner).first(), by=ADMIN
    )
    by = services.actor_of(key)
    with clock.at(BEGIN):
        id = services.open_process(OpenProcess(objective="o", start=True), by=by).process_id
        command = {
            "reason": "guard", "proposed_action": PROPOSED, "on_timeout": "decline",
            "expires_at": moment(OVER),
        }  # fmt: skip
        stop = services.suspend(id, Suspend.model_validate(command), by=by)
    return Made(id, stop.id)


def through_page(mia: Mia, made: Made) -> int:
    form = {
        "suspension_id": made.suspension_id, "action": "approve",
        "review_digest": services.review_digest(made.stop),
    }  # fmt: skip
    return mia.http.post(f"/processes/{made.id}/decision/", form).status_code


def through_api(mia: Mia, made: Made) -> int:
    return (
        Client()
        .post(
            f"/api/v1/suspensions/{made.suspension_id}/decision",
            {"action": "approve", "review_digest": services.review_digest(made.stop)},
            content_type="application/json",
            headers={"Authorization": f"Bearer {mia.key}"},
        )
        .status_code
    )


def through_many(mia: Mia, made: Made) -> int:
    item = {
        "id": made.suspension_id, "review_digest": services.review_digest(made.stop),
    }  # fmt: skip
    command = Bulk.model_validate({"action": "approve", "items": [item]})
    try:
        [found] = services.decide_many(command, by=mia.actor)
    except services.Forbidden:
        return 403
    return 200 if found.problem is None else 403


def through_taking_over(mia: Mia, made: Made) -> int:
    """Claiming is open to whoever may say no; it gives nobody the right to say yes."""
    try:
        services.claim(made.suspension_id, Claim(take_over=False), by=mia.actor)
    except Problem:
        return 403
    return through_page(mia, made)


DOORS: dict[str, Callable[[Mia, Made], int]] = {
    "page": through_page,
    "API": through_api,
    "several": through_many,
    "take-over": through_taking_over,
    "file": through_page,
}


def set_rules(settings: Any, **rules: Any) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=rules)


def no_role(settings: Any) -> tuple[Mia, Made]:
    return Mia("reviewers"), held()


def four_eyes(settings: Any) -> tuple[Mia, Made]:
    set_rules(settings, four_eyes=("guard",))
    return Mia(), held(owner="mia")


def group(settings: Any) -> tuple[Mia, Made]:
    set_rules(settings, decider_groups={"guard": "security"})
    return Mia(), held()


def group_left(settings: Any) -> tuple[Mia, Made]:
    """A member when the page was shown, and not any more."""
    mia, made = group(settings)
    security = Group.objects.create(name="security")
    mia.user.groups.add(security)
    assert through_page_shows_button(mia, made)
    mia.user.groups.remove(security)
    forget()
    return mia, made


def claimed(settings: Any) -> tuple[Mia, Made]:
    made = held()
    with clock.at(BEGIN):
        services.claim(made.suspension_id, Claim(), by=principal_actor("ben"))
    return Mia(), made


RULES = {
    "role": no_role,
    "four eyes": four_eyes,
    "group": group,
    "group left": group_left,
    "claimed": claimed,
}


def through_page_shows_button(mia: Mia, made: Made) -> bool:
    return "Let it resume" in mia.http.get(f"/processes/{made.id}/").content.decode()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("door", DOORS)
def test_B79_no_door_is_wider_than_the_rule(settings, door, rule):
    with clock.at(BEGIN + 1):
        mia, made = RULES[rule](settings)
        written = Place.file()
        status = DOORS[door](mia, made)
    assert status in {403, 409}
    assert made.stop.status == "open"
    assert Place.file() == written
    assert not Decision.objects.exists()


@pytest.mark.parametrize("door", DOORS)
def test_B79_one_of_two_approvals_decides_nothing_through_any_door(settings, door):
    set_rules(settings, two_approvals=("guard",))
    with clock.at(BEGIN + 1):
        mia, made = Mia(), held()
        written = Place.file()
        for _ in range(2):
            DOORS[door](mia, made)
    assert made.stop.status == "open"
    assert Place.file() == written
    assert not Decision.objects.exists()


@pytest.mark.parametrize("rule", RULES)
def test_B79_the_page_and_the_api_say_why_and_offer_no_yes(settings, rule):
    with clock.at(BEGIN + 1):
        mia, made = RULES[rule](settings)
        assert not through_page_shows_button(mia, made)
        shown = (
            Client()
            .get(
                f"/api/v1/suspensions/{made.suspension_id}",
                headers={"Authorization": f"Bearer {mia.key}"},
            )
            .json()
        )
    if rule == "four eyes":
        assert shown["actions"] == ["deny", "stop"]
    else:
        assert not shown["can_decide"] and shown["why_not"]


@pytest.mark.parametrize("rule", RULES)
def test_B79_an_expiry_denies_whatever_the_rule_and_never_approves(settings, rule):
    with clock.at(BEGIN + 1):
        _, made = RULES[rule](settings)
    with clock.at(OVER):
        services.expire(made.suspension_id)
    found = Decision.objects.get()
    assert (found.action, found.by) == ("deny", str(SYSTEM))


def test_whoever_nothing_stands_against_may_decide_through_each_door():
    for n, door in enumerate(("page", "API", "take-over")):
        User.objects.all().delete()
        with clock.at(BEGIN + 1):
            assert DOORS[door](Mia(), held()) in {200, 303}, (n, door)


@pytest.mark.parametrize("door", DOORS)
def test_a_member_of_the_group_may_decide_through_each_door(settings, door):
    set_rules(settings, decider_groups={"guard": "security"})
    with clock.at(BEGIN + 1):
        mia, made = Mia(), held()
        mia.user.groups.add(Group.objects.create(name="security"))
        forget()
        written = Place.file()
        status = DOORS[door](mia, made)
    assert (Place.file() != written) == (door == "file")
    # A guard is approved one at a time, whoever asks.
    assert status in ({403} if door == "several" else {200, 303})
