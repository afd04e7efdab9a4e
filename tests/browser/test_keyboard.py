"""Everything by keyboard, and no key does anything while someone types."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.making import make_process


def test_a_list_is_walked_and_opened(log_in):
    for number in range(3):
        make_process(question=f"Question {number}?")
    page = log_in("principal")
    page.goto("/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".row").nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Question 1?")


def test_numbers_filter_and_u_goes_up(log_in):
    make_process(question="Which region?")
    make_process(reason="guard", detail="Too many rows.")
    page = log_in("principal")
    page.goto("/")
    page.keyboard.press("3")
    expect(page).to_have_url("/?reason=guard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Too many rows.")
    page.keyboard.press("u")
    expect(page).to_have_url("/")


def test_keys_are_letters_in_a_field(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.keyboard.type("jknru/?123")
    expect(page.get_by_label("Your answer")).to_have_value("jknru/?123")
    assert asking.stop.status == "open"


def test_search_and_help_have_a_key(log_in):
    make_process(objective="Find the needle", running=True)
    page = log_in("principal")
    page.goto("/running/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("needle")
    page.keyboard.press("Enter")
    expect(page.locator(".row")).to_contain_text("Find the needle")


def test_the_first_tab_skips_to_the_content(log_in):
    make_process(question="Which region?")
    page = log_in("principal")
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
