"""Every example in STYLE.md is in the file it names, line for line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = re.compile(r"^```\w+\n\W+(\S+)(?: \W+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall((ROOT / "STYLE.md").read_text())


def test_every_block_names_its_file():
    assert len(EXAMPLES) == (ROOT / "STYLE.md").read_text().count("\n```\n")


@pytest.mark.parametrize(("path", "text"), EXAMPLES, ids=[path for path, _ in EXAMPLES])
def test_an_example_is_in_the_file_it_names(path, text):
    assert text in (ROOT / path).read_text()
