"""Two people before the same stop, one that expires while it is open, several at once."""

from __future__ import annotations

from playwright.sync_api import expect

from dalhc import clock
from processes import services
from processes.journal.attention import Claim
from tests.making import make_process, principal_actor
from tests.processes.services.test_expiry import moment


def test_whoever_claims_it_is_seen_by_the_other_who_keeps_typing(log_in):
    made = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("Your answer").fill("My long answer")
    services.claim(made.suspension_id, Claim(), by=principal_actor("ana"))
    expect(page.locator("#notice")).to_contain_text("ana has claimed it")
    expect(page.get_by_label("Your answer")).to_have_value("My long answer")
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_role("alert")).to_contain_text("Someone else has claimed this")
    expect(page.get_by_label("What you had typed")).to_have_value("My long answer")
    page.get_by_role("button", name="Take it over").click()
    page.get_by_label("Your answer").fill("My long answer")
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_text("You answered")).to_be_visible()
    assert made.stop.holder == "principal:principal"


def test_what_expires_while_it_is_open_is_said_and_the_text_is_kept(log_in):
    over = moment(clock.now_ms() + 4_000)
    made = make_process(
        question="Which region?", expires_at=over, on_timeout="default", default_answer="eu"
    )
    page = log_in("principal")
    page.goto(f"/processes/{made.id}/")
    page.get_by_label("Your answer").fill("us, for the lower latency")
    page.wait_for_timeout(4_200)
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_role("alert")).to_contain_text("Its time was over")
    expect(page.get_by_label("What you had typed")).to_have_value("us, for the lower latency")
    expect(page.locator("#panel")).to_contain_text("default used")
    assert made.stop.status == "expired"


def test_several_are_ended_by_keyboard_alone(log_in):
    for number in range(3):
        make_process(question=f"Question {number}?")
    page = log_in("principal")
    page.goto("/several/")
    boxes = page.get_by_role("checkbox")
    for number in range(2):
        boxes.nth(number).focus()
        page.keyboard.press("Space")
    page.get_by_role("radio", name="End").focus()
    page.keyboard.press("Space")
    page.get_by_label("Why").focus()
    page.keyboard.type("Not needed.")
    page.get_by_role("button", name="Look at them once more").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("End 2 processes?")
    page.get_by_role("button", name="End 2").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 done")
