"""Crash recovery and terminal states, row by row (contract §5, K). Kills are in tests/crash."""

from __future__ import annotations

from typing import Any

import pytest

from processes import services
from processes.journal import errors, files, rules
from processes.journal.commands import Complete, Fail, Stop, Suspend
from processes.journal.record import ProcessHead
from processes.models import Event, Process
from tests.making import Made, append, make_process, principal_actor, resume

pytestmark = pytest.mark.django_db
FILE: dict[str, Any] = {
    "schema_version": 1, "id": "run-1", "objective": "Tidy", "state": "running",
    "created_at_ms": 5, "updated_at_ms": 6,
}  # fmt: skip


def test_K01_resume_of_running_is_the_crash_cursor(runtime):
    made = make_process(steps=1)
    told = runtime.post(f"/processes/{made.id}/resume", {})
    assert (told["result"], told["record"]["state"]) == ("continue", "running")


def test_K02_and_changes_nothing():
    made = make_process(steps=2)
    before, events = made.columns, Event.objects.count()
    for _ in range(3):
        assert resume(made).result == "continue"
    assert made.columns == before
    assert Event.objects.count() == events


def test_K03_the_missing_row_is_the_one_that_runs_again():
    """The third step took effect, its row did not: the replay appends exactly that."""
    made, ran = make_process(running=True), []

    def run(first: int, last: int) -> list[bool]:
        """Ask the journal before running, as a tool loop does."""
        done = {step.args for step in made.record.steps if step.success}
        skipped = []
        for number in range(first, last):
            args = f"step {number}"
            if args not in done:
                ran.append(number)
            skipped.append(append(made, args=args).skipped)
        return skipped

    run(0, 2)
    ran.append(2)  # and here the host dies
    assert resume(made).result == "continue"
    assert run(0, 5) == [True, True, False, False, False]
    assert ran == [0, 1, 2, 2, 3, 4]
    assert [step.args for step in made.record.steps] == [f"step {n}" for n in range(5)]


def test_K04_successes_stay_protected():
    made = make_process(steps=4)
    resume(made)
    before = made.record
    assert all(append(made, args={"n": n}).skipped for n in range(1, 5))
    assert made.record == before


def _is_terminal(made: Made) -> None:
    before = made.columns
    for verb in (
        lambda: append(made, args="new"),
        lambda: services.suspend(made.id, Suspend(reason="guard"), by=made.by),
        lambda: services.stop(made.id, Stop(note="x"), by=principal_actor()),
    ):
        with pytest.raises(errors.ProcessTerminal):
            verb()
    assert resume(made).result == "terminal"
    assert services.next_step(made.id, by=made.by).next_action == "terminal"
    assert made.columns == before


def test_K05_completed_is_terminal(runtime):
    made = make_process(steps=1, ended="completed")
    _is_terminal(made)
    assert runtime.post(f"/processes/{made.id}/resume", {})["result"] == "terminal"
    assert runtime.code(409, f"/processes/{made.id}/fail", {}) == "process_terminal"


def test_K06_failed_is_terminal(runtime):
    made = make_process(steps=1, ended="failed")
    _is_terminal(made)
    assert runtime.code(409, f"/processes/{made.id}/complete", {}) == "process_terminal"


@pytest.mark.parametrize("state", ["paused", "Running", "", None, 5, "sleeping"])
def test_K07_an_unknown_state_is_refused_not_guessed(state, runtime):
    assert runtime.code(422, "/import", FILE | {"state": state}) == "unknown_state"
    assert not Process.objects.exists()
    runtime.get("/processes/run-1", 404)


@pytest.mark.parametrize("decided", [False, True])
def test_K08_a_future_state_is_never_permission_to_execute(decided):
    head = ProcessHead.model_construct(id="a", state="paused", suspend_reason=None)
    with pytest.raises(errors.UnknownState):
        rules.next_action(head, decided)


@pytest.mark.parametrize(
    ("verb", "state", "body", "outcome"),
    [
        ("complete", "completed", {"final_text": "All t\u00eddy"}, "All t\u00eddy"),
            ("complete", "completed", {}, None),
        ("fail", "failed", {"error": "no disk"}, "no disk"), ("fail", "failed", {}, None),
    ],
)  # fmt: skip
def test_K09_a_process_is_completed_or_failed_and_stays_so(verb, state, body, outcome, runtime):
    made = make_process(running=True)
    path = f"/processes/{made.id}/{verb}"
    told = runtime.post(path, body)
    assert (told["state"], told["outcome"]) == (state, outcome)
    before = made.columns
    assert runtime.post(path, body) == told
    assert made.columns == before
    other = {"final_text": "x"} if verb == "complete" else {"error": "x"}
    assert runtime.code(409, path, other) == "process_terminal"
    record, _ = files.load(services.journal_text(made.id, made.by).encode())
    assert record.state == state


def test_K11_stray_files_of_a_broken_upload_are_nobodys_artifact(tmp_path, settings, runtime):
    """A part file is what a kill leaves behind: it is listed nowhere and opened by no path."""
    settings.DATA_DIR = tmp_path
    made = make_process(running=True, id="a")

    class Broken:
        def read(self, size: int, /) -> bytes:
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        services.put_artifact("a", "o.txt", Broken(), by=made.by)
    folder = tmp_path / "artifacts" / "a"
    assert list(folder.iterdir()) == []
    (folder / "part.0123456789abcdef").write_bytes(b"half")
    assert runtime.get("/processes/a/artifacts")["results"] == []
    runtime.get("/processes/a/artifacts/part.0123456789abcdef", 404)


@pytest.mark.parametrize("cut", [2, 20, 60, 100])
def test_K12_a_truncated_file_is_reported_and_takes_nothing_with_it(cut, runtime):
    good = make_process(id="good", steps=1)
    before = good.columns
    text = services.journal_text("good", principal_actor()).replace("good", "bad")
    reply = runtime._client.post(
        "/api/v1/import",
        text.encode()[:-cut],
        content_type="application/json",
        headers=runtime._headers,
    )
    assert (reply.status_code, reply.json()["code"]) == (400, "not_json")
    runtime.get("/processes/bad", 404)
    assert [one["id"] for one in runtime.get("/processes")["results"]] == ["good"]
    assert good.columns == before


def test_a_finish_is_on_the_record_at_once():
    for finish, command in ((services.complete, Complete()), (services.fail, Fail())):
        made = make_process(running=True)
        finish(made.id, command, by=made.by)
        assert made.kinds[-1] == "finish"
