"""The second journey: a held process is let go on, or denied with a reason."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.making import make_process, resume

DELETE = {"tool": "delete_rows", "args": {"table": "archive", "limit": 1204}}


def test_a_held_process_is_let_go_on(log_in):
    held = make_process(reason="guard", detail="Wanted to delete 1,204 rows.", steps=3)
    page = log_in("principal")
    page.goto(f"/processes/{held.id}/")
    expect(page.get_by_text("Resuming lets it run step 4")).to_be_visible()
    expect(page.get_by_text("no arguments to check")).to_be_visible()
    page.get_by_role("button", name="Let it resume").click()
    expect(page.locator(".receipt")).to_contain_text("You let it resume")
    assert resume(held).decision.action == "approve"


def test_a_proposed_action_is_denied_with_a_reason(log_in):
    held = make_process(reason="guard", question="Approve: tidy up", proposed_action=DELETE)
    page = log_in("principal")
    page.goto(f"/processes/{held.id}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Let it run delete_rows?")
    page.get_by_text("Deny", exact=True).click()
    page.get_by_label("Why not").fill("Legal hold until March.")
    page.get_by_role("button", name="Deny it").click()
    expect(page.locator(".receipt")).to_contain_text("You denied it")
    told = resume(held).decision
    assert (told.action, told.note) == ("deny", "Legal hold until March.")


def test_arguments_are_changed_digit_for_digit(log_in):
    args = {"id": 3544790567247868102, "ok": True, "share": 0.2345678901234568}
    held = make_process(reason="guard", proposed_action={"tool": "pay", "args": args})
    page = log_in("principal")
    page.goto(f"/processes/{held.id}/")
    page.get_by_text("Change the arguments").click()
    page.get_by_role("radiogroup", name="ok").get_by_label("No").check()
    page.get_by_role("button", name="Run it with these").click()
    expect(page.locator(".receipt")).to_be_visible()
    changed = '{"id":3544790567247868102,"ok":false,"share":0.2345678901234568}'
    assert resume(held).decision.args == changed


def test_arguments_of_another_kind_or_no_json_are_refused_and_kept(log_in):
    held = make_process(reason="guard", proposed_action=DELETE)
    page = log_in("principal")
    page.goto(f"/processes/{held.id}/")
    page.get_by_text("Change the arguments").click()
    page.get_by_label("limit").fill("few")
    page.get_by_role("button", name="Run it with these").click()
    expect(page.get_by_role("alert")).to_contain_text("Not sent.")
    expect(page.get_by_label("limit")).to_have_value("few")
    expect(page.locator("#arg-f0-fault")).to_contain_text("A number")
    page.get_by_label("limit").fill("12")
    page.get_by_role("button", name="As JSON").click()
    expect(page.get_by_label("Arguments")).to_have_value(
        '{\n  "limit": 12,\n  "table": "archive"\n}'
    )
    page.get_by_label("Arguments").fill('{"limit": ')
    page.get_by_role("button", name="Run it with these").click()
    expect(page.get_by_role("alert")).to_contain_text("Not sent.")
    expect(page.get_by_label("Arguments")).to_have_value('{"limit": ')
    assert held.stop.status == "open"


def test_the_call_stands_beside_the_button_whatever_the_agent_says(log_in):
    """T1: the narration is not the action."""
    held = make_process(
        reason="guard",
        question="Approve: run unit tests. " * 20,
        proposed_action={"tool": "sh", "args": {"cmd": "rm -rf /srv"}},
    )
    for width, height in ((1280, 720), (375, 667)):
        page = log_in("principal", viewport={"width": width, "height": height})
        page.goto(f"/processes/{held.id}/")
        page.get_by_role("button", name="Let it resume").scroll_into_view_if_needed()
        expect(page.get_by_role("cell", name="rm -rf /srv")).to_be_in_viewport()
        expect(page.get_by_role("button", name="Let it resume")).to_be_in_viewport()


def test_a_reviewer_reads_and_is_told_who_decides(log_in):
    held = make_process(reason="guard", proposed_action=DELETE)
    page = log_in("reviewer")
    page.goto(f"/processes/{held.id}/")
    expect(page.get_by_text("Principals decide: ana, principal.")).to_be_visible()
    expect(page.get_by_role("button", name="Let it resume")).to_have_count(0)


def test_a_running_process_is_ended_with_a_reason(log_in):
    going = make_process(running=True)
    page = log_in("principal")
    page.goto(f"/processes/{going.id}/")
    page.get_by_text("End it", exact=True).first.click()
    page.get_by_label("Why").fill("The objective has changed.")
    page.get_by_role("button", name="End it").click()
    expect(page.get_by_text("The objective has changed.")).to_be_visible()
    assert going.record.state == "failed"


def test_a_call_is_changed_by_keyboard_alone_at_375_px(log_in):
    held = make_process(reason="guard", proposed_action=DELETE)
    page = log_in("principal", viewport={"width": 375, "height": 667})
    page.goto("/")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Let it run delete_rows?")
    page.get_by_text("Change the arguments").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("500")
    page.keyboard.press("Enter")
    expect(page.locator("#diff ins")).to_have_text("500")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt")).to_contain_text("let it run with other arguments")
    assert resume(held).decision.args == '{"limit":500,"table":"archive"}'
