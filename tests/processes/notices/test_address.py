"""T23: a webhook reaches the hosts that were named, over the public network, no other."""

from __future__ import annotations

import socket

import pytest

from processes.notices import address
from processes.notices.address import AddressRefused, Allowed

HOOKS = Allowed(frozenset({"hooks.example.com"}))
ANY = Allowed(
    frozenset({"127.0.0.1", "169.254.169.254", "0", "2130706433", "hooks.example.com"})
)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/", "https://hooks.example.com.evil.test/",
        "https://evil.test/hooks.example.com", "https://hooks.example.com@evil.test/",
        "https://user:word@hooks.example.com/", "https://hooks.example.com/#x",
        "https://hooks.example.com:99999/", "https://hooks.example.com /", "https:///x",
        "file:///etc/passwd", "gopher://hooks.example.com/", "ftp://hooks.example.com/", "",
        "https://hooks.example.com/\r\nX: y", "https://①②⑦.0.0.1/", "https://[::1]/",
        "https://127.0.0.1:22/", "https://" + "a" * 600,
    ],
)  # fmt: skip
def test_T23_what_is_not_named_is_refused(url):
    with pytest.raises(AddressRefused):
        address.place(url, HOOKS)


def test_T23_what_is_named_is_taken_apart_and_not_repaired():
    found = address.place("https://HOOKS.example.com:8443/a?b=c", HOOKS)
    assert found == address.Place(True, "hooks.example.com", 8443, "/a?b=c")
    assert address.place("https://hooks.example.com", HOOKS).path == "/"


@pytest.mark.parametrize(
    "text",
    ["127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0",
     "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0",
     "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::",
     "64:ff9b::7f00:1", "192.0.2.1", "198.18.0.1"],
)  # fmt: skip
def test_T23_no_address_of_a_private_network_is_public(text):
    assert not address.is_public(text)


@pytest.mark.parametrize("text", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_an_address_everyone_shares_is_public(text):
    assert address.is_public(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "0", "2130706433"])
def test_T23_a_named_host_that_stands_inside_is_refused(host):
    with pytest.raises(AddressRefused):
        address.resolve(address.place(f"https://{host}/", ANY), ANY)


def test_T23_one_private_answer_among_public_ones_is_enough_to_refuse(monkeypatch):
    """A name that answers twice is how a resolver is turned against us."""
    answers = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, 443))
        for text in ("8.8.8.8", "127.0.0.1")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    with pytest.raises(AddressRefused):
        address.resolve(address.place("https://hooks.example.com/", ANY), ANY)


def test_T23_a_name_is_asked_for_once_and_its_answer_is_what_is_connected_to(monkeypatch):
    asked = []

    def answer(*_args, **_kwargs):
        asked.append(1)
        text = "8.8.8.8" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, 443))]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    assert address.resolve(address.place("https://hooks.example.com/", ANY), ANY) == "8.8.8.8"
    assert len(asked) == 1
