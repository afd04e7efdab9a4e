"""The floor under sleeping agents: raw SQLite with the product's pragmas, the least that keeps
a descriptor, what it listens to, its process and one event of a log, with nothing of ours
around it: no check, no hash, no JSON.
"""

from __future__ import annotations

import random
import time
from itertools import count
from pathlib import Path
from typing import Any

from benches import dormant_rows as rows
from benches.floor import connect

SCHEMA = """
CREATE TABLE process (id TEXT PRIMARY KEY, state TEXT NOT NULL, revision INTEGER NOT NULL,
  epoch INTEGER NOT NULL, owner TEXT);
CREATE TABLE event (id INTEGER PRIMARY KEY, process_id TEXT NOT NULL, seq INTEGER NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (process_id, seq));
CREATE TABLE sleeper (id TEXT PRIMARY KEY, agent TEXT NOT NULL, stage TEXT NOT NULL,
  due INTEGER, body TEXT NOT NULL);
CREATE INDEX sleeper_due ON sleeper (agent, due, id) WHERE due IS NOT NULL;
CREATE TABLE condition (id INTEGER PRIMARY KEY, sleeper TEXT NOT NULL, kind TEXT NOT NULL,
  key TEXT NOT NULL);
CREATE INDEX condition_key ON condition (kind, key);
CREATE INDEX condition_sleeper ON condition (sleeper);
"""
COPY = """
INSERT INTO sleeper SELECT session_id, agent, stage, due_at_ms, body
  FROM ours.descriptors_sleeper ORDER BY session_id;
INSERT INTO condition SELECT id, session_id, kind, key
  FROM ours.descriptors_condition ORDER BY id;
INSERT INTO process SELECT id, state, revision, 0, NULL FROM ours.processes_process;
INSERT INTO event SELECT id, process_id, seq, kind, data FROM ours.processes_event;
"""

_PROCESS = "SELECT state, revision, epoch FROM process WHERE id = ?"
_BODY = "SELECT agent, stage, due, body FROM sleeper WHERE id = ?"
_EVENT = "INSERT INTO event (process_id, seq, kind, body) VALUES (?, ?, ?, ?)"
_MOVE = "UPDATE process SET revision = ?, epoch = ?, owner = ? WHERE id = ?"
_KEEP = (
    "INSERT INTO sleeper VALUES (?, ?, 'sleeping', ?, ?) ON CONFLICT (id) DO UPDATE SET "
    "stage = excluded.stage, due = excluded.due, body = excluded.body"
)
_DEAF = "DELETE FROM condition WHERE sleeper = ?"
_LISTEN = "INSERT INTO condition (sleeper, kind, key) VALUES (?, 'wait-provider', ?)"
_DUE = (
    "SELECT id, due FROM sleeper WHERE agent = ? AND due IS NOT NULL AND due <= ? "
    "ORDER BY due LIMIT ?"
)
_CLAIM = "UPDATE sleeper SET stage = 'waking', due = ? WHERE id = ?"


def copy(home: str, floor: str) -> None:
    """The same sleepers, from the product's database."""
    connection = connect(Path(floor))
    for pragma in rows.FAST:
        connection.execute(pragma)
    connection.executescript(SCHEMA)
    connection.execute("ATTACH ? AS ours", (str(Path(home) / "dalhc.sqlite3"),))
    connection.executescript(f"BEGIN; {COPY} COMMIT;")
    connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


class Floor:
    """The operations of the product's side, by the same names."""

    def __init__(self, path: str, number: int) -> None:
        self._execute: Any = connect(Path(path)).execute
        self._number, self._again = number, rows.touched(number)[0]
        self._turn, self._random = count(1), random.Random(1)
        found = self._execute(_BODY, (rows.name(0),)).fetchone()
        self._body: str = found[3]

    def upsert(self) -> float:
        turn = next(self._turn)
        number = self._again[turn % len(self._again)]
        id, body = rows.name(number), f"{self._body[:-8]}{turn:08}"
        begun = time.perf_counter()
        self._execute("BEGIN IMMEDIATE")
        _, revision, epoch = self._execute(_PROCESS, (id,)).fetchone()
        self._execute(_BODY, (id,)).fetchone()
        self._sleep(id, revision + 1, epoch, 4_000_000_000_000 + turn, body, turn)
        self._execute("COMMIT")
        return time.perf_counter() - begun

    def get(self) -> float:
        name = rows.name(self._random.randrange(self._number))
        begun = time.perf_counter()
        found = self._execute(_BODY, (name,)).fetchone()
        taken = time.perf_counter() - begun
        if found is None:
            raise RuntimeError(f"{name} is not there")
        return taken

    def due(self) -> float:
        now = int(time.time() * 1000)
        begun = time.perf_counter()
        found = self._execute(_DUE, (rows.LATE, now, 50)).fetchall()
        taken = time.perf_counter() - begun
        if len(found) != 50:
            raise RuntimeError(f"{len(found)} are due, not 50")
        return taken

    def cycle(self) -> float:
        turn, now = next(self._turn), int(time.time() * 1000)
        body = f"{self._body[:-8]}{turn:08}"
        begun = time.perf_counter()
        self._execute("BEGIN IMMEDIATE")
        ((id, _),) = self._execute(_DUE, (rows.agent(0), now, 1)).fetchall()
        _, revision, epoch = self._execute(_PROCESS, (id,)).fetchone()
        self._execute(_BODY, (id,)).fetchone()
        self._execute(_EVENT, (id, revision + 1, "claim", body[:200]))
        self._execute(_MOVE, (revision + 1, epoch + 1, "bench", id))
        self._execute(_CLAIM, (now + 60_000, id))
        self._execute(_DEAF, (id,))
        self._execute("COMMIT")
        self._execute("BEGIN IMMEDIATE")
        _, revision, epoch = self._execute(_PROCESS, (id,)).fetchone()
        self._execute(_BODY, (id,)).fetchone()
        self._sleep(id, revision + 1, epoch, 1_000_000 + turn, body, turn)
        self._execute("COMMIT")
        return time.perf_counter() - begun

    def _sleep(
        self, id: str, revision: int, epoch: int, due: int, body: str, turn: int
    ) -> None:
        self._execute(_EVENT, (id, revision, "sleep", body))
        self._execute(_MOVE, (revision, epoch, None, id))
        self._execute(_KEEP, (id, rows.agent(0), due, body))
        self._execute(_DEAF, (id,))
        self._execute(_LISTEN, (id, f"letterbox/{id}/{turn}"))
