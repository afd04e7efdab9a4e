"""The routes that wait: coroutines, so that a thousand sleeping clients hold no thread.

A route gets `(scope, body, match)` and returns a `Reply`, or None for "not mine": then Django
answers the same request, and a body already read is handed on. `await body.read()` gives the
bytes, and `await body.unless_gone(bell.waiting(topic, seen, timeout))` sleeps, but no longer
than the client stays. A `Problem` raised here is answered like any other. Loaded when Django
is, so models may be imported.
"""

from __future__ import annotations

from dalhc.front.routing import Entry

ROUTES: list[Entry] = []
