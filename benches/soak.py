"""Half of what one server can do, for long: memory and latency stay flat.
`python -m benches.soak [MINUTES]`, 30 unless told otherwise; of fewer nothing is kept.

Every client opens runs, appends, asks, is answered, resumes and completes, so that nothing
grows but the database; a page of the inbox and the metrics are read meanwhile.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benches.common import percentile, settled, tried
from benches.inbox import log_in
from benches.lives import Live
from benches.served import Served, served

MINUTES, CLIENTS, WARM_SECONDS, FULL_SECONDS = 30.0, 8, 60.0, 15.0
SAMPLE_SECONDS = 5.0
# Of a straight line through all samples: its rise over the whole soak. What is cached once is
# no leak, so a short one may rise a little.
MIB_PER_HOUR, AT_LEAST_MIB, SLOWER = 30.0, 8.0, 1.5


@dataclass
class Soaked:
    """One entry per sample: seconds since the beginning, MiB, latencies since the last (ms)."""

    at: list[float] = field(default_factory=list)
    mib: list[float] = field(default_factory=list)
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)
    calls: int = 0


def main() -> int:
    minutes = float(sys.argv[1]) if sys.argv[1:] else MINUTES
    with served() as server:
        Load(server).run(WARM_SECONDS)
        full = Load(server).run(FULL_SECONDS).calls / FULL_SECONDS
        soaked = Load(server, per_second=full / 2).run(minutes * 60)
    return told(minutes, full, soaked)


class Load:
    """Clients that live whole lives of runs; `per_second` calls together, or as many as go."""

    def __init__(self, server: Served, per_second: float = 0.0) -> None:
        self._server, self._pace = server, CLIENTS / per_second if per_second else 0.0
        self._taken: list[float] = []
        self._failed: list[BaseException] = []

    def run(self, seconds: float) -> Soaked:
        begun, found = time.perf_counter(), Soaked()
        until = begun + seconds
        clients = [
            threading.Thread(target=self._live, args=(number, until))
            for number in range(CLIENTS)
        ]
        clients.append(threading.Thread(target=self._read, args=(until,)))
        for client in clients:
            client.start()
        while (left := until - time.perf_counter()) > 0 and not self._failed:
            time.sleep(min(left, SAMPLE_SECONDS))
            self._sample(found, time.perf_counter() - begun)
        for client in clients:
            client.join()
        if self._failed:
            raise self._failed[0]
        return found

    def _sample(self, found: Soaked, at: float) -> None:
        taken, self._taken = self._taken, []
        found.calls += len(taken)
        ordered = sorted(second * 1000 for second in taken)
        if ordered:
            found.at.append(at)
            found.mib.append(self._server.rss_mib())
            found.p50.append(percentile(ordered, 50))
            found.p99.append(percentile(ordered, 99))

    def _live(self, number: int, until: float) -> None:
        try:
            with Live(self._server, number) as live:
                for call in live.calls():
                    begun = time.perf_counter()
                    if begun >= until or self._failed:
                        return
                    call()
                    self._taken.append(time.perf_counter() - begun)
                    time.sleep(max(0.0, begun + self._pace - time.perf_counter()))
        except BaseException as error:
            self._failed.append(error)

    def _read(self, until: float) -> None:
        """The inbox once a second, as somebody looks at it; logged in once."""
        try:
            cookie, _ = log_in(self._server)
            with Live(self._server, -1) as live:
                while time.perf_counter() < until and not self._failed:
                    live.page("/", cookie)
                    live.page("/metrics", "")
                    time.sleep(1)
        except BaseException as error:
            self._failed.append(error)


def slope(at: Sequence[float], values: Sequence[float]) -> float:
    """Of the straight line nearest to the values (least squares), per second."""
    middle, mean = sum(at) / len(at), sum(values) / len(values)
    over = sum((x - middle) * (y - mean) for x, y in zip(at, values, strict=True))
    under = sum((x - middle) ** 2 for x in at)
    return over / under if under else 0.0


def told(minutes: float, full: float, soaked: Soaked) -> int:
    """Print, and keep the figures when all was reached."""
    length = soaked.at[-1] - soaked.at[0]
    grown = slope(soaked.at, soaked.mib) * length
    most = max(AT_LEAST_MIB, MIB_PER_HOUR * length / 3600)
    begin = sum(soaked.p50[:5]) / len(soaked.p50[:5])
    slower = 1 + slope(soaked.at, soaked.p50) * length / begin
    rate = soaked.calls / (minutes * 60)
    reached = [
        (f"{rate:.0f} calls/s of {full:.0f} for {minutes:g} minutes", True),
        (f"memory rises by {grown:+.1f} MiB (<= {most:.0f})", grown <= most),
        (f"p50 at the end is {slower:.2f} of that at the beginning (<= {SLOWER:g})",
         slower <= SLOWER),
    ]  # fmt: skip
    if not all(ok for _, ok in reached):
        print("  MiB      ", *(f"{mib:.0f}" for mib in sparse(soaked.mib)))
        print("  p50 ms   ", *(f"{ms:.1f}" for ms in sparse(soaked.p50)))
    thirds = {name: in_thirds(getattr(soaked, name)) for name in ("mib", "p50", "p99")}
    extra = {"minutes": minutes, "calls": soaked.calls, "thirds": thirds}
    return settled("soak", reached, extra, whole=minutes >= MINUTES)


def sparse(values: Sequence[float]) -> Sequence[float]:
    """Some twenty of them."""
    return values[:: max(1, len(values) // 20)]


def in_thirds(values: Sequence[float]) -> dict[str, Any]:
    """The median of the beginning, of the middle and of the end."""
    size = len(values) // 3
    return tried([statistics.median(values[n * size : (n + 1) * size]) for n in range(3)])


if __name__ == "__main__":
    sys.exit(main())
