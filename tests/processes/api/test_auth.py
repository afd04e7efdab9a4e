"""Who may call what: every address against every kind of key (T8, T9, T17-T19)."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from dalhc.clock import now_ms
from processes import services
from processes.api.operations import OPERATIONS
from processes.models import RuntimeKey
from processes.services.keys import forget
from tests.processes.api.callers import Caller, code, everything, operation, step
from tests.processes.api.conftest import ADMIN, agent_key

NOTHING = "0" * 64
FILE = {
    "schema_version": 1, "id": "file-1", "objective": "o", "state": "running",
    "created_at_ms": 1, "updated_at_ms": 1,
}  # fmt: skip

DRAFT = {"action": "answer", "content": {"answer": ["y"]}}
UNKNOWN = {"id": "susp_none", "review_digest": "0" * 64}

# method, path, body: then the status for its own runtime, another agent's, a principal, a
# reviewer and an admin. Without a valid key it is 401 everywhere.
ROUTES = [
    ("POST", "processes", {"objective": "o"}, (201, 201, 403, 403, 403)),
    ("GET", "processes", None, (200, 200, 200, 200, 200)),
    ("POST", "import", FILE, (201, 201, 403, 403, 403)),
    ("GET", "processes/runs", None, (200, 404, 200, 200, 200)),
    ("GET", "processes/runs/journal", None, (200, 404, 200, 200, 200)),
    ("GET", "processes/runs/passport", None, (403, 403, 200, 200, 200)),
    ("GET", "processes/runs/next", None, (200, 404, 200, 200, 200)),
    ("GET", "processes/runs/steps", None, (200, 404, 200, 200, 200)),
    ("POST", "processes/runs/steps", step(2), (201, 404, 403, 403, 403)),
    ("POST", "processes/runs/steps", [step(3)], (201, 404, 403, 403, 403)),
    (
        "POST",
        "processes/runs/attempts",
        {"tool": "pay", "args": "{}", "attempt_id": "a-1"},
        (200, 404, 403, 403, 403),
    ),
    ("GET", "processes/runs/turns", None, (200, 404, 200, 200, 200)),
    ("GET", "processes/runs/events", None, (200, 404, 200, 200, 200)),
    ("POST", "processes/runs/suspend", {"reason": "guard"}, (200, 404, 403, 403, 403)),
    ("POST", "processes/runs/resume", {}, (200, 404, 403, 403, 403)),
    ("POST", "processes/decided/resume", {}, (200, 404, 403, 403, 403)),
    ("POST", "processes/runs/complete", {}, (200, 404, 403, 403, 403)),
    ("POST", "processes/runs/fail", {}, (200, 404, 403, 403, 403)),
    ("POST", "processes/runs/stop", {"note": "n"}, (403, 403, 200, 403, 403)),
    ("POST", "processes/runs/lease", {"owner": "o"}, (200, 404, 403, 403, 403)),
    ("POST", "processes/leased/heartbeat", {"lease_epoch": 1}, (200, 404, 403, 403, 403)),
    ("POST", "processes/leased/release", {"lease_epoch": 1}, (200, 404, 403, 403, 403)),
    ("GET", "processes/runs/artifacts", None, (200, 404, 200, 200, 200)),
    ("GET", "processes/runs/artifacts/a.txt", None, (200, 404, 200, 200, 200)),
    ("PUT", "processes/runs/artifacts/b.txt", b"b", (201, 404, 403, 403, 403)),
    ("GET", "suspensions", None, (200, 200, 200, 200, 200)),
    ("GET", "suspensions/{asks}", None, (200, 404, 200, 200, 200)),
    ("POST", "suspensions/{asks}/decision", "choice", (403, 403, 200, 403, 403)),
    ("DELETE", "suspensions/{decided}/decision", None, (403, 403, 200, 403, 403)),
    ("POST", "suspensions/{asks}/claim", {}, (403, 403, 200, 403, 403)),
    ("POST", "suspensions/{asks}/release", None, (403, 403, 200, 403, 403)),
    ("POST", "suspensions/{asks}/reassign", {"assignees": []}, (403, 403, 200, 403, 403)),
    ("POST", "suspensions/{asks}/snooze", {"until": None}, (403, 403, 200, 403, 403)),
    (
        "POST",
        "suspensions/bulk",
        {"action": "approve", "items": [UNKNOWN]},
        (403, 403, 200, 403, 403),
    ),
    ("GET", "suspensions/{asks}/past", None, (200, 404, 200, 200, 200)),
    ("PUT", "suspensions/{asks}/draft", DRAFT, (403, 403, 200, 403, 403)),
    ("GET", "suspensions/{asks}/draft", None, (403, 403, 200, 403, 403)),
    ("DELETE", "suspensions/{asks}/draft", None, (403, 403, 200, 403, 403)),
    ("POST", "suspensions/{decided}/ring", None, (403, 403, 200, 403, 403)),
    ("POST", "suspensions/{delivered}/ack", None, (200, 404, 403, 403, 403)),
    ("POST", "suspensions/{delivered}/nack", {"error": "e"}, (200, 404, 403, 403, 403)),
    ("GET", "descriptors", None, (200, 200, 200, 200, 200)),
    ("GET", "descriptors/sleeps", None, (200, 404, 200, 200, 200)),
    ("PUT", "descriptors/sleeps", "sleep", (200, 404, 403, 403, 403)),
    ("DELETE", "descriptors/sleeps", None, (200, 404, 403, 403, 403)),
    ("GET", "descriptors/sleeps/source", None, (200, 404, 403, 403, 403)),
    ("POST", "descriptors/woken/commit", "commit", (200, 404, 403, 403, 403)),
    ("POST", "descriptors/woken/release", {"lease_epoch": 1}, (200, 404, 403, 403, 403)),
    ("POST", "wakes/claim", {}, (200, 200, 403, 403, 403)),
    ("POST", "/task", {"description": "d", "process_id": "runs"}, (200, 409, 403, 403, 403)),
    ("POST", "/task", {"description": "d", "durable": True}, (200, 200, 403, 403, 403)),
    ("POST", "/message", {"sender_id": "s", "content": "c"}, (200, 200, 403, 403, 403)),
    ("GET", "/status", None, (200, 200, 200, 200, 200)),
    ("GET", "/health", None, (200, 200, 200, 200, 200)),
    ("POST", "signals", {"kind": "explicit", "key": "k"}, (200, 200, 403, 403, 403)),
]
WHO = ("own", "another", "principal", "reviewer", "admin")
NOBODY = ("none", "bad", "expired", "revoked")


@pytest.fixture
def callers(runtime, other, mia, rob, ada):
    expired = agent_key("tidier", expires_at_ms=now_ms() - 1)
    key, revoked = services.issue_key("tidier", agent="tidier", by=ADMIN)
    services.revoke_key(key.id, by=ADMIN)
    nobody = (None, runtime.key[:-1] + "!", expired, revoked)
    people = (runtime, other, mia, rob, ada)
    return dict(zip(WHO, people, strict=True)) | {
        name: Caller(text) for name, text in zip(NOBODY, nobody, strict=True)
    }


@pytest.fixture
def stops(runtime, mia):
    """One process in each state a route needs, all of them the agent tidier's."""
    for name in ("runs", "leased", "asks", "decided", "delivered"):
        runtime.open(id=name)
    runtime.post("processes/runs/steps", step())
    runtime.put("processes/runs/artifacts/a.txt", b"a")
    runtime.post("processes/leased/lease", {"owner": "o"})
    stops = {name: runtime.ask(name) for name in ("asks", "decided", "delivered")}
    for name in ("decided", "delivered"):
        mia.decide(stops[name], answer="yes")
    runtime.post("processes/delivered/resume")
    for name in ("sleeps", "woken"):
        runtime.open(id=name)
        reply = runtime.send("PUT", f"descriptors/{name}", sleep(runtime, name, 4 * 10**12))
        assert reply.status_code == 200, reply.content
    due = sleep(runtime, "woken", 1)
    assert runtime.send("PUT", "descriptors/woken", due).status_code == 200
    assert len(runtime.post("wakes/claim").json()["results"]) == 1
    return stops


def sleep(runtime, name, timer):
    """A whole descriptor of this process."""
    return commit(runtime, name, timer) | {
        "session_id": name, "format_version": 1, "agent_preset_id": "tidy",
        "execution_world": {"cwd": "/home/mia", "env_class": "host"},
    }  # fmt: skip


def commit(runtime, name, timer=4 * 10**12):
    place = runtime.get(f"descriptors/{name}/source").json()
    del place["session_id"]
    return {
        "wake_conditions": [{"kind": "timer", "key": timer}],
        "last_committed": place | {"turn_id": "t-1"},
    }


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route[0]} {route[1]}")
def test_each_key_gets_exactly_what_is_its_own(callers, stops, route):
    method, path, body, statuses = route
    path = path.format(**{name: stop["id"] for name, stop in stops.items()})
    if body == "choice":
        digest = stops["asks"]["review_digest"]
        body = {"action": "answer", "answer": "yes", "review_digest": digest}
    if body == "sleep":
        body = sleep(callers["own"], "sleeps", 3 * 10**12)
    if body == "commit":
        body = commit(callers["own"], "woken") | {"lease_epoch": 1}
    expected = dict.fromkeys(NOBODY, 401) | dict(zip(WHO, statuses, strict=True))
    before = everything()
    for who in (*NOBODY, *WHO):
        if expected[who] >= 400:
            reply = callers[who].send(method, path, body)
            assert (who, reply.status_code) == (who, expected[who])
            assert everything() == before
    for who in WHO:
        if expected[who] < 400:
            sent = FILE | {"id": f"file-{who}"} if body is FILE else body
            reply = callers[who].send(method, path, sent)
            assert (who, reply.status_code) == (who, expected[who])
            assert b"".join(reply)


def test_every_operation_is_in_the_matrix():
    tried = {
        operation(method, _address(path.format(asks="a", decided="b", delivered="c")))
        for method, path, _, _ in ROUTES
    }
    assert {found.id for found in tried if found} == {one.id for one in OPERATIONS.values()}


def _address(path: str) -> str:
    return path if path.startswith("/") else f"/api/v1/{path}"


def test_a_refusal_for_anothers_process_is_that_of_one_that_is_not(runtime, other):
    runtime.open(id="tidy-1")
    mine, none = other.get("processes/tidy-1").json(), other.get("processes/none").json()
    assert mine | {"request_id": ""} == none | {"request_id": ""}


HEADERS = [
    "", "Bearer", "Bearer ", "Basic dXNlcjpwdw==", "dalhc_a_b", "Bearer dalhc", "Bearer dalhc_",
    "Bearer dalhc__", "Bearer dalhc_é_é", "Bearer é", "Bearer \x00", "Bearer " + "x" * 8000,
    "Bearer dalhc_' OR 1=1 --_x",
]  # fmt: skip


@pytest.mark.parametrize("header", HEADERS, ids=lambda text: ascii(text)[:30])
def test_a_header_that_is_no_key_is_401(db, header):
    caller = Caller()
    reply = caller.get("processes", Authorization=header)
    assert code(reply) == (401, "unauthorized")
    assert reply["WWW-Authenticate"] == 'Bearer realm="dalhc"'


def test_unknown_expired_revoked_and_wrong_secrets_get_the_same_refusal(callers, runtime):
    wrong = Caller(runtime.key.rsplit("_", 1)[0] + "_" + "a" * 43)
    unknown = Caller("dalhc_00000000_" + "a" * 43)
    replies = [caller.get("processes") for caller in
               (*[callers[who] for who in NOBODY], wrong, unknown)]  # fmt: skip
    bodies = [reply.json() | {"request_id": ""} for reply in replies]
    assert all(body == bodies[0] for body in bodies)


def test_a_key_may_also_be_called_a_token(runtime):
    for scheme in ("Token", "token", "bearer", "BEARER"):
        reply = Caller().get("processes", Authorization=f"{scheme} {runtime.key}")
        assert reply.status_code == 200


def test_a_key_anywhere_but_in_the_header_is_no_key(runtime):
    caller = Caller()
    for path in (f"processes?key={runtime.key}", f"processes?access_token={runtime.key}"):
        assert code(caller.get(path)) == (401, "unauthorized")
    caller.http.cookies["Authorization"] = f"Bearer {runtime.key}"
    assert code(caller.get("processes", X_Api_Key=runtime.key)) == (401, "unauthorized")
    assert code(caller.post("processes", {"key": runtime.key})) == (401, "unauthorized")


@pytest.mark.usefixtures("db")
def test_a_cookie_never_counts(runtime):
    made = runtime.open()
    user = User.objects.create_superuser("root")
    user.groups.add(Group.objects.get_or_create(name="principals")[0])
    caller = Caller()
    caller.http.force_login(user)
    before = everything()
    for method, path, body in (
        ("GET", "processes", None), ("GET", f"processes/{made['id']}", None),
        ("POST", f"processes/{made['id']}/stop", {"note": "n"}), ("GET", "suspensions", None),
    ):  # fmt: skip
        assert code(caller.send(method, path, body)) == (401, "unauthorized")
    form = caller.send(
        "POST", f"processes/{made['id']}/stop", b'{"note":"n"}', "text/plain",
        Origin="http://evil.example", Sec_Fetch_Site="cross-site",
    )  # fmt: skip
    assert code(form) == (401, "unauthorized")
    assert everything() == before


def test_a_persons_key_decides_only_while_the_person_may(runtime, mia):
    stop = runtime.ask(runtime.open()["id"])
    user = User.objects.get(username="mia")
    user.groups.clear()
    forget()
    assert code(mia.decide(stop, answer="a")) == (403, "forbidden")
    assert mia.get("suspensions").status_code == 200
    user.groups.add(Group.objects.get(name="principals"))
    forget()
    assert mia.decide(stop, answer="a").status_code == 200
    User.objects.filter(id=user.id).update(is_active=False)
    forget()
    assert code(mia.get("suspensions")) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("scopes", "statuses"),
    [
        (("read",), (200, 403, 403)), (("journal",), (403, 201, 403)),
        (("wake",), (403, 403, 403)), (("read", "journal"), (200, 201, 403)),
    ],
)  # fmt: skip
def test_a_runtimes_key_does_what_its_scopes_say(db, scopes, statuses):
    caller = Caller(agent_key("tidier", scopes=scopes))
    replies = (
        caller.get("processes"), caller.post("processes", {"objective": "o"}),
        caller.post("processes/x/stop", {"note": "n"}),
    )  # fmt: skip
    assert tuple(reply.status_code for reply in replies) == statuses


def test_a_key_is_revoked_at_once(runtime):
    assert runtime.get("processes").status_code == 200
    services.revoke_key(RuntimeKey.objects.get().id, by=ADMIN)
    assert code(runtime.get("processes")) == (401, "unauthorized")


def test_a_key_is_kept_as_a_hash_and_its_use_is_noted(runtime):
    runtime.get("processes")
    row = RuntimeKey.objects.values().get()
    assert runtime.key.split("_", 2)[2] not in str(row)
    assert row["last_used_at_ms"] is not None
