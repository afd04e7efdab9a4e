"""Names and sizes as the agent says them."""

from __future__ import annotations

import os

import pytest

from dalhc.client.agent.names import argument, count, in_bytes, shortened, shown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Übersicht 2024.pdf", "Übersicht 2024.pdf"),
        ("two\nlines", "two\\nlines"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        (os.fsdecode(b"caf\xe9"), "caf\\udce9"),
        ("nul\0", "nul\\x00"),
        ("\U0001f4c4.txt", "\U0001f4c4.txt"),
    ],
)
def test_what_cannot_be_seen_is_written_out(name, text):
    assert shown(name) == text


def test_two_paths_that_read_alike_are_different_arguments():
    assert argument("a\u202e") != argument("a\\u202e")
    assert argument("plain") == {"path": "plain"}


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1 kB"),
        (84_213, "84 kB"),
        (1_234_567, "1.2 MB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (9_949, "9.9 kB"),
        (9_950, "10 kB"),
        (5 * 10**15, "5000 TB"),
    ],
)
def test_a_size_reads_as_in_a_file_manager(size, text):
    assert in_bytes(size) == text


def test_a_long_path_keeps_its_end():
    short = shortened("a" * 300 + "/report.pdf", 60)
    assert len(short) == 60
    assert short.endswith("/report.pdf")
    assert shortened("short", 60) == "short"


def test_numbers_agree_with_their_nouns():
    assert count(1, "file") == "1 file"
    assert count(1200, "file") == "1,200 files"
    assert count(2, "entry", "entries") == "2 entries"
