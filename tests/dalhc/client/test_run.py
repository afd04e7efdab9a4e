"""A run against the real API: nothing recorded is done again, whatever ends it."""

from __future__ import annotations

import pytest

from dalhc.client import RunEnded
from dalhc.client.errors import DalhcError, refusal
from tests.dalhc.client.desk import Tool, crashed


def test_a_run_opens_records_and_completes(desk):
    with desk.runtime.run("Tidy up", cycle_phase="tidy") as run:
        assert run.step("look", {"at": "shelf"}, do=lambda: "3 boxes") == "3 boxes"
        run.artifact("out/list.txt", "one\ntwo\n")
        run.final_text = "Tidied."
    record = desk.runtime.get(run.id)
    assert (record.state, record.outcome) == ("completed", "Tidied.")
    assert record.cycle_phase == "tidy"
    assert [(step.tool, step.args, step.success) for step in record.steps] == [
        ("look", '{"at":"shelf"}', True)
    ]
    assert desk.runtime.get_artifact(run.id, "out/list.txt") == b"one\ntwo\n"


def test_a_recorded_step_is_not_done_again_and_shows_as_skipped(desk):
    look, lift = Tool("3 boxes"), Tool("lifted")
    crashed(desk, lambda run: run.step("look", {}, do=look))
    assert desk.runtime.get("tidy-1").state == "running"

    with desk.runtime.run(id="tidy-1") as run:
        assert run.step("look", {}, do=look) == "3 boxes"
        run.step("lift", {}, do=lift)
    assert (look.calls, lift.calls) == (1, 1)
    record = desk.runtime.get("tidy-1")
    assert [step.tool for step in record.steps] == ["look", "lift"]
    [first, _] = desk.runtime._wire.get("processes/tidy-1/steps")["results"]
    assert first["skips"] == 1


def test_equal_arguments_in_another_spelling_are_the_same_step(desk):
    tool = Tool()
    with desk.runtime.run("Tidy up") as run:
        run.step("lift", {"a": 1, "b": [1e16]}, do=tool)
        run.step("lift", {"b": [1e16], "a": 1}, do=tool)
        run.step("lift", '{"a":1,"b":[1e+16]}', do=tool)
    assert tool.calls == 1


def test_what_a_step_returns_is_what_is_recorded(desk):
    long = Tool("x" * 5_000)
    returned = []
    crashed(desk, lambda run: returned.append(run.step("look", {}, do=long)))
    with desk.runtime.run(id="tidy-1") as run:
        returned.append(run.step("look", {}, do=long))
    assert returned == ["x" * 2_000] * 2
    assert desk.runtime.get("tidy-1").steps[0].result_digest == returned[0]


def test_files_kept_inside_a_step_are_listed_with_it(desk):
    with desk.runtime.run("Tidy up") as run:

        def do() -> str:
            run.artifact("a.txt", "a")
            run.artifact("b.txt", b"b")
            run.artifact("a.txt", "A")
            return "two files"

        run.step("write", {}, do=do)
        run.artifact("c.txt", "c")
    assert desk.runtime.get(run.id).steps[0].artifacts == ("a.txt", "b.txt")
    assert desk.runtime.get_artifact(run.id, "a.txt") == b"A"


def test_a_tool_that_fails_is_recorded_and_may_be_tried_again(desk):
    def broken() -> str:
        raise OSError("disk full")

    with desk.runtime.run("Tidy up") as run:
        with pytest.raises(OSError, match="disk full"):
            run.step("lift", {}, do=broken)
        run.step("lift", {}, do=Tool())
    first, second = desk.runtime.get(run.id).steps
    assert (first.success, first.result_digest) == (False, "OSError: disk full")
    assert second.success


def test_an_exception_fails_the_process_with_its_text(desk):
    with pytest.raises(ValueError, match="no shelf"), desk.runtime.run("Tidy up") as run:
        raise ValueError("no shelf")
    record = desk.runtime.get(run.id)
    assert (record.state, record.outcome) == ("failed", "ValueError: no shelf")


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interruption_leaves_the_process_to_go_on(desk, leaving):
    def leave() -> str:
        raise leaving

    with pytest.raises(leaving), desk.runtime.run("Tidy up", id="tidy-1") as run:
        run.step("look", {}, do=leave)
    assert desk.runtime.get("tidy-1").state == "running"


def test_a_running_process_ended_by_a_person_refuses_the_next_step(desk):
    def stopped_meanwhile() -> str:
        desk.person.stop("tidy-1", "Wrong shelf.")
        return "lifted"

    with (
        pytest.raises(RunEnded) as caught,
        desk.runtime.run("Tidy up", id="tidy-1") as run,
    ):
        run.step("lift", {}, do=stopped_meanwhile)
    assert caught.value.note == "Wrong shelf."


def test_a_process_that_has_ended_is_not_run_again(desk):
    with desk.runtime.run("Tidy up", id="tidy-1") as run:
        run.final_text = "Tidied."
    with pytest.raises(RunEnded) as caught, desk.runtime.run(id="tidy-1"):
        pytest.fail("the body ran")
    assert (caught.value.state, caught.value.note) == ("completed", "Tidied.")


@pytest.mark.parametrize(
    ("status", "code", "state"),
    [(503, "busy", "running"), (500, "internal", "running"), (401, "unauthorized", "running"),
     (422, "invalid_request", "failed")],
)  # fmt: skip
def test_only_the_works_own_failures_fail_the_process(desk, status, code, state):
    with pytest.raises(DalhcError), desk.runtime.run("Tidy up", id="tidy-1"):
        raise refusal(status, {"code": code})
    assert desk.runtime.get("tidy-1").state == state


def test_an_id_with_another_objective_is_refused(desk):
    with desk.runtime.run("Tidy up", id="tidy-1"):
        pass
    other = desk.runtime.run("Paint the wall", id="tidy-1")
    with pytest.raises(DalhcError, match="another objective"), other:
        pytest.fail("the body ran")


def test_a_run_needs_an_objective_or_an_id(desk):
    with pytest.raises(ValueError, match="needs an objective"):
        desk.runtime.run()


def test_text_that_utf8_cannot_hold_is_written_out(desk):
    with desk.runtime.run("Tidy up") as run:
        assert run.step("look", {}, do=Tool("caf\udce9 \0")) == "caf\\udce9 \\x00"


def test_arguments_json_cannot_hold_are_refused_before_the_tool_runs(desk):
    tool = Tool()
    with pytest.raises(Exception, match="NaN"), desk.runtime.run("Tidy up") as run:
        run.step("lift", {"x": float("nan")}, do=tool)
    assert tool.calls == 0
