"""The report: `report.md` for people, `duplicates.csv` for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import chain

from dalhc.client.agent.names import count, in_bytes, shown
from dalhc.client.agent.questions import Choice
from dalhc.client.agent.walk import Walked

COLUMNS = ("group", "decision", "file", "bytes", "sha256", "note")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
MOST_NOTES = 200


def markdown(folder: str, walked: Walked, choices: Sequence[Choice]) -> str:
    """No time of day and no random order: the same folder and answers give the same bytes."""
    return "\n".join(
        [
            "# Duplicate files",
            "",
            f"Folder: {_code(folder)}",
            "",
            summary(walked, choices),
            "Nothing was deleted, moved or changed.",
            "",
            *chain.from_iterable(_group(n, each) for n, each in enumerate(choices, start=1)),
            *_left_out(walked),
        ]
    )


def summary(walked: Walked, choices: Sequence[Choice]) -> str:
    """One or two sentences: what was looked at, what was found, what was decided."""
    seen = f"{count(len(walked.files), 'file')} in {count(walked.folders, 'folder')}"
    if not choices:
        return f"{seen} looked at; no duplicates found."
    decided = [choice for choice in choices if choice.outcome != "undecided"]
    freed = sum(choice.group.wasted for choice in choices if choice.outcome == "keep")
    return (
        f"{seen} looked at; {count(len(choices), 'group')} of duplicates found, "
        f"{len(decided)} decided. Removing the copies not kept would free {in_bytes(freed)}."
    )


def table(choices: Sequence[Choice]) -> str:
    """CSV, one row per file. A cell a spreadsheet would compute begins with an apostrophe."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    for number, choice in enumerate(choices, start=1):
        group = choice.group
        for path in group.paths:
            cells = (
                _decision(choice, path),
                shown(path),
                group.size,
                group.sha256,
                choice.note,
            )
            rows.writerow([number, *map(_cell, cells)])
    return out.getvalue()


def _group(number: int, choice: Choice) -> list[str]:
    group = choice.group
    copies = f"{len(group.paths)} × {in_bytes(group.size)}"
    note = f" ({shown(choice.note)})" if choice.note else ""
    lines = [f"## {number}. {copies}: {choice.outcome}{note}", ""]
    lines += [f"- {_decision(choice, path)}: {_code(path)}" for path in group.paths]
    return [*lines, "", f"SHA-256 `{group.sha256}`", ""]


def _decision(choice: Choice, path: str) -> str:
    match choice.outcome:
        case "keep":
            return "keep" if path == choice.keep else "duplicate"
        case "keep all":
            return "keep"
        case "undecided":
            return "undecided"


def _left_out(walked: Walked) -> list[str]:
    empty = sum(1 for file in walked.files if not file.size)
    counted = (
        (empty, "empty file"),
        (walked.hidden, "hidden file or folder", "hidden files and folders"),
        (walked.links, "symbolic link"),
        (walked.special, "special file"),
    )
    notes = [count(*each) for each in counted if each[0]] + walked.notes[:MOST_NOTES]
    more = len(walked.notes) - MOST_NOTES
    notes += [f"{more:,} more notes"] if more > 0 else []
    return ["## Left out", "", *(f"- {shown(note)}" for note in notes), ""] if notes else []


def _code(path: str) -> str:
    """Inside a fence longer than any run of backticks in it: a name is never markup."""
    text = shown(path)
    fence = "`"
    while fence in text:
        fence += "`"
    return f"`{text}`" if fence == "`" else f"{fence} {text} {fence}"


def _cell(value: object) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
