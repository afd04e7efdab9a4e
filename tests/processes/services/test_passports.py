"""A passport carries all of a process, holds on its own, and tells when it was changed."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from processes import services
from processes.journal import files
from processes.journal.commands import Complete
from processes.models import Process
from processes.services import passport_check
from processes.services.actors import Forbidden
from processes.services.broken import Broken
from processes.services.passport_file import journal_of
from processes.shown import passport
from tests.making import (
    Made,
    append,
    decide,
    make_process,
    principal_actor,
    resume,
    runtime_actor,
    say,
    suspend,
)

pytestmark = pytest.mark.django_db
HOSTILE = "</script><script>alert(1)</script>\u202e <b>&"


def lived(id: str = "a") -> Made:
    """Steps, an artifact, a question answered and taken back once, an end."""
    made = make_process(id=id, steps=2, objective=f"Tidy {HOSTILE}")
    append(
        made, tool="write", args={"p": HOSTILE}, result_digest=HOSTILE, artifacts=["x/a.txt"]
    )
    services.put_artifact(made.id, "x/a.txt", io.BytesIO(b"one"), by=made.by)
    services.put_artifact(made.id, "x/a.txt", io.BytesIO(b"two"), by=made.by)
    made = suspend(made, question=f"Which? {HOSTILE}")
    decide(made, answer="eu")
    services.take_back(made.suspension_id, by=principal_actor())
    decide(made, answer=f"us {HOSTILE}")
    resume(made)
    append(made, args={"n": 4}, success=False)
    services.complete(made.id, Complete(final_text=f"done {HOSTILE}"), by=made.by)
    return made


def written(made: Made, folder: Path) -> Path:
    path = folder / f"{made.id}.html"
    found = services.passport(made.id, by=principal_actor())
    path.write_text("".join(passport.page(found)))
    return path


def test_it_holds(tmp_path):
    made = lived()
    held = passport_check.check(written(made, tmp_path), {})
    row = made.row
    assert (held.revision, held.chain) == (row.host.revision, row.host.chain)
    assert (held.steps, held.decisions, held.state) == (4, 2, "completed")
    assert held.events == row.host.revision + 1


def test_it_holds_with_what_a_host_was_told(tmp_path):
    made = lived()
    other = make_process(id="told", running=True)
    say(other)
    for one in (made, other):
        passport_check.check(written(one, tmp_path), {})


def test_a_run_that_goes_on_has_one_too(tmp_path):
    made = make_process(question="Which?", steps=1)
    assert passport_check.check(written(made, tmp_path), {}).state == "suspended"


def test_its_journal_is_the_journal(tmp_path):
    made = lived()
    path = written(made, tmp_path)
    there, extra = files.load(journal_of(path))
    assert there == made.record and not any(extra.values())


def test_its_journal_comes_in_elsewhere(tmp_path):
    made = lived()
    text = journal_of(written(made, tmp_path)).replace(b'"id": "a"', b'"id": "b"')
    services.import_record(text, by=runtime_actor("painter"))
    again = written(Made("b"), tmp_path)
    assert passport_check.check(again, {}).steps == 4


def test_nothing_in_it_runs(tmp_path):
    page = written(lived(), tmp_path).read_text()
    assert "<script>" not in page and "alert(1)</script>" not in page
    kinds = set(re.findall(r"<script[^>]*>", page))
    assert all(kind.startswith('<script type="application/json" id="dalhc-') for kind in kinds)
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href|url)\s*[=(]", page)


def test_it_reads_for_people(tmp_path):
    page = written(lived(), tmp_path).read_text()
    assert "mia answered" in page and "and took it back" in page
    assert "<small>" in page and "x/a.txt" in page
    assert lived("b").row.host.chain not in page


EDITS = {
    "an event": (r'"actor":"runtime:tidier"', '"actor":"runtime:nobody"'),
    "a step's result": (r'"result_digest": "[^"]+', '"result_digest": "forged'),
    "a decision": (r'"answer":"us', '"answer":"de'),
    "who decided": (r'"by":"principal:mia"', '"by":"principal:eve"'),
    "an artifact's hash": (r'"sha256":"[0-9a-f]{8}', '"sha256":"00000000'),
    "the head": (r'"chain":"[0-9a-f]{8}', '"chain":"00000000'),
    "the objective": (r'"objective": "Tidy', '"objective": "Wreck'),
    "the page": (r"<h1><bdi hx-disable>Tidy", "<h1><bdi hx-disable>Wreck"),
    "a step's time": (r'\{"seq":1,"at_ms":\d+', '{"seq":1,"at_ms":5'),
    "the version": (r'"version":1', '"version":2'),
    "the seal": (r'"sha256": "[0-9a-f]{8}', '"sha256": "00000000'),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_found(tmp_path, what):
    path = written(lived(), tmp_path)
    text, count = re.subn(*EDITS[what], path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    with pytest.raises(Broken):
        passport_check.check(path, {})


@pytest.mark.parametrize("part", ["steps", "events", "decisions", "artifacts"])
def test_a_line_taken_out_is_found(tmp_path, part):
    path = written(lived(), tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    place = lines.index(f'<script type="application/json" id="dalhc-{part}">\n')
    path.write_text("".join([*lines[: place + 1], *lines[place + 2 :]]))
    with pytest.raises(Broken):
        passport_check.check(path, {})


def test_events_swapped_are_found(tmp_path):
    path = written(lived(), tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    place = lines.index('<script type="application/json" id="dalhc-events">\n')
    lines[place + 2], lines[place + 3] = lines[place + 3], lines[place + 2]
    path.write_text("".join(lines))
    with pytest.raises(Broken, match="missing or out of order"):
        passport_check.check(path, {})


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_one_cut_short_is_found(tmp_path, share):
    path = written(lived(), tmp_path)
    text = path.read_text()
    path.write_text(text[: int(len(text) * share)])
    with pytest.raises(Broken):
        passport_check.check(path, {})


def test_one_added_to_is_found(tmp_path):
    path = written(lived(), tmp_path)
    path.write_text(path.read_text() + "<p>more</p>\n")
    with pytest.raises(Broken, match="after it was sealed"):
        passport_check.check(path, {})


def test_a_checkpoint_refuses_another_chain_of_the_same_name(tmp_path):
    path = written(lived(), tmp_path)
    process = Process.objects.get()
    passport_check.check(path, {"a": (process.revision, process.chain)})
    with pytest.raises(Broken, match="event 3 is not the one of the checkpoint"):
        passport_check.check(path, {"a": (3, "f" * 64)})
    with pytest.raises(Broken, match="were there at the checkpoint"):
        passport_check.check(path, {"a": (99, "f" * 64)})


def test_a_runtime_gets_none_for_it_holds_what_was_not_picked_up():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    with pytest.raises(Forbidden):
        services.passport(made.id, by=made.by)


def approved_by_two(settings, made: Made) -> None:
    kept = settings.ENVIRONMENT
    settings.ENVIRONMENT = kept.model_copy(update={"two_approvals": ("guard",)})
    decide(made, "approve", note="the first word")
    decide(made, "approve", by=principal_actor("ben"))


def test_both_who_approved_are_in_it(tmp_path, settings):
    made = make_process(id="a", reason="guard", proposed_action={"tool": "rm", "args": {}})
    approved_by_two(settings, made)
    path = written(made, tmp_path)
    assert passport_check.check(path, {}).decisions == 1
    page = path.read_text()
    assert "mia let it resume</b>, the first of two" in page and "ben let it resume" in page
    path.write_text(page.replace('"note":"the first word"', '"note":"another word"'))
    with pytest.raises(Broken, match="a vote is not the one of its event"):
        passport_check.check(path, {})


def test_a_vote_stays_unseen_until_it_is_decided(tmp_path, settings):
    made = make_process(id="a", reason="guard", proposed_action={"tool": "rm", "args": {}})
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"two_approvals": ("guard",)})
    decide(made, "approve", note="the first word")
    path = written(made, tmp_path)
    assert "the first word" not in path.read_text()
    passport_check.check(path, {})
