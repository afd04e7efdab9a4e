"""Tags of every template: agent text made inert, moments with their zone, icons."""

from __future__ import annotations

from functools import cache

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dalhc.clock import now_ms
from processes.models import Process
from processes.shown import reasons, times
from processes.shown.inert import clip, has_lookalike, hidden_in, inert, is_mixed, plain
from processes.shown.listing import state_of
from processes.shown.words import DID, name_of

TABS = ("ledger", "artifacts", "turns", "events", "raw")

register = template.Library()
register.filter("plain", plain)
register.filter("clip", clip)
register.filter("name_of", name_of)
register.filter("utc", times.full)
register.filter("spelled", times.spelled)
register.filter("state", state_of)
register.filter("mark_name", reasons.name)


@register.filter
def did(action: str) -> str:
    """What a decision was, after a name: `answered`."""
    return DID.get(action, action)


@register.filter
def tabs(process: Process) -> list[tuple[str, str]]:
    """The tabs of a process page, each with its address."""
    pages = ["process", *TABS[1:]]
    return [
        (name, reverse(f"processes:{page}", args=(process.id,)))
        for name, page in zip(TABS, pages, strict=True)
    ]


_ALPHABETS = "letters of several alphabets in one word"
_TAIL = 4  # a quarter of what is shown of a long text is its end


@register.simple_tag
def agent_text(text: str | None, most: int = 0) -> SafeString:
    """Text an agent wrote. Past `most` characters its middle is folded, never its end.

    It says itself how much of it is hidden, and htmx leaves it alone (T5).
    """
    text = text or ""
    if most and len(text) > most:
        return format_html("{}{}", _folded(text, most), _warning(text))
    return format_html("<bdi hx-disable>{}</bdi>{}", inert(text), _warning(text))


@register.simple_tag
def tool_name(name: str) -> SafeString:
    """A tool's name, with a warning when it may be a look-alike of another."""
    warning = _warned(_ALPHABETS) if is_mixed(name) and not has_lookalike(name) else ""
    return format_html("{}{}", agent_text(name), warning)


@register.simple_tag
def moment(at_ms: int | None, form: str = "clock") -> SafeString:
    """A `time` element; `form` is clock, second, ago (2d 4h) or long (2 days)."""
    if at_ms is None:
        return SafeString("")
    now = now_ms()
    match form:
        case "ago":
            said = times.short(now - at_ms)
        case "long":
            said = times.long(now - at_ms)
        case "second":
            said = times.second(at_ms)
        case _:
            said = times.clock(at_ms, now)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', times.iso(at_ms), times.full(at_ms), said
    )


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """A shape of the sprite; decoration, so it has no name of its own."""
    return format_html(
        '<svg aria-hidden="true"><use href="{}#{}"/></svg>', static("icons.svg"), name
    )


def _folded(text: str, most: int) -> SafeString:
    tail = most // _TAIL
    head, middle, end = text[: most - tail], text[most - tail : -tail], text[-tail:]
    return format_html(
        "<bdi hx-disable>{}</bdi>"
        "<details hx-disable><summary>{} more characters</summary><bdi>{}</bdi></details>"
        "<bdi hx-disable>{}</bdi>",
        inert(head),
        f"{len(middle):,}",
        inert(middle),
        inert(end),
    )


def _warning(text: str) -> SafeString:
    count, said = hidden_in(text), []
    if count:
        said.append(f"{count:,} hidden character{'' if count == 1 else 's'} shown as ⟦…⟧")
    if has_lookalike(text):
        said.append(_ALPHABETS)
    return _warned("; ".join(said)) if said else SafeString("")


def _warned(words: str) -> SafeString:
    return format_html(' <strong class="warn">{}</strong>', words)
