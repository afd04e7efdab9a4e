"""What is typed survives: a poll, an ended login, an old form, a slip of the back button."""

from __future__ import annotations

from io import BytesIO

from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from processes import services
from processes.models import Decision
from tests.browser.conftest import PASSWORD
from tests.making import append, make_process

LONG = "Ein langer Satz mit ✓ und 🧾.\n" * 100


def log_in_again(page: Page, name: str = "principal") -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def test_B49_a_poll_leaves_an_open_form_alone(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    box = page.get_by_label("Your answer")
    box.fill("half an answ")
    box.evaluate("box => { box.marked = true; box.setSelectionRange(2, 4); }")
    for _ in range(2):
        with page.expect_response(lambda answer: answer.status == 204):
            pass
    services.put_artifact(asking.id, "report.md", BytesIO(b"# Report"), by=asking.by)
    expect(page.locator("#facts")).to_contain_text("report.md")
    kept = box.evaluate("box => [box.marked, box.value, box.selectionStart, box.selectionEnd]")
    assert kept == [True, "half an answ", 2, 4]
    expect(box).to_be_focused()


def test_text_goes_through_an_ended_login_and_is_sent_once(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill(LONG)
    Session.objects.all().delete()
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_text("Your login had ended.")).to_be_visible()
    log_in_again(page)
    expect(page.locator(".receipt")).to_contain_text("You answered")
    assert [decision.answer for decision in Decision.objects.all()] == [LONG]


def test_a_wrong_password_does_not_lose_the_text(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill("eu")
    Session.objects.all().delete()
    page.get_by_role("button", name="Answer").click()
    page.get_by_label("Name").fill("principal")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    log_in_again(page)
    expect(page.locator(".receipt")).to_contain_text("eu")
    assert asking.stop.status == "answered"


def test_text_is_not_sent_in_the_name_of_someone_else(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill("eu")
    Session.objects.all().delete()
    page.get_by_role("button", name="Answer").click()
    log_in_again(page, "ana")
    expect(page.get_by_role("alert")).to_contain_text("principal typed this")
    expect(page.get_by_label("Your answer")).to_have_value("eu")
    assert asking.stop.status == "open"


def test_a_form_older_than_the_login_comes_back_with_its_text(log_in, live_server):
    """Whoever logs in in another window makes every form of the first one too old."""
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill("eu")
    page.context.add_cookies(
        [{"name": "dalhc-csrf", "value": "x" * 32, "url": live_server.url}]
    )
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_role("heading", name="Not sent yet")).to_be_visible()
    expect(page.get_by_label("Your answer")).to_have_value("eu")
    assert asking.stop.status == "open"
    page.get_by_role("button", name="Send it").click()
    expect(page.locator(".receipt")).to_contain_text("eu")


def test_a_text_too_long_is_refused_and_kept(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill("a" * 8_001)
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_role("alert")).to_contain_text("8,001 characters; at most 8,000")
    expect(page.get_by_label("Your answer")).to_have_value("a" * 8_001)
    assert asking.stop.status == "open"


def test_back_shows_whole_pages(log_in):
    asking = make_process(question="Which region?", steps=60)
    page = log_in("principal")
    page.goto("/")
    page.get_by_text("Which region?").click()
    page.get_by_role("link", name="Events").click()
    expect(page.get_by_text("every write, chained")).to_be_visible()
    page.get_by_role("link", name="Ledger").click()
    expect(page.get_by_text("What it did")).to_be_visible()
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".entry")).to_have_count(61)
    page.go_back()
    expect(page.get_by_role("heading", name="Waiting on you")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which region?")
    assert asking.stop.status == "open"


def test_steps_of_a_running_process_are_told_not_pushed(log_in):
    going = make_process(steps=1)
    page = log_in("principal")
    page.goto(f"/processes/{going.id}/")
    page.locator(".entry summary").click()
    append(going, args={"n": 2})
    expect(page.locator("#news")).to_contain_text("1 new step — press r")
    expect(page.locator(".entry details")).to_have_attribute("open", "")
    expect(page.locator("#facts")).to_contain_text("2")


def test_a_page_whose_login_has_ended_says_so_and_stops_asking(log_in):
    asking = make_process(question="Which region?")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    page.get_by_label("Your answer").fill("eu")
    Session.objects.all().delete()
    expect(page.locator("#notice")).to_contain_text("Your login has ended.")
    page.get_by_role("link", name="Events").click()
    expect(page.get_by_label("Your answer")).to_have_value("eu")
