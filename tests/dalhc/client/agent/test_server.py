"""Where the agent finds its server, and what it says when it does not."""

from __future__ import annotations

import json
import socket

import pytest

from dalhc.client.agent import server
from dalhc.client.agent.refused import CannotStart
from dalhc.client.agent.server import Address, address, connect


@pytest.fixture
def demo(tmp_path, monkeypatch):
    monkeypatch.setenv("DALHC_HOME", str(tmp_path))
    left = {"url": "http://127.0.0.1:8000", "runtime_key": "dalhc_a_b", "logins": {}}
    (tmp_path / "demo.json").write_text(json.dumps(left))
    return tmp_path / "demo.json"


def test_the_server_is_found_where_make_run_left_it(demo):
    assert address(None, None) == Address("http://127.0.0.1:8000", "dalhc_a_b")


def test_what_is_typed_wins(demo):
    assert address("http://other", None) == Address("http://other", "dalhc_a_b")
    assert address(None, "dalhc_c_d") == Address("http://127.0.0.1:8000", "dalhc_c_d")


def test_the_folder_of_data_is_beside_where_the_command_is_typed(demo, monkeypatch):
    (demo.parent / ".dalhc").mkdir()
    demo.rename(demo.parent / ".dalhc" / "demo.json")
    monkeypatch.delenv("DALHC_HOME")
    monkeypatch.chdir(demo.parent)
    assert address(None, None).key == "dalhc_a_b"


def test_no_server_yet_is_said_with_the_way_out(demo):
    demo.unlink()
    with pytest.raises(CannotStart, match="start the server with `make run`"):
        address(None, None)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"url": "http://x"}'])
def test_a_broken_demo_file_is_said(demo, content):
    demo.write_text(content)
    with pytest.raises(CannotStart, match="cannot be read"):
        address(None, None)


def test_a_server_that_is_down_is_said_soon(monkeypatch):
    monkeypatch.setattr(server, "FIRST_PATIENCE", 0.2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(CannotStart, match="does not answer; is `make run` running"):
        connect(Address(f"http://127.0.0.1:{port}", "dalhc_a_b"))


def test_a_wrong_address_is_said():
    with pytest.raises(CannotStart, match="is no address"):
        connect(Address("localhost:8000", "dalhc_a_b"))
