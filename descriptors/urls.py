"""Addresses of the pages about sleeping agents."""

from __future__ import annotations

from django.urls import path

from descriptors.api import urls as of_api  # noqa: F401  # names the form of a session's id
from descriptors.views import sleepers

app_name = "descriptors"

urlpatterns = [
    path("sleepers/", sleepers.sleepers, name="sleepers"),
    path("sleepers/<session:session_id>/", sleepers.sleeper, name="sleeper"),
    path("sleepers/<session:session_id>/wake/", sleepers.wake, name="wake"),
]
