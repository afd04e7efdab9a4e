"""strace: what a program asks of the disk, in order, with every byte; and the same replayed."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import programs
from tests.crash.disk import Disk

FLUSHES = ("fsync", "fdatasync")
WRITES = (
    "write", "pwrite64", "ftruncate", "openat", "mkdir", "mkdirat", "rename", "renameat",
    "renameat2", "link", "linkat", "unlink", "unlinkat",
)  # fmt: skip
# What would change a file behind the model's back.
UNKNOWN = ("writev", "pwritev", "pwritev2", "fallocate", "truncate", "copy_file_range",
           "sendfile", "symlinkat", "symlink", "rmdir", "sync_file_range")  # fmt: skip
TOLD = b"told "

_LINE = re.compile(r"(\d+) +(?:<\.\.\. )?(\w+)(?:\(| resumed>)(.*)")
_RESULT = re.compile(r"\)\s+= (\S+)")
_FD = re.compile(r"(\w+)<([^>]*)>")


@dataclass
class Call:
    """One call of the kernel: where in the log it began and ended, and what came of it."""

    name: str
    arguments: str
    begun: int
    ended: int = -1
    result: str = "?"


@dataclass(frozen=True, slots=True)
class Moment:
    """Between two calls: the disk, and everything the program had been told by then."""

    disk: Disk
    told: Sequence[str]


def strace() -> str:
    """Its path."""
    found = programs.find("strace")
    assert found, "These need strace (Debian: apt-get install strace)."
    return found


def record(command: Sequence[str], log: Path, **how: object) -> None:
    """Run the command to its end, and write what it asked of the disk to `log`."""
    calls = ",".join((*WRITES, *FLUSHES, *UNKNOWN))
    ran = subprocess.run(
        [strace(), "-f", "--seccomp-bpf", "-y", "-xx", "-s", "1000000", "-e", "signal=none",
         "-e", f"trace={calls}", "-o", str(log), *command],
        capture_output=True, text=True, check=False, **how,
    )  # type: ignore[call-overload]  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-4_000:]


@contextmanager
def watched(*how: str) -> Iterator[subprocess.Popen[str]]:
    """strace at work on a process that runs, from the first line inside to the last."""
    watching = subprocess.Popen(
        [strace(), "-e", "signal=none", *how], stderr=subprocess.PIPE, text=True
    )
    assert watching.stderr is not None
    first = watching.stderr.readline()
    assert "attached" in first, f"strace could not attach: {first}"
    draining = threading.Thread(target=watching.stderr.read, daemon=True)
    draining.start()
    try:
        yield watching
    finally:
        watching.send_signal(signal.SIGINT)  # it lets go, and what it watched goes on
        watching.wait(30)
        draining.join()
        watching.stderr.close()


def calls_of(log: Path) -> list[Call]:
    """What was asked and done, in the order it began; what failed changed nothing."""
    calls: list[Call] = []
    open_calls: dict[str, Call] = {}
    for number, line in enumerate(log.read_text().splitlines()):
        match = _LINE.match(line)
        if match is None:  # the end of a process
            continue
        process, name, rest = match.groups()
        if "resumed>" in line:
            call = open_calls.pop(process)
        else:
            call = Call(name, rest, number)
            calls.append(call)
        if rest.endswith("<unfinished ...>"):
            open_calls[process] = call
            continue
        result = _RESULT.search(rest)
        call.ended, call.result = number, result[1] if result else "?"
    return [call for call in calls if call.result != "?" and not call.result.startswith("-")]


def moments(calls: list[Call], home: Path, before: Mapping[str, bytes]) -> Iterator[Moment]:
    """The disk after each beginning and each end, from `before` (path below home: bytes) on."""
    disk, told = Disk(before), list[str]()
    flushing: dict[int, Callable[[], None]] = {}
    steps = [(call.begun, 0, call) for call in calls]
    steps += [(call.ended, 1, call) for call in calls if call.name in FLUSHES]
    for _, end, call in sorted(steps, key=lambda step: step[:2]):
        if call.name in FLUSHES:
            path = _below(home, _fd(call.arguments))
            if path is None:
                continue
            if end:
                flushing.pop(id(call))()
            else:
                flushing[id(call)] = disk.flush(path)
        elif not _step(disk, told, call, home):
            continue
        yield Moment(disk, told)


def _step(disk: Disk, told: list[str], call: Call, home: Path) -> bool:
    """Do it on the model; False when it is about something else."""
    match call.name:
        case "write":
            said = _strings(call.arguments)
            path = _below(home, _fd(call.arguments))
            if path is not None:
                disk.write(path, None, said[0])
            elif said and said[0].startswith(TOLD):
                told += [line[len(TOLD) :] for line in said[0].decode().splitlines()]
            else:
                return False
        case "pwrite64":
            path = _below(home, _fd(call.arguments))
            if path is None or path.endswith("-shm"):
                return False
            disk.write(path, _number(call, 3), _strings(call.arguments)[0])
        case "ftruncate":
            path = _below(home, _fd(call.arguments))
            if path is None or path.endswith("-shm"):
                return False
            disk.cut(path, _number(call, 1))
        case "openat":
            return _opened(disk, call, home)
        case _:
            return _named(disk, call, home)
    return True


def _opened(disk: Disk, call: Call, home: Path) -> bool:
    [path] = _paths(call, home)
    if path is None or path.endswith("-shm") or "O_CREAT" not in call.arguments:
        assert path is None or "O_TRUNC" not in call.arguments
        return False
    assert "O_APPEND" not in call.arguments, "an offset of its own is not known here"
    if path in disk.now:
        if "O_TRUNC" in call.arguments:
            disk.cut(path, 0)
        return "O_TRUNC" in call.arguments
    disk.make(path)
    return True


def _named(disk: Disk, call: Call, home: Path) -> bool:
    """A name given or taken."""
    paths = [path for path in _paths(call, home) if path is not None]
    if not paths or paths[0].endswith("-shm"):
        return False
    assert call.name not in UNKNOWN, f"{call.name} is not in the model"
    match call.name:
        case "mkdir" | "mkdirat":
            disk.make(paths[0], is_folder=True)
        case "rename" | "renameat" | "renameat2":
            disk.rename(*paths)
        case "link" | "linkat":
            disk.link(*paths)
        case "unlink" | "unlinkat":
            disk.unlink(paths[0])
    return True


def _paths(call: Call, home: Path) -> list[str | None]:
    """Each path named, below home; relative ones after the folder named before them."""
    found, at = [], ""
    for folder, text in re.findall(r'\w+<([^>]*)>|"([^"]*)"', _RESULT.split(call.arguments)[0]):
        if folder:
            at = _text(folder)
        else:
            found.append(_below(home, str(Path(at) / _text(text))))
    return found


def _number(call: Call, place: int) -> int:
    return int(call.arguments.split(", ")[place].split(")")[0].split(" ")[0])


def _fd(arguments: str) -> str:
    match = _FD.match(arguments)
    return _text(match[2]) if match else ""


def _strings(arguments: str) -> list[bytes]:
    assert '"...' not in arguments, "cut short"
    return [_bytes(text) for text in re.findall(r'"([^"]*)"', arguments)]


def _text(text: str) -> str:
    return _bytes(text).decode()


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _below(home: Path, path: str) -> str | None:
    """The path from home on, empty for home itself; None for another place."""
    if path == str(home):
        return ""
    return path.removeprefix(f"{home}/") if path.startswith(f"{home}/") else None
