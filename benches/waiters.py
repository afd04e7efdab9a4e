"""Long-polls held open in this process: raw sockets, a thread for all, each answer with its
time.
"""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Sequence

from benches.served import Served


class Waiters:
    """One `GET …/next?wait=30` per process; `woken[process]` is when its answer came."""

    def __init__(self, server: Served, processes: Sequence[str]) -> None:
        self._server = server
        self._selector = selectors.DefaultSelector()
        self._answered = threading.Condition()
        self._ended = False
        self.woken: dict[str, float] = {}
        for process in processes:
            self.wait(process)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def wait(self, process: str) -> None:
        line = socket.create_connection(("127.0.0.1", self._server.port))
        headers = "".join(f"{k}: {v}\r\n" for k, v in self._server.headers().items())
        path = f"/api/v1/processes/{process}/next?wait=30"
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n".encode())
        self._selector.register(line, selectors.EVENT_READ, process)

    def answered(self, process: str, seconds: float = 10) -> float:
        """When the answer came, on time.perf_counter's clock."""
        with self._answered:
            if not self._answered.wait_for(lambda: process in self.woken, seconds):
                raise RuntimeError(f"{process} was not woken in {seconds} s")
            return self.woken.pop(process)

    def close(self) -> None:
        self._ended = True
        self._thread.join(2)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]

    def _listen(self) -> None:
        while not self._ended:
            for key, _ in self._selector.select(0.2):
                at = time.perf_counter()
                line: socket.socket = key.fileobj  # type: ignore[assignment]
                head = line.recv(65536)
                self._selector.unregister(line)
                line.close()
                if not head.startswith(b"HTTP/1.1 200"):
                    raise RuntimeError(head[:200].decode())
                with self._answered:
                    self.woken[key.data] = at
                    self._answered.notify_all()
