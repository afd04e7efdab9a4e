"""Visible text leaves ink somewhere."""

from __future__ import annotations

import pytest

from processes.journal.text import is_visible


@pytest.mark.parametrize(
    "text", ["a", " . ", "\n\u00e9\n", "\u200ba", "\U0001f600", "0", "\u0301"]
)
def test_one_visible_character_is_enough(text):
    assert is_visible(text)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        " ",
        " \t\r\n\v\f",
        "\u00a0\u2003\u3000",  # spaces of other widths
        "\u2028\u2029",
        "\u200b\u200c\u200d\u2060\ufeff",  # zero width
        "\u202e\u2066\u2069",  # bidi controls
        "\u00ad",  # soft hyphen
        "\u3164",  # Hangul filler: a letter by category
        "\u115f\u1160\uffa0",
        "\u034f",  # combining grapheme joiner
        "\ufe0f\U000e0100",  # variation selectors
        "\u17b4\u17b5",
        "\u180b\u180c\u180d\u180e\u180f",
        "\U000e0001\U000e0041",  # tags
        "\x00\x1b\x7f\x85",
        "\ue000",  # private use
    ],
)
def test_what_leaves_no_ink_is_not_text(text):
    assert not is_visible(text)
