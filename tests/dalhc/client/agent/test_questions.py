"""What is asked about a group, and what can be answered."""

from __future__ import annotations

import pytest

from dalhc.client.agent.groups import Group
from dalhc.client.agent.questions import KEEP_ALL, options, question
from processes.journal import limits


def group(*paths: str, size: int = 84_213) -> Group:
    return Group("0" * 64, size, paths)


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        (
            ("invoice (1).pdf", "invoice.pdf"),
            "invoice (1).pdf and invoice.pdf are the same 84 kB file.",
        ),
        (
            ("2023/tax.pdf", "old/tax.pdf"),
            "2023/tax.pdf and old/tax.pdf are the same 84 kB file.",
        ),
        (("a", "b", "c"), "a, b and c are the same 84 kB file."),
        (("a", "b", "c", "d"), "a, b and 2 others are the same 84 kB file."),
        (("x/a\n", "b\u202e"), "a\\n and b\\u202e are the same 84 kB file."),
    ],
)
def test_a_question_reads_like_one_a_person_would_ask(paths, text):
    assert question(group(*paths)) == f"{text} Which one should be kept?"


def test_a_question_of_long_names_stays_short():
    assert len(question(group("a" * 250 + "1.pdf", "a" * 250 + "2.pdf"))) < 350


def test_the_options_are_the_paths_and_keep_all_last():
    assert options(group("a/x", "b/x")) == {"a/x": "a/x", "b/x": "b/x", KEEP_ALL: None}


def test_an_option_means_one_file_also_when_names_read_alike():
    paths = ("Keep all", "a\\u202e", "a\u202e", "b" * 800 + "1", "b" * 800 + "1x")
    offered = options(group(*paths))
    assert len(offered) == len(paths) + 1
    assert offered[KEEP_ALL] is None
    assert sorted(path for path in offered.values() if path) == sorted(paths)


def test_options_stay_within_their_bounds():
    offered = options(group(*(f"{n}/" + "語" * 600 for n in range(300))))
    assert len(offered) == limits.OPTIONS
    assert max(map(len, offered)) <= limits.OPTION_CHARS
