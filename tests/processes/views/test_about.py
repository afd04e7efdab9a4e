from __future__ import annotations

from tests.making import make_process


def test_the_status_is_told_at_a_glance(admin):
    make_process(question="Which region?")
    page = admin.get("/status/").content.decode()
    for words in (
        "dalhc 0.1.0",
        "Waiting on someone",
        "waiting runtimes",
        "data folder",
        "sqlite",
    ):
        assert words in page
    assert page.count('<b class="good">ok</b>') >= 3


def test_patterns_shows_every_component_and_needs_no_row(reviewer):
    page = reviewer.get("/patterns/").content.decode()
    for words in ("A question", "Someone else was first", "⟦U+202E⟧", "more characters"):
        assert words in page
    assert "<img src=x" not in page
