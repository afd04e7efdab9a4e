"""A run over a real connection: at once when decided, through a restart, and the README's example."""

from __future__ import annotations

import threading
import time

import pytest

from tests.dalhc.client.live import LiveServer, Principal, eventually


@pytest.fixture
def waiting_since(live):
    """Whether a process waits for its principal."""

    def waits(id: str) -> bool:
        with live.person() as person:
            return any(True for _ in person.suspensions(process_id=id))

    return waits


def test_a_waiting_run_goes_on_at_once_when_it_is_answered(live, waiting_since):
    ended = []

    def ask() -> None:
        with live.client() as client, client.run("Ask about a region", id="live-1") as run:
            run.ask("Which region?")
            ended.append(time.monotonic())

    runtime = threading.Thread(target=ask)
    runtime.start()
    eventually(lambda: waiting_since("live-1"))
    time.sleep(0.3)
    with live.person() as person:
        [stop] = person.suspensions(process_id="live-1")
        person.decide(stop.id, "answer", review_digest=stop.review_digest, answer="eu")
        decided = time.monotonic()
    runtime.join(timeout=20)
    assert ended[0] - decided < 1.0


def test_a_waiting_run_outlives_a_restart_of_the_server(tmp_path):
    server = LiveServer(tmp_path)
    texts = []

    def ask() -> None:
        with server.client() as client, client.run("Ask about a region", id="live-2") as run:
            texts.append(run.ask("Which region?").text)

    runtime = threading.Thread(target=ask)
    runtime.start()
    try:
        eventually(lambda: any(server.person().suspensions(process_id="live-2")))
        server.stop()
        server.start()
        with Principal(server, "live-2", lambda _: "eu"):
            runtime.join(timeout=30)
        assert texts == ["eu"]
        assert server.client().get("live-2").state == "completed"
    finally:
        server.stop()


def test_the_example_of_the_readme_runs_and_is_killed_and_runs(live, waiting_since):
    first = live.run("examples/first_run.py", "backup-1")
    eventually(lambda: waiting_since("backup-1"))
    first.kill()
    first.communicate()

    second = live.run("examples/first_run.py", "backup-1")
    with Principal(live, "backup-1", lambda stop: stop.options[0]) as principal:
        out, err = second.communicate(timeout=30)
    assert (out, err, second.returncode) == ("backup-1 Here\n", "", 0)
    assert len(principal.answered) == 1
    with live.client() as client:
        record = client.get("backup-1")
        assert (record.state, record.outcome) == ("completed", "The backup goes: Here.")
        assert [step.tool for step in record.steps] == ["disk_free"]
        assert client.get_artifact("backup-1", "choice.txt") == b"Here"


def test_the_example_is_short():
    from tests.dalhc.client.live import TOP

    lines = (TOP / "examples" / "first_run.py").read_text().splitlines()
    assert len(lines) <= 22
