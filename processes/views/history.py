"""Across all runs: who did what, in which cycle, what it left, and how two runs differ."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dalhc.clock import now_ms
from dalhc.http.pages import HtmxRequest
from dalhc.http.problems import BadCursor, InvalidRequest
from processes.journal import limits
from processes.shown import artifact_index, comparing
from processes.shown import audit as audits
from processes.shown import cycles as all_cycles
from processes.shown.listing import lines
from processes.shown.place import Place
from processes.views.process import find, number


@require_safe
def audit(request: HtmxRequest) -> HttpResponse:
    """Every write but steps, or every write of one process; `?kind=`, `?who=`, `?process=`,
    `?since=` and `?until=` narrow it.
    """
    filters = audits.Filters.of(request.GET)
    found = audits.audit(filters, Place.of(request.GET))
    kinds = [(name, said) for name, (said, _) in audits.GROUPS.items()]
    context = {
        "audit": found,
        "filters": filters,
        "kinds": [("", "Everything"), *kinds],
        "narrowed": urlencode(filters.query),
        "here": urlencode(filters.query | ({"kind": filters.group} if filters.group else {})),
    }
    return render(request, "processes/audit.html", context)


@require_safe
def artifacts(request: HtmxRequest) -> HttpResponse:
    """Every artifact; `?type=`, `?hash=` and `?process=` narrow it."""
    filters = artifact_index.Filters.of(request.GET)
    found = artifact_index.index(filters, Place.of(request.GET))
    rest = {name: text for name, text in filters.query.items() if name != "type"}
    types = [(kind, kind, urlencode({**rest, "type": kind})) for kind in found.types]
    context = {
        "index": found,
        "filters": filters,
        "types": [("Everything", "", urlencode(rest)), *types],
        "here": urlencode(filters.query),
    }
    return render(request, "processes/artifacts.html", context)


@require_safe
def cycles(request: HtmxRequest) -> HttpResponse:
    """Every cycle, or with `?cycle=` the runs of one, with `&phase=` of one phase."""
    words = {
        name: request.GET[name] for name in ("cycle", "phase", "below") if name in request.GET
    }
    if any(len(text) > limits.NAME_CHARS for text in words.values()):
        raise InvalidRequest(f"A cycle has at most {limits.NAME_CHARS} characters.")
    if cycle := words.get("cycle"):
        return _cycle(request, cycle, words.get("phase"))
    found = all_cycles.cycles(words.get("below"))
    return render(request, "processes/cycles.html", {"cycles": found})


def _cycle(request: HtmxRequest, cycle_id: str, phase: str | None) -> HttpResponse:
    place = Place.of(request.GET)
    rows = lines(all_cycles.runs(cycle_id, phase), place, now_ms(), request.user.username)
    chosen = {"cycle": cycle_id} | ({} if phase is None else {"phase": phase})
    context = {
        "cycle": all_cycles.counts([cycle_id])[cycle_id],
        "phase": phase,
        "lines": rows,
        "here": urlencode(chosen),
        "place": place,
    }
    return render(request, "processes/cycle.html", context)


@require_safe
def compare(request: HtmxRequest, process_id: str) -> HttpResponse:
    """This run beside another: `?with=` names it, `?only=` shows one kind of line."""
    here = find(process_id)
    context: dict[str, object] = {"process": here, "others": comparing.others(here)}
    if other := request.GET.get("with", "").strip():
        only, start = request.GET.get("only", ""), number(request, "start") or 0
        if only and only not in comparing.KINDS:
            raise BadCursor
        there = find(other)
        context |= {
            "there": there,
            "only": only,
            "compared": comparing.compare(here, there, only, start),
        }
    return render(request, "processes/compare.html", context)
