"""Log lines: one per record, no control characters, no keys (T12, T16)."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

_KEY = re.compile(r"dalhc_([A-Za-z0-9]{1,12})_[A-Za-z0-9_-]{8,}")


class Safe(logging.Filter):
    """Keys are cut to their prefix wherever they appear, also in a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = hide_keys(record.getMessage())
        record.args = None
        return True


class OneLine(logging.Formatter):
    """JSON, so that agent text can neither start a new line nor move a terminal's cursor."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request := getattr(record, "request", None):
            line["request_id"] = getattr(request, "request_id", None)
        line |= getattr(record, "said", {})
        if record.exc_info:
            line["trace"] = hide_keys(self.formatException(record.exc_info))
        return hide_keys(json.dumps(line))


def hide_keys(text: str) -> str:
    return _KEY.sub(r"dalhc_\1_…", text)
