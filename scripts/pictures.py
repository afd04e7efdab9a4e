"""`python -m scripts.pictures`: the pictures of docs/, pages of the demo in a browser.

Each is small enough for a repository, or nothing is kept of any of them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benches.served import served
from scripts.chromium import MISSING, find

if TYPE_CHECKING:
    from playwright.sync_api import Page

DOCS = Path(__file__).resolve().parents[1] / "docs"
MOST_BYTES = 150_000
WIDE, NARROW = (1080, 700), (375, 760)


def _nothing(page: Page) -> None:
    """The page as it opens."""


def _edit(page: Page) -> None:
    """One argument changed, and compared with what was asked for."""
    page.get_by_text("Change the arguments").click()
    page.get_by_label("limit").fill("500")
    page.get_by_role("button", name="Compare").click()
    page.locator("#diff ins").wait_for()
    page.locator(".call").first.scroll_into_view_if_needed()
    page.evaluate("document.activeElement.blur(); scrollTo(0, 120)")


def _fields(page: Page) -> None:
    """A form with something in it."""
    page.get_by_label("Papel do Norte").check()
    page.get_by_label("Price").fill("21.50")
    page.get_by_role("group", name="Recycled paper only").get_by_label("Yes").check()


@dataclass(frozen=True)
class Picture:
    """A page of the demo, in one light and size, after something was done on it."""

    name: str
    path: str
    size: tuple[int, int] = WIDE
    light: str = "light"
    do: Callable[[Page], None] = field(default=_nothing)


PICTURES = (
    Picture("inbox", "/"),
    Picture("inbox-dark", "/", light="dark"),
    Picture("inbox-narrow", "/", size=NARROW),
    Picture("process", "/processes/march-ledger.7f3a/"),
    Picture("question", "/processes/paper-order.2c7e/", do=_fields),
    Picture("approval", "/processes/invoice-prune.0c41/", do=_edit, size=(1080, 860)),
    Picture("sleepers", "/sleepers/"),
)


def main() -> int:
    chromium = find()
    if chromium is None:
        print(MISSING, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="dalhc-pictures-") as folder:
        taken = take(chromium, Path(folder))
        large = {path.name: path.stat().st_size for path in taken}
        for name, size in large.items():
            print(f"{name:20} {size:>9,} bytes")
        if max(large.values()) > MOST_BYTES:
            print(f"more than {MOST_BYTES:,} bytes: nothing kept", file=sys.stderr)
            return 1
        for path in taken:
            (DOCS / path.name).write_bytes(path.read_bytes())
    return 0


def take(chromium: str, folder: Path) -> list[Path]:
    """Every picture of a demo of its own."""
    from playwright.sync_api import sync_playwright

    taken = []
    with served() as server, sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture in PICTURES:
            width, height = picture.size
            context = browser.new_context(
                base_url=f"http://127.0.0.1:{server.port}",
                color_scheme=picture.light,  # type: ignore[arg-type]
                viewport={"width": width, "height": height},
            )
            page = context.new_page()
            page.goto("/login/")
            page.get_by_label("Name").fill("principal")
            page.get_by_label("Password").fill(server.password)
            page.get_by_role("button", name="Log in").click()
            page.goto(picture.path)
            page.evaluate("document.activeElement.blur()")
            picture.do(page)
            path = folder / f"{picture.name}.png"
            page.screenshot(path=path, animations="disabled")
            taken.append(path)
            context.close()
        browser.close()
    return taken


if __name__ == "__main__":
    sys.exit(main())
