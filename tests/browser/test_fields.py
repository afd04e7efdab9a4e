"""Typed answers and one-key choices, as a person meets them."""

from __future__ import annotations

from playwright.sync_api import expect

from processes.services import searching
from tests.browser.test_drafts import SCHEMA
from tests.making import decide, make_process, resume


def test_a_choice_is_one_key(log_in):
    made = make_process(question="Which?", options=["eu", "us", "ask finance"])
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.keyboard.press("3")
    expect(page.get_by_label("ask finance")).to_be_checked()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(".receipt")).to_contain_text("us")
    assert resume(made).decision.answer == "us"


def test_a_form_is_filled_by_keyboard_alone(log_in):
    made = make_process(question="How?", response_schema=SCHEMA)
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("3544790567247868102")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt")).to_contain_text("3544790567247868102")
    answer = resume(made).decision.answer
    assert answer == '{"region": "eu", "limit": 3544790567247868102, "rooms": ["1.04"]}'


def test_a_fault_stands_at_its_field_and_the_rest_stays(log_in):
    made = make_process(question="How?", response_schema=SCHEMA)
    page = log_in("principal", viewport={"width": 375, "height": 700})
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("us").check()
    page.get_by_label("Limit").fill("0,5")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator("#f1-fault")).to_have_text("A number, as in 42 or -0.5.")
    expect(page.get_by_label("us")).to_be_checked()
    page.get_by_label("Limit").fill("0.5")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".receipt")).to_contain_text("0.5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_without_scripts_a_form_is_sent_and_comes_back_with_its_faults(log_in):
    made = make_process(question="How?", response_schema=SCHEMA)
    page = log_in("principal", java_script_enabled=False)
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("eu").check()
    page.get_by_role("button", name="Answer").click()
    expect(page.locator("#f1-fault")).to_have_text("This is needed.")
    page.get_by_label("Limit").fill("7")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".receipt")).to_contain_text("7")
    assert resume(made).decision.answer == '{"region": "eu", "limit": 7}'


def test_an_edit_is_compared_in_place(log_in):
    call = {"tool": "delete_rows", "args": {"limit": 1204, "table": "archive"}}
    made = make_process(reason="guard", proposed_action=call)
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.get_by_text("Change the arguments").click()
    page.get_by_role("button", name="As JSON").click()
    page.get_by_label("Arguments").fill('{"limit": "500", "table": "archive"}')
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#diff")).to_contain_text("number became text")
    expect(page.locator("#diff")).not_to_contain_text("table")
    page.get_by_label("Arguments").fill('{"limit": 400, "table": "archive"}')
    page.get_by_role("button", name="As fields").click()
    expect(page.get_by_label("limit")).to_have_value("400")
    page.get_by_label("limit").fill("500")
    page.get_by_label("limit").press("Enter")
    expect(page.locator("#diff ins")).to_have_text("500")
    page.get_by_role("button", name="Run it with these").click()
    expect(page.locator(".receipt del")).to_have_text("1204")
    expect(page.locator(".receipt ins")).to_have_text("500")
    assert resume(made).decision.args == '{"limit":500,"table":"archive"}'


def test_one_key_uses_a_past_answer_again(log_in):
    before = make_process(question="Which bucket is right?")
    decide(before, answer="the old one")
    resume(before)
    asking = make_process(question="Which bucket is right now?")
    searching.sweep()
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.get_by_label("Your answer")).to_have_value("the old one")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt")).to_contain_text("the old one")
