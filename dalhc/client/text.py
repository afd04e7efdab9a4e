"""Text as the server can store it: no NUL, no half of a surrogate pair, within a bound."""

from __future__ import annotations


def sendable(text: str) -> str:
    """The text, with what UTF-8 or a column cannot hold written out (`\\udce9`, `\\x00`)."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def clipped(text: str, characters: int) -> str:
    """At most so many characters; a cut text ends in an ellipsis."""
    text = sendable(text)
    return text if len(text) <= characters else f"{text[: characters - 1]}…"


def in_words(error: BaseException) -> str:
    """An exception as one line a person can read: its type and its message."""
    message = str(error).strip()
    return sendable(f"{type(error).__name__}: {message}" if message else type(error).__name__)
