"""The pages about sleeping agents, as people see them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dalhc.clock import now_ms
from descriptors import services
from descriptors.models import SleeperRow
from descriptors.shown import cycles
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import append, make_process

pytestmark = pytest.mark.django_db


def login(name, group):
    user = User.objects.create_user(name)
    user.groups.add(Group.objects.get_or_create(name=group)[0])
    found = Client()
    found.force_login(user)
    return found


@pytest.fixture
def mia():
    return login("mia", "principals")


def text(reply, status=200):
    assert reply.status_code == status
    return reply.content.decode()


def test_the_list_shows_who_sleeps_on_what(mia):
    made = making.asleep(timer(now_ms() + 7_260_000), on("wait-provider", "mail/<1>"))
    page = text(mia.get("/sleepers/"))
    assert f"/sleepers/{made.id}/" in page and "wakes in 2h" in page
    assert "mail/&lt;1&gt;" in page and "100 of 100 wakes" in page
    assert "1 wake by timer" in page and "overdue" not in page


def test_what_is_overdue_is_marked(mia):
    making.due()
    page = text(mia.get("/sleepers/"))
    assert "1 overdue" in page and "data-long" in page


def test_kind_preset_and_prefix_narrow_the_list(mia):
    mail, far = making.asleep(on("wait-provider", "mail/1")), making.asleep(timer(making.FAR))
    for query, shown in {
        "kind=timer": [far], "kind=wait-provider": [mail], "key=mail/": [mail], "key=m%25": [],
        "preset=tidy": [mail, far], "preset=other": [],
    }.items():  # fmt: skip
        page = text(mia.get(f"/sleepers/?{query}"))
        assert [one for one in (mail, far) if one.id in page] == shown
    assert mia.get("/sleepers/?key=" + "x" * 201).status_code == 422


def test_nobody_asleep_is_said(mia):
    assert "Nobody sleeps" in text(mia.get("/sleepers/"))


def test_a_sleeper_shows_its_cycles(mia):
    made = making.due()
    wake = making.one()
    append(made, lease_epoch=wake.row.host.lease_epoch)
    making.commit(made, wake.row.host.lease_epoch)
    page = text(mia.get(f"/sleepers/{made.id}/"))
    assert "committed" in page and "timer" in page and "Admitted" in page


def test_a_person_wakes_it(mia):
    made = making.asleep(timer(making.FAR))
    assert "Yes, wake it" in text(mia.get(f"/sleepers/{made.id}/"))
    reply = mia.post(f"/sleepers/{made.id}/wake/")
    assert (reply.status_code, reply["Location"]) == (303, f"/sleepers/{made.id}/")
    assert services.sleeper(made.id, by=made.by).woken_by.kind == "explicit"
    assert "Yes, wake it" not in text(mia.get(f"/sleepers/{made.id}/"))


def test_a_reviewer_looks_and_wakes_nobody():
    made, rob = making.asleep(timer(making.FAR)), login("rob", "reviewers")
    before = SleeperRow.objects.values().get()
    assert "Yes, wake it" not in text(rob.get(f"/sleepers/{made.id}/"))
    text(rob.post(f"/sleepers/{made.id}/wake/"), 403)
    assert SleeperRow.objects.values().get() == before


def test_one_that_does_not_sleep_is_not_found(mia):
    assert mia.get("/sleepers/none/").status_code == 404
    assert mia.post("/sleepers/none/wake/").status_code == 404


def test_the_newest_thirty_cycles_are_shown_and_nothing_before_is_read(monkeypatch):
    made = making.due()
    for number in range(33):
        epoch = making.one().row.host.lease_epoch
        append(made, args={"n": number}, lease_epoch=epoch)
        making.give_back(made, epoch)
    read = []
    real = cycles.beside.events
    monkeypatch.setattr(
        cycles.beside, "events", lambda *a: read.extend(found := list(real(*a))) or found
    )
    shown = cycles.cycles(made.id)
    assert [one.epoch for one in shown] == list(range(33, 3, -1))
    assert [kind for _, kind, _, _ in read].count("claim") == 30
    assert [kind for _, kind, _, _ in read].count("step") == 30


def test_a_budget_that_only_the_page_can_tell_of_is_told_there_and_a_person_wakes_it(mia):
    made = make_process()
    making.sleep(made, timer(1), budget_state={"max_consecutive_wakes": 1})
    making.give_back(made, making.one().row.host.lease_epoch)
    assert making.claim().wakes == ()
    for page in (mia.get("/sleepers/"), mia.get(f"/sleepers/{made.id}/")):
        assert "Budget used up" in text(page) and "until a person decides or wakes it" in text(
            page
        )
    assert mia.post(f"/sleepers/{made.id}/wake/").status_code == 303
    assert making.one().row.head.id == made.id
