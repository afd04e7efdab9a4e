"""Every address, from the top."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("processes.api.urls")),
]
