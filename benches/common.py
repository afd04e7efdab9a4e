"""The harness every figure uses: interleaved trials, percentiles, a table, and results only on
success.
"""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Sample:
    """One trial of one case: calls per second, and milliseconds per call."""

    per_second: float
    p50: float
    p99: float
    max: float
    calls: int


@dataclass(frozen=True)
class Result:
    """A case over its trials: the median of each number; `spread` is (max - min) / median."""

    per_second: float
    p50: float
    p99: float
    max: float
    spread: float
    calls: int
    trials: tuple[Sample, ...]


Case = Callable[[], Sample]
Target = tuple[str, bool]


def sample(seconds: Sequence[float], elapsed: float) -> Sample:
    """From each call's seconds and the wall clock of the whole trial. Raises when nothing was
    measured.
    """
    if not seconds:
        raise RuntimeError("nothing was measured")
    sorted_ms = sorted(second * 1000 for second in seconds)
    return Sample(
        per_second=len(sorted_ms) / elapsed,
        p50=percentile(sorted_ms, 50),
        p99=percentile(sorted_ms, 99),
        max=sorted_ms[-1],
        calls=len(sorted_ms),
    )


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Nearest rank, of numbers already in order."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def tried(values: Sequence[float]) -> dict[str, Any]:
    """One number that was measured several times; `spread` is (max - min) / median."""
    if len(values) < 3:
        raise ValueError("three trials at least")
    middle = statistics.median(values)
    spread = (max(values) - min(values)) / middle if middle else 0.0
    return {"median": middle, "spread": spread, "trials": list(values)}


def closed_loop(clients: int, seconds: float, call: Callable[[int], object]) -> Sample:
    """`clients` threads that each call again as soon as they are answered. A failing call fails
    the bench.
    """
    taken: list[list[float]] = [[] for _ in range(clients)]
    failed: list[BaseException] = []
    until = time.perf_counter() + seconds

    def client(number: int) -> None:
        try:
            while (begun := time.perf_counter()) < until and not failed:
                call(number)
                taken[number].append(time.perf_counter() - begun)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sample([second for each in taken for second in each], time.perf_counter() - begun)


def bench(
    name: str,
    cases: Mapping[str, Case],
    *,
    trials: int = 3,
    targets: Callable[[Mapping[str, Result]], Sequence[Target]] = lambda _: (),
    more: Callable[[], Mapping[str, Any]] = dict,
) -> int:
    """Run every case once per trial, in turn; print; keep. Returns the exit code: 0 only if all
    went well.

    Nothing is written when a case fails or a target is missed.
    """
    try:
        results = interleaved(cases, trials)
        reached = list(targets(results))
        extra = dict(more())
    except Exception:
        traceback.print_exc()
        print(f"{name}: failed, nothing kept", file=sys.stderr)
        return 1
    show(name, results)
    return settled(name, reached, extra, results)


def interleaved(cases: Mapping[str, Case], trials: int) -> dict[str, Result]:
    """Every case once, then every case again: a slow minute of the machine meets them all."""
    if trials < 3:
        raise ValueError("three trials at least")
    samples: dict[str, list[Sample]] = {name: [] for name in cases}
    for _ in range(trials):
        for name, case in cases.items():
            samples[name].append(case())
    return {name: _result(each) for name, each in samples.items()}


def _result(samples: Sequence[Sample]) -> Result:
    def middle(field: str) -> float:
        return float(statistics.median(getattr(each, field) for each in samples))

    rates = [each.per_second for each in samples]
    return Result(
        per_second=middle("per_second"),
        p50=middle("p50"),
        p99=middle("p99"),
        max=max(each.max for each in samples),
        spread=(max(rates) - min(rates)) / statistics.median(rates),
        calls=sum(each.calls for each in samples),
        trials=tuple(samples),
    )


def settled(
    name: str,
    reached: Sequence[Target],
    extra: Mapping[str, Any],
    results: Mapping[str, Result] | None = None,
    *,
    whole: bool = True,
) -> int:
    """Say what was reached, and keep the figures of a `whole` run when everything was. Returns
    the exit code.
    """
    for text, ok in reached:
        print(f"  {'reached' if ok else 'MISSED '}  {text}")
    if not all(ok for _, ok in reached):
        print(f"{name}: a target was missed, nothing kept", file=sys.stderr)
        return 1
    if whole:
        keep(name, results or {}, reached, extra)
    return 0


def show(name: str, results: Mapping[str, Result]) -> None:
    width = max(map(len, results))
    print(f"\n{name}   {machine_line()}")
    print(f"{'':{width}}  {'per s':>9}  {'p50 ms':>8}  {'p99 ms':>8}  {'max ms':>8}  spread")
    for case, result in results.items():
        numbers = f"{result.p50:8.2f}  {result.p99:8.2f}  {result.max:8.1f}"
        print(f"{case:{width}}  {result.per_second:9,.0f}  {numbers}  {result.spread:5.0%}")


def keep(
    name: str,
    results: Mapping[str, Result],
    reached: Sequence[Target],
    extra: Mapping[str, Any],
) -> None:
    RESULTS.mkdir(exist_ok=True)
    kept = {
        "name": name,
        "commit": commit(),
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": machine(),
        "results": {case: asdict(result) for case, result in results.items()},
        "targets": [text for text, _ in reached],
        **extra,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    from dalhc.db.sqlite import library

    return {
        "cpu": _cpu(),
        "cores": len(_cores()),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "sqlite": library.report()["version"],
        "filesystem": _filesystem(Path.cwd()),
    }


def machine_line() -> str:
    return " · ".join(f"{name} {value}" for name, value in machine().items())


def commit() -> str:
    """The commit measured, with a + when files differ from it; empty outside a repository."""
    return _git("rev-parse", "--short=12", "HEAD") + (
        "+" if _git("status", "--porcelain") else ""
    )


def _git(*words: str) -> str:
    said = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    return said.stdout.strip() if said.returncode == 0 else ""


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def _cores() -> set[int]:
    import os

    return (
        os.sched_getaffinity(0)
        if hasattr(os, "sched_getaffinity")
        else set(range(os.cpu_count() or 1))
    )


def _filesystem(folder: Path) -> str:
    said = subprocess.run(
        ["stat", "-f", "-c", "%T", str(folder)], capture_output=True, text=True, check=False
    )
    return said.stdout.strip() or "unknown"
