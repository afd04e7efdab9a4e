"""One durable step over HTTP, 32 clients on four servers over one PostgreSQL of the bench's
own, beside the same asked for one bare statement at a time by as many connections.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count

import psycopg

from benches.append import SECONDS, STEP
from benches.common import Result, Sample, Target, bench, closed_loop
from benches.load import Request, http_loop
from benches.served import Served, beside, served
from tests.cluster import Cluster, create_database

CLIENTS, SERVERS = 32, 4
OF_THE_FLOOR = 0.15
SCHEMA = """
CREATE TABLE process (id int PRIMARY KEY, revision int NOT NULL);
CREATE TABLE step (id bigserial PRIMARY KEY, process_id int NOT NULL, seq int NOT NULL,
  key text NOT NULL, body text NOT NULL, UNIQUE (process_id, seq), UNIQUE (process_id, key));
CREATE TABLE event (id bigserial PRIMARY KEY, process_id int NOT NULL, seq int NOT NULL,
  body text NOT NULL, UNIQUE (process_id, seq));
INSERT INTO process SELECT n, 0 FROM generate_series(0, 63) n;
"""
# The head moved, the step and its event added: a whole append, in one statement and one COMMIT.
APPEND = """
WITH moved AS (UPDATE process SET revision = revision + 1 WHERE id = %(process)s
    RETURNING id, revision),
  added AS (INSERT INTO step (process_id, seq, key, body)
    SELECT id, revision, lpad(revision::text, 64, '0'), repeat('s', 300) FROM moved)
INSERT INTO event (process_id, seq, body) SELECT id, revision, repeat('e', 250) FROM moved
"""


@contextmanager
def several(number: int) -> Iterator[list[Served]]:
    """So many servers on one PostgreSQL, which keeps what it says (fsync)."""
    cluster = Cluster(durable=True)
    address = create_database(cluster.url(), "bench")
    try:
        with ExitStack() as stack:
            first = stack.enter_context(served(DATABASE_URL=address))
            yield [
                first,
                *(
                    stack.enter_context(beside(first, DATABASE_URL=address))
                    for _ in range(number - 1)
                ),
            ]
    finally:
        cluster.stop()


def main() -> int:
    cluster = Cluster(durable=True)
    try:
        with several(SERVERS) as servers:
            cases = {
                "bare statement, 32": floor(create_database(cluster.url(), "floor")),
                "one server, 32": appending(servers[:1]),
                "four servers, 32": appending(servers),
            }
            return bench("postgres_append", cases, targets=targets)
    finally:
        cluster.stop()


def floor(address: str) -> Callable[[], Sample]:
    """In a process of its own, as the servers and their clients are."""
    with psycopg.connect(address, autocommit=True) as made:
        made.execute(SCHEMA)

    def case() -> Sample:
        words = [sys.executable, "-m", "benches.postgres_append", address]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return Sample(**json.loads(done.stdout))

    return case


def bare(address: str) -> Sample:
    """Each client with a connection and a process of its own."""
    wires = [psycopg.connect(address, autocommit=True) for _ in range(CLIENTS)]

    def call(client: int) -> None:
        wires[client].execute(APPEND, {"process": client})

    try:
        return closed_loop(CLIENTS, SECONDS, call)
    finally:
        for wire in wires:
            wire.close()


_runs = count()


def appending(servers: Sequence[Served]) -> Callable[[], Sample]:
    """Each client appends to a process of its own."""

    def case() -> Sample:
        run = next(_runs)
        for client in range(CLIENTS):
            servers[0].open_running(f"bench-{run}-{client}")
        path = f"/api/v1/processes/bench-{run}-{{client}}/steps"
        request = Request("POST", path, servers[0].headers(), json.dumps(STEP))
        ports = [server.port for server in servers]
        return http_loop(ports, CLIENTS, SECONDS, request, expect=[201])

    return case


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    base = results["bare statement, 32"].per_second
    share = results["four servers, 32"].per_second / base
    said = f"four servers, 32: {share:.2f} of the bare statement (>= {OF_THE_FLOOR})"
    return [(said, share >= OF_THE_FLOOR)]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(vars(bare(sys.argv[1]))))
        sys.exit(0)
    sys.exit(main())
