"""A passport as a page: one file, no script that runs, nothing it needs from elsewhere."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.template import loader
from django.utils.safestring import SafeString

from processes.models import Decision, Suspension, Vote
from processes.services.journals import KeptStep
from processes.services.passport_file import embedded, sealed
from processes.services.passports import Snapshot
from processes.shown import reasons, times
from processes.shown.facts import fields_of
from processes.shown.inert import clip, inert

ARGS_SHOWN = 600  # the embedded journal has all of them
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{margin:0;background:light-dark(#fcfbf8,#16171c);color:light-dark(#1b1d26,#ecebe6);"
    "font:15px/1.5 Inter,system-ui,sans-serif;overflow-wrap:anywhere}"
    "main{max-width:62rem;margin:auto;padding:2rem clamp(1rem,4vw,2rem)}"
    "h1{font-size:1.75rem;line-height:1.25;margin:.25rem 0}"
    "h2{font-size:1.0625rem;margin:2rem 0 .5rem}"
    "header p,dt,small,.aside,th{color:light-dark(#5b5e6b,#a3a5ae);font-size:.8125rem}"
    "dl{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));"
    "margin:1.5rem 0}"
    "dd,p,blockquote{margin:0}dd{font-size:.8125rem}"
    "blockquote{font-size:1.0625rem;margin:1rem 0}"
    "code,pre{font:.8125rem/1.55 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap}"
    "pre{margin:.25rem 0}bdi{white-space:pre-wrap}"
    ".warn,mark{color:light-dark(#a3231f,#ff9d94);background:none}"
    "table{border-collapse:collapse;width:100%;font-size:.8125rem}"
    "th,td{text-align:left;vertical-align:baseline;padding:.5rem .75rem .5rem 0;"
    "border-bottom:1px solid light-dark(#e6e4de,#33353d)}"
    ".num,time{font-variant-numeric:tabular-nums;white-space:nowrap}"
    "@media print{body{background:none}tr{break-inside:avoid}main{max-width:none;padding:0}}"
)
_STYLE_HASH = "sha256-" + base64.b64encode(sha256(_STYLE.encode()).digest()).decode()
_STEP = (
    "<tr><td class=num>{}{}</td><td><b>{}</b> <code>{}</code>{}</td>"
    "<td><small>{}</small></td></tr>\n"
)


@dataclass(frozen=True, slots=True)
class Said:
    """A decision in words."""

    by: str
    action: str
    live: bool
    text: str
    at_ms: int
    review_digest: str
    first_of_two: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """A stop, and what people did about it."""

    after_step: int
    name: str
    text: str
    tool: str
    args: str
    status: str
    at_ms: int
    decisions: list[Said]


def page(snapshot: Snapshot) -> Iterator[str]:
    """The file, piece by piece; it ends with its own seal."""
    return sealed(_page(snapshot))


def _page(snapshot: Snapshot) -> Iterator[str]:
    process = snapshot.process
    context: dict[str, Any] = {
        "style": SafeString(_STYLE),
        "style_hash": SafeString(_STYLE_HASH),
        "process": process,
        "fields": fields_of(process),
        "events": process.revision + 1,
        "made_at_ms": snapshot.made_at_ms,
        "stops": list(_stops(snapshot)),
        "turns": snapshot.turns,
        "artifacts": snapshot.artifacts,
    }
    yield loader.render_to_string("processes/passport.html", context)
    for step in snapshot.steps():
        yield _step(step)
    yield "</tbody>\n</table>\n</main>\n"
    yield from embedded(snapshot.parts())


def _stops(snapshot: Snapshot) -> Iterator[Stopped]:
    said: dict[str, list[Said]] = defaultdict(list)
    for vote in snapshot.votes:
        said[vote.suspension_id].append(_said(vote, first_of_two=True))
    for decision in snapshot.decisions:
        said[decision.suspension_id].append(_said(decision))
    for stop in snapshot.stops:
        yield _stopped(stop, said[stop.id])


def _stopped(stop: Suspension, decisions: list[Said]) -> Stopped:
    return Stopped(
        stop.after_step,
        reasons.name(stop.reason),
        "\n".join(filter(None, (stop.question, stop.detail))),
        stop.proposed_tool or "",
        stop.proposed_args or "",
        stop.status,
        stop.opened_at_ms,
        decisions,
    )


def _said(decision: Decision | Vote, *, first_of_two: bool = False) -> Said:
    text = "\n".join(filter(None, (decision.answer, decision.note, decision.args)))
    return Said(
        decision.by,
        decision.action,
        decision.live,
        text,
        decision.at_ms,
        decision.review_digest,
        first_of_two,
    )


def _step(step: KeptStep) -> str:
    digest = f"<pre>{inert(step.result_digest)}</pre>" if step.result_digest else ""
    paths = "".join(f"<br><code>{inert(path)}</code>" for path in step.artifacts)
    return _STEP.format(
        step.seq,
        "" if step.success else " failed",
        inert(step.tool),
        inert(clip(step.args, ARGS_SHOWN)),
        digest + paths,
        times.full(step.at_ms),
    )
