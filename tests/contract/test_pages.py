"""The rows that speak of what a person sees (contract §5: A24, U01, U09, U10, B07-B12)."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from processes import services
from processes.models import Decision
from tests.making import append, make_process, resume, suspend

pytestmark = pytest.mark.django_db
HOSTILE = '<img src=x onerror="alert(1)"><script>x</script> Which region?'


class Words(HTMLParser):
    """The words of a page, and the tags that stand in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words, self.tags = "", set[str]()
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.words += data + " "

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


@pytest.fixture
def mia() -> Client:
    user = User.objects.create_user("mia")
    user.groups.add(Group.objects.get_or_create(name="principals")[0])
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, path: str) -> Words:
    reply = client.get(path)
    assert reply.status_code == 200
    return Words(reply.content.decode())


def test_U09_the_question_is_shown_to_the_owner_escaped(mia):
    made = make_process(question=HOSTILE)
    for path in ("/", f"/processes/{made.id}/"):
        shown = page(mia, path)
        assert "Which region?" in shown.words
        assert "img" not in shown.tags


def test_U01_a_suspended_process_is_shown_as_waiting_and_a_failed_one_as_failed(mia):
    waits, failed = make_process(reason="guard"), make_process(ended="failed")
    inbox, settled = mia.get("/").content.decode(), mia.get("/settled/").content.decode()
    assert waits.id in inbox and failed.id not in inbox
    assert failed.id in settled and waits.id not in settled
    labels = [mia.get(f"/processes/{made.id}/").content.decode() for made in (waits, failed)]
    assert ['data-reason="failed"' in html for html in labels] == [False, True]
    assert ['data-reason="guard"' in html for html in labels] == [True, False]


def test_U10_an_unverified_result_says_so(mia):
    made = make_process(reason="unverified", detail="the sum differs")
    for path in ("/", f"/processes/{made.id}/"):
        assert "unverified" in page(mia, path).words.lower()


def test_A24_a_replay_is_shown_beside_its_step(mia):
    made = make_process(running=True)
    append(made, success=False, result_digest="timed out")
    append(made)
    for _ in range(3):
        append(made)
    words = " ".join(page(mia, f"/processes/{made.id}/").words.split())
    assert "timed out" in words
    assert re.search(r"skipped\W+3", words)


def test_B07_the_inbox_lists_every_reason_but_opened(mia):
    waiting = [
        make_process(question="Which?"), *(make_process(reason=reason) for reason in ("guard",
            "unverified", "step_budget", "wall_clock")),
    ]  # fmt: skip
    others = [make_process(), make_process(running=True), make_process(ended="completed")]
    html = mia.get("/").content.decode()
    assert all(made.id in html for made in waiting)
    assert not any(made.id in html for made in others)


@pytest.mark.parametrize(("action", "state"), [("approve", "running"), ("stop", "failed")])
def test_B08_the_review_gate_lets_go_on_or_ends(action, state, mia):
    made = make_process(reason="guard")
    form = {
        "suspension_id": made.suspension_id, "review_digest": services.review_digest(made.stop),
        "action": action, "answer": "", "note": "looked at it", "args": "",
    }  # fmt: skip
    assert mia.post(f"/processes/{made.id}/decision/", form).status_code in {200, 302, 303}
    resume(made)
    assert made.record.state == state
    assert Decision.objects.get().by == "principal:mia"
    assert "mia" in page(mia, f"/processes/{made.id}/events/").words


def test_B11_one_page_shows_progress_interruption_retry_and_uncertainty(mia):
    made = make_process(steps=2)
    append(made, "fetch", success=False, result_digest="timed out")
    append(made, "fetch", result_digest="got it")
    made = suspend(made, reason="unverified", detail="the sum differs")
    words = page(mia, f"/processes/{made.id}/").words
    for said in ("fetch", "timed out", "got it", "unverified", "the sum differs"):
        assert said in words.replace("Unverified", "unverified")


def test_B12_no_page_promises_that_work_is_safe_or_complete(mia):
    made = make_process(steps=1, ended="completed")
    for path in ("/", "/running/", "/settled/", f"/processes/{made.id}/"):
        words = page(mia, path).words.lower()
        assert not re.search(r"exactly[- ]once|guarantee|100 ?%|verified safe|is safe", words)


def test_B09_artifacts_of_all_runs_are_listed_and_lead_to_their_step(mia):
    for id in ("one", "two"):
        made = make_process(id=id, steps=2)
        services.put_artifact(id, "report.md", io.BytesIO(b"x"), by=made.by)
    page = mia.get("/artifacts/").content.decode()
    for id in ("one", "two"):
        assert f'href="/processes/{id}/?before=4"' in page
        ledger = mia.get(f"/processes/{id}/?before=4").content.decode()
        assert '<span class="num">2</span>' in ledger


def test_B10_runs_are_grouped_by_cycle_and_phase(mia):
    make_process(id="one", metadata={"cycle_id": "7", "cycle_phase": "act"})
    make_process(id="two", metadata={"cycle_id": "7", "cycle_phase": "plan"})
    page = mia.get("/cycles/").content.decode()
    assert page.count("?cycle=7&amp;phase=") == 2
    runs = mia.get("/cycles/?cycle=7&phase=act").content.decode()
    assert "/processes/one/" in runs and "/processes/two/" not in runs
