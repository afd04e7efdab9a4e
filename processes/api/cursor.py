"""Keyset cursors: opaque, bound to their filters, stable under ties (api.md lists)."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from dalhc.http.problems import BadCursor

MOST, USUAL = 200, 50
_ID = re.compile(r"[A-Za-z0-9._-]{1,80}")


@dataclass(frozen=True, slots=True)
class Keyset:
    """The columns a list is ordered by, all ascending or all descending; the last is unique.
    `time` is whatever number comes first.
    """

    time: str
    id: str
    descending: bool

    def order(self, *, backwards: bool) -> tuple[str, str]:
        sign = "-" if self.descending is not backwards else ""
        return f"{sign}{self.time}", f"{sign}{self.id}"

    def beyond(self, at: int, id: str, *, backwards: bool) -> Q:
        side = "lt" if self.descending is not backwards else "gt"
        return Q(**{f"{self.time}__{side}": at}) | Q(
            **{self.time: at, f"{self.id}__{side}": id}
        )


def page[M: Model](
    request: Request,
    rows: QuerySet[M],
    keyset: Keyset,
    filters: dict[str, str],
    shown: Callable[[M], dict[str, Any]],
    limit: int,
    *,
    count: bool = False,
) -> Response:
    """One page of `rows` as `{"results", "next", "previous", "next_cursor"}` with a Link
    header.
    """
    bound = _bound(filters)
    cursor = _read(request.query_params.get("cursor"), bound)
    backwards = cursor is not None and cursor["d"] == "p"
    part = rows.order_by(*keyset.order(backwards=backwards))
    if cursor is not None:
        part = part.filter(keyset.beyond(*cursor["k"], backwards=backwards))
    found = list(part[: limit + 1])
    more, found = len(found) > limit, found[:limit]
    if backwards:
        found.reverse()
    has_next, has_previous = (
        (bool(found), more) if backwards else (more, cursor is not None and bool(found))
    )
    ends = {
        "next": _cursor("n", found[-1], keyset, bound) if has_next else None,
        "previous": _cursor("p", found[0], keyset, bound) if has_previous else None,
    }
    body: dict[str, Any] = {"results": [shown(row) for row in found]}
    links = {name: _link(request, filters, limit, text) for name, text in ends.items()}
    body |= {**links, "next_cursor": ends["next"]}
    if count:
        body["count"] = rows.count()
    return linked(Response(body), links)


def linked(response: Response, links: dict[str, str | None]) -> Response:
    named = [f'<{url}>; rel="{name}"' for name, url in links.items() if url]
    if named:
        response["Link"] = ", ".join(named)
    return response


def _link(
    request: Request, filters: dict[str, str], limit: int, cursor: str | None
) -> str | None:
    if cursor is None:
        return None
    query = urlencode({**filters, "limit": limit, "cursor": cursor})
    return request.build_absolute_uri(f"{request.path}?{query}")


def _cursor(direction: str, row: Model, keyset: Keyset, bound: str) -> str:
    value = {
        "d": direction,
        "k": [getattr(row, keyset.time), getattr(row, keyset.id)],
        "f": bound,
    }
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _bound(filters: dict[str, str]) -> str:
    return sha256(json.dumps(sorted(filters.items())).encode()).hexdigest()[:16]


def _read(text: str | None, bound: str) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError):
        raise BadCursor from None
    if not isinstance(value, dict) or value.get("f") != bound or not _is_place(value):
        raise BadCursor
    return value


def _is_place(value: dict[str, Any]) -> bool:
    key = value.get("k")
    if value.get("d") not in ("n", "p") or not isinstance(key, list):
        return False
    if [type(part) for part in key] != [int, str]:
        return False
    return abs(key[0]) < 2**63 and bool(_ID.fullmatch(key[1]))
