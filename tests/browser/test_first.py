"""The third journey: someone else was first, and nothing that was typed is lost."""

from __future__ import annotations

from playwright.sync_api import expect

from processes import services
from tests.making import choice, decide, make_process, principal_actor

TYPED = "us, because the invoices are there 🧾"


def test_their_answer_is_shown_and_mine_is_kept(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill(TYPED)
    services.decide(
        asking.suspension_id, choice(asking, answer="eu"), by=principal_actor("ana")
    )
    page.keyboard.press("Control+Enter")
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("Not sent.")
    expect(notice).to_contain_text("ana answered")
    expect(notice.locator("blockquote")).to_have_text("eu")
    expect(page.get_by_label("What you had typed")).to_have_value(TYPED)
    expect(page.locator(".receipt")).to_contain_text("ana answered")


def test_the_page_says_so_before_i_send(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill(TYPED)
    decide(asking, by=principal_actor("ana"), answer="eu")
    expect(page.locator("#notice")).to_contain_text("ana answered")
    expect(page.get_by_label("Your answer")).to_have_value(TYPED)


def test_a_row_answered_elsewhere_fades_and_nothing_moves(log_in):
    asking = [make_process(question=f"Question {number}?") for number in range(3)]
    page = log_in("principal")
    page.goto("/")
    second = page.locator(".rows li").nth(1)
    place = page.locator(".rows li").nth(2).bounding_box()
    decide(asking[1], by=principal_actor("ana"), answer="eu")
    expect(second).to_have_class("gone")
    expect(page.locator(".filters a").first).to_contain_text("2")
    assert page.locator(".rows li").nth(2).bounding_box() == place


def test_something_new_is_told_and_pushes_nothing(log_in):
    make_process(question="Question 1?")
    page = log_in("principal")
    page.goto("/")
    place = page.locator(".rows li").first.bounding_box()
    make_process(question="Which copy of report.pdf stays?")
    expect(page.locator("#news")).to_contain_text("1 new — press r")
    expect(page.locator("#news")).to_contain_text("Which copy of report.pdf stays?")
    expect(page).to_have_title("(2) Waiting on you")
    assert page.locator(".rows li").first.bounding_box() == place
    page.keyboard.press("r")
    expect(page.locator(".rows li")).to_have_count(2)


def test_an_empty_desk_fills_by_itself(log_in):
    page = log_in("principal")
    page.goto("/")
    expect(page.get_by_role("heading", name="Nothing needs you")).to_be_visible()
    make_process(question="Which region?")
    expect(page.locator(".rows").get_by_text("Which region?")).to_be_visible()
