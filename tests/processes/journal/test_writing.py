"""A journal written in pieces is the journal written whole."""

from __future__ import annotations

import json

from hypothesis import given

from processes.journal import files
from processes.journal.writing import pieces
from tests.processes.journal.test_files import GOLDEN
from tests.processes.journal.test_laws import records, unknown


@given(records(), unknown, unknown, unknown)
def test_the_pieces_are_what_a_whole_document_would_be(record, head, step, turn):
    whole = record.model_dump(mode="json")
    if whole["steps"]:
        whole["steps"][-1] |= step
    if whole["turns"]:
        whole["turns"][0] |= turn
    extra = {"head": head, "steps": {str(len(record.steps)): step}, "turns": {"7": turn}}
    text = "".join(pieces(record, record.steps, record.turns, extra, first_turn=7))
    assert text == json.dumps({**whole, **head}, indent=2, ensure_ascii=False) + "\n"


def test_no_step_is_read_before_it_is_written():
    def steps():
        raise AssertionError("read too early")
        yield

    record, _ = files.load(GOLDEN.encode())
    first = next(pieces(record, steps(), ()))
    assert '"objective"' in first and '"steps"' not in first
