"""Agent text made inert: what is hidden in it is spelled out, and nothing in it is markup (T4,
T5, T11).
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

# Controls, bidi, zero-width, fillers, tags, variation selectors, line separators: every Cc, Cf,
# Zl and Zp but tab and newline, and what is a letter by category but leaves no ink.
HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    r"\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
MARKS = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
SPACES = r" \t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_SPOTS = re.compile(
    rf"(?P<hidden>([{HIDDEN}])\2*)|(?P<marks>[{MARKS}]{{4,}})"
    rf"|(?P<spaces>[{SPACES}]{{40,}})|(?P<lines>\n(?:[{SPACES}]*\n){{6,}})"
)
# A Latin word with a Cyrillic letter in it, or a Greek one that looks Latin (аpple, ΑΒC).
_LOOKALIKE = re.compile(
    r"\b(?=\w*[A-Za-z])\w*[\u0400-\u052f\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d"
    r"\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7]"
)
_GAP = " " * 40
_MARKS_SHOWN = 3
_JOINER = "\u200d"
_EMOJI_STYLES = "\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class Token:
    """Stands where something could not be seen; `hidden` counts the
    characters it stands for.
    """

    name: str
    hidden: int = 0


def inert(text: str) -> SafeString:
    """The text escaped, each hidden character a visible token ⟦U+202E⟧."""
    if _is_plain(text) or not _SPOTS.search(text):
        return escape(text)
    return format_html_join("", "{}", ((_html(part),) for part in parts(text)))


def _is_plain(text: str) -> bool:
    """Nothing to look for: what most text is, told without the pattern."""
    return text.isascii() and text.isprintable() and _GAP not in text


def escape(text: str) -> SafeString:
    """Django's own, without its wrapper for lazy text: a list escapes five hundred of them."""
    return SafeString(html.escape(text))


def plain(text: str) -> str:
    """The same for places without markup: titles, headings of windows."""
    return "".join(part if isinstance(part, str) else f"⟦{part.name}⟧" for part in parts(text))


def hidden_in(text: str) -> int:
    """How many characters of the text cannot be seen."""
    return sum(part.hidden for part in parts(text) if isinstance(part, Token))


def parts(text: str) -> Iterator[str | Token]:
    """The text in order, as what can be seen and as tokens."""
    text = text.replace("\r\n", "\n")
    end = 0
    for spot in _SPOTS.finditer(text):
        kept, token = _seen(text, spot)
        yield text[end : spot.start()] + kept
        if token:
            yield token
        end = spot.end()
    yield text[end:]


def clip(text: str, most: int) -> str:
    """At most `most` characters, with a mark where the rest is missing."""
    return text if len(text) <= most else f"{text[:most]}…"


def has_lookalike(text: str) -> bool:
    """A word that mixes alphabets to look like another, as in an address with a Cyrillic а."""
    return not text.isascii() and _LOOKALIKE.search(text) is not None


def is_mixed(name: str) -> bool:
    """Letters of more than one alphabet, whatever they look like: a
    tool has no need of that.
    """
    return len({_alphabet(char) for char in name if char.isalpha()}) > 1


def _seen(text: str, spot: re.Match[str]) -> tuple[str, Token | None]:
    """What of the spot can be seen after all, and the token for the rest."""
    found, count = spot[0], len(spot[0])
    match spot.lastgroup:
        case "marks":
            more = count - _MARKS_SHOWN
            return found[:_MARKS_SHOWN], Token(f"{more} more marks", more)
        case "spaces":
            return " ", Token(f"{count} spaces")
        case "lines":
            return "\n", Token(f"{found.count(chr(10)) - 1} empty lines")
        case _ if count == 1 and _is_emoji_part(text, spot.start()):
            return found, None
    times = f" ×{count}" if count > 1 else ""
    return "", Token(f"U+{ord(found[0]):04X}{times}", count)


def _is_emoji_part(text: str, at: int) -> bool:
    """❤️ and 👩‍🚀 hold such characters by right; a letter or a space before one does not."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if text[at] in _EMOJI_STYLES:
        return bool(before) and not before.isalpha() and not before.isspace()
    return text[at] == _JOINER and _is_picture(before) and _is_picture(after)


def _is_picture(char: str) -> bool:
    return bool(char) and (char in _EMOJI_STYLES or unicodedata.category(char) in {"So", "Sk"})


def _alphabet(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").split(" ", 1)[0]


def _html(part: str | Token) -> SafeString:
    if isinstance(part, Token):
        return format_html('<mark class="hid">⟦{}⟧</mark>', part.name)
    return escape(part)
