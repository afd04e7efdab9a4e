"""A row of a list: a mark, what it is about, how long, and one grey line. Made in one go, since
a page has fifty of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from processes.models.process import API, FILES
from processes.shown import reasons, times
from processes.shown.inert import clip, escape, inert

ASK_CHARS, NOTE_CHARS, META_CHARS = 160, 80, 90

# The list around it has hx-disable, so htmx leaves all of it alone (T5). What HTML lets out is
# left out, fifty times over.
_ROW = (
    '<li><a class=row href="{}"{}>{}<bdi class=ask>{}</bdi>'
    '<time datetime="{}" title="{} UTC">{}</time>'
    "<span class=meta>{}<bdi>{}</bdi><bdi>{}</bdi></span></a>"
)
_MARK = '<svg data-reason="{0}" role=img aria-label="{1}"><use href="{2}#{0}"/></svg>'
_LATE, _ON_TIME = SafeString(" data-long"), SafeString("")


def row(
    url: str,
    mark: str,
    ask: str,
    note: str,
    meta: str,
    at_ms: int,
    now: int,
    late: bool,
    said: str = "",
) -> SafeString:
    """`url` is of `address`; `mark` is a reason or a state; `at_ms` since when it stands as it
    does; `said` are words of ours that stand first in the second line.
    """
    minute = times.minute(at_ms)
    return _filled(
        _ROW,
        escape(url),
        _LATE if late else _ON_TIME,
        _mark(mark),
        inert(clip(ask, ASK_CHARS)),
        SafeString(f"{minute[:10]}T{minute[11:]}Z"),
        SafeString(minute),
        SafeString(times.short(now - at_ms)),
        _filled("<b>{}</b>", escape(said)) if said else _ON_TIME,
        inert(clip(note, NOTE_CHARS)),
        inert(clip(meta, META_CHARS)),
    )


def html(rows: Iterable[SafeString]) -> SafeString:
    """The items of the list."""
    return SafeString("".join(rows))


def _filled(pattern: str, *parts: SafeString) -> SafeString:
    """format_html for parts that are safe already, without asking each of them again."""
    return SafeString(pattern.format(*parts))


def address(process_id: str) -> str:
    """The page of a process; an id has no character that an address would have to escape."""
    return _pattern(get_script_prefix()).replace("*", process_id)


@cache  # per prefix: a server has one
def _pattern(prefix: str) -> str:
    return reverse("processes:process", args=("x",)).replace("/x/", "/*/")


@cache
def _mark(name: str) -> SafeString:
    return format_html(_MARK, name, reasons.name(name), static("icons.svg"))


def meta(
    agent: str, steps: int, phase: str | None, cycle: str | None, origin: str = API
) -> str:
    """`ledger-clerk · 14 steps · review · cycle 208`; of a mirrored one also whose it is."""
    said = [
        agent,
        "owned by files" if origin == FILES else "",
        f"{steps} step{'' if steps == 1 else 's'}",
        phase,
        cycle and f"cycle {cycle}",
    ]
    return " · ".join(clip(word, 40) for word in said if word)
