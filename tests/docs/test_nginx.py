"""docs/nginx.conf before two servers: what dalhc needs of a proxy, and believes of it."""

from __future__ import annotations

import os
import re
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest

from dalhc.front.bounds import ARTIFACT, BODY
from processes.api.query import LONGEST_WAIT
from processes.services.guessing import FROM_ONE_ADDRESS
from tests.nginx import CONFIGURATION, Nginx
from tests.serving import TOP, Served

pytestmark = [pytest.mark.database, pytest.mark.needs("nginx", "openssl")]
MIB = 1024 * 1024
BACK = 1.5  # seconds, after which nginx asks a server again that was away (fail_timeout)
SILENT = LONGEST_WAIT if os.environ.get("PROVE") else 3  # seconds without a byte
PASSWORD = "amber-lagoon-kelp-402"
PEOPLE = f"""
import django; django.setup()
from django.contrib.auth.models import User
for name in ("principal", "reviewer"):
    User.objects.create_user(name, password="{PASSWORD}")
"""


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    told: dict[str, Any] = {"DALHC_HTTPS": "1", "DALHC_HOSTS": "127.0.0.1"}
    first = Served(tmp_path_factory.mktemp("proxied"), **told)
    subprocess.run([sys.executable, "-c", PEOPLE], cwd=TOP, env=first.env, check=True)
    found = [first, Served(first.home, beside=first, **told)]
    yield found
    for server in found:
        server.close()


@pytest.fixture(scope="module")
def proxy(servers: list[Served], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    started = Nginx(tmp_path_factory.mktemp("nginx"), servers)
    yield started
    started.close()


@pytest.fixture
def runtime(proxy: Nginx, servers: list[Served]) -> Iterator[httpx2.Client]:
    with proxy.caller(servers[0].keys[0]) as client:
        yield client


@pytest.fixture
def person(proxy: Nginx, servers: list[Served]) -> Iterator[httpx2.Client]:
    with proxy.caller(servers[0].keys[2]) as client:
        yield client


def opened(runtime: httpx2.Client, id: str) -> None:
    body = {"objective": "Tidy", "id": id, "start": True}
    assert runtime.post("processes", json=body).status_code == 201


def asked(runtime: httpx2.Client, id: str) -> None:
    opened(runtime, id)
    body = {"reason": "ask_user", "question": "Which?"}
    assert runtime.post(f"processes/{id}/suspend", json=body).status_code == 200


def temporary(proxy: Nginx) -> list[str]:
    """The files that nginx keeps bodies in, with or without a name."""
    handles = Path(f"/proc/{proxy.process.pid}/fd").iterdir()
    targets = [os.readlink(handle) for handle in handles]
    folders = tuple(f"{proxy.home}/{name}/" for name in ("body", "proxy"))
    return [target for target in targets if target.startswith(folders)]


def test_a_long_poll_is_answered_the_moment_it_is_decided(
    runtime: httpx2.Client, person: httpx2.Client
) -> None:
    asked(runtime, "waits")
    time.sleep(0.5)  # until the other server has heard of it, which ends a wait there
    told: list[Any] = []

    def wait() -> None:
        reply = runtime.get("processes/waits/next", params={"wait": 25}).json()
        told.append((time.monotonic(), reply["next_action"]))

    waiter = threading.Thread(target=wait)
    waiter.start()
    time.sleep(0.3)  # long enough for a reply that does not wait
    assert not told
    [stop] = person.get("suspensions", params={"process_id": "waits"}).json()["results"]
    shown = person.get(f"suspensions/{stop['id']}").json()
    body = {"action": "answer", "answer": "eu", "review_digest": shown["review_digest"]}
    decided = time.monotonic()
    assert person.post(f"suspensions/{stop['id']}/decision", json=body).status_code == 200
    waiter.join(30)
    [(at, action)] = told
    assert action == "continue"
    assert at - decided < 5, "it came when its own time was over, not with the answer"


def test_a_long_poll_may_be_silent_as_long_as_it_asks(runtime: httpx2.Client) -> None:
    asked(runtime, "silent")
    time.sleep(0.5)  # until the other server has heard of it, which ends a wait there
    begun = time.monotonic()
    reply = runtime.get("processes/silent/next", params={"wait": SILENT})
    assert reply.status_code == 200
    assert time.monotonic() - begun >= SILENT


def test_the_proxy_is_more_patient_than_the_longest_wait() -> None:
    told = re.search(r"proxy_read_timeout (\d+)s", CONFIGURATION.read_text())
    assert told is not None
    assert int(told[1]) >= LONGEST_WAIT + 10


def test_the_largest_artifact_streams_in_and_out_and_nginx_keeps_none_of_it(
    proxy: Nginx, servers: list[Served], runtime: httpx2.Client
) -> None:
    opened(runtime, "large")
    content = os.urandom(MIB) * 32
    path = "processes/large/artifacts/a.bin"
    half = len(content) // 2
    with proxy.connection() as sending:
        sending.sendall(servers[0].head("PUT", path, Content_Length=str(len(content))))
        sending.sendall(content[:half])
        assert temporary(proxy) == []
        sending.sendall(content[half:])
        assert sending.recv(12) == b"HTTP/1.1 201"
    with proxy.connection() as reading:
        reading.sendall(servers[0].head("GET", path))
        assert reading.recv(12) == b"HTTP/1.1 200"
        time.sleep(0.5)  # in which a proxy that buffers would fetch all of it
        assert temporary(proxy) == []
    got = runtime.get(path)
    assert got.headers["ETag"] == f'"{sha256(content).hexdigest()}"'
    assert got.content == content


@pytest.mark.parametrize(
    ("method", "path", "size"),
    [
        ("POST", "processes", BODY + 1),
        ("POST", "processes/large/steps", BODY + 1),
        ("PUT", "processes/large/artifacts/b.bin", ARTIFACT + 1),
    ],
)
def test_a_body_too_large_is_refused_in_our_own_words(
    runtime: httpx2.Client, method: str, path: str, size: int
) -> None:
    reply = runtime.request(
        method, path, content=b"x" * size, headers={"Content-Type": "application/json"}
    )
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")


def test_a_body_too_large_for_anything_never_reaches_a_server(runtime: httpx2.Client) -> None:
    reply = runtime.put("processes/large/artifacts/c.bin", content=b"x" * 34 * MIB)
    assert reply.status_code == 413
    assert "nginx" in reply.text


class Browser:
    """Whoever logs in; `said` are headers that only a proxy should say."""

    def __init__(self, url: str, verify: ssl.SSLContext | bool, **said: str) -> None:
        self.url, self._verify = url, verify
        self._said = {name.replace("_", "-"): value for name, value in said.items()}

    def log_in(self, name: str, password: str, origin: str, **said: str) -> httpx2.Response:
        """By hand what a browser does: its cookies are for HTTPS, and not all of this is."""
        told = self._said | {key.replace("_", "-"): value for key, value in said.items()}
        with httpx2.Client(
            base_url=self.url, verify=self._verify, headers=told, trust_env=False, timeout=60
        ) as http:
            page = http.get("/login/")
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
            assert token is not None
            cookies = "; ".join(f"{one.name}={one.value}" for one in http.cookies.jar)
            http.cookies.clear()
            headers = {"Origin": origin, "Cookie": cookies}
            form = {"csrfmiddlewaretoken": token[1], "username": name, "password": password}
            return http.post("/login/", data=form, headers=headers)


def test_a_login_through_the_proxy_is_one_over_https(proxy: Nginx) -> None:
    browser = Browser(proxy.url, proxy.context, X_Forwarded_Proto="http")
    answer = browser.log_in("principal", PASSWORD, proxy.url)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    told = answer.headers.get_list("Set-Cookie")
    assert {one.partition("=")[0] for one in told} == {"__Host-dalhc", "__Host-dalhc-csrf"}
    assert all("Secure" in one and "SameSite=Lax" in one for one in told)


def test_a_login_from_another_origin_is_refused(proxy: Nginx) -> None:
    browser = Browser(proxy.url, proxy.context)
    for origin in ("https://elsewhere.example", f"https://127.0.0.1:{proxy.port + 1}", "null"):
        assert browser.log_in("principal", PASSWORD, origin).status_code == 403


def test_no_client_can_say_that_it_comes_from_elsewhere(
    proxy: Nginx, servers: list[Served]
) -> None:
    """Wrong passwords are counted where they come from, whatever the client says of it."""
    browser = Browser(proxy.url, proxy.context)
    tries = [
        browser.log_in("reviewer", "wrong", proxy.url, X_Forwarded_For=f"203.0.113.{n}")
        for n in range(FROM_ONE_ADDRESS + 1)
    ]
    assert [one.status_code for one in tries] == [200] * FROM_ONE_ADDRESS + [429]
    beside = Browser(
        servers[0].url, False, X_Forwarded_Proto="https", X_Forwarded_For="203.0.113.9"
    )
    origin = f"https://127.0.0.1:{servers[0].port}"
    assert beside.log_in("reviewer", PASSWORD, origin).status_code == 302


def test_a_server_that_goes_takes_nothing_with_it(
    proxy: Nginx, servers: list[Served], runtime: httpx2.Client, person: httpx2.Client
) -> None:
    """Readers notice nothing; a runtime sends again what was not answered."""
    opened(runtime, "goes")
    told: dict[int, int] = {}
    read: list[int] = []
    enough = threading.Event()
    key = servers[0].keys[0]
    working = [
        threading.Thread(target=_append, args=(proxy.caller(key), told, enough)),
        threading.Thread(target=_read, args=(proxy.caller(key), read, enough)),
    ]
    for thread in working:
        thread.start()
    try:
        _until(lambda: len(told) > 5)
        servers[1].kill()
        before = len(told)
        _until(lambda: len(told) > before + 10)
        servers[1].start()
        time.sleep(BACK)
        servers[0].stop()
        before = len(told)
        _until(lambda: len(told) > before + 10)
    finally:
        enough.set()
        for thread in working:
            thread.join(60)
        if servers[0].process.poll() is not None:
            servers[0].start()
    assert len(read) > 10
    assert set(read) == {200}, proxy.log[-3000:]
    steps = person.get("processes/goes/journal").json()["steps"]
    kept = {step["args"]: number for number, step in enumerate(steps, 1)}
    assert len(kept) == len(steps)
    for number, seq in told.items():
        assert kept[f'{{"n":{number}}}'] == seq


def _append(client: httpx2.Client, told: dict[int, int], enough: threading.Event) -> None:
    with client:
        while not enough.is_set():
            step = {"tool": "run", "args": {"n": len(told)}, "success": True}
            try:
                reply = client.post("processes/goes/steps", json=step)
            except httpx2.TransportError:
                continue
            if reply.status_code in {200, 201}:
                told[len(told)] = reply.json()["seq"]
            else:
                assert reply.status_code in {502, 503, 504}, reply.text


def _read(client: httpx2.Client, read: list[int], enough: threading.Event) -> None:
    with client:
        while not enough.is_set():
            read.append(client.get("processes/goes").status_code)


def _until(condition: Any, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
