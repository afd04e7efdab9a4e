"""Addresses of sleeping and waking."""

from __future__ import annotations

from django.urls import path, register_converter

from descriptors.api import (
    descriptors,
    operations,  # noqa: F401  # into the table of all operations
    wakes,
)
from processes.api.urls import ProcessIdConverter

register_converter(type("SessionId", (ProcessIdConverter,), {}), "session")

app_name = "descriptors-api"

_ONE = "descriptors/<session:session_id>"

urlpatterns = [
    path("descriptors", descriptors.Descriptors.as_view()),
    path(_ONE, descriptors.OneDescriptor.as_view()),
    path(f"{_ONE}/source", descriptors.SourceOf.as_view()),
    path(f"{_ONE}/commit", descriptors.CommitOf.as_view()),
    path(f"{_ONE}/release", descriptors.GiveBackOf.as_view()),
    path("signals", wakes.Signals.as_view()),
    path("wakes/claim", wakes.Claims.as_view()),
]
