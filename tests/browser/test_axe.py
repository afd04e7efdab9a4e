"""Every page, in both lights and narrow, without one finding of axe."""

from __future__ import annotations

import io

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from processes import services
from tests.making import decide, make_process, principal_actor

PROPOSED = {"tool": "delete_rows", "args": {"table": "archive", "limit": 1204}}
OPENED = "document.querySelectorAll('details').forEach(one => { one.open = true })"
PAGES = (
    "/", "/?reason=wall_clock", "/running/", "/settled/", "/search/?q=region", "/patterns/",
    "/several/", "/?whose=mine",
    "/processes/asks/", "/processes/chooses/", "/processes/held/", "/processes/decided/",
    "/processes/going/", "/processes/ended/", "/processes/held/artifacts/",
    "/processes/held/turns/", "/processes/held/events/", "/processes/held/raw/", "/nothing/",
    "/audit/", "/audit/?kind=decisions&who=nobody", "/cycles/", "/cycles/?cycle=7",
    "/artifacts/",    "/processes/going/compare/", "/processes/going/compare/?with=held",
)  # fmt: skip
ADMINS = ("/keys/", "/people/", "/notices/", "/status/")
LIGHTS = (("light", 1200), ("dark", 1200), ("light", 375))


def make_some() -> None:
    make_process(id="asks", question="Which region?", steps=2)
    make_process(id="chooses", question="Which?", options=["eu", "us"])
    make_process(
        id="held", reason="guard", question="Tidy up", steps=3, proposed_action=PROPOSED
    )
    decided = make_process(id="decided", question="Which?")
    decide(decided, by=principal_actor("principal"), answer="eu")
    going = make_process(id="going", steps=1, metadata={"cycle_id": "7", "cycle_phase": "act"})
    services.put_artifact("going", "a/b.txt", io.BytesIO(b"x"), by=going.by)
    make_process(id="ended", ended="completed")
    make_process(id="idle")


def findings(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize(("light", "width"), LIGHTS)
def test_every_page_is_sound(log_in, light, width):
    make_some()
    view = {"color_scheme": light, "viewport": {"width": width, "height": 800}}
    reader, admin, nobody = log_in("principal", **view), log_in("admin", **view), log_in(**view)
    found = {}
    for page, addresses in ((reader, PAGES), (admin, ADMINS), (nobody, ("/login/",))):
        for address in addresses:
            page.goto(address)
            page.evaluate(OPENED)
            found[address] = findings(page)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{address} is {wide} px wide"
    assert {address: said for address, said in found.items() if said} == {}
