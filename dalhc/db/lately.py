"""The last so many values by their keys, for several threads: what costs less to remember than
to fetch, and may be forgotten at any time.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock


class Lately[K, V]:
    """At most `most`; who is put again is the last."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = Lock()
        self._values: OrderedDict[K, V] = OrderedDict()

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self.most:
                self._values.popitem(last=False)

    def get(self, key: K) -> V | None:
        with self._lock:
            return self._values.get(key)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
