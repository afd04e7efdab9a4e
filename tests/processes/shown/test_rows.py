from __future__ import annotations

from processes.shown import rows

NOW = 1_795_780_800_000


def made(**fields) -> str:
    given = {
        "url": "/processes/x/", "mark": "guard", "ask": "Which?", "note": "Tidy",
        "meta": "a · b",
        "at_ms": NOW - 60_000, "now": NOW, "late": False,
    }  # fmt: skip
    return str(rows.row(**given | fields))


def test_a_row_says_what_how_long_and_since_when():
    row = made()
    assert '<time datetime="2026-11-27T11:59Z" title="2026-11-27 11:59 UTC">1m</time>' in row
    assert 'aria-label="Guard"' in row and "data-long" not in row
    assert "data-long" in made(late=True)


def test_every_text_of_a_row_is_inert():
    for name in ("ask", "note", "meta"):
        row = made(**{name: "<b onclick=x>\u202e"})
        assert "<b " not in row and "⟦U+202E⟧" in row


def test_long_texts_are_clipped():
    assert len(made(ask="a" * 8_000, note="b" * 8_000, meta="c" * 800)) < 800


def test_an_address_is_the_pages():
    assert rows.address("a.b_c-d") == "/processes/a.b_c-d/"


def test_a_line_of_words_leaves_out_what_is_missing():
    assert rows.meta("clerk", 1, None, None) == "clerk · 1 step"
    assert rows.meta("dal", 2, None, None, "files") == "dal · owned by files · 2 steps"
    assert rows.meta("clerk", 0, "act", "208") == "clerk · 0 steps · act · cycle 208"
