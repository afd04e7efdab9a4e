"""How the server is started: one granian worker, little memory, a quick end."""

from __future__ import annotations

import sys

# Long-polls end by themselves when the bell closes; what still hangs after this is killed.
KILL_SECONDS = 8

# glibc otherwise gives every thread an arena of its own, and keeps what each once needed.
ENVIRONMENT = {"MALLOC_ARENA_MAX": "2"}

FLAGS = {
    "interface": "asgi",
    "workers": "1",  # one process, one writer
    "runtime-threads": "1",
    "runtime-blocking-threads": "1",
    "loop": "asyncio",
    "http": "1",
    "backlog": "4096",
    "backpressure": "4096",  # a waiting client is a request in progress
    "workers-kill-timeout": str(KILL_SECONDS),
    "log-level": "warning",
}


def server_command(
    port: int, *, host: str = "127.0.0.1", application: str = "dalhc.asgi:application"
) -> list[str]:
    """The words of the command that serves `application`, for exec."""
    flags = [word for name, value in FLAGS.items() for word in (f"--{name}", value)]
    where = ["--host", host, "--port", str(port)]
    return [sys.executable, "-m", "granian", *flags, "--no-ws", *where, application]
