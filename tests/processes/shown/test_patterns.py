from __future__ import annotations

from typing import get_args

from processes.shown.panel import Kind
from processes.shown.patterns import context


def test_every_kind_of_panel_is_among_the_examples():
    shown = {panel.kind for _, panel in context()["panels"]}
    assert shown == set(get_args(Kind.__value__))
