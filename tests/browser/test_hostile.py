"""Agent text does nothing in a browser: no script, no request, nothing hidden (T4, T5, T11,
T13).
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.making import Made, append, make_process, suspend

PAYLOADS = (
    "<img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "</script><script>alert(1)</script>",
    "{{7*7}} {% debug %} javascript:alert(1)",
    '<button hx-post="/logout/" hx-trigger="load">go</button>',
    '<div data-hx-get="/logout/" data-hx-trigger="load"></div>',
    "<a hx-on:click=\"alert(1)\">x</a><b hx-vals='js:{a:alert(1)}'>y</b>",
    "![x](http://127.0.0.1:9/?d=SECRET) <img srcset='http://127.0.0.1:9/ 1x'>",
    "<style>*{background:url(http://127.0.0.1:9/)}</style><meta http-equiv=refresh content=0>",
)


@pytest.fixture
def everywhere(people) -> Made:
    """A process that carries the payloads in every text an agent can write."""
    text = "\n".join(PAYLOADS)
    made = make_process(
        running=True,
        objective=text,
        metadata={
            "cycle_id": PAYLOADS[0],
            "cycle_phase": PAYLOADS[4],
            "objective_class": PAYLOADS[1],
        },
    )
    for number, payload in enumerate(PAYLOADS):
        args = {"cmd": payload, payload: number}
        append(
            made, tool=payload, args=args, result_digest=text, artifacts=[f"{number}<b>.txt"]
        )
    action = {"tool": PAYLOADS[0], "args": {payload: payload for payload in PAYLOADS}}
    return suspend(
        made, reason="guard", question=text, detail=text[:2000], proposed_action=action
    )


@pytest.mark.parametrize("tab", ["", "artifacts/", "turns/", "events/", "raw/"])
def test_nothing_runs_and_nothing_is_sent(log_in, live_server, everywhere, tab):
    page = log_in("principal")
    sent, said = [], []
    page.on("request", lambda request: sent.append(request))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    for address in ("/", f"/processes/{everywhere.id}/{tab}", "/search/?q=alert"):
        page.goto(address)
        page.evaluate(
            "document.querySelectorAll('details').forEach(one => { one.open = true })"
        )
        page.wait_for_timeout(400)
    assert said == []
    assert [
        request.url for request in sent if not request.url.startswith(live_server.url)
    ] == []
    assert [request.url for request in sent if request.method != "GET"] == []
    assert not any("logout" in request.url for request in sent)


def test_what_hides_is_shown(log_in):
    make_process(question="Delete \u202etxt.gpj\u202c and pay\u2066load\u2069 a\u200bb")
    page = log_in("principal")
    page.goto("/")
    page.locator(".row").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Delete ⟦U+202E⟧txt.gpj⟦U+202C⟧")
    expect(heading).to_contain_text("5 hidden characters")


def test_towers_of_marks_stay_low(log_in):
    asking = make_process(question=f"Zalgo e{chr(0x301) * 500} and {chr(0xFE0F) * 500}")
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    assert page.get_by_role("heading", level=1).bounding_box()["height"] < 150


def test_fifty_options_of_any_kind_can_be_chosen(log_in):
    options = [f"{number} {'x' * (number * 9)} مرحبا 🧾" for number in range(1, 50)] + ["<b>"]
    asking = make_process(question="Which?", options=options)
    page = log_in("principal")
    page.goto(f"/processes/{asking.id}/")
    expect(page.get_by_role("radio")).to_have_count(50)
    page.get_by_role("radio").last.check()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt blockquote")).to_have_text("<b>")


def test_no_page_can_be_framed(log_in, live_server):
    make_process(question="Which region?")
    page = log_in("principal", quiet=True)
    page.goto("data:text/html,<p>elsewhere</p>")
    page.set_content(f"<iframe src='{live_server.url}/'></iframe>")
    page.wait_for_timeout(1_000)
    assert all("Waiting on you" not in frame.content() for frame in page.frames[1:])
