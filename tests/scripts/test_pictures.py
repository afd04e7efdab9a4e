"""The pictures in docs/ are those that the script takes, small, and shown to a reader."""

from __future__ import annotations

import struct

import pytest

from scripts.pictures import DOCS, MOST_BYTES, PICTURES


@pytest.mark.parametrize("picture", PICTURES, ids=lambda one: one.name)
def test_each_picture_is_there_small_and_shown(picture):
    kept = (DOCS / f"{picture.name}.png").read_bytes()
    assert kept.startswith(b"\x89PNG") and len(kept) <= MOST_BYTES
    assert struct.unpack(">II", kept[16:24]) == picture.size
    assert f"]({picture.name}.png)" in (DOCS / "pages.md").read_text()


def test_no_other_picture_is_kept():
    assert {path.stem for path in DOCS.glob("*.png")} == {one.name for one in PICTURES}
