"""What a sleeping agent costs, from ten of them to a million: put to sleep, read, found when
due, claimed and committed; and its bytes, on disk and in memory.

Each number of them is a process with a database of its own, and beside it the raw floor with
the same sleepers; every trial asks each of them once.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benches import dormant, dormant_floor, dormant_rows
from benches.common import Case, Result, Target, bench

SIZES = (10, 1_000, 10_000, 100_000, 1_000_000)
OPERATIONS = {"upsert": 2.5, "get": 3.0, "due": 1.5, "cycle": 4.0}
TITLES = {"upsert": "sleep again", "get": "get that hits", "due": "50 that are due"}
FLAT = 1.3
DISK_BYTES, MEMORY_KIB = 900, 0.1


class Place:
    """A number of sleepers, and the process that has them open."""

    def __init__(self, number: int, folder: Path) -> None:
        self.number = number
        home, floor = str(folder / "home"), str(folder / "floor.sqlite3")
        with _process() as filling:
            self.disk_bytes = filling.submit(dormant_rows.fill, home, number).result()
            filling.submit(dormant_floor.copy, home, floor).result()
        self._process = _process()
        self._ask(dormant.begin, home, floor, number)

    def case(self, side: str, operation: str) -> Case:
        return lambda: self._ask(dormant.measure, side, operation)

    @property
    def memory_kib(self) -> int:
        found: int = self._ask(dormant.memory_kib)
        return found

    def close(self) -> None:
        self._process.shutdown()

    def _ask(self, question: Any, *words: Any) -> Any:
        return self._process.submit(question, *words).result()


def main() -> int:
    with opened(SIZES) as places:
        return bench("descriptors", cases(places), targets=lambda results: [
            *targets(results), *sizes(places)
        ], more=lambda: {"sizes": told(places)})  # fmt: skip


@contextmanager
def opened(numbers: Sequence[int]) -> Iterator[Sequence[Place]]:
    with ExitStack() as stack:
        root = stack.enter_context(tempfile.TemporaryDirectory(prefix="dalhc-bench-"))
        places = []
        for number in numbers:
            folder = Path(root) / str(number)
            folder.mkdir()
            place = Place(number, folder)
            stack.callback(place.close)
            places.append(place)
        yield places


def cases(places: Sequence[Place]) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for operation in OPERATIONS:
        for place in places:
            if operation == "due" and place.number < 2 * dormant.PAGE:
                continue
            for side in ("ours", "floor"):
                found[_name(operation, place.number, side)] = place.case(side, operation)
    return found


def targets(results: Mapping[str, Result]) -> list[Target]:
    """Ratios of medians, in the same trials."""
    found = []
    for operation, most in OPERATIONS.items():
        ratios = {
            number: _p50(results, operation, number) / _p50(results, operation, number, "floor")
            for number in _numbers(results, operation)
        }
        number, worst = max(ratios.items(), key=lambda one: one[1])
        title = TITLES.get(operation, "claim and commit")
        said = f"{title}: {worst:.2f} x the floor at worst, at {number:,} (<= {most})"
        found.append((said, worst <= most))
    times = [_p50(results, "due", number) for number in _numbers(results, "due")]
    flat = max(times) / min(times)
    found.append((f"due from 1,000 to 1,000,000: {flat:.2f} x (<= {FLAT})", flat <= FLAT))
    return found


def sizes(places: Sequence[Place]) -> list[Target]:
    """Of the most there are; memory beyond what the fewest need."""
    largest = told(places)[-1]
    disk, memory = largest["disk_bytes"], largest["memory_kib"]
    return [
        (f"on disk {disk:.0f} bytes each (<= {DISK_BYTES})", disk <= DISK_BYTES),
        (f"in memory {memory:.3f} KiB each (<= {MEMORY_KIB})", memory <= MEMORY_KIB),
    ]


def told(places: Sequence[Place]) -> list[dict[str, Any]]:
    least = places[0].memory_kib
    return [
        {
            "descriptors": place.number,
            "disk_bytes": round(place.disk_bytes, 1),
            "memory_kib": round((place.memory_kib - least) / place.number, 4),
        }
        for place in places[1:]
    ]


def _numbers(results: Mapping[str, Result], operation: str) -> list[int]:
    return [number for number in SIZES if _name(operation, number, "ours") in results]


def _p50(
    results: Mapping[str, Result], operation: str, number: int, side: str = "ours"
) -> float:
    return results[_name(operation, number, side)].p50


def _name(operation: str, number: int, side: str) -> str:
    title = TITLES.get(operation, "claim and commit")
    return f"{title}, {number:,}" + ("" if side == "ours" else ", floor")


def _process() -> ProcessPoolExecutor:
    """One process that is asked; spawned, for it sets up Django for one home."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


if __name__ == "__main__":
    sys.exit(main())
