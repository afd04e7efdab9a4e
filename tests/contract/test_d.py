"""The descriptor, row by row (contract D01-D22)."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dalhc.http.problems import ExtraField
from dalhc.problems import Problem
from descriptors import services
from descriptors.contract import errors
from descriptors.contract.commands import Sleep
from descriptors.contract.cycle import Recovery
from descriptors.contract.record import Descriptor, parse
from descriptors.models import ConditionRow, SleeperRow
from processes.api.body import command
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import append, make_process, principal_actor, suspend

pytestmark = pytest.mark.django_db
TOP = Path(__file__).parents[2]


@pytest.fixture
def made():
    return make_process(running=True)


def said(made, **more):
    return making.body(made, timer(making.FAR), **more)


def refused(made, **more):
    """The problem that a descriptor changed like this meets."""
    with pytest.raises(Problem) as found:
        services.sleep(command(Sleep, said(made, **more)), by=made.by)
    assert SleeperRow.objects.count() == 0
    return found.value


def without(made, *path):
    body = said(made)
    part = body
    for name in path[:-1]:
        part = part[name]
    del part[path[-1]]
    with pytest.raises(Problem) as found:
        command(Sleep, body)
    return found.value


def test_d01_a_descriptor_names_its_session(made):
    assert "sessionId required" in str(without(made, "session_id"))
    assert refused(made, session_id="").code == "session_id_required"


def test_d02_another_format_version_is_refused(made):
    assert refused(made, format_version=2).code == "unsupported_format_version"
    assert making.sleep(made).descriptor.format_version == 1


def test_d03_the_preset_is_kept(made):
    making.sleep(made, agent_preset_id="night shift")
    assert services.sleeper(made.id, by=made.by).preset == "night shift"


def test_d04_an_unknown_class_of_environment_is_refused(made):
    world = {"cwd": "/srv", "env_class": "laptop"}
    assert refused(made, execution_world=world).code == "unknown_env_class"


@pytest.mark.parametrize(
    "world",
    [
        {"cwd": "/srv", "env_class": "host", "env": {"PATH": "/bin"}},
        {"cwd": "/srv", "env_class": "host", "api_key": "x"},
        {"cwd": "https://mia:hunter2@host/srv", "env_class": "host"},
        {"cwd": "/srv/dalhc_abcdef12_0123456789abcdef0123", "env_class": "host"},
    ],
)
def test_d05_a_secret_is_never_stored(made, world):
    assert refused(made, execution_world=world).code == "secret_refused"
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM processes_event WHERE data LIKE '%hunter2%'")
        assert cursor.fetchone() == (0,)


def test_d06_any_one_of_several_conditions_wakes(made):
    making.sleep(made, timer(making.FAR), on("wait-provider", "a"), on("explicit", "b"))
    making.signal("b", "explicit")
    assert making.one().sleeper.settled.key == "b"


@pytest.mark.parametrize(
    "condition",
    [
        {"kind": "cron", "key": "x"}, {"kind": "timer", "key": "5"},
        {"kind": "timer", "key": 0},
        {"kind": "wait-provider", "key": 5}, {"kind": "wait-provider", "key": ""},
        {"kind": "explicit", "key": "a\nb"}, {"kind": "explicit", "key": "x" * 201},
    ],
)  # fmt: skip
def test_d07_four_kinds_are_known_and_others_refused(made, condition):
    assert refused(made, wake_conditions=[condition]).code == "invalid_wake_condition"
    stop = suspend(make_process(running=True), question="?")
    known = [
        timer(5),
        on("wait-provider", "a"),
        on("explicit", "b"),
        on("human", stop.suspension_id),
    ]
    assert len(making.sleep(stop, *known).descriptor.wake_conditions) == 4


def test_d08_the_wake_beyond_the_budget_is_refused_and_said_in_the_inbox(made):
    making.sleep(made, timer(1), budget_state={"max_consecutive_wakes": 2})
    for _ in range(2):
        making.give_back(made, making.one().row.host.lease_epoch)
    assert making.claim().wakes == ()
    assert services.sleeper(made.id, by=made.by).stage == "spent"
    row = made.row
    assert (row.head.suspend_reason, row.host.held) == ("step_budget", True)
    assert services.check() == []


def test_d09_what_is_committed_must_be_named(made):
    for name in ("source_revision", "seq_watermark", "turn_id"):
        assert without(made, "last_committed", name).code == "invalid_request"
    assert without(made, "last_committed").code == "invalid_request"


@pytest.mark.parametrize("value", [float("nan"), b"x", datetime.datetime(2026, 1, 1), print])
def test_d10_only_plain_json_is_taken(made, value):
    body = said(made) | {"turn": value}
    with pytest.raises(errors.NotJsonSafe):
        Descriptor.model_validate(body)


def test_d11_no_live_object_is_ever_kept():
    files = [*(TOP / "descriptors").rglob("*.py")]
    assert len(files) > 20
    assert not [
        one for one in files if re.search(r"\b(pickle|marshal|shelve)\b", one.read_text())
    ]
    kinds = {field.get_internal_type() for field in SleeperRow._meta.get_fields()}
    assert kinds <= {"CharField", "TextField", "BigIntegerField", "PositiveIntegerField"}


def test_d12_every_descriptor_is_made_again_from_the_log():
    slept = making.asleep(timer(making.FAR), on("wait-provider", "a"))
    woken = making.due()
    making.one()
    signalled = making.asleep(on("wait-provider", "b"))
    making.signal("b", payload={"n": 1})
    rows = everything()
    assert len(rows[0]) == 3 and {row[0] for row in rows[0]} == {
        slept.id,
        woken.id,
        signalled.id,
    }
    SleeperRow.objects.all().delete()
    ConditionRow.objects.all().delete()
    call_command("descriptors", "rebuild")
    assert everything() == rows
    call_command("descriptors", "check")


def everything():
    sleepers = sorted(SleeperRow.objects.values_list())
    heard = sorted(ConditionRow.objects.values_list("session_id", "kind", "key"))
    return sleepers, heard


def test_d13_a_descriptor_whose_log_has_moved_is_rebuilt_and_not_trusted(made):
    making.sleep(made, timer(1))
    append(made)
    wake = making.one()
    assert wake.recovery is Recovery.REBUILD
    assert wake.sleeper.descriptor.last_committed.seq_watermark == made.row.host.revision - 1
    assert wake.sleeper.rebuilt_at_ms is not None


def test_d14_the_log_wins_over_a_descriptor_that_says_otherwise(made):
    making.sleep(made, timer(1))
    row = SleeperRow.objects.get()
    row.body = row.body.replace("/home/mia/letters", "/home/eve")
    row.save()
    with pytest.raises(CommandError):
        call_command("descriptors", "check")
    wake = making.one()
    assert wake.recovery is Recovery.REBUILD
    assert wake.sleeper.descriptor.execution_world.cwd == "/home/mia/letters"


def test_d16_a_descriptor_that_is_none_is_refused(made):
    for value in (None, [], "x", 5, {}):
        with pytest.raises((Problem, ValueError)):
            Descriptor.model_validate(value)
    body = json.loads(making.sleep(made).descriptor.text)
    for name in [*body, *(f"execution_world.{part}" for part in body["execution_world"])]:
        if name != "budget_state":
            assert without(made, *name.split("."))
    with pytest.raises(ExtraField):
        command(Sleep, said(made) | {"more": 1})


def test_d17_it_comes_back_as_it_was_put_and_is_gone_when_forgotten(made):
    put = making.sleep(made, timer(7), on("explicit", "x"))
    assert services.whole(services.sleeper(made.id, by=made.by)) == put
    services.drop(made.id, by=made.by)
    with pytest.raises(errors.DescriptorNotFound):
        services.sleeper(made.id, by=made.by)
    assert services.check() == []


def test_d18_what_is_awake_is_not_due():
    making.due()
    assert len(making.claim(limit=10).wakes) == 1
    assert making.claim(limit=10).wakes == ()


def test_d19_look_ups_go_by_kind_and_exact_prefix():
    keys = ["mail/1", "mail/2", "mail%", "mail_", "Mail/1", "mai", "mail\U0010ffff"]
    ids = {key: making.asleep(on("wait-provider", key)).id for key in keys}
    making.asleep(on("explicit", "mail/1"))
    for prefix, found in {
        "mail/": ["mail/1", "mail/2"], "mail%": ["mail%"], "mail_": ["mail_"],
        "Mail": ["Mail/1"], "mai": [key for key in keys if key.startswith("mai")],
        "mail\U0010ffff": ["mail\U0010ffff"], "x": [],
    }.items():  # fmt: skip
        rows = services.listed(by=principal_actor(), kind="wait-provider", key_prefix=prefix)
        assert sorted(row.session_id for row in rows) == sorted(ids[key] for key in found)


def test_d20_losing_the_tables_loses_nothing():
    made = making.due()
    SleeperRow.objects.all().delete()
    assert made.record.objective and services.rebuild() == 1
    assert making.one().row.head.id == made.id


def test_d22_a_watermark_never_goes_back(made):
    append(made)
    making.sleep(made)
    row = SleeperRow.objects.values().get()
    place = making.committed(made)
    earlier = {
        **place,
        "source_revision": place["source_revision"].replace(":2", ":1"),
        "seq_watermark": 1,
    }
    with pytest.raises(errors.StaleWatermark):
        making.sleep(made, last_committed=earlier)
    assert SleeperRow.objects.values().get() == row


def test_no_half_of_a_descriptor_is_read():
    assert parse('{"session_id": "p"') is None and parse("{}") is None
