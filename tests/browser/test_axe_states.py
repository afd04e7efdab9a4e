"""The states of the pages that no address alone leads to, without one finding of axe."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page

from dalhc import clock
from processes import services
from processes.journal.attention import Claim, Snooze
from processes.journal.drafting import SaveDraft
from processes.models import Decision, Notice, Recipient, Suspension
from processes.services import searching
from tests.browser.test_axe import OPENED, PROPOSED, findings
from tests.browser.test_drafts import SCHEMA
from tests.making import append, decide, make_process, principal_actor, resume
from tests.processes.services.test_expiry import moment

ME, ANA = principal_actor("principal"), principal_actor("ana")
STATES = (
    "/processes/left/", "/processes/expired/", "/processes/overdue/", "/processes/claimed/",
    "/processes/later/", "/processes/alike/", "/processes/other/", "/processes/edited/",
    "/processes/untold/", "/?whose=snoozed", "/?agent=tidier&whose=free",
    "/search/?q=nothingatall", "/sleepers/",
)  # fmt: skip
WAYS = (("light", 1200), ("dark", 375))


def make_states() -> None:
    left = make_process(id="left", question="Which region?")
    typed = SaveDraft(action="answer", content={"answer": ["eu, bec"]})
    services.save_draft(left.suspension_id, typed, by=ME)
    decide(left, answer="us", by=ANA)
    resume(left)
    over = clock.now_ms() + 60_000
    out = make_process(
        id="expired", question="Which?", expires_at=moment(over),
        on_timeout="default", default_answer="eu",
    )  # fmt: skip
    with clock.at(over):
        services.expire(out.suspension_id)
    late = make_process(id="overdue", question="Which?")
    decide(late, answer="eu", by=ME)
    Decision.objects.filter(suspension_id=late.suspension_id).update(at_ms=1)
    held = make_process(id="claimed", reason="guard", proposed_action=PROPOSED)
    services.claim(held.suspension_id, Claim(), by=ANA)
    put_off = make_process(id="later", question="When?")
    until = Snooze.model_validate({"until": moment(over)})
    services.snooze(put_off.suspension_id, until, by=ME)
    asked = make_process(question="Which bucket is right?")
    decide(asked, answer="the old one")
    resume(asked)
    make_process(id="alike", question="Which bucket is right now?")
    searching.sweep()
    other = make_process(id="other", reason="guard", proposed_action=PROPOSED)
    decide(other, "approve", by=ME)
    resume(other)
    append(other, tool="something_else")
    edited = make_process(id="edited", reason="guard", proposed_action=PROPOSED)
    fields = SaveDraft(action="edit", content={"f0": ["few"], "f1": ["archive"]})
    services.save_draft(edited.suspension_id, fields, by=ME)
    untold = make_process(id="untold", question="Who knows?")
    nobody = Recipient.objects.create(
        kind="webhook", address="https://desk.example.com", wants="waiting", by="ada",
        created_at_ms=1,
    )  # fmt: skip
    Notice.objects.create(
        id="ntc_1", recipient=nobody, suspension_id=untold.suspension_id, kind="waiting",
        body="{}", status="failed", error="It answered 500.", next_at_ms=1, at_ms=1,
    )  # fmt: skip
    assert Suspension.objects.get(id=other.suspension_id).ran == "other"


def faults_of_a_form(page: Page) -> None:
    make_process(id="form", question="How?", response_schema=SCHEMA)
    page.goto("/processes/form/")
    page.get_by_label("Limit").fill("0,5")
    page.get_by_role("button", name="Answer").click()
    page.get_by_role("alert").wait_for()


def faults_of_an_edit(page: Page) -> None:
    page.goto("/processes/edited/")
    page.get_by_role("button", name="Run it with these").click()
    page.get_by_role("alert").wait_for()


def an_edit_as_json(page: Page) -> None:
    page.goto("/processes/edited/")
    page.get_by_label("limit").fill("7")
    page.get_by_role("button", name="Compare").click()
    page.locator("#diff ins").wait_for()
    page.get_by_role("button", name="As JSON").click()
    page.get_by_label("Arguments").wait_for()


def several_seen(page: Page) -> None:
    page.goto("/several/")
    page.get_by_label("Which bucket is right now?").check()
    page.get_by_role("radio", name="End").check()
    page.get_by_label("Why").fill("Not needed.")
    page.get_by_role("button", name="Look at them once more").click()
    page.get_by_role("heading", name="End 1 process?").wait_for()


def several_done(page: Page) -> None:
    several_seen(page)
    page.get_by_role("button", name="End 1").click()
    page.get_by_role("heading", name="1 done").wait_for()


def keys(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()


DONE = (
    faults_of_a_form, faults_of_an_edit, an_edit_as_json, several_seen, several_done, keys,
)  # fmt: skip


def test_every_state_an_address_shows_is_sound(log_in):
    make_states()
    page = log_in("principal", color_scheme="dark", viewport={"width": 375, "height": 800})
    found = {}
    for address in STATES:
        page.goto(address)
        page.evaluate(OPENED)
        found[address] = _sound(page, 375)
    assert {address: said for address, said in found.items() if said} == {}


@pytest.mark.parametrize(("light", "width"), WAYS)
def test_every_state_a_person_brings_about_is_sound(log_in, light, width):
    make_states()
    page = log_in("principal", color_scheme=light, viewport={"width": width, "height": 800})
    found = {}
    for do in DONE:
        do(page)
        found[do.__name__] = _sound(page, width)
    assert {state: said for state, said in found.items() if said} == {}


@pytest.mark.parametrize(("light", "width"), WAYS)
def test_what_is_shown_to_who_is_not_logged_in_any_more_is_sound(log_in, light, width):
    make_process(id="typed", question="Which region?")
    shape = {"width": width, "height": 800}
    for heading in ("Log in", "Not sent yet"):
        page = log_in("principal", quiet=True, color_scheme=light, viewport=shape)
        page.goto("/processes/typed/")
        page.get_by_label("Your answer").fill("eu, because")
        if heading == "Log in":
            Session.objects.all().delete()
        else:
            page.context.clear_cookies()  # and with them what makes a form ours
        page.evaluate("document.querySelector('form:has(textarea)').submit()")
        page.get_by_role("heading", name=heading).wait_for()
        assert "eu, because" in page.content()
        assert _sound(page, width) == []


def _sound(page: Page, width: int) -> list[str]:
    wide = page.evaluate("document.documentElement.scrollWidth")
    return findings(page) + ([f"{wide} px wide"] if wide > width else [])
