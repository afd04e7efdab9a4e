"""The server without its short ways: every request goes through Django, for comparison."""

from __future__ import annotations

from dalhc.asgi import Front
from dalhc.front.routing import Entry

ROUTES: list[Entry] = []

application = Front("benches.django_only")
