from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.making import append, decide, make_process, resume, suspend

VOID = {"meta", "link", "input", "br", "img", "use"}


class Outside(HTMLParser):
    """Collects text that holds `word` and stands in no element with hx-disable."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word, self.path, self.found, self.seen = word, [], [], 0

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.path.append((tag, any(name == "hx-disable" for name, _ in attrs)))
        bad = [name for name, _ in attrs if self.word in name]
        self.found += [(tag, name) for name in bad]

    def handle_endtag(self, tag):
        while tag not in VOID and self.path and self.path.pop()[0] != tag:
            pass

    def handle_data(self, text):
        if self.word in text:
            self.seen += 1
            allowed = any(off for _, off in self.path) or self.path[-1][0] in {
                "title",
                "textarea",
            }
            if not allowed:
                self.found.append(([tag for tag, _ in self.path], text))


def everywhere():
    """A process with a mark in every text an agent can write."""
    made = make_process(
        running=True, objective="MARK objective", agent="MARK-agent",
        metadata={"cycle_id": "MARK1", "cycle_phase": "MARK2", "objective_class": "MARK3"},
    )  # fmt: skip
    append(made, tool="MARK.tool", args={"MARK": "MARK"}, result_digest="MARK digest",
           artifacts=["MARK.txt"], attempt_id="MARK")  # fmt: skip
    action = {"tool": "MARK.tool", "args": {"MARK": "MARK"}}
    return suspend(
        made, reason="guard", question="MARK question", detail="MARK d", proposed_action=action
    )


@pytest.mark.parametrize("tab", ["", "artifacts/", "turns/", "events/", "raw/"])
@pytest.mark.parametrize("person", ["principal", "reviewer"])
def test_no_agent_text_stands_where_htmx_works(request, person, tab):
    client = request.getfixturevalue(person)
    made = everywhere()
    for address in (f"/processes/{made.id}/{tab}", "/", "/search/?q=MARK"):
        page = Outside("MARK")
        page.feed(client.get(address).content.decode())
        assert page.seen
        assert page.found == []


def test_a_page_reads_one_page_of_steps(reviewer):
    going = make_process(steps=120)
    reviewer.get(f"/processes/{going.id}/")
    with CaptureQueriesContext(connection) as asked:
        page = reviewer.get(f"/processes/{going.id}/").content.decode()
    steps = [query["sql"] for query in asked if "processes_step" in query["sql"]]
    assert len(steps) == 1 and "LIMIT 51" in steps[0]
    assert len(asked) <= 14
    assert re.findall(r'<span class="num">(\d+)</span>', page)[0] == "120"
    older = reviewer.get(f"/processes/{going.id}/?before=71").content.decode()
    assert re.findall(r'<span class="num">(\d+)</span>', older)[0] == "70"


@pytest.mark.parametrize("before", ["-1", "1e9", "x", "٣", "9" * 20, ""])
def test_a_step_that_is_none_is_refused(reviewer, before):
    going = make_process(steps=1)
    assert reviewer.get(f"/processes/{going.id}/?before={before}").status_code == 400


def test_a_poll_says_nothing_while_nothing_happened(reviewer):
    going = make_process(steps=1)
    revision = going.row.host.revision
    with CaptureQueriesContext(connection) as asked:
        answer = reviewer.get(
            f"/processes/{going.id}/since/{revision}/", headers={"HX-Request": "true"}
        )
    assert answer.status_code == 204
    assert len(asked) == 3


def test_a_poll_never_brings_a_form_to_someone_who_types(principal):
    asking = make_process(question="Which region?")
    seen = f"/processes/{asking.id}/since/0/?panel=ask.{asking.suspension_id}&steps=0"
    answer = principal.get(seen, headers={"HX-Request": "true"}).content.decode()
    assert "<form" not in answer and 'id="panel"' not in answer
    decide(asking, answer="eu")
    answer = principal.get(seen, headers={"HX-Request": "true"}).content.decode()
    assert "<form" not in answer and "mia answered" in answer and "was not sent" in answer


def test_a_poll_brings_the_next_question_to_someone_who_waits(principal):
    asking = make_process(question="Which region?")
    decide(asking, answer="eu")
    resume(asking)
    suspend(asking, question="Which day?")
    seen = f"/processes/{asking.id}/since/0/?panel=decided.{asking.suspension_id}&steps=0"
    answer = principal.get(seen, headers={"HX-Request": "true"}).content.decode()
    assert "Which day?" in answer and "<form" in answer


def test_the_same_state_is_shown_after_a_reload(principal):
    asking = make_process(question="Which region?")
    address = f"/processes/{asking.id}/"
    assert "Your answer" in principal.get(address).content.decode()
    decide(asking, answer="eu")
    assert "not picked up yet" in principal.get(address).content.decode()
    resume(asking)
    assert "picked up <time" in principal.get(address).content.decode()
    append(asking)
    assert "used in step 1" in principal.get(address).content.decode()


def test_a_crash_cursor_says_which_step_may_run_again(reviewer):
    going = make_process(steps=14)
    page = reviewer.get(f"/processes/{going.id}/").content.decode()
    assert "Step 15 may run again if it stops now" in page


@pytest.mark.parametrize(
    "id", ["nobody", "..", ".hidden", "a..b", "a%00b", "a%0a", "x" * 81, "%D9%A3"]
)
def test_what_is_no_process_is_404(reviewer, id):
    assert reviewer.get(f"/processes/{id}/").status_code == 404


def test_htmx_asks_for_a_part_and_a_browsers_back_for_the_whole(reviewer):
    going = make_process(steps=1)
    address = f"/processes/{going.id}/"
    part = reviewer.get(address, headers={"HX-Request": "true", "HX-Target": "history"})
    back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" not in part.content.decode()
    assert "<html" in reviewer.get(address, headers=back).content.decode()
