"""What is counted, and what it costs to ask."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from dalhc import metrics
from dalhc.db import writer
from dalhc.http.problem_json import rendered
from processes import services
from processes.journal.commands import TakeLease
from processes.journal.errors import Fenced
from processes.services import gauges
from tests.making import decide, make_process, resume


def value(name: str, **labels: str) -> float:
    for family in text_string_to_metric_families(metrics.text().decode()):
        for one in family.samples:
            if one.name == name and one.labels.items() >= labels.items():
                return float(one.value)
    return 0.0


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gauges, "_read_at", -1e9)


@pytest.mark.django_db
def test_what_waits_is_counted_by_reason_with_the_oldest(fresh):
    make_process(question="Which?")
    make_process(reason="guard")
    make_process(reason="guard")
    gauges.refresh()
    assert value("dalhc_waiting", reason="guard") == 2
    assert value("dalhc_waiting", reason="ask_user") == 1
    assert value("dalhc_waiting", reason="wall_clock") == 0
    assert 0 <= value("dalhc_oldest_wait_seconds") < 60


@pytest.mark.django_db
def test_asked_again_and_again_the_database_is_read_once(fresh):
    with CaptureQueriesContext(connection) as asked:
        for _ in range(100):
            gauges.refresh()
            metrics.text()
    assert len(asked.captured_queries) == 1


@pytest.mark.django_db(transaction=True)
def test_a_pickup_and_a_claim_are_counted_once_they_are_on_disk():
    before = value("dalhc_pickup_seconds_count"), value("dalhc_claims_total", kind="lease")
    made = make_process(question="Which?")
    decide(made, answer="eu")
    resume(made)
    services.lease(made.id, TakeLease(owner="a", ttl_s=60), by=made.by)
    assert value("dalhc_pickup_seconds_count") == before[0] + 1
    assert value("dalhc_claims_total", kind="lease") == before[1] + 1


@pytest.mark.django_db(transaction=True)
def test_what_was_rolled_back_is_not_counted():
    before = value("dalhc_claims_total", kind="lease")
    made = make_process(running=True)

    def lost() -> None:
        services.lease(made.id, TakeLease(owner="a", ttl_s=60), by=made.by)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        writer.write(lost)
    assert value("dalhc_claims_total", kind="lease") == before


def test_a_refusal_is_counted_by_its_code_and_a_lost_fence_by_itself():
    before = value("dalhc_refusals_total", code="fenced"), value("dalhc_lost_fences_total")
    rendered(Fenced(), "req_1")
    assert value("dalhc_refusals_total", code="fenced") == before[0] + 1
    assert value("dalhc_lost_fences_total") == before[1] + 1


def test_an_append_is_measured_and_a_refused_one_is_not():
    before = value("dalhc_append_seconds_count")
    with metrics.appending():
        pass
    with pytest.raises(Fenced), metrics.appending():
        raise Fenced
    assert value("dalhc_append_seconds_count") == before + 1


def test_requests_are_counted_by_door_and_status():
    before = value("dalhc_requests_total", door="api", status="4xx")
    metrics.answered("api", 404)
    metrics.answered("page", 200)
    assert value("dalhc_requests_total", door="api", status="4xx") == before + 1
