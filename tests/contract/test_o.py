"""Opening and ids, row by row (contract §5, O)."""

from __future__ import annotations

import string

import pytest
from django.conf import settings
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from processes import services
from processes.journal import errors
from processes.journal.commands import OpenProcess
from processes.journal.paths import is_process_id
from processes.models import Event, Process
from processes.services.artifact_bytes import folder as folder_of
from processes.store import ids
from tests.making import make_process, runtime_actor

pytestmark = pytest.mark.django_db
BAD = [
    "a/b", "a\\b", "a b", " ok ", "a:b", "a\n", "\U0001f600", "%2e", "a%2fb", "\u00e9", "a+b",
        "a\t",
]  # fmt: skip


def open_one(api, status=201, **body):
    return api.post("/processes", {"objective": "Tidy"} | body, status)


def test_O01_a_new_process_is_suspended(runtime):
    assert open_one(runtime)["state"] == "suspended"


def test_O02_a_new_process_has_the_reason_opened(runtime):
    opened = open_one(runtime)
    assert (opened["suspend_reason"], opened["question"]) == ("opened", None)
    assert opened["next_action"] == "continue"


@pytest.mark.parametrize("objective", [""])
def test_O04_an_empty_objective_is_refused_and_nothing_stored(objective, runtime):
    assert runtime.code(422, "/processes", {"objective": objective}) == "objective_empty"
    assert not Process.objects.exists() and not Event.objects.exists()


@pytest.mark.parametrize("objective", ["  \n", "\t", "\u3164", "\u200b"])
def test_O05_a_blank_objective_is_refused_too(objective, runtime):
    assert runtime.code(422, "/processes", {"objective": objective}) == "objective_empty"
    assert not Process.objects.exists()


@hypothesis_settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(string.ascii_letters + string.digits + "._-", min_size=1, max_size=80).filter(
        is_process_id
    )
)
def test_O06_letters_digits_dots_underscores_and_hyphens_make_an_id(id):
    if not Process.objects.filter(id__lower=id.lower()).exists():
        assert make_process(id=id).record.id == id


@pytest.mark.parametrize("id", BAD)
def test_O07_any_other_character_is_refused(id, runtime):
    assert (
        runtime.code(422, "/processes", {"objective": "Tidy", "id": id}) == "invalid_process_id"
    )
    assert not Process.objects.exists()


def test_O07_a_nul_is_refused(runtime):
    assert runtime.code(422, "/processes", {"objective": "Tidy", "id": "a\0b"}) == "nul"


def test_O08_an_id_of_80_is_taken_and_one_of_81_is_not(runtime):
    assert open_one(runtime, id="a" * 80)["id"] == "a" * 80
    assert (
        runtime.code(422, "/processes", {"objective": "x", "id": "a" * 81})
        == "invalid_process_id"
    )


@pytest.mark.parametrize("id", ["a..b", "..", "...", "..a"])
def test_O09_two_dots_in_a_row_are_refused(id, runtime):
    assert runtime.code(422, "/processes", {"objective": "x", "id": id}) == "invalid_process_id"


def test_O10_an_empty_id_is_refused(runtime):
    assert runtime.code(422, "/processes", {"objective": "x", "id": ""}) == "invalid_process_id"


@given(st.text(max_size=90))
def test_O11_an_id_never_leads_out_of_the_data_folder(id):
    root = settings.DATA_DIR / "artifacts"
    try:
        folder = folder_of(id)
    except errors.InvalidProcessId:
        return
    assert folder.resolve().parent == root.resolve()


@pytest.mark.parametrize("twin", ["Run-1", "run-1", "RUN-1"])
def test_O12_an_existing_id_is_never_overwritten(twin, runtime):
    made = make_process(id="Run-1", steps=1)
    before = made.columns
    assert (
        runtime.code(409, "/processes", {"objective": "Other", "id": twin}) == "process_exists"
    )
    assert made.columns == before


def test_O12_the_same_body_again_is_the_same_process(runtime):
    first = open_one(runtime, id="a", cycle_id="c")
    again = open_one(runtime, 200, id="a", cycle_id="c")
    assert again == first
    assert Event.objects.count() == 1
    for other in ({"cycle_id": "d"}, {}, {"cycle_id": "c", "start": True}, {"objective": "x"}):
        body = {"objective": "Tidy", "id": "a"} | other
        assert runtime.code(409, "/processes", body) == "process_exists"


def test_O12_another_agents_same_body_is_not_a_replay():
    command = OpenProcess(objective="Tidy", id="a")
    services.open_process(command, by=runtime_actor())
    with pytest.raises(errors.ProcessExists):
        services.open_process(command, by=runtime_actor("other"))


def test_O13_the_server_mints_an_id_when_none_is_given(runtime):
    one, two = open_one(runtime)["id"], open_one(runtime)["id"]
    assert is_process_id(one) and is_process_id(two) and one != two
    minted = {ids.mint("proc") for _ in range(10_000)}
    assert len(minted) == 10_000 and all(map(is_process_id, minted))


@pytest.mark.parametrize("id", ["a..b", ".a", "a%2fb", "a%00b", "a.", "x" * 81, "a%0a"])
@pytest.mark.parametrize(
    "verb", ["", "/journal", "/next", "/steps", "/turns", "/events", "/artifacts"]
)
def test_O14_a_bad_id_in_an_address_is_not_found(id, verb, runtime):
    assert runtime.get(f"/processes/{id}{verb}", 404)["code"] == "not_found"


@pytest.mark.parametrize("id", ["a..b", "", "a/b", "x" * 81])
def test_O14_a_bad_id_in_a_file_is_refused(id, runtime):
    body = {
        "schema_version": 1,
        "id": id,
        "objective": "x",
        "state": "running",
        "created_at_ms": 1,
        "updated_at_ms": 1,
    }
    assert runtime.code(422, "/import", body) == "invalid_process_id"
