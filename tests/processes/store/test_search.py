"""The words of a text are the same on every database, whichever way they were found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from processes.store.search import words

PLAIN = st.text(st.characters(max_codepoint=127))


@given(PLAIN)
def test_a_plain_text_has_the_same_words_beside_an_accent(text):
    assert words(text) == words(f"é {text}")[1:]


def test_a_word_is_letters_and_figures_without_case_or_accents():
    assert words("Read_Rows(17), Inês; ½ ÅNGSTRÖM") == [
        "read", "rows", "17", "ines", "1", "2", "angstrom",
    ]  # fmt: skip
