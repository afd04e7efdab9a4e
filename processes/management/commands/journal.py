"""`manage.py journal watch|import|export|check`: journals as files."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.base import BaseCommand

from dalhc.db import writer
from processes.bridge import moving
from processes.bridge.watch import Watch
from processes.journal import errors
from processes.management.progress import Progress
from processes.services import SYSTEM
from processes.shown.inert import plain

DEFAULT = Path(".dal/processes")


class Command(BaseCommand):
    help = "Journals as files: watch a folder, take runs in, hand them out, or check files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        watch = verbs.add_parser("watch", help="mirror a DAL runtime's folder until Ctrl-C")
        watch.add_argument("path", nargs="?", type=Path, metavar="DIR")
        into = verbs.add_parser("import", help="take journals in, once; they are ours then")
        into.add_argument("path", type=Path, metavar="DIR|FILE")
        into.add_argument("--agent", default="dal", metavar="NAME", help="whose they are")
        out = verbs.add_parser("export", help="write processes as journals, all or these")
        out.add_argument("path", type=Path, metavar="DIR")
        out.add_argument("ids", nargs="*", metavar="ID")
        check = verbs.add_parser("check", help="say what is wrong with journals; touch nothing")
        check.add_argument("path", type=Path, metavar="DIR|FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path | None = options["path"]
        match options["verb"]:
            case "watch":
                self._watch(path)
            case "import":
                self._require_durable()
                self._import(_there(path), options["agent"])
            case "export":
                self._export(Path(path or "."), options["ids"])
            case "check":
                self._check(_there(path))

    def _watch(self, path: Path | None) -> None:
        self._require_durable()
        root = (path or settings.ENVIRONMENT.watched_root or DEFAULT).expanduser().absolute()
        stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        self.stdout.write(f"Watching {plain(str(root))}. Ctrl-C ends it.")
        self.stdout.flush()
        with _writing():
            Watch(root).run(stop)

    def _import(self, files: list[Path], agent: str) -> None:
        with self._progress(files) as told, _writing():
            count = moving.take_in(files, agent, told)
        self._said(count, "taken in", "were here already")

    def _export(self, path: Path, ids: list[str]) -> None:
        wanted = ids or list(moving.every_id())
        with self._progress(wanted) as told:
            count = moving.hand_out(wanted, path, SYSTEM, told)
        self._said(count, "written", "were there already")

    def _check(self, files: list[Path]) -> None:
        with self._progress(files) as told:
            count = moving.check(files, told)
        self._said(count, "in order", "")

    def _progress(self, items: Sequence[Any]) -> Progress:
        return Progress(len(items), self.stdout.write, sys.stderr)

    def _said(self, count: moving.Count, kept: str, same: str) -> None:
        said = f"{count.kept} {kept}" + (f", {count.same} {same}" if same else "")
        if count.refused:
            raise CommandError(f"{said}, {count.refused} refused.")
        self.stdout.write(f"{said}, none refused.")

    def _require_durable(self) -> None:
        if not settings.ENVIRONMENT.is_durable:
            told = "Durable processes are switched off (DAL_AGENT_RUNTIME_PERSIST)."
            raise CommandError(told)


def _there(path: Path | None) -> list[Path]:
    if path is None or not path.exists():
        raise CommandError(f"There is no {path}.")
    try:
        return moving.journals(path)
    except errors.NotAFile as link:
        raise CommandError(str(link)) from None


@contextmanager
def _writing() -> Iterator[None]:
    """One writer, many files to a commit."""
    writer.start()
    try:
        yield
    finally:
        writer.stop()
