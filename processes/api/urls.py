"""Addresses of the API: plural nouns, no trailing slash."""

from __future__ import annotations

from django.urls import path, re_path, register_converter
from drf_spectacular.views import SpectacularJSONAPIView

from processes.api import (
    artifacts,
    attempts,
    attention,
    bulk,
    drafting,
    history,
    host,
    leases,
    processes,
    suspensions,
)
from processes.journal.paths import is_process_id

app_name = "api"


class ProcessIdConverter:
    """Only a valid id is an address; anything else is 404 (contract O14, reliability 3.14)."""

    regex = "[A-Za-z0-9._-]{1,80}"

    def to_python(self, value: str) -> str:
        if not is_process_id(value):
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(ProcessIdConverter, "pid")
register_converter(type("SuspensionId", (ProcessIdConverter,), {}), "sid")

urlpatterns = [
    # First, because addresses are tried in order and this one is asked for most.
    path("processes/<pid:process_id>/steps", history.Steps.as_view()),
    path(
        "openapi.json",
        SpectacularJSONAPIView.as_view(authentication_classes=[], permission_classes=[]),
    ),
    path("import", processes.Import.as_view()),
    path("processes", processes.Processes.as_view()),
    path("processes/<pid:process_id>", processes.OneProcess.as_view()),
    path("processes/<pid:process_id>/journal", processes.Journal.as_view()),
    path("processes/<pid:process_id>/passport", processes.Passport.as_view()),
    path("processes/<pid:process_id>/next", processes.NextAction.as_view()),
    path("processes/<pid:process_id>/attempts", attempts.Attempts.as_view()),
    path("processes/<pid:process_id>/turns", history.Turns.as_view()),
    path("processes/<pid:process_id>/events", history.Events.as_view()),
    path("processes/<pid:process_id>/suspend", processes.SuspendProcess.as_view()),
    path("processes/<pid:process_id>/resume", processes.ResumeProcess.as_view()),
    path("processes/<pid:process_id>/complete", processes.CompleteProcess.as_view()),
    path("processes/<pid:process_id>/fail", processes.FailProcess.as_view()),
    path("processes/<pid:process_id>/stop", processes.StopProcess.as_view()),
    path("processes/<pid:process_id>/lease", leases.Lease.as_view()),
    path("processes/<pid:process_id>/heartbeat", leases.Heartbeat.as_view()),
    path("processes/<pid:process_id>/release", leases.Release.as_view()),
    path("processes/<pid:process_id>/artifacts", artifacts.Artifacts.as_view()),
    re_path(
        r"^processes/(?P<process_id>[A-Za-z0-9._-]{1,80})/artifacts/(?P<path>.+)\Z",
        artifacts.OneArtifact.as_view(),
    ),
    path("suspensions", suspensions.Suspensions.as_view()),
    path("suspensions/bulk", bulk.BulkDecision.as_view()),
    path("suspensions/<sid:suspension_id>", suspensions.OneSuspension.as_view()),
    path("suspensions/<sid:suspension_id>/decision", suspensions.DecisionOf.as_view()),
    path("suspensions/<sid:suspension_id>/claim", attention.ClaimOf.as_view()),
    path("suspensions/<sid:suspension_id>/release", attention.ReleaseOf.as_view()),
    path("suspensions/<sid:suspension_id>/reassign", attention.ReassignOf.as_view()),
    path("suspensions/<sid:suspension_id>/snooze", attention.SnoozeOf.as_view()),
    path("suspensions/<sid:suspension_id>/draft", drafting.DraftsOf.as_view()),
    path("suspensions/<sid:suspension_id>/past", drafting.PastOf.as_view()),
    path("suspensions/<sid:suspension_id>/ack", suspensions.Ack.as_view()),
    path("suspensions/<sid:suspension_id>/ring", suspensions.RingOf.as_view()),
    path("suspensions/<sid:suspension_id>/nack", suspensions.NackOf.as_view()),
]

# At the root, where a DAL agent host has them.
HOST = [
    path("task", host.Task.as_view()),
    path("message", host.Message.as_view()),
    path("status", host.HostStatus.as_view()),
    path("health", host.HostHealth.as_view()),
]
