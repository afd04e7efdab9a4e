"""The agent's command line: arguments, exit codes, and how to go on after an interruption."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from dalhc.client import Client, DalhcError, RunEnded
from dalhc.client.agent.names import shown
from dalhc.client.agent.refused import CannotStart
from dalhc.client.agent.server import address, connect
from dalhc.client.agent.tools import Tools
from dalhc.client.agent.work import METADATA, find_duplicates, objective

DONE, FAILED, WRONG_USE, ENDED, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143


def main(arguments: Sequence[str]) -> int:
    """0 completed, 1 failed, 2 could not begin, 3 ended by a person, 130 or 143 interrupted."""
    options = _parser().parse_args(arguments)
    try:
        root = folder(options.folder)
        with connect(address(options.url, options.key)) as client:
            return _work(client, root, options.process or _new_id())
    except CannotStart as refused:
        _say(str(refused), error=True)
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED


def folder(given: str) -> str:
    """The folder's real path. Raises CannotStart."""
    path = os.path.realpath(os.path.expanduser(given))
    if not os.path.exists(path):
        raise CannotStart(f"There is no folder {shown(given)}.")
    if not os.path.isdir(path):
        raise CannotStart(f"{shown(given)} is not a folder.")
    if not os.access(path, os.R_OK | os.X_OK):
        raise CannotStart(f"The folder {shown(given)} cannot be read.")
    return path


def _work(client: Client, root: str, id: str) -> int:
    _say(f"Process {id}")
    _say(f"  its page: {client.url}/processes/{id}/")
    again = f"  to go on after an interruption: {_again(root, id)}"
    _say(again)
    try:
        with client.run(objective(root), id=id, **METADATA) as run:
            run.final_text = find_duplicates(Tools(run, root, _say))
        _say(f"{run.final_text} Report: {client.url}/processes/{id}/")
        return DONE
    except RunEnded as ended:
        _say(str(ended.detail))
        return DONE if ended.state == "completed" else ENDED
    except DalhcError as error:
        _say(f"Stopped: {error}\n{again}", error=True)
        return FAILED
    except KeyboardInterrupt:
        _say(f"\nInterrupted; nothing is lost.\n{again}")
        return INTERRUPTED
    except SystemExit:
        _say(f"Terminated; nothing is lost.\n{again}")
        raise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dalhc.client.agent",
        description="Find duplicate files in a folder and ask which to keep. Deletes nothing.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="the folder to look through")
    parser.add_argument("--process", metavar="ID", help="go on with this process")
    parser.add_argument(
        "--url", default=os.environ.get("DALHC_URL"), help="the server's address"
    )
    parser.add_argument("--key", default=os.environ.get("DALHC_KEY"), help="a runtime's key")
    return parser


def _new_id() -> str:
    """Made here, not by the server, so that it is known before anything is sent."""
    return f"duplicates-{secrets.token_hex(5)}"


def _again(root: str, id: str) -> str:
    return f"make agent FOLDER={shlex.quote(root)} PROCESS={shlex.quote(id)}"


def _say(line: str, error: bool = False) -> None:
    stream = sys.stderr if error else sys.stdout
    try:
        print(line, file=stream, flush=True)
    except BrokenPipeError:  # whoever read along has gone; the work goes on
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def terminate(number: int, frame: FrameType | None) -> NoReturn:
    """For SIGTERM: leave as Ctrl-C does, saying how to go on."""
    raise SystemExit(TERMINATED)
