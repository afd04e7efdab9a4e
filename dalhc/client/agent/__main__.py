"""`python -m dalhc.client.agent FOLDER [--process ID] [--url URL] [--key KEY]`."""

from __future__ import annotations

import sys

from dalhc.client.agent.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
