"""A body is read once, within bounds, and its client may leave at any moment."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Mapping
from typing import Any

import pytest

from dalhc.front import bounds
from dalhc.front.body import Body, ClientGone, IncompleteBody, RequestTimeout
from dalhc.http.problems import TooLarge
from tests import loops

GONE: Mapping[str, Any] = {"type": "http.disconnect"}


def chunk(body: bytes, more: bool = True) -> Mapping[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def body_of(
    *messages: Mapping[str, Any], method: str = "POST", path: str = "/api/v1/x", **headers: str
) -> Body:
    """A body whose client sends these messages, then stays silent."""
    left = list(messages)
    pairs = {"transfer_encoding": "chunked"} | headers
    scope = {
        "method": method,
        "path": path,
        "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in pairs.items() if v],
    }

    async def receive() -> Mapping[str, Any]:
        if not left:
            await asyncio.Event().wait()
        return left.pop(0)

    return Body(scope, receive)


def run[T](work: Awaitable[T]) -> T:
    async def main() -> T:
        return await work

    return loops.run(main())


def test_a_body_may_be_read_twice():
    async def main() -> None:
        body = body_of(chunk(b"ab"), chunk(b"c", more=False))
        assert await body.read() == b"abc"
        assert await body.read() == b"abc"
        assert body.size == 3

    loops.run(main())


def test_a_request_without_a_body_is_not_waited_for():
    assert run(body_of(transfer_encoding="").read()) == b""


@pytest.mark.parametrize(
    ("method", "path", "limit"),
    [
        ("POST", "/api/v1/processes/p/steps", 256 * 1024),
        ("POST", "/login/", 256 * 1024),
        ("POST", "/api/v1/import", 1024 * 1024),
        ("PUT", "/api/v1/processes/p/artifacts/a/b.txt", 32 * 1024 * 1024 + 64 * 1024),
        ("POST", "/api/v1/processes/p/artifacts/a/b.txt", 256 * 1024),
        ("PUT", "/x/api/v1/processes/p/artifacts/a", 256 * 1024),
    ],
)
def test_the_limit_depends_on_the_path(method: str, path: str, limit: int):
    assert bounds.body_limit(method, path) == limit


def test_a_body_of_exactly_the_limit_is_taken():
    assert len(run(body_of(chunk(b"x" * bounds.BODY, more=False)).read())) == bounds.BODY


def test_a_byte_more_is_refused_after_the_client_has_sent_it_all():
    late = chunk(b"x", more=False)
    with pytest.raises(TooLarge, match="262,144"):
        run(body_of(chunk(b"x" * bounds.BODY), late).read())


def test_what_is_too_large_is_thrown_away_up_to_a_bound(monkeypatch):
    monkeypatch.setattr(bounds, "DRAINED", 1000)
    endless = [chunk(b"x" * bounds.BODY)] * 3
    with pytest.raises(TooLarge):
        run(body_of(*endless).read())


def test_a_client_that_asks_first_is_refused_before_it_sends():
    body = body_of(content_length=str(bounds.BODY + 1), expect="100-continue")
    with pytest.raises(TooLarge):
        run(body.read())


def test_a_length_beyond_all_bounds_is_refused_at_once():
    with pytest.raises(TooLarge):
        run(body_of(content_length="999999999999").read())


def test_a_client_that_falls_silent_is_given_up(monkeypatch):
    monkeypatch.setattr(bounds, "SILENT_SECONDS", 0.05)
    with pytest.raises(RequestTimeout):
        run(body_of(chunk(b"half of")).read())


def test_a_client_that_drips_is_given_up_too(monkeypatch):
    monkeypatch.setattr(bounds, "BODY_SECONDS", 0.05)
    with pytest.raises(RequestTimeout):
        run(body_of(chunk(b"d")).read())


def test_what_breaks_off_before_the_end_is_refused():
    with pytest.raises(IncompleteBody):
        run(body_of(chunk(b"half"), GONE).read())


def test_a_body_in_crumbs_is_refused_and_one_in_lines_is_not():
    crumbs = [chunk(b"x")] * 5_000
    with pytest.raises(TooLarge):
        run(body_of(*crumbs, chunk(b"", more=False)).read())
    few = [chunk(b"x")] * 1_500
    assert len(run(body_of(*few, chunk(b"", more=False)).read())) == 1_500
    path = "/api/v1/processes/p/artifacts/a"
    lines = [chunk(b"x" * 80)] * 9_000
    body = body_of(*lines, chunk(b"", more=False), method="PUT", path=path)
    assert len(run(body.read())) == 720_000
    body.close()


def test_a_large_artifact_goes_to_the_disk():
    path = "/api/v1/processes/p/artifacts/a"
    big = chunk(b"x" * (bounds.IN_MEMORY + 1), more=False)

    async def main() -> None:
        body = body_of(big, method="PUT", path=path)
        file = await body.file()
        assert isinstance(file, tempfile.SpooledTemporaryFile)
        assert file._rolled
        body.close()

    loops.run(main())


def test_work_goes_on_while_the_client_stays():
    async def work() -> int:
        await asyncio.sleep(0.01)
        return 7

    async def main() -> int:
        body = body_of(chunk(b"", more=False))
        first, second = await body.unless_gone(work()), await body.unless_gone(work())
        body.close()
        return first + second

    assert loops.run(main()) == 14


def test_work_is_cancelled_when_the_client_leaves():
    cancelled: list[bool] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def main() -> None:
        body = body_of(chunk(b"", more=False), GONE)
        with pytest.raises(ClientGone):
            await body.unless_gone(work())
        body.close()

    loops.run(main())
    assert cancelled == [True]


def test_a_failure_of_the_work_is_the_callers():
    async def work() -> None:
        raise ValueError("wrong")

    async def main() -> None:
        body = body_of(chunk(b"", more=False))
        with pytest.raises(ValueError, match="wrong"):
            await body.unless_gone(work())
        body.close()

    loops.run(main())
