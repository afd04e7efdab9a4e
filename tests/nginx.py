"""nginx in front of servers of the tests, with docs/nginx.conf as it stands but for names and
ports.
"""

from __future__ import annotations

import re
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx2

from tests import programs
from tests.serving import Served, free_port

CONFIGURATION = Path(__file__).parents[1] / "docs" / "nginx.conf"
START, STOP = 30, 15  # seconds

# What an operator's nginx has around it already. One process, as whoever runs the tests.
AROUND = """
daemon off; master_process off; pid {home}/pid; error_log {home}/error.log warn;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {home}/body; proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi; uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
    include {home}/dalhc.conf;
}}
"""


class Nginx:
    """TLS on `url`, and these servers behind it."""

    def __init__(self, home: Path, servers: list[Served]) -> None:
        self.home, self.port = home, free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.address = ("127.0.0.1", self.port)
        _certify(home)
        told = configured(CONFIGURATION.read_text(), self.port, [one.port for one in servers])
        (home / "dalhc.conf").write_text(told.replace("/etc/ssl", str(home)))
        (home / "nginx.conf").write_text(AROUND.format(home=home))
        self.process = subprocess.Popen(
            [_program("nginx"), "-p", str(home), "-e", "error.log", "-c", "nginx.conf"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait()

    @property
    def context(self) -> ssl.SSLContext:
        """Trusts this one's certificate."""
        return ssl.create_default_context(cafile=self.home / "dalhc.pem")

    def caller(self, key: str = "") -> httpx2.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx2.Client(
            base_url=f"{self.url}/api/v1/", headers=headers, verify=self.context,
            trust_env=False, timeout=60,
        )  # fmt: skip

    def connection(self) -> ssl.SSLSocket:
        """A bare one, for requests no client would send."""
        plain = socket.create_connection(self.address, timeout=60)
        return self.context.wrap_socket(plain, server_hostname="127.0.0.1")

    @property
    def log(self) -> str:
        return (self.home / "error.log").read_text()

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(STOP)

    def _wait(self) -> None:
        deadline = time.monotonic() + START
        while True:
            try:
                self.connection().close()
                return
            except OSError:
                assert self.process.poll() is None, self.log
                assert time.monotonic() < deadline, self.log
                time.sleep(0.05)


def configured(text: str, port: int, upstream: list[int]) -> str:
    """The same configuration on another port, before the servers on these ports."""
    text, found = re.subn(r"listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;", text)
    assert found == 1
    server = re.search(r"^ *server 127\.0\.0\.1:8001(.*);$", text, re.MULTILINE)
    assert server is not None
    lines = "\n".join(f"server 127.0.0.1:{one}{server[1]};" for one in upstream)
    text, found = re.subn(r"^ *server 127\.0\.0\.1:80\d\d.*;\n", "", text, flags=re.MULTILINE)
    assert found == 2
    return text.replace("upstream dalhc {", f"upstream dalhc {{\n{lines}", 1)


def _certify(home: Path) -> None:
    """A certificate for 127.0.0.1 that only the tests of this run trust."""
    words = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=dalhc.example -addext subjectAltName=IP:127.0.0.1 "
        "-addext keyUsage=critical,digitalSignature,keyCertSign "
        "-keyout dalhc.key -out dalhc.pem"
    )
    subprocess.run(
        [_program("openssl"), *words.split()], cwd=home, check=True, capture_output=True
    )


def _program(name: str) -> str:
    found = programs.find(name)
    assert found, f"These need {name} (Debian: apt-get install {name})."
    return found
