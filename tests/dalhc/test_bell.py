"""The bell wakes whoever waits, never too few, and remembers no more than it must."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from dalhc import bell
from tests import loops


@pytest.fixture(autouse=True)
def _open() -> Iterator[None]:
    bell.reopen()
    yield
    bell.reopen()
    assert bell.waiters() == 0


def later(seconds: float, *topics: str) -> threading.Thread:
    def ring() -> None:
        time.sleep(seconds)
        for topic in topics:
            bell.ring(topic)

    thread = threading.Thread(target=ring)
    thread.start()
    return thread


def test_a_ring_wakes_a_waiting_thread():
    seen = bell.mark("a")
    thread = later(0.02, "a")
    assert bell.wait("a", seen, 5)
    thread.join()


def test_a_ring_between_mark_and_wait_is_not_lost():
    seen = bell.mark("a")
    bell.ring("a")
    begun = time.monotonic()
    assert bell.wait("a", seen, 5)
    assert time.monotonic() - begun < 0.5


def test_a_ring_before_the_mark_wakes_nobody():
    bell.ring("a")
    assert not bell.wait("a", bell.mark("a"), 0.01)


def test_another_topic_wakes_nobody():
    seen = bell.mark("a")
    bell.ring("b")
    assert not bell.wait("a", seen, 0.01)


def test_a_ring_forgotten_before_the_wait_wakes_for_nothing_rather_than_not_at_all():
    seen = bell.mark("a")
    bell.ring("a")
    for number in range(bell.REMEMBERED + 1):
        bell.ring(f"other-{number}")
    assert bell.wait("a", seen, 0.01)


def test_ringing_a_million_topics_remembers_few():
    for number in range(20_000):
        bell.ring(f"process-{number}")
    assert len(bell._bell.lately) <= bell.REMEMBERED
    assert not bell._bell.waiting


def test_a_coroutine_is_woken_from_another_thread():
    async def main() -> bool:
        seen = bell.mark("a")
        later(0.02, "a")
        return await bell.waiting("a", seen, 5)

    assert loops.run(main())


def test_a_coroutine_gives_up_after_its_timeout():
    assert loops.run(bell.waiting("a", bell.mark("a"), 0.01)) is False


def test_a_cancelled_coroutine_leaves_nothing_behind():
    async def main() -> int:
        task = asyncio.create_task(bell.waiting("a", bell.mark("a"), 60))
        await asyncio.sleep(0)
        assert bell.waiters() == 1
        task.cancel()
        await asyncio.wait({task})
        return bell.waiters()

    assert loops.run(main()) == 0


def test_a_waiter_whose_loop_has_ended_does_not_hinder_the_others():
    awaiter = bell._Awaiter(loop := asyncio.new_event_loop())
    bell._bell.join("a", bell.mark("a"), awaiter)
    loop.close()
    seen = bell.mark("a")
    thread = later(0.02, "a")
    assert bell.wait("a", seen, 5)
    thread.join()


def test_a_thousand_coroutines_wake_within_a_second():
    async def main() -> tuple[list[bool], float]:
        seen = bell.mark("inbox")
        tasks = [asyncio.create_task(bell.waiting("inbox", seen, 30)) for _ in range(1000)]
        await asyncio.sleep(0)
        assert bell.waiters() == 1000
        begun = time.monotonic()
        bell.ring("inbox")
        return await asyncio.gather(*tasks), time.monotonic() - begun

    rung, seconds = loops.run(main())
    assert all(rung)
    assert seconds < 1


def test_closing_wakes_everyone_and_nobody_waits_again():
    async def main() -> list[bool]:
        tasks = [asyncio.create_task(bell.waiting("a", bell.mark("a"), 60)) for _ in range(9)]
        await asyncio.sleep(0)
        bell.close()
        return await asyncio.gather(*tasks)

    assert loops.run(main()) == [False] * 9
    assert bell.closed()
    assert not bell.wait("a", bell.mark("a"), 60)


def test_no_wake_up_is_lost_between_writers_and_readers():
    """Readers that mark, read and wait see every value reach its end, whatever the
    interleaving.
    """
    value = [0]
    reached: list[int] = []

    def read() -> None:
        while True:
            seen = bell.mark("n")
            now = value[0]
            if now == 3000:
                reached.append(now)
                return
            assert bell.wait("n", seen, 10), f"slept through the last ring at {now}"

    readers = [threading.Thread(target=read) for _ in range(8)]
    for reader in readers:
        reader.start()
    for _ in range(3000):
        value[0] += 1
        bell.ring("n")
    for reader in readers:
        reader.join(30)
    assert reached == [3000] * 8


def test_when_news_was_missed_everyone_is_woken_and_so_is_whoever_is_about_to_wait():
    seen = bell.mark("about to wait")
    woken: list[bool] = []
    sleeper = threading.Thread(
        target=lambda: woken.append(bell.wait("asleep", bell.mark("asleep"), 10))
    )
    sleeper.start()
    while not bell.waiters():
        time.sleep(0.001)
    bell.ring_everything()
    sleeper.join(10)
    assert woken == [True]
    assert bell.wait("about to wait", seen, 0)
    assert not bell.wait("about to wait", bell.mark("about to wait"), 0)
