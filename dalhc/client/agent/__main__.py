"""`python -m dalhc.client.agent FOLDER [--process ID] [--url URL] [--key KEY]`."""

from __future__ import annotations

import signal
import sys
from io import TextIOWrapper

from dalhc.client.agent.command import main, terminate

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, terminate)
    for stream in (
        sys.stdout,
        sys.stderr,
    ):  # a terminal that has no × or … is no reason to stop
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
