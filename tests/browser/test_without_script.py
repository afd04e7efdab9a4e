"""With JavaScript off everything still works, by plain forms and links."""

from __future__ import annotations

from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from tests.browser.conftest import PASSWORD
from tests.making import make_process, resume


def test_a_question_is_answered_and_taken_back(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal", java_script_enabled=False)
    page.goto("/")
    page.get_by_text("Which region?").click()
    page.get_by_label("Your answer").fill("eu")
    page.get_by_role("button", name="Answer").click()
    expect(page).to_have_url(f"/processes/{asking.id}/")
    expect(page.locator(".receipt")).to_contain_text("eu")
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_label("Your answer")).to_be_visible()
    assert asking.stop.status == "open"


def test_declining_asks_for_a_reason(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal", java_script_enabled=False)
    page.goto(f"/processes/{asking.id}/")
    page.get_by_text("Decline to answer").click()
    page.get_by_label("Why").first.fill(" ")
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("alert")).to_contain_text("Say why")
    page.get_by_label("Why").first.fill("Ask finance.")
    page.get_by_role("button", name="Decline").click()
    expect(page.locator(".receipt")).to_contain_text("You declined to answer")


def test_text_goes_through_an_ended_login(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal", java_script_enabled=False)
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill("eu")
    Session.objects.all().delete()
    page.get_by_role("button", name="Answer").click()
    page.get_by_label("Name").fill("principal")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.locator(".receipt")).to_contain_text("eu")
    assert asking.stop.status == "answered"


def test_the_light_is_chosen_and_stays(log_in):
    page = log_in("principal", java_script_enabled=False)
    page.goto("/running/")
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page).to_have_url("/running/")
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_tabs_and_older_steps_are_links(log_in):
    going = make_process(steps=60)
    page = log_in("reviewer", java_script_enabled=False)
    page.goto(f"/processes/{going.id}/")
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".entry")).to_have_count(10)
    page.get_by_role("link", name="Raw").click()
    expect(page.get_by_text('"schema_version": 1')).to_be_visible()


def test_a_call_is_changed_compared_and_run(log_in):
    call = {"tool": "delete_rows", "args": {"dry": True, "limit": 1204, "where": {"a": [1]}}}
    held = make_process(reason="guard", proposed_action=call)
    page = log_in("principal", java_script_enabled=False)
    page.goto(f"/processes/{held.id}/")
    page.get_by_text("Change the arguments").click()
    page.get_by_label("limit").fill("many")
    page.get_by_role("radiogroup", name="dry").get_by_label("No").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#arg-f1-fault")).to_contain_text("A number")
    page.get_by_label("limit").fill("500")
    page.get_by_role("button", name="As JSON").click()
    expect(page.get_by_label("Arguments")).to_have_value(
        '{\n  "dry": false,\n  "limit": 500,\n  "where": {\n    "a": [\n      1\n    ]\n  }\n}'
    )
    page.get_by_role("button", name="As fields").click()
    page.get_by_role("button", name="Run it with these").click()
    expect(page.locator(".receipt")).to_contain_text("500")
    assert resume(held).decision.args == '{"dry":false,"limit":500,"where":{"a":[1]}}'
