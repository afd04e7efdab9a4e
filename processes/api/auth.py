"""Bearer keys and their scopes; no session or cookie ever counts under /api (T8, T9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from processes import services
from processes.services.keys import Unauthorized

if TYPE_CHECKING:  # the settings name these classes before rest_framework.views is complete
    from rest_framework.views import APIView


class BearerKey(BaseAuthentication):
    """`Authorization: Bearer dalhc_…` (or `Token`). `request.user` becomes the Actor."""

    def authenticate(self, request: Request) -> tuple[services.Actor, str]:
        return services.check_actor(bearer(request.META.get("HTTP_AUTHORIZATION", "")))

    def authenticate_header(self, request: HttpRequest) -> str:
        return 'Bearer realm="dalhc"'


def bearer(header: str) -> str:
    """The key of an Authorization header. Raises Unauthorized."""
    scheme, _, text = header.partition(" ")
    if scheme.lower() not in {"bearer", "token"} or not text:
        raise Unauthorized
    return text.strip()


class HasScope(BasePermission):
    """The view names the scope of each method: `scopes = {"GET":
    "read", "POST": "journal"}`.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        wanted = getattr(view, "scopes", {}).get(request.method, "read")
        by: services.Actor = request.user  # type: ignore[assignment]
        if wanted not in by.scopes:
            raise services.Forbidden(f"This key lacks the scope {wanted}.")
        return True
