"""Filters find exactly what they name; what is not a parameter is refused."""

from __future__ import annotations

import pytest

from dalhc import clock
from tests.making import decide, make_process
from tests.processes.api.callers import code

NOW = 1_790_000_000_000
METADATA = (
    "cycle_id", "cycle_phase", "objective_id", "objective_class", "objective_due_bucket",
)  # fmt: skip


def ids(reply):
    assert reply.status_code == 200
    return {one["id"] for one in reply.json()["results"]}


@pytest.fixture
def several(db):
    with clock.at(NOW):
        make_process(id="opened", objective="Sort 100% of it")
        make_process(id="running", running=True, agent="painter")
        make_process(id="asking", question="Which REGION_a?")
        make_process(id="guarded", reason="guard")
        make_process(id="done", ended="completed")
    with clock.at(NOW + 10):
        decide(make_process(id="approved", reason="guard"), "approve")


@pytest.mark.usefixtures("several")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"opened", "running", "asking", "guarded", "done", "approved"}),
        ("state=running", {"running"}),
        ("state=completed", {"done"}),
        ("state=failed", set()),
        ("reason=ask_user", {"asking"}),
        ("reason=guard", {"guarded", "approved"}),
        ("state=suspended&reason=opened", {"opened"}),
        ("agent=painter", {"running"}),
        ("agent=nobody", set()),
        ("held=true", {"guarded"}),
        ("held=false", {"opened", "running", "asking", "done", "approved"}),
        (f"updated_after={NOW}", {"approved"}),
        (f"updated_after={NOW + 10}", set()),
        ("q=guard", {"guarded"}),
        ("q=region", {"asking"}),
        ("q=100%25", {"opened"}),
        ("q=%25", {"opened"}),
        ("q=N_A", {"asking"}),
        ("q=_", {"asking"}),
        ("q=%5C", set()),
        ("q='%20OR%201=1", set()),
    ],
)  # fmt: skip
def test_a_filter_finds_exactly_its_own(mia, query, expected):
    assert ids(mia.get(f"processes?{query}")) == expected


@pytest.mark.parametrize("name", METADATA)
def test_each_metadata_field_is_a_filter(mia, name):
    make_process(id="a", metadata={name: "x y/é"})
    make_process(id="b", metadata={name: "z"})
    make_process(id="c")
    assert ids(mia.get(f"processes?{name}=x%20y%2F%C3%A9")) == {"a"}
    assert mia.get(f"processes?{name}=z").json()["results"][0][name] == "z"


@pytest.mark.usefixtures("several")
def test_each_head_tells_what_is_next_so_that_no_second_call_is_needed(runtime):
    heads = runtime.get("processes").json()["results"]
    told = {one["id"]: (one["next_action"], one["held"], one["decided"]) for one in heads}
    assert told == {
        "opened": ("continue", False, False),
        "asking": ("needs_answer", False, False),
        "guarded": ("continue", True, False),
        "approved": ("continue", False, True),
        "done": ("terminal", False, False),
    }


@pytest.mark.usefixtures("several")
def test_a_runtime_lists_only_its_own_agents_processes(runtime, other):
    assert ids(other.get("processes")) == {"running"}
    assert "running" not in ids(runtime.get("processes"))
    assert ids(runtime.get("processes?agent=painter")) == set()
    assert runtime.get("processes?agent=painter&count=true").json()["count"] == 0
    assert other.get("suspensions?count=true").json()["count"] == 0


ODD = [
    "state=paused", "state=Running", "state=", "reason=timeout", "held=yes", "held=1",
    "count=maybe", "limit=0", "limit=201", "limit=-1", "limit=1e2", "limit=%D9%A1", "limit=",
    "updated_after=-1", "updated_after=x", "updated_after=9999999999999999", "q=",
    f"q={'x' * 201}", "q=a%00b", "state=running&state=failed", "order=id", "page=-1",
    "process__agent=x", "_connector=OR", "id__in=1", "agent__startswith=a",
]  # fmt: skip


@pytest.mark.parametrize("query", ODD)
def test_an_odd_parameter_is_refused_and_not_ignored(mia, query):
    assert code(mia.get(f"processes?{query}")) == (422, "invalid_request")


@pytest.mark.parametrize(
    "query", ["status=closed", "reason=opened", "mine=yes", "limit=0", "sort=x", "status="]
)
def test_the_inbox_refuses_them_too(mia, query):
    assert code(mia.get(f"suspensions?{query}")) == (422, "invalid_request")


def test_a_thousand_parameters_are_refused(mia):
    reply = mia.get("processes?" + "&".join(f"a{n}=1" for n in range(2000)))
    assert code(reply) == (422, "invalid_request")


@pytest.mark.parametrize(
    ("path", "name", "most"),
    [
        ("processes", "q", 200),
        ("descriptors", "key_prefix", 200),
        ("descriptors", "preset", 100),
        ("descriptors", "after_session", 80),
    ],
)
def test_words_of_a_filter_are_as_long_as_the_document_says(runtime, path, name, most):
    assert runtime.get(f"{path}?{name}={'x' * most}").status_code == 200
    for wrong in ("", "x" * (most + 1)):
        reply = runtime.get(f"{path}?{name}={wrong}")
        assert code(reply) == (422, "invalid_request")
        assert f"?{name} has 1 to {most} characters" in reply.json()["detail"]


def test_a_timer_has_no_key_that_a_filter_could_begin_with(runtime):
    reply = runtime.get("descriptors?wake_kind=timer&key_prefix=mail")
    assert code(reply) == (422, "invalid_wake_condition")
