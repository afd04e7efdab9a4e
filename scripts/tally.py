"""Refuse a run that proves less than it seems: `tally.py RESULTS.xml`, as JUnit writes it."""

from __future__ import annotations

import sys
from xml.etree import ElementTree


def complaint(path: str) -> str | None:
    """None when tests ran and none was skipped; else a sentence."""
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return "There is no result of the tests to count."
    skipped = [_name(case) for case in cases if case.find("skipped") is not None]
    if skipped:
        return f"{len(skipped)} skipped, none may be: {', '.join(skipped[:10])}."
    return None if cases else "No test ran."


def _name(case: ElementTree.Element) -> str:
    return f"{case.get('classname')}::{case.get('name')}"


if __name__ == "__main__":
    sys.exit(complaint(sys.argv[1]))
