"""Another site in the same browser, with the person logged in here: it decides nothing, frames
nothing and runs nothing of ours (T3, T8, T10, T15).

It stands on another port of the same host, so that the cookies go along: only the token, the
headers and the methods are in its way.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from processes import services
from tests.making import Made, append, make_process

type Site = Callable[[str], str]


@pytest.fixture
def elsewhere() -> Iterator[Site]:
    """`elsewhere("<p>…")` is the address of that page at the other site."""
    pages: list[str] = []

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = self.path.strip("/")
            body = pages[int(number)].encode() if number.isdigit() else b""
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing: it is no part of what is tested."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def page(html: str) -> str:
            pages.append(html)
            return f"http://localhost:{server.server_port}/{len(pages) - 1}"

        yield page
        server.shutdown()
        thread.join()


def form(address: str, kind: str = "application/x-www-form-urlencoded", **fields: str) -> str:
    inputs = "".join(f"<input name='{name}' value='{value}'>" for name, value in fields.items())
    sent = f"<form method=post action='{address}' enctype='{kind}'>{inputs}</form>"
    return f"{sent}<script>document.forms[0].submit()</script>"


def fields_of(made: Made) -> dict[str, str]:
    digest = services.review_digest(made.stop)
    return {
        "suspension_id": made.suspension_id, "action": "answer", "answer": "theirs",
        "review_digest": digest,
    }  # fmt: skip


def test_no_form_of_another_site_decides_or_logs_out(
    log_in: Any, live_server: Any, elsewhere: Site
) -> None:
    asking, running = make_process(question="Which?"), make_process(running=True)
    here = live_server.url
    page: Page = log_in("principal", quiet=True)
    attacks = [
        form(f"{here}/processes/{asking.id}/decision/", **fields_of(asking)),
        form(f"{here}/processes/{asking.id}/decision/", "text/plain", **fields_of(asking)),
        form(f"{here}/processes/{asking.id}/decision/", "multipart/form-data",
             **fields_of(asking)),
        form(f"{here}/processes/{asking.id}/decision/", csrfmiddlewaretoken="x" * 64,
             **fields_of(asking)),
        form(f"{here}/processes/{running.id}/stop/", note="theirs"),
        form(f"{here}/api/v1/suspensions/{asking.suspension_id}/decision", "text/plain"),
        form(f"{here}/logout/"),
    ]  # fmt: skip
    assert here.startswith("http://localhost:"), "the other site has to be on this host"
    for attack in attacks:
        with page.expect_response(lambda one: one.request.method == "POST") as told:
            page.goto(elsewhere(attack))
        assert told.value.status in {401, 403}, attack
    assert asking.stop.status == "open"
    assert running.record.state == "running"
    page.goto(f"{here}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Waiting on you")


def test_no_script_of_another_site_decides_or_reads(
    log_in: Any, live_server: Any, elsewhere: Site
) -> None:
    asking = make_process(question="Which?")
    here = live_server.url
    page: Page = log_in("principal", quiet=True)
    page.goto(elsewhere("<p>theirs</p>"))
    decision = f"{here}/processes/{asking.id}/decision/"
    api = f"{here}/api/v1/suspensions/{asking.suspension_id}/decision"
    said = page.evaluate(
        """async ([page, decision, api, body]) => {
          const all = {credentials: 'include'}
          const tried = []
          for (const [address, more] of [
            [page, {}], [`${page}?x`, {headers: {'HX-Request': 'true'}}],
            [decision, {method: 'POST', body}],
            [decision, {method: 'POST', mode: 'no-cors', body}],
            [decision, {method: 'POST', body, headers: {'X-CSRFToken': 'x'.repeat(64)}}],
            [api, {method: 'POST', mode: 'no-cors', body: '{"action":"answer","answer":"x"}'}],
            [api, {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json'}}],
          ]) {
            try {
              const answer = await fetch(address, {...all, ...more})
              tried.push(await answer.text())
            } catch (error) { tried.push('') }
          }
          return tried.join('')
        }""",
        [f"{here}/", decision, api, "action=answer&answer=theirs"],
    )
    assert said == ""
    assert asking.stop.status == "open"


def test_nothing_of_ours_is_shown_in_a_frame(
    log_in: Any, live_server: Any, elsewhere: Site, tmp_path: Any, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    asking = make_process(question="Which region?")
    put(asking, "a.html", b"<p>theirs")
    here = live_server.url
    addresses = [
        "/", "/login/", "/nothing/", "/healthz", f"/processes/{asking.id}/",
        f"/processes/{asking.id}/passport.html", f"/processes/{asking.id}/journal.json",
        f"/processes/{asking.id}/artifacts/a.html", "/keys/", "/api/v1/processes",
        "/api/v1/openapi.json", "/static/css/base.css",
    ]  # fmt: skip
    page: Page = log_in("principal", quiet=True)
    frames = "".join(f"<iframe src='{here}{one}'></iframe>" for one in addresses)
    page.goto(elsewhere(frames), wait_until="load")
    page.wait_for_timeout(1_000)
    shown = {frame.url: frame.content() for frame in page.frames[1:]}
    ours = ("Waiting on you", "Which region?", "dalhc", "theirs", "openapi", "unauthorized")
    assert len(page.frames) == len(addresses) + 1
    assert [url for url, text in shown.items() if any(word in text for word in ours)] == []


def put(made: Made, path: str, content: bytes) -> None:
    services.put_artifact(made.id, path, io.BytesIO(content), by=made.by)


ACTIVE = {
    "x.html": b"<script>alert(1)</script><h1>shown</h1>",
    "x.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "x.png": b"<html><script>alert(1)</script>",
    "x.pdf": b"%PDF-1.4\n<script>alert(1)</script>",
    "x.xml": b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>",
    "both.gif": b"GIF89a/*<svg/onload=alert(1)>*/=alert(1)//",
}


@pytest.mark.parametrize("name", ACTIVE)
def test_an_artifact_is_saved_and_never_opened(
    log_in: Any, live_server: Any, tmp_path: Any, settings: Any, name: str
) -> None:
    settings.DATA_DIR = tmp_path
    made = make_process(question="Which?")
    put(made, name, ACTIVE[name])
    page: Page = log_in("principal")
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.goto(f"/processes/{made.id}/artifacts/")
    before = page.url
    with page.expect_download() as saved:
        page.evaluate(
            "address => { location.href = address }", f"/processes/{made.id}/artifacts/{name}"
        )
    assert saved.value.suggested_filename.startswith(name.split(".")[0])
    assert page.url == before
    assert said == []


def test_a_click_decides_what_was_on_the_card_when_it_was_pressed(log_in: Any) -> None:
    """T3: another stop comes fifty milliseconds before the click, and again after the first
    poll.
    """
    first = make_process(reason="guard", proposed_action={"tool": "a", "args": {}})
    page: Page = log_in("principal")
    page.goto(f"/processes/{first.id}/")
    button = page.get_by_role("button", name="Let it resume")
    box = button.bounding_box()
    assert box is not None
    second = make_process(reason="guard", proposed_action={"tool": "rm", "args": {"/": 1}})
    append(make_process(running=True))
    page.wait_for_timeout(50)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".receipt")).to_contain_text("You let it resume")
    assert first.stop.status != "open"
    assert second.stop.status == "open"
