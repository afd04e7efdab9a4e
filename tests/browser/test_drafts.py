"""What is typed is kept: through a reload, a closed tab, an ended login, an absent server."""

from __future__ import annotations

import json

from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from processes.models import Draft
from tests.browser.conftest import PASSWORD
from tests.making import decide, make_process, principal_actor, suspend

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"enum": ["eu", "us"], "title": "Region"},
        "limit": {"type": "number", "title": "Limit"},
        "rooms": {"type": "array", "title": "Rooms", "items": {"enum": ["1.04", "2.11"]}},
    },
    "required": ["region", "limit"],
}


def kept(action="answer"):
    """The fields of the one draft."""
    return json.loads(Draft.objects.get(action=action).content)


def test_b56_three_questions_in_one_stop_survive_a_closed_tab(log_in):
    made = make_process(question="Where, and how much?", response_schema=SCHEMA)
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("us").check()
    page.get_by_label("Limit").fill("0.10")
    page.get_by_label("2.11").check()
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    again = page.context.new_page()
    page.close()
    again.goto(f"/processes/{made.id}/")
    expect(again.get_by_label("us")).to_be_checked()
    expect(again.get_by_label("2.11")).to_be_checked()
    expect(again.get_by_label("Limit")).to_have_value("0.10")
    again.keyboard.press("Control+Enter")
    expect(again.locator(".receipt")).to_contain_text("0.10")
    decided = made.stop.decisions.get()
    assert decided.answer == '{"region": "us", "limit": 0.10, "rooms": ["2.11"]}'


def test_b50_a_slow_save_never_brings_an_older_text_back(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal")
    slow = []

    def hold(route):
        slow.append(route)
        if len(slow) > 1:
            route.continue_()

    page.route("**/draft/", hold)
    page.goto(f"/processes/{made.id}/")
    field = page.get_by_label("Your answer")
    with page.expect_request("**/draft/"):
        field.press_sequentially("e")
    field.press_sequentially("u-west")
    page.wait_for_timeout(600)
    slow[0].continue_()
    expect(field).to_have_value("eu-west")
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    assert kept()["answer"] == ["eu-west"]


def test_b55_a_draft_and_what_was_typed_after_the_login_ended(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    field = page.get_by_label("Your answer")
    field.fill("eu ☂")
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    Session.objects.all().delete()
    field.fill("eu ☂, and why")
    expect(page.locator("[data-saved]")).to_contain_text("login has ended")
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("Name").fill("principal")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_label("Your answer")).to_have_value("eu ☂, and why")
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt")).to_contain_text("eu ☂, and why")
    assert made.stop.decisions.count() == 1


def test_b55_what_was_typed_while_a_save_was_under_way_outlives_the_page(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal", quiet=True)
    page.goto(f"/processes/{made.id}/")
    page.route("**/draft/", lambda route: None)  # the server is slow to answer
    field = page.get_by_label("Your answer")
    with page.expect_request("**/draft/"):
        field.fill("eu")
    field.fill("eu, because")
    page.goto("/running/")
    page.unroute("**/draft/")
    page.goto(f"/processes/{made.id}/")
    expect(page.get_by_label("Your answer")).to_have_value("eu, because")


def test_offline_and_back(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal", quiet=True)
    page.goto(f"/processes/{made.id}/")
    page.context.set_offline(True)
    page.get_by_label("Your answer").fill("eu")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved yet")
    page.context.set_offline(False)
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    assert kept()["answer"] == ["eu"]


def test_back_twice_shows_whole_pages_and_the_draft(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal")
    page.goto("/")
    page.get_by_text("Which region?").click()
    page.get_by_label("Your answer").fill("eu")
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    page.get_by_role("link", name="Running").click()
    page.get_by_role("link", name="Settled").click()
    expect(page).to_have_url("/settled/")
    page.go_back()
    page.go_back()
    expect(page.get_by_label("Your answer")).to_have_value("eu")
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    assert made.stop.status == "open"


def test_the_last_tab_that_was_typed_in_wins(log_in):
    made = make_process(question="Which region?")
    one = log_in("principal")
    two = one.context.new_page()
    for page in (one, two):
        page.goto(f"/processes/{made.id}/")
    for page, text in ((one, "eu"), (two, "us"), (one, "eu after all")):
        page.get_by_label("Your answer").fill(text)
        expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    two.reload()
    expect(two.get_by_label("Your answer")).to_have_value("eu after all")


def test_a_draft_is_not_swapped_away_by_what_happens_elsewhere(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("Your answer").fill("eu")
    suspend(make_process(running=True), question="Another?")
    with page.expect_response(lambda reply: "/since/" in reply.url, timeout=20_000):
        pass
    expect(page.get_by_label("Your answer")).to_have_value("eu")


def test_a_draft_longer_than_a_browsers_last_request_is_saved(log_in):
    texts = {name: {"type": "string"} for name in "abcd"}
    made = make_process(
        question="How?", response_schema={"type": "object", "properties": texts}
    )
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    for number in range(len(texts)):
        page.locator(f"[name='f{number}']").fill("€" * 8_000)
    expect(page.locator("[data-saved]").first).to_have_text("Draft saved.")
    assert kept()["f3"] == ["€" * 8_000]


def test_what_the_server_refuses_is_not_sent_for_ever(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal", quiet=True)
    tried = []

    def refuse(route):
        tried.append(route)
        route.fulfill(status=422 if len(tried) > 1 else 503)

    page.route("**/draft/", refuse)
    page.clock.install()
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("Your answer").press_sequentially("e")
    for _ in range(2):
        with page.expect_response("**/draft/"):
            page.clock.run_for(6_000)
    page.clock.run_for(60_000)
    assert len(tried) == 2


def test_text_whose_question_went_away_is_there_after_a_reload(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("Your answer").fill("eu, bec")
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    decide(made, answer="us", by=principal_actor("ana"))
    page.get_by_label("Your answer").press_sequentially("ause")
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    page.reload()
    kept = page.get_by_label("Someone else decided; you had typed this, and it was not sent.")
    expect(kept).to_have_value("eu, because")
    page.get_by_role("button", name="Forget it").click()
    expect(kept).to_have_count(0)
    assert not Draft.objects.exists()


def test_text_kept_in_the_tab_is_brought_when_its_form_is_gone(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("Your answer").fill("eu, for")
    expect(page.locator("[data-saved]")).to_have_text("Draft saved.")
    Session.objects.all().delete()
    page.get_by_label("Your answer").press_sequentially(" the latency")
    expect(page.locator("[data-saved]")).to_contain_text("kept in this tab")
    decide(made, answer="us", by=principal_actor("ana"))
    page.goto(f"/login/?next=/processes/{made.id}/")
    page.get_by_label("Name").fill("principal")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    kept = page.get_by_label("Someone else decided; you had typed this, and it was not sent.")
    expect(kept).to_have_value("eu, for the latency")
    kept_keys = page.evaluate("Object.keys(sessionStorage)")
    assert [name for name in kept_keys if name.startswith("draft ")] == []
