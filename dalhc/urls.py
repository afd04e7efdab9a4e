"""Every address, from the top."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from dalhc.http import health
from processes.api.urls import HOST
from processes.views.login import Login, theme

urlpatterns = [
    path("", include("processes.urls")),
    path("", include("descriptors.urls")),
    path("login/", Login.as_view(), name="login"),
    path("logout/", login_not_required(LogoutView.as_view()), name="logout"),
    path("theme/", theme, name="theme"),
    path("api/v1/", include("processes.api.urls")),
    path("api/v1/", include("descriptors.api.urls")),
    *HOST,
    path("healthz", login_not_required(health.healthz)),
    path("readyz", login_not_required(health.readyz)),
]

handler400 = "processes.views.errors.bad_request"
handler403 = "processes.views.errors.forbidden"
handler404 = "processes.views.errors.not_found"
handler500 = "processes.views.errors.server_error"
