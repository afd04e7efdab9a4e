"""A disk that fails or is full under a real server: refused with 503, never told as kept, and
good again without a restart. `make prove` lets it fail at each call of a write.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from tests.crash.failing import FLUSH, failing, worker_of
from tests.crash.proof import PROVING, keep
from tests.serving import Served

pytestmark = [pytest.mark.sqlite, pytest.mark.needs("strace")]

TOP = Path(__file__).parents[2]
SESSION = """
import django; django.setup()
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
mia, session = User.objects.get(username="mia"), SessionStore()
session[SESSION_KEY], session[HASH_SESSION_KEY] = str(mia.pk), mia.get_session_auth_hash()
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session.create()
print(session.session_key)
"""

FAULTS = [
    ("flush", FLUSH, "EIO"),
    ("write", "pwrite64", "EIO"),
    ("write", "pwrite64", "ENOSPC"),
]
FIRST = range(1, 41) if PROVING else (1, 2, 5)


@pytest.fixture(scope="module")
def failing_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("failing"))
    _open(server, "run")
    yield server
    server.close()


@pytest.mark.parametrize(("what", "calls", "error"), FAULTS)
def test_a_write_that_fails_anywhere_is_refused_and_kept_once_when_sent_again(
    failing_server, what, calls, error
):
    server, worker = failing_server, worker_of(failing_server.process.pid)
    refused = 0
    for first in FIRST:
        step = {"tool": what, "args": {"first": first, "error": error}, "success": True}
        with failing(worker, calls, error, first=first):
            told = server.runtime.post("processes/run/steps", json=step)
            if told.status_code != 201:
                refused += 1
                _assert_refused(told)
                _assert_readable_and_not_ready(server)
        again = server.runtime.post("processes/run/steps", json=step)
        assert again.status_code == (200 if told.status_code == 201 else 201), again.text
        assert _recorded(server, again.json()["idempotency_key"]) == 1
    assert refused >= 1
    keep(f"faults-{what}-{error}", tried=len(FIRST), refused=refused)


def test_with_no_flush_at_all_nothing_is_ever_told_as_kept(failing_server):
    server, worker = failing_server, worker_of(failing_server.process.pid)
    with failing(worker, FLUSH, "EIO"):
        told = [_step(server, f"unflushed {number}") for number in range(5)]
    assert [reply.status_code for reply in told] == [503] * 5
    assert [_step(server, f"unflushed {number}").status_code for number in range(5)] == [
        201
    ] * 5


def test_it_is_ready_again_by_itself_when_the_fault_has_ended(failing_server):
    """Whoever asks whether it is ready sends nothing that would write."""
    server = failing_server
    with failing(worker_of(server.process.pid), FLUSH, "EIO"):
        _assert_refused(_step(server, "before"))
        assert _ready(server).status_code == 503
    assert _ready(server).status_code == 200


def test_a_checkpoint_that_fails_costs_nobody_a_write(failing_server):
    """The write-ahead log holds everything until the database can be written again."""
    server = failing_server
    database = server.home / "dalhc.sqlite3"
    wal = Path(f"{database}-wal")
    with failing(worker_of(server.process.pid), f"pwrite64,{FLUSH}", "EIO", database):
        before = database.read_bytes()
        for number in range(20):
            bodies = [
                {"tool": "many", "args": {"n": number * 100 + one, "long": "x" * 20_000},
                 "success": True}
                for one in range(12)
            ]  # fmt: skip
            told = server.runtime.post("processes/run/steps", json=bodies)
            assert told.status_code == 201, told.text
        assert wal.stat().st_size > 1_000 * 4_096
        assert database.read_bytes() == before
    assert _step(server, "after").status_code == 201
    assert database.read_bytes() != before


@pytest.mark.parametrize(("calls", "error"), [(FLUSH, "EIO"), ("pwrite64", "ENOSPC")])
def test_every_verb_says_503_and_succeeds_when_sent_again(failing_server, calls, error):
    server = failing_server
    worker = worker_of(server.process.pid)
    name = f"verbs-{error}"
    for verb in _verbs(server, name):
        with failing(worker, calls, error):
            _assert_refused(verb())
        assert verb().status_code in {200, 201}
    kinds = [
        event["kind"]
        for event in server.person.get(f"processes/{name}/events").json()["results"]
    ]
    assert sorted(kinds) == sorted(
        ["open", "resume", "step", "artifact", "suspend", "decide", "resume", "finish"]
    )


def test_a_person_whose_answer_could_not_be_kept_sees_it_again_and_sends_it(failing_server):
    server = failing_server
    _open(server, "asks")
    asked = {"reason": "ask_user", "question": "Which?"}
    server.runtime.post("processes/asks/suspend", json=asked).raise_for_status()
    with _browser(server) as browser:
        with failing(worker_of(server.process.pid), FLUSH, "EIO"):
            page = browser.get("/processes/asks/")
            assert page.status_code == 200
            told = _answer(browser, page.text)
            assert told.status_code == 503
            assert "the one on the left" in told.text
        again = _answer(browser, told.text)
    assert again.status_code in {200, 303}
    decided = server.person.get("processes/asks").json()
    assert decided["decided"], decided


def _browser(server: Served) -> httpx2.Client:
    """A client that has logged in."""
    made = subprocess.run(
        [sys.executable, "-c", SESSION], cwd=TOP, env=server.env, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    cookies = {"dalhc": made.stdout.strip()}
    return httpx2.Client(base_url=server.url, cookies=cookies, trust_env=False, timeout=60)


def _answer(browser: httpx2.Client, page: str) -> httpx2.Response:
    """Send the form that stands there, with words in it."""
    [form] = [
        form
        for form in re.findall(r"<form.*?</form>", page, re.DOTALL)
        if 'name="answer"' in form and 'value="answer"' in form
    ]
    sent = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form))
    sent |= {"action": "answer", "answer": "the one on the left"}
    return browser.post("/processes/asks/decision/", data=sent)


def _verbs(server: Served, name: str) -> Iterator[Callable[[], httpx2.Response]]:
    runtime, person = server.runtime, server.person
    at = f"processes/{name}"
    yield lambda: runtime.post(
        "processes", json={"objective": "Tidy", "id": name, "start": True}
    )
    yield lambda: runtime.post(f"{at}/steps", json={"tool": "run", "args": {}, "success": True})
    yield lambda: runtime.put(f"{at}/artifacts/of.txt", content=b"one of them")
    asked = {"reason": "ask_user", "question": "Which?"}
    yield lambda: runtime.post(f"{at}/suspend", json=asked)
    [stop] = person.get("suspensions", params={"process_id": name}).json()["results"]
    choice = {"action": "answer", "answer": "a", "review_digest": stop["review_digest"]}
    yield lambda: person.post(f"suspensions/{stop['id']}/decision", json=choice)
    yield lambda: runtime.post(f"{at}/resume", json={})
    yield lambda: runtime.post(f"{at}/complete", json={})


def _open(server: Served, name: str) -> None:
    body = {"objective": "Tidy", "id": name, "start": True}
    assert server.runtime.post("processes", json=body).status_code == 201


def _step(server: Served, what: str) -> httpx2.Response:
    step = {"tool": "run", "args": {"what": what}, "success": True}
    return server.runtime.post("processes/run/steps", json=step)


def _assert_refused(told: httpx2.Response) -> None:
    assert (told.status_code, told.json()["code"]) == (503, "storage_full"), told.text
    assert int(told.headers["Retry-After"]) >= 1


def _assert_readable_and_not_ready(server: Served) -> None:
    assert server.runtime.get("processes/run").status_code == 200
    ready = _ready(server)
    assert ready.status_code == 503
    assert "not kept" in ready.json()["writer"]


def _ready(server: Served) -> httpx2.Response:
    return httpx2.get(f"{server.url}/readyz", trust_env=False, timeout=30)


def _recorded(server: Served, key: str) -> int:
    kept = server.runtime.get("processes/run/journal").json()["steps"]
    return sum(step["idempotency_key"] == key for step in kept)
