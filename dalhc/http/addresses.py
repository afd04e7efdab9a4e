"""Where a request comes from."""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Of the connection; behind the proxy that DALHC_HTTPS=1 stands for, what that one wrote
    last into X-Forwarded-For. What stands before it was said by the client: it may be anything.
    """
    if settings.ENVIRONMENT.https:
        told = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        if _is_address(told):
            return told
    return str(request.META.get("REMOTE_ADDR", ""))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
