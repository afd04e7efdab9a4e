"""Addresses of the pages: nouns, with a trailing slash."""

from __future__ import annotations

from django.urls import path, register_converter

from processes.api.urls import ProcessIdConverter
from processes.views import (
    about,
    attention,
    decision,
    history,
    inbox,
    keys,
    lists,
    notices,
    people,
    process,
    several,
    tabs,
)

app_name = "processes"

register_converter(type("ProcessOfPage", (ProcessIdConverter,), {}), "process")

_PROCESS = "processes/<process:process_id>/"

urlpatterns = [
    path("", inbox.inbox, name="inbox"),
    path("since/<slug:marker>/", inbox.since, name="inbox-since"),
    path("several/", several.select, name="several"),
    path("several/seen/", several.confirm, name="several-seen"),
    path("several/done/", several.decide, name="several-done"),
    path("running/", lists.running, name="running"),
    path("settled/", lists.settled, name="settled"),
    path("search/", lists.search, name="search"),
    path("audit/", history.audit, name="audit"),
    path("artifacts/", history.artifacts, name="artifact-index"),
    path("cycles/", history.cycles, name="cycles"),
    path(f"{_PROCESS}compare/", history.compare, name="compare"),
    path(_PROCESS, process.process, name="process"),
    path(f"{_PROCESS}since/<int:revision>/", process.since, name="process-since"),
    path(f"{_PROCESS}decision/", decision.decision, name="decision"),
    path(f"{_PROCESS}draft/", decision.draft, name="draft"),
    path(f"{_PROCESS}draft/forget/", decision.forget, name="forget-draft"),
    path(f"{_PROCESS}diff/", decision.diff, name="diff"),
    path(f"{_PROCESS}decision/ring/", decision.ring, name="ring"),
    path(f"{_PROCESS}decision/back/", decision.back, name="back"),
    path(f"{_PROCESS}claim/", attention.claim, name="claim"),
    path(f"{_PROCESS}release/", attention.release, name="release"),
    path(f"{_PROCESS}reassign/", attention.reassign, name="reassign"),
    path(f"{_PROCESS}snooze/", attention.snooze, name="snooze"),
    path(f"{_PROCESS}stop/", decision.stop, name="stop"),
    path(f"{_PROCESS}artifacts/", tabs.artifacts, name="artifacts"),
    path(f"{_PROCESS}artifacts/<path:path>", tabs.artifact, name="artifact"),
    path(f"{_PROCESS}turns/", tabs.turns, name="turns"),
    path(f"{_PROCESS}events/", tabs.events, name="events"),
    path(f"{_PROCESS}raw/", tabs.raw, name="raw"),
    path(f"{_PROCESS}passport.html", tabs.passport, name="passport"),
    path(f"{_PROCESS}journal.json", tabs.journal, name="journal"),
    path("keys/", keys.keys, name="keys"),
    path("keys/<int:key_id>/revoke/", keys.revoke, name="revoke"),
    path("notices/", notices.notices, name="notices"),
    path("notices/<int:recipient_id>/remove/", notices.remove, name="remove-recipient"),
    path("notices/<slug:notice_id>/again/", notices.again, name="notice-again"),
    path("people/", people.people, name="people"),
    path("people/<int:user_id>/role/", people.role, name="role"),
    path("people/<int:user_id>/password/", people.password, name="password"),
    path("people/<int:user_id>/active/", people.active, name="active"),
    path("status/", about.status, name="status"),
    path("patterns/", about.patterns, name="patterns"),
]
