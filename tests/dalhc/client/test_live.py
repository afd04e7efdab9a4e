"""A run over a real connection: answered at once, through a restart; and the first example."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.dalhc.client.live import TOP, LiveServer, Principal, eventually


@contextmanager
def asking(live: LiveServer, process_id: str) -> Iterator[list[tuple[str, float]]]:
    """A run that asks one question; the answer and its time end up in the list."""
    told: list[tuple[str, float]] = []

    def ask() -> None:
        with live.runtime.run("Choose a region", id=process_id) as run:
            told.append((run.ask("Which region?").text, time.monotonic()))

    runtime = threading.Thread(target=ask)
    runtime.start()
    eventually(lambda: live.waits(process_id))
    yield told
    runtime.join(timeout=60)


def test_a_waiting_run_goes_on_at_once_when_it_is_answered(live):
    with asking(live, "live-1") as told:
        time.sleep(0.3)
        [stop] = live.person.suspensions(process_id="live-1")
        live.person.decide(stop.id, "answer", review_digest=stop.review_digest, answer="eu")
        decided = time.monotonic()
    [(text, at)] = told
    assert text == "eu"
    assert at - decided < 1.0


def test_a_waiting_run_outlives_a_restart_of_the_server(live):
    with asking(live, "live-2") as told:
        live.stop()
        live.start()
        with Principal(live, "live-2"):
            eventually(lambda: bool(told))
    assert told[0][0] == "eu"
    assert live.runtime.get("live-2").state == "completed"


def test_the_first_example_is_killed_while_it_waits_and_goes_on(live):
    first = live.run("-m", "examples.first_run", "backup-1")
    eventually(lambda: live.waits("backup-1"))
    first.kill()
    first.communicate()

    second = live.run("-m", "examples.first_run", "backup-1")
    with Principal(live, "backup-1") as principal:
        out, err = second.communicate(timeout=60)
    assert (out, err, second.returncode) == ("backup-1 Here\n", "", 0)
    assert len(principal.decided) == 1
    record = live.runtime.get("backup-1")
    assert (record.state, record.outcome) == ("completed", "The backup goes: Here.")
    assert [step.tool for step in record.steps] == ["disk_free"]
    assert live.runtime.get_artifact("backup-1", "choice.txt") == b"Here"


def test_the_page_for_runtime_authors_runs_as_it_stands(live, tmp_path):
    page = (TOP / "docs" / "client.md").read_text()
    script = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    script += "\nclient.close()\nperson.close()\n"
    with Principal(live, "shelf-1", "disk-1") as principal:
        runtime = live.run(
            "-c", script, DALHC_PERSON_KEY=live.person_key, DAL_PROCESS_ROOT=str(tmp_path)
        )
        out, err = runtime.communicate(timeout=60)
    assert (out, err) == ("Little\n", "")
    assert principal.decided == ["There are 3 boxes. Where to?", "guard", "step_budget"]
    for process_id in ("shelf-1", "disk-1", "post-1", "plants-1"):
        assert live.runtime.get(process_id).state == "completed"
    assert {path.stem for path in tmp_path.iterdir()} == {"letters-1", "parcels-1"}
    assert live.runtime.get_artifact("shelf-1", "plan.txt") == b"3 boxes to the Cellar\n"


def test_the_first_example_is_short():
    lines = (TOP / "examples" / "first_run.py").read_text().splitlines()
    assert len(lines) <= 22
