"""The front over real sockets: POST, large and slow bodies, streams, clients that leave, the
end.
"""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.toy.server import Server, head, read_all, serving

MIB = 1024 * 1024
ARTIFACT = "/api/v1/processes/p/artifacts/a.bin"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("toy")) as running:
        yield running


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def status_of(answer: bytes) -> int:
    return int(answer[9:12])


def json_of(answer: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body_of(answer))
    return found


def until(true: Callable[[], bool], seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


def state(server: Server) -> dict[str, Any]:
    return json_of(server.ask("GET", "/state"))


def test_a_post_arrives_whole(server: Server):
    """Trap 6: a2wsgi under granian answered 500 on POST."""
    kind = "Content-Type: application/x-www-form-urlencoded"
    assert json_of(server.ask("POST", "/form", b"a=1&b=%C3%A9", kind)) == {"a": "1", "b": "é"}


def test_a_chunked_post_has_its_real_length(server: Server):
    with server.connect() as connection:
        connection.sendall(head("POST", "/x", "Transfer-Encoding: chunked"))
        for part in (b"3\r\nabc\r\n", b"2\r\nde\r\n", b"0\r\n\r\n"):
            connection.sendall(part)
            time.sleep(0.02)
        seen = json_of(dechunked(read_all(connection)))
    assert seen["size"] == 5
    assert seen["meta"]["CONTENT_LENGTH"] == "5"


def dechunked(answer: bytes) -> bytes:
    assert b"content-length" in answer.lower()
    return answer


def test_path_query_and_headers_arrive_as_sent(server: Server):
    sent = ("X-A: 1", "X-A: 2", "X_A: forged")
    seen = json_of(server.ask("GET", "/%C3%A9/%ff?q=%20", b"", *sent))
    assert seen["path"] == "/é/%FF"
    assert seen["query"] == "q=%20"
    assert seen["meta"]["HTTP_X_A"] == "1,2"


def test_a_large_artifact_arrives_without_filling_memory(server: Server):
    bytes_ = bytes(range(256)) * 4096 * 8
    seen = json_of(server.ask("PUT", ARTIFACT, bytes_))
    assert seen["size"] == 8 * MIB
    assert seen["sha256"] == hashlib.sha256(bytes_).hexdigest()
    assert seen["input"] == "SpooledTemporaryFile"


def test_a_body_too_large_is_answered_though_the_client_still_sends(server: Server):
    with server.connect() as connection:
        connection.sendall(head("POST", "/api/v1/processes", f"Content-Length: {2 * MIB}"))
        for _ in range(32):
            connection.sendall(b"x" * 65536)
        answer = read_all(connection)
    assert status_of(answer) == 413
    assert b"application/problem+json" in answer
    assert json_of(answer)["code"] == "too_large"


def test_a_chunked_body_without_end_is_answered_too(server: Server):
    with server.connect() as connection:
        connection.sendall(head("POST", "/api/v1/processes", "Transfer-Encoding: chunked"))
        for _ in range(20):
            connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        connection.sendall(b"0\r\n\r\n")
        assert status_of(read_all(connection)) == 413


def test_a_page_refuses_in_plain_text(server: Server):
    answer = server.ask("POST", "/login/", b"x" * (257 * 1024))
    assert status_of(answer) == 413
    assert b"text/plain" in answer
    assert b"{" not in body_of(answer)


def test_a_client_that_asks_first_need_not_send(server: Server):
    with server.connect() as connection:
        sizes = ("Content-Length: 900000", "Expect: 100-continue")
        connection.sendall(head("POST", "/api/v1/processes", *sizes))
        assert status_of(read_all(connection)) == 413


def test_a_download_is_whole(server: Server, tmp_path: Path):
    answer = server.ask("GET", "/big")
    expected = bytes(range(256)) * 4096 * 24
    assert b"content-length: 25165824" in answer[:400].lower()
    assert hashlib.sha256(body_of(answer)).digest() == hashlib.sha256(expected).digest()


def test_a_head_request_has_no_body(server: Server):
    for path in ("/big", "/x", "/stream"):
        answer = server.ask("HEAD", path)
        assert status_of(answer) == 200
        assert body_of(answer) == b""


def test_a_stream_is_closed_when_its_client_leaves(server: Server):
    before = len(state(server)["closed"])
    with server.connect() as connection:
        connection.sendall(head("GET", "/stream"))
        assert connection.recv(65536)
    assert until(lambda: len(state(server)["closed"]) == before + 1)


def test_a_stream_that_breaks_does_not_look_whole(server: Server):
    answer = server.ask("GET", "/stream?broken=1")
    assert status_of(answer) == 200
    assert not answer.endswith(b"0\r\n\r\n")


def test_clients_that_leave_in_the_middle_do_not_hurt_the_rest(server: Server):
    for sent in (
        head("POST", "/x", "Content-Length: 100") + b"half",
        head("GET", "/slow?s=0.3"),
        head("GET", "/wait/leavers/60"),
        head("PUT", ARTIFACT, f"Content-Length: {20 * MIB}") + b"x" * MIB,
        head("GET", "/big"),
    ):
        for _ in range(5):
            connection = server.connect()
            connection.sendall(sent)
            connection.close()
    assert status_of(server.ask("POST", "/count")) == 200
    assert until(lambda: state(server)["waiters"] == 0)
    assert {f"web-{n}" for n in range(4)} | {"writer"} <= set(state(server)["threads"])


def test_a_view_cannot_end_its_thread(server: Server):
    for _ in range(6):
        assert status_of(server.ask("GET", "/boom")) == 500
    assert status_of(server.ask("POST", "/count")) == 200


def test_a_waiting_route_is_woken_by_a_write(server: Server):
    with server.connect() as connection:
        connection.sendall(head("GET", "/wait/woken/20"))
        assert until(lambda: state(server)["waiters"] == 1)
        begun = time.monotonic()
        server.ask("POST", "/ring/woken")
        assert body_of(read_all(connection)) == b"rung"
        assert time.monotonic() - begun < 1


def test_a_body_read_by_a_route_is_handed_on(server: Server):
    assert body_of(server.ask("POST", "/hand-on", b"mine")) == b"taken by the route"
    seen = json_of(server.ask("POST", "/hand-on", b"other"))
    assert seen["size"] == 5


def test_a_route_that_fails_says_so_as_a_problem(server: Server):
    refused = json_of(server.ask("GET", "/api/refuse"))
    assert refused["code"] == "not_today"
    assert refused["request_id"]
    failed = server.ask("GET", "/api/fail", b"", "X-Request-Id: my-request-7")
    assert status_of(failed) == 500
    assert json_of(failed)["code"] == "internal"
    assert json_of(failed)["request_id"] == "my-request-7"
    assert "ValueError: a bug" in server.log


def test_waiters_hold_no_thread(server: Server):
    """Trap 4: with thread waiters, 200 of them and 64 threads stood still."""
    held = [server.connect(60) for _ in range(300)]
    for connection in held:
        connection.sendall(head("GET", "/wait/crowd/60"))
    assert until(lambda: state(server)["waiters"] == 300)
    assert len(state(server)["threads"]) <= 7
    assert status_of(server.ask("POST", "/count")) == 200
    server.ask("POST", "/ring/crowd")
    assert {body_of(read_all(connection)) for connection in held} == {b"rung"}
    for connection in held:
        connection.close()


def test_it_ends_within_ten_seconds_with_two_hundred_waiting(tmp_path: Path):
    with serving(tmp_path) as server:
        held = [server.connect(60) for _ in range(200)]
        for connection in held:
            connection.sendall(head("GET", "/wait/end/60"))
        idle = server.connect()
        assert until(lambda: state(server)["waiters"] == 200)
        took = server.stop()
        answers = [read_all(connection) for connection in held]
        for connection in [*held, idle]:
            connection.close()
    assert took < 8
    assert {body_of(answer) for answer in answers} == {b"closed"}
    assert server.process.returncode == 0


def test_what_was_asked_before_the_end_is_answered(tmp_path: Path):
    with serving(tmp_path) as server, server.connect() as connection:
        connection.sendall(head("GET", "/slow?s=1"))
        time.sleep(0.3)
        server.process.terminate()
        assert body_of(read_all(connection)) == b"done"
        server.process.wait(10)


def test_a_server_that_cannot_start_says_why_in_one_sentence(tmp_path: Path):
    (tmp_path / "toy.sqlite3").write_text(
        "this is no database, and longer than a header of one"
    )
    server = Server(tmp_path, "tests.toy.asgi:application")
    assert server.process.wait(20) != 0
    assert "dalhc cannot start: DatabaseError: file is not a database" in server.log
    assert "Traceback" not in server.log


def test_a_client_that_stops_sending_is_told_and_let_go(server: Server, monkeypatch):
    """Thirty seconds without a byte are the bound; here it is asked of a server with half of
    one.
    """
    home = Path(server._log).parent / "impatient"
    home.mkdir()
    impatient = Server(home, "tests.toy.impatient:application")
    try:
        impatient.wait_until_up()
        with impatient.connect() as connection:
            connection.sendall(head("POST", "/api/v1/x", "Content-Length: 100") + b"half")
            answer = read_all(connection)
        assert status_of(answer) == 408
        assert json_of(answer)["code"] == "request_timeout"
    finally:
        impatient.stop()


def test_too_much_in_the_queue_is_busy(tmp_path: Path):
    with serving(tmp_path, "tests.toy.impatient:application") as server:
        held: list[socket.socket] = []
        for _ in range(30):
            connection = server.connect()
            connection.sendall(head("GET", "/api/slow?s=1"))
            held.append(connection)
        answers = [read_all(connection) for connection in held]
        for connection in held:
            connection.close()
    busy = [answer for answer in answers if status_of(answer) == 503]
    assert busy
    assert json_of(busy[0])["code"] == "busy"
    assert b"retry-after: 1" in busy[0].lower()
    assert any(status_of(answer) == 200 for answer in answers)


def test_subprocesses_are_all_gone(tmp_path: Path):
    with serving(tmp_path) as server:
        pid = server.process.pid
    assert subprocess.run(
        ["ps", "--ppid", str(pid)], check=False, capture_output=True
    ).returncode
