"""Lists, one page at a time, as iterators."""

from __future__ import annotations

from collections.abc import Iterator

from dalhc.client.models import Reply
from dalhc.client.wire import Params, Wire

SIZE = 200


def pages[R: Reply](wire: Wire, path: str, kind: type[R], filters: Params) -> Iterator[R]:
    """Everything the filters let through, by cursor."""
    cursor: str | None = None
    while True:
        page = wire.get(path, {"limit": SIZE, **filters, "cursor": cursor})
        yield from map(kind.model_validate, page["results"])
        cursor = page.get("next_cursor")
        if cursor is None:
            return


def rows[R: Reply](wire: Wire, path: str, kind: type[R], after: int | None) -> Iterator[R]:
    """Numbered rows past the seq `after`. A server may send shorter pages than asked for."""
    while True:
        page = wire.get(path, {"limit": SIZE, "after": after})
        found = page["results"]
        yield from map(kind.model_validate, found)
        if not found or page.get("next", found) is None:
            return
        after = found[-1]["seq"]
