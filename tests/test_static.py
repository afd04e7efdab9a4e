"""What the browser is sent besides pages: little, ours, and nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).resolve().parents[1] / "static"


def sheets() -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((STATIC / "css").glob("*.css"))}


def test_all_css_together_is_less_than_sixteen_kilobytes():
    assert sum(len(text.encode()) for text in sheets().values()) < 16_000


def test_six_sizes_of_text():
    sizes = {
        size
        for text in sheets().values()
        for size in re.findall(r"font(?:-size)?: ([\w.(-]+)[);/]", text)
        if not size.startswith("var(--")
    }
    assert sizes <= {".92em", ".85em", "inherit"}


def test_nothing_is_fetched_from_elsewhere():
    for path in STATIC.rglob("*"):
        if path.is_file():
            text = path.read_text().replace("http://www.w3.org/2000/svg", "")
            assert "://" not in text and "@import" not in text


def test_every_class_of_a_template_has_a_rule():
    templates = STATIC.parent / "templates"
    text = "".join(path.read_text() for path in templates.rglob("*.html"))
    used = {word for words in re.findall(r'class="([^"{]*)', text) for word in words.split()}
    ruled = set(re.findall(r"\.([a-z][\w-]*)", "".join(sheets().values())))
    assert used - ruled <= {"inline", "raw", "secret", "ledger", "receipt"}
