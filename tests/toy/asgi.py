"""The real front with the toy's routes."""

from __future__ import annotations

import os

from dalhc.asgi import Front

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.toy.settings"

application = Front("tests.toy.routes")
