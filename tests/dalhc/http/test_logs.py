"""One record is one line, and no line holds a key."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from dalhc.http.logs import OneLine, Safe, hide_keys

KEY = "dalhc_1a2b3c4d_Zk3-_9876543210abcdefghijklmnop"


def line(message, *args, error=False):
    """What the handler would print."""
    trouble = None
    if error:
        try:
            raise ValueError(message)
        except ValueError:
            trouble = sys.exc_info()
    record = logging.LogRecord("dalhc", logging.INFO, "", 1, message, args, trouble)
    Safe().filter(record)
    return OneLine().format(record)


@pytest.mark.parametrize(
    "text",
    ["ok\r\nINFO approved by alice", "\x1b[2J\x1b[1;1HAPPROVED", "\x1b]8;;http://evil\x07x",
     "\x9b31m", "a\u2028b", "\x00"],
)  # fmt: skip
def test_text_of_agents_cannot_start_a_line_or_move_a_cursor(text):
    printed = line("said %s", text)
    assert printed.isprintable() and printed.isascii()
    assert json.loads(printed)["message"] == f"said {text}"


def test_a_key_is_cut_to_its_prefix_wherever_it_stands():
    for printed in (line("key %s", KEY), line(f"{KEY}{KEY}"), line("x %s", KEY, error=True)):
        assert KEY not in printed and KEY.split("_", 2)[2] not in printed
    assert hide_keys(f"a {KEY} b") == "a dalhc_1a2b3c4d_… b"


def test_a_trace_is_within_the_same_line():
    printed = line(f"lost {KEY}", error=True)
    told = json.loads(printed)
    assert "ValueError" in told["trace"] and KEY not in told["trace"]
    assert "\n" not in printed
