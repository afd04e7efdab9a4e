"""Where a notice may go: hosts the deployment names, at addresses the whole world shares (T23).

Nothing an agent writes ever becomes an address.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from dalhc.problems import Problem

_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.ASCII)
URL_CHARS = 500


class AddressRefused(Problem):
    """No notice goes to this address."""


@dataclass(frozen=True, slots=True)
class Place:
    """A URL taken apart; nothing of it is repaired."""

    is_tls: bool
    host: str
    port: int
    path: str


@dataclass(frozen=True, slots=True)
class Allowed:
    """`hosts` are spelled exactly; `private` also lets plain HTTP and a private network be."""

    hosts: frozenset[str]
    private: bool = False


def place(url: str, allowed: Allowed) -> Place:
    """The place a URL names. Raises AddressRefused."""
    if len(url) > URL_CHARS or not url.isascii() or not url.isprintable() or " " in url:
        raise AddressRefused("A URL is plain ASCII without spaces.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused("This is no URL.") from None
    host, schemes = parts.hostname or "", {"https", "http"} if allowed.private else {"https"}
    if parts.scheme not in schemes:
        raise AddressRefused(f"It begins with {' or '.join(sorted(schemes))}://.")
    if parts.username is not None or parts.fragment or not _HOST.fullmatch(host):
        raise AddressRefused("A host and a path, nothing else.")
    if host not in allowed.hosts:
        raise AddressRefused("The deployment does not allow this host (DALHC_WEBHOOK_HOSTS).")
    is_tls = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(is_tls, host, port or (443 if is_tls else 80), path)


def resolve(found: Place, allowed: Allowed) -> str:
    """The one address to connect to, asked for once: who answers later with another one is not
    asked. Raises AddressRefused, OSError.
    """
    answers = socket.getaddrinfo(found.host, found.port, type=socket.SOCK_STREAM)
    addresses = [str(answer[4][0]) for answer in answers]
    if not addresses:
        raise AddressRefused("The host has no address.")
    if not allowed.private and not all(map(is_public, addresses)):
        raise AddressRefused("The host stands in a private network.")
    return addresses[0]


def is_public(text: str) -> bool:
    """An address that the whole world shares, also when it is wrapped in another one."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(one.is_global and not one.is_multicast for one in _unwrapped(address))


def _unwrapped(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> Iterable[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            yield address.ipv4_mapped
        if address.sixtofour:
            yield address.sixtofour
        if address in ipaddress.ip_network("64:ff9b::/96"):
            yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
