"""Crash classes, row by row (contract C01-C09); the rows that need a killed process, C01-C03,
C05 and C06, stand in tests/crash/test_waking_kill.py.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dalhc.clock import at
from processes.models import Event, Step
from tests.descriptors import making
from tests.making import append, make_process

pytestmark = pytest.mark.django_db
TOP = Path(__file__).parents[2]


def test_c04_no_page_and_no_document_claims_exactly_once():
    denied = re.compile(r"(?i)\b(no|not|never|nothing|nobody)\b[^.|]{0,80}exactly[- ]once")
    texts = [TOP / "README.md", TOP / "API.md", *(TOP / "docs").glob("*.md")]
    texts += [*(TOP / "templates").rglob("*.html"), *(TOP / "descriptors").rglob("*.py")]
    assert len(texts) > 50
    for path in texts:
        assert not re.search(r"(?i)exactly[- ]once", denied.sub("", path.read_text())), path


@pytest.mark.parametrize("effect", ["at_most_once", "at_least_once", "idempotent"])
def test_c07_a_steps_effect_is_stored_and_shown(effect, runtime):
    made = make_process(running=True)
    append(made, effect=effect)
    assert Step.objects.get(process_id=made.id).effect == effect
    [shown] = runtime.get(f"/processes/{made.id}/steps")["results"]
    assert shown["effect"] == effect


def test_c07_a_step_that_says_nothing_is_at_least_once():
    made = make_process(running=True)
    append(made)
    assert Step.objects.get(process_id=made.id).effect == "at_least_once"


def test_c08_a_repair_is_recorded_once_for_each_turn_that_was_cut_off():
    made = making.due()
    first = making.one(ttl_s=60)
    with _lapsed(first):
        second = making.one(ttl_s=60)
        assert making.claim().wakes == ()
        making.commit(made, second.row.host.lease_epoch, making.timer(1))
        third = making.one()
    assert (second.interrupted, third.interrupted) == (True, False)
    [closed] = Event.objects.of(made.id).filter(kind="interrupted")
    assert f'"epoch":{first.row.host.lease_epoch}' in closed.data


def test_c09_a_step_whose_reply_was_lost_is_sent_again_by_its_key_and_kept_once():
    """Nothing sends it but the runtime; the server's retries end where COMMIT was sent."""
    made = make_process(running=True)
    told, again = append(made, args={"n": 1}), append(made, args={"n": 1})
    assert (told.skipped, again.skipped) == (False, True)
    assert Step.objects.filter(process_id=made.id).count() == 1


def _lapsed(wake):
    return at((wake.row.host.lease_until_ms or 0) + 1)
