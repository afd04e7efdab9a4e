"""The first journey: a process asks, a person answers, the process goes on."""

from __future__ import annotations

from playwright.sync_api import expect

from processes.models import Suspension
from tests.making import append, make_process, resume, suspend

COUNT_INERT = """
    window.settled = 0;
    new MutationObserver(changes => {
        window.settled += changes.filter(one => one.target.inert).length;
    }).observe(document.body, { subtree: true, attributeFilter: ["inert"] });
"""


def test_a_question_is_answered_from_the_inbox_to_the_receipt(log_in):
    asking = make_process(question="Which region?", steps=2, objective="Move the bucket")
    page = log_in("principal")
    page.goto("/")
    expect(page).to_have_title("(1) Waiting on you")
    page.get_by_text("Which region?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which region?")
    page.get_by_label("Your answer").fill("eu, because the invoices are there")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt")).to_contain_text("You answered")
    expect(page.locator(".receipt")).to_contain_text("not picked up yet")
    assert asking.stop.status == "answered"
    resume(asking)
    expect(page.locator(".receipt")).to_contain_text("picked up")
    append(asking)
    expect(page.locator(".receipt")).to_contain_text("used in step 3")
    expect(page.locator("#news")).to_contain_text("1 new step")


def test_twenty_questions_are_send_and_enter_each(log_in):
    for number in range(4):
        make_process(question=f"Question {number}?")
    page = log_in("principal")
    page.goto("/")
    page.get_by_text("Question 0?").click()
    for number in range(4):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Question {number}?")
        expect(page.get_by_label("Your answer")).to_be_focused()
        page.keyboard.type("yes")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".next")).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing needs you")).to_be_visible()
    assert Suspension.objects.filter(status="answered").count() == 4


def test_a_decision_is_taken_back_until_it_is_picked_up(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill("eu")
    page.get_by_role("button", name="Answer").click()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_label("Your answer")).to_be_visible()
    assert asking.stop.status == "open"


def test_options_are_chosen_word_for_word(log_in):
    options = [" eu ", "us\n(old)", "<b>both</b>", "مرحبا"]
    asking = make_process(question="Which?", options=options)
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    expect(page.get_by_role("radio")).to_have_count(4)
    page.get_by_role("radio").nth(1).check()
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".receipt")).to_be_visible()
    assert resume(asking).decision.answer == "us\n(old)"


def test_B47_five_rounds_in_one_process(log_in):
    """And what a poll brings under a finger already on its way cannot be pressed (T3)."""
    asking = make_process(question="Round 1?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.evaluate(COUNT_INERT)
    for number in range(2, 7):
        page.get_by_label("Your answer").fill(f"answer {number}")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".receipt")).to_be_visible()
        resume(asking)
        asking = suspend(asking, question=f"Round {number}?")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Round {number}?")
        expect(page.locator("#panel[inert]")).to_have_count(0)
    assert page.evaluate("window.settled") >= 5
