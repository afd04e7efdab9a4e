"""`python -m dalhc.client.agents N [--within SECONDS] [--url URL] [--key KEY]`."""

from __future__ import annotations

import signal
import sys

from dalhc.client.agent.command import terminate
from dalhc.client.agents.command import main

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, terminate)
    sys.exit(main(sys.argv[1:]))
