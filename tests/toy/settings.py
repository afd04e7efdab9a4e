"""Settings of the toy: the real database backend, no apps, views that show what came."""

from __future__ import annotations

import os
from pathlib import Path

from dalhc.db.sqlite import options
from dalhc.environment import Environment

ENVIRONMENT = Environment()
SECRET_KEY = "toy"
DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "tests.toy.urls"
INSTALLED_APPS: list[str] = []
MIDDLEWARE: list[str] = []
USE_TZ = True
DATA_UPLOAD_MAX_MEMORY_SIZE = None
DATABASES = {
    "default": {
        "ENGINE": "dalhc.db.sqlite",
        "NAME": Path(os.environ["TOY_HOME"]) / "toy.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": options(),
    }
}
