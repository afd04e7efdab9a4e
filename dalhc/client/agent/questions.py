"""Asking which file of each group to keep: one question per group, each asked once."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dalhc.client.agent.groups import Group
from dalhc.client.agent.names import count, in_bytes, shortened, shown
from dalhc.client.agent.tools import Tools
from processes.journal import limits

MOST_QUESTIONS = 8
KEEP_ALL = "Keep all"
NAME = 120  # characters of a file name inside a question

type Outcome = Literal["keep", "keep all", "undecided"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of a group: the path to keep, all of them, or nothing decided and why."""

    group: Group
    outcome: Outcome
    keep: str = ""
    note: str = ""


def ask_all(tools: Tools, groups: Sequence[Group]) -> list[Choice]:
    """Ask about the groups that waste most; the others are undecided."""
    asked = groups[:MOST_QUESTIONS]
    choices = [_ask(tools, group, n, len(asked)) for n, group in enumerate(asked, start=1)]
    note = f"not asked: only the {MOST_QUESTIONS} largest groups are"
    return choices + [
        Choice(group, "undecided", note=note) for group in groups[MOST_QUESTIONS:]
    ]


def _ask(tools: Tools, group: Group, number: int, of: int) -> Choice:
    text, offered = question(group), options(group)
    tools.say(f"  asks in the inbox ({number} of {of}): {text}")
    answer = tools.run.ask(
        text,
        options=[*offered],
        detail=_detail(group, len(offered) - 1, number, of),
        ask_key=f"keep-{group.sha256}-{group.size}",
    )
    if answer.declined:
        tools.say(f"  declined: {shown(answer.note)}")
        return Choice(group, "undecided", note=f"declined: {answer.note}".removesuffix(": "))
    tools.say(f"  answer: {answer.text}")
    keep = offered.get(answer.text)
    if keep is None:
        return Choice(group, "keep all")
    return Choice(group, "keep", keep)


def question(group: Group) -> str:
    """`invoice (1).pdf and invoice.pdf are the same 84 kB file. Which one should be kept?`"""
    names = _names(group.paths)
    if len(names) > 3:
        names = [names[0], names[1], f"{len(names) - 2} others"]
    told = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{told} are the same {in_bytes(group.size)} file. Which one should be kept?"


def options(group: Group) -> dict[str, str | None]:
    """What can be answered, and the path each stands for; None keeps all."""
    offered: dict[str, str | None] = {KEEP_ALL: None}
    for path in group.paths[: limits.OPTIONS - 1]:
        offered[_unlike(offered, shortened(shown(path), limits.OPTION_CHARS - 12))] = path
    del offered[KEEP_ALL]
    return {**offered, KEEP_ALL: None}


def _names(paths: Sequence[str]) -> list[str]:
    """File names alone when they tell the files apart, else their paths."""
    alone = [posixpath.basename(path) for path in paths]
    told = alone if len(set(alone)) == len(alone) else paths
    return [shortened(shown(name), NAME) for name in told]


def _unlike(offered: dict[str, str | None], option: str) -> str:
    """The option, numbered when another reads alike: an answer must mean one file."""
    number, text = 2, option
    while text in offered:
        number, text = number + 1, f"{option} ({number})"
    return text


def _detail(group: Group, offered: int, number: int, of: int) -> str:
    said = [f"Question {number} of {of}. The files were compared byte for byte."]
    if offered < len(group.paths):
        said.append(f"{offered} of {count(len(group.paths), 'file')} can be chosen here.")
    said.append(
        f"Keeping one would free {in_bytes(group.wasted)}. "
        "Nothing is deleted: the answer goes into the report."
    )
    return " ".join(said)
