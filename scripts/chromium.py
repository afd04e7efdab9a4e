"""Where the browser for the page tests is; run by itself it says what to install."""

from __future__ import annotations

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
MISSING = (
    "The page tests need a browser: install Debian's package `chromium` (apt install chromium),"
    " or name one you have in DALHC_CHROMIUM."
)


def find() -> str | None:
    """The path of $DALHC_CHROMIUM, or of the first known name that is there."""
    asked = os.environ.get("DALHC_CHROMIUM")
    names = (asked,) if asked else (*NAMES, *APPLICATIONS)
    return next((path for name in names if (path := shutil.which(name))), None)


if __name__ == "__main__":
    if not find():
        sys.exit(MISSING)
