"""Calls sent to a loop arrive in order, all of them, with one wake-up for many."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from dalhc.post import Post, post_of
from tests import loops


def test_many_calls_wake_the_loop_once_and_arrive_in_order():
    async def main() -> tuple[list[int], int]:
        loop = asyncio.get_running_loop()
        woken, call_soon = [], loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *a: woken.append(1) or call_soon(*a)  # type: ignore[method-assign,assignment,func-returns-value]
        got: list[int] = []
        post = Post(loop)
        for number in range(50):
            post.send(got.append, number)
        await asyncio.sleep(0)
        return got, len(woken)

    assert loops.run(main()) == (list(range(50)), 1)


def test_nothing_is_lost_between_threads():
    async def main() -> int:
        post, done, count = post_of(asyncio.get_running_loop()), asyncio.Event(), [0]

        def one() -> None:
            count[0] += 1
            if count[0] == 4_000:
                done.set()

        threads = [
            threading.Thread(target=lambda: [post.send(one) for _ in range(1_000)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        await asyncio.wait_for(done.wait(), 20)
        return count[0]

    assert loops.run(main()) == 4_000


def test_a_call_that_fails_does_not_hold_up_the_next():
    async def main() -> tuple[list[int], list[dict[str, Any]]]:
        loop = asyncio.get_running_loop()
        said: list[dict[str, Any]] = []
        loop.set_exception_handler(lambda _, context: said.append(context))
        got: list[int] = []
        post = post_of(loop)
        post.send(int, "no number")
        post.send(got.append, 1)
        await asyncio.sleep(0)
        return got, said

    got, said = loops.run(main())
    assert got == [1]
    assert isinstance(said[0]["exception"], ValueError)


def test_a_loop_has_one_post():
    async def main() -> bool:
        loop = asyncio.get_running_loop()
        return post_of(loop) is post_of(loop)

    assert loops.run(main())


def test_a_loop_that_has_ended_is_not_called():
    loop = asyncio.new_event_loop()
    post = Post(loop)
    loop.close()
    got: list[int] = []
    post.send(got.append, 1)
    assert got == []
