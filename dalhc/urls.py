"""Every address, from the top."""

from __future__ import annotations

from django.urls import include, path

from dalhc.http import health

urlpatterns = [
    path("api/v1/", include("processes.api.urls")),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
]
