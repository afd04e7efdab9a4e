"""What a person saw has a digest; whatever changes it makes the digest another."""

from __future__ import annotations

import io
import re

import pytest

from processes import services
from processes.journal.canonical import step_key
from processes.journal.commands import TakeLease
from processes.journal.errors import ProcessNotFound
from processes.models import Decision
from processes.store import suspensions
from tests.making import append, decide, make_process, resume, suspend

pytestmark = pytest.mark.django_db
PROPOSED = {"tool": "rm", "args": {"path": "x"}}


def test_a_review_digest_is_64_hex_and_stays_while_nothing_shown_changes():
    made = make_process(question="Which?")
    digest = suspensions.review_digest(made.stop)
    assert re.fullmatch("[0-9a-f]{64}", digest)
    services.lease(made.id, TakeLease(owner="boot-1"), by=made.by)
    assert suspensions.review_digest(made.stop) == digest


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Which one?"}, {"detail": "more"}, {"options_json": '["a"]'},
        {"proposed_tool": "ls", "proposed_args": "{}"}, {"reason": "unverified"},
    ],
)  # fmt: skip
def test_whatever_is_shown_is_in_the_digest(change):
    made = make_process(reason="guard", question="Which?", proposed_action=PROPOSED)
    before, stop = suspensions.review_digest(made.stop), made.stop
    for name, value in change.items():
        setattr(stop, name, value)
    assert suspensions.review_digest(stop) != before


def test_an_artifact_that_changes_changes_the_digest():
    made = make_process(question="Which?")
    digests = {suspensions.review_digest(made.stop)}
    for path, content in (("a.txt", b"one"), ("a.txt", b"two"), ("b.txt", b"two")):
        services.put_artifact(made.id, path, io.BytesIO(content), by=made.by)
        digests.add(suspensions.review_digest(made.stop))
    assert len(digests) == 4


def test_two_processes_that_ask_the_same_have_two_digests():
    one, two = make_process(question="Which?"), make_process(question="Which?")
    assert suspensions.review_digest(one.stop) != suspensions.review_digest(two.stop)


@pytest.mark.parametrize(
    ("action", "content", "key"),
    [
        ("approve", {}, step_key("rm", '{"path":"x"}')),
        ("edit", {"args": {"path": "y"}}, step_key("rm", '{"path":"y"}')),
        ("edit", {"args": ""}, step_key("rm", "")),
        ("deny", {"note": "no"}, step_key("rm", '{"path":"x"}')),
        ("stop", {"note": "no"}, None),
    ],
)
def test_a_decision_names_the_call_it_is_about(action, content, key):
    made = make_process(reason="guard", proposed_action=PROPOSED)
    decide(made, action, **content)
    assert Decision.objects.get(suspension_id=made.suspension_id).step_key == key


def test_anothers_suspension_does_not_exist():
    made = make_process(question="Which?")
    assert suspensions.get(made.suspension_id, "tidier").id == made.suspension_id
    for id, agent in ((made.suspension_id, "other"), ("susp_none", None)):
        with pytest.raises(ProcessNotFound):
            suspensions.get(id, agent)


def test_a_suspension_that_moved_is_not_marked_again():
    made = make_process(question="Which?")
    old = made.stop
    decide(made, answer="eu")
    with pytest.raises(RuntimeError):
        suspensions.mark(old, "withdrawn")


def test_the_latest_suspension_is_the_last_one_opened():
    made = make_process(running=True)
    for number in range(5):
        made = suspend(made, reason="step_budget", detail=str(number))
        resume(made)
        append(made, args={"n": number})
    assert suspensions.latest(made.id).id == made.suspension_id
