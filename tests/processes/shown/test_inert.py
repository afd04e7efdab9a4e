from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processes.shown.inert import (
    HIDDEN,
    Token,
    clip,
    has_lookalike,
    hidden_in,
    inert,
    is_mixed,
    parts,
    plain,
)


def test_every_control_format_and_separator_is_among_the_hidden():
    hidden = re.compile(f"[{HIDDEN}]")
    unseen = {"Cc", "Cf", "Zl", "Zp"}
    missed = [
        f"U+{point:04X}"
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in unseen
        and chr(point) not in "\t\n"
        and not hidden.match(chr(point))
    ]
    assert missed == []


@pytest.mark.parametrize(
    ("text", "shown", "count"),
    [
        ("Delete \u202etxt.gpj", "Delete ⟦U+202E⟧txt.gpj", 1),
        ("pay\u2066load\u2069", "pay⟦U+2066⟧load⟦U+2069⟧", 2),
        ("\U000e0064\U000e0065", "⟦U+E0064⟧⟦U+E0065⟧", 2),
        ("a\u200bb", "a⟦U+200B⟧b", 1),
        ("a\u2028b", "a⟦U+2028⟧b", 1),
        ("a\ufe0fb", "a⟦U+FE0F⟧b", 1),
        ("\ufe0f" * 500, "⟦U+FE0F ×500⟧", 500),
        ("\U000e0100", "⟦U+E0100⟧", 1),
        ("\x1b[2J", "⟦U+001B⟧[2J", 1),
        ("a\rb", "a⟦U+000D⟧b", 1),
        ("a\u3164b", "a⟦U+3164⟧b", 1),
        (f"e{chr(0x301) * 500}", f"e{chr(0x301) * 3}⟦497 more marks⟧", 497),
        (f"ls{' ' * 300}; rm -rf", "ls ⟦300 spaces⟧; rm -rf", 0),
        (f"a{chr(10) * 50}b", "a\n⟦49 empty lines⟧b", 0),
    ],
)
def test_B91_what_hides_is_spelled_out_and_counted(text, shown, count):
    assert plain(text) == shown
    assert hidden_in(text) == count


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "hé ß 中文 مرحبا",
        "a\r\nb\tc",
        "❤️ 👩\u200d🚀 1️⃣",
        "e\u0301",
        "    indented",
        "a\n\nb",
    ],
)
def test_honest_text_is_left_as_it_is(text):
    assert plain(text) == text.replace("\r\n", "\n")
    assert hidden_in(text) == 0


@given(st.text())
def test_nothing_of_a_text_is_lost_and_nothing_is_markup(text):
    kept = "".join(part for part in parts(text) if isinstance(part, str))
    assert len(kept) <= len(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", kept)
    assert not re.search(r"<(?!/?mark)|\"(?!hid\"|>)", inert(text).replace('class="hid"', ""))


def test_tokens_are_marked_and_all_else_escaped():
    assert inert("<b>\u202e&") == '&lt;b&gt;<mark class="hid">⟦U+202E⟧</mark>&amp;'
    assert [part for part in parts("a\u200b") if isinstance(part, Token)] == [
        Token("U+200B", 1)
    ]


@pytest.mark.parametrize("text", ["https://аpple.com", "раypal", "miсrosoft", "Αpple"])
def test_a_word_of_two_alphabets_is_a_lookalike(text):
    assert has_lookalike(text)


@pytest.mark.parametrize(
    "text", ["apple", "Привет", "5 μm", "ΔT", "日本 and Latin", "naïve café"]
)
def test_a_word_of_one_alphabet_is_not(text):
    assert not has_lookalike(text)


def test_a_tools_name_has_one_alphabet():
    assert is_mixed("rеad") and not is_mixed("read_file-2")


def test_a_clipped_text_says_so():
    assert (clip("abc", 3), clip("abcd", 3)) == ("abc", "abc…")
