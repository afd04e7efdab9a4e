"""What must stay secret is nowhere but where it has to be: after logins, wrong passwords, keys
in the wrong places, refusals and every page, no log, page, metric, passport, row or backup has
it (T16).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx2
import psycopg
import pytest

from tests.databases import ON_POSTGRES, database_of
from tests.serving import TOP, Served

pytestmark = pytest.mark.database
WORD, WRONG, ADDED = "amber-lagoon-kelp-402", "wrong-cobalt-heron-17", "added-basalt-otter-93"
MAIL = "mail-quartz-raven-55"
PEOPLE = f"""
import django; django.setup()
from django.contrib.auth.models import Group, User
for name, group in (("principal", "principals"), ("admin", ""), ("reviewer", "reviewers")):
    user = User.objects.create_user(name, password="{WORD}", is_superuser=not group)
    if group:
        user.groups.add(Group.objects.get_or_create(name=group)[0])
"""
PAGES = (
    "/", "/several/", "/running/", "/settled/", "/search/?q=Tidy", "/audit/", "/artifacts/",
    "/cycles/", "/keys/", "/notices/", "/people/", "/status/", "/patterns/", "/sleepers/",
    "/nothing/", "/login/", "/processes/secret/", "/processes/secret/compare/",
    "/processes/secret/artifacts/", "/processes/secret/artifacts/a.txt",
    "/processes/secret/turns/", "/processes/secret/events/", "/processes/secret/raw/",
    "/processes/secret/passport.html", "/processes/secret/journal.json", "/healthz", "/readyz",
)  # fmt: skip
API = (
    "processes", "processes/secret", "processes/secret/journal", "processes/secret/passport",
    "processes/secret/next", "processes/secret/steps", "processes/secret/turns",
    "processes/secret/events", "processes/secret/artifacts", "suspensions", "descriptors",
    "openapi.json", "nothing",
)  # fmt: skip


class Browser:
    """Someone who logs in and reads; what was shown is kept."""

    def __init__(self, server: Served, name: str) -> None:
        self.http = httpx2.Client(base_url=server.url, trust_env=False, timeout=60)
        self.shown: list[str] = []
        if name == "admin":
            assert self.post("/login/", username=name, password=WRONG).status_code == 200
            assert self.post("/login/", username=WORD, password=WORD).status_code == 200
        assert self.post("/login/", username=name, password=WORD).status_code == 302

    def post(self, path: str, *, form_of: str = "", **fields: str) -> httpx2.Response:
        page = self.http.get(form_of or path).text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token is not None, path
        return self.http.post(path, data={"csrfmiddlewaretoken": token[1], **fields})

    def read(self) -> None:
        for path in PAGES:
            reply = self.http.get(path)
            assert reply.status_code < 500, path
            said = [item for item in reply.headers.multi_items() if item[0] != "set-cookie"]
            self.shown.append(f"{path} {reply.text} {said}")

    @property
    def cookies(self) -> set[str]:
        """The session's id and the secret of its tokens."""
        return {str(one.value) for one in self.http.cookies.jar}


def secret_in(page: str) -> str:
    """What a page shows this once."""
    found = re.search(r'<code class="secret" tabindex="0">([^<]+)</code>', page)
    assert found is not None
    return found[1]


class Afternoon:
    """A server after people and programs have done what they do; what was secret of it."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.secrets = {WORD, WRONG, ADDED, MAIL, (server.home / "secret.key").read_text()}
        self.secrets |= {key.split("_", 2)[2] for key in server.keys}
        self.shown: list[str] = []
        self._programs()
        self.browsers = [Browser(server, name) for name in ("admin", "principal", "reviewer")]
        self.webhook = self._administer(self.browsers[0])
        for browser in self.browsers:
            browser.read()
            self.shown += browser.shown
        self.cookies = set[str]().union(*(browser.cookies for browser in self.browsers))
        self._misplace()

    def _programs(self) -> None:
        """A run that is asked about, decided and read with every kind of key."""
        runtime, person = self.server.runtime, self.server.person
        body = {"objective": "Tidy", "id": "secret", "start": True}
        runtime.post("processes", json=body, headers={"Idempotency-Key": "once"})
        runtime.post("processes/secret/steps", json={"tool": "t", "args": {}, "success": True})
        runtime.put("processes/secret/artifacts/a.txt", content=b"a")
        asked = {"reason": "ask_user", "question": "Which?"}
        stop = runtime.post("processes/secret/suspend", json=asked).json()["suspension"]
        choice = {"action": "answer", "answer": "x", "review_digest": stop["review_digest"]}
        person.post(f"suspensions/{stop['id']}/decision", json=choice)
        for caller in (runtime, self.server.other, person):
            self.shown += [caller.get(path).text for path in API]
            self.shown.append(caller.get(f"{self.server.url}/metrics").text)

    def _administer(self, admin: Browser) -> str:
        """A key, a password, a person, and a webhook, whose secret is returned."""
        issued = admin.post("/keys/", name="new", agent="new", scopes="read")
        self.secrets.add(secret_in(issued.text).split("_", 2)[2])
        added = {"username": "mo", "role": "reviewer", "password": ADDED}
        assert admin.post("/people/", **added).status_code in {302, 303}
        form = r'action="(/people/\d+/password/)"><input[^>]+><button[^>]+password for mo"'
        reset = re.search(form, admin.http.get("/people/").text)
        assert reset is not None
        word = admin.post(reset[1], form_of="/people/")
        self.secrets.add(secret_in(word.text))
        to = "http://127.0.0.1:9/hook"
        made = admin.post("/notices/", kind="webhook", address=to, wants="waiting")
        return secret_in(made.text)

    def _misplace(self) -> None:
        """Keys and words where none belongs."""
        key, http = self.server.keys[0], self.server.caller("x")
        with http:
            del http.headers["Authorization"]
            for path in (key, f"processes?key={key}", f"processes/{key}", f"?{WORD}",
                         f"processes/secret/artifacts/{quote(key)}"):  # fmt: skip
                for headers in ({}, {"Authorization": f"Basic {key}"},
                                {"Authorization": f"Bearer {key}x"}, {"X-Key": key},
                                {"Cookie": f"dalhc={key}"}):  # fmt: skip
                    self.shown.append(f"{[*headers]} {http.get(path, headers=headers).text}")
            body = {"objective": 5, key: key, "password": WORD}
            for path in ("processes", "import", "wakes/claim"):
                own = {"Authorization": f"Bearer {key}"}
                self.shown.append(http.post(path, json=body, headers=own).text)


@pytest.fixture(scope="module")
def afternoon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Afternoon]:
    server = Served(
        tmp_path_factory.mktemp("secrets"),
        DALHC_LOG_REQUESTS="all",
        DALHC_WEBHOOK_HOSTS="127.0.0.1",
        DALHC_WEBHOOK_PRIVATE="1",
        DALHC_SMTP=f"smtp://someone:{MAIL}@127.0.0.1:9",
    )
    subprocess.run([sys.executable, "-c", PEOPLE], cwd=TOP, env=server.env, check=True)
    try:
        made = Afternoon(server)
        yield made
        for browser in made.browsers:
            browser.http.close()
    finally:
        server.close()


def found(secrets: set[str], text: str) -> list[str]:
    assert all(len(secret) > 12 for secret in secrets)
    return [secret for secret in sorted(secrets) if secret in text]


def test_no_line_of_the_log_has_a_secret(afternoon: Afternoon) -> None:
    log = afternoon.server.log
    assert log.count("\n") > 100
    everything = afternoon.secrets | afternoon.cookies | {afternoon.webhook}
    assert found(everything, log) == []


def test_no_page_or_reply_has_one_but_the_page_that_shows_it_once(afternoon: Afternoon) -> None:
    """A path that is not there is named in no refusal either."""
    assert len(afternoon.shown) > 100
    everything = afternoon.secrets | afternoon.cookies | {afternoon.webhook}
    told = [(text[:60], found(everything, text)) for text in afternoon.shown]
    assert [one for one in told if one[1]] == []


def rows(home: Path, *, sessions: bool) -> str:
    """Every row of every table as text."""
    with psycopg.connect(database_of(home)) as database:
        listed = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        names = [name for (name,) in database.execute(listed)]  # type: ignore[arg-type]
        return "\n".join(
            str(row)
            for name in names
            if sessions or name != "django_session"
            for row in database.execute(f'SELECT t::text FROM "{name}" t')  # type: ignore[arg-type]
        )


def test_the_database_has_hashes_of_them(afternoon: Afternoon) -> None:
    """But for what has to be read again: who is logged in, and what signs a webhook."""
    home = afternoon.server.home
    if ON_POSTGRES:
        text = rows(home, sessions=True)
    else:
        files = list(home.glob("dalhc.sqlite3*"))
        text = "\n".join(path.read_bytes().decode("latin-1") for path in files)
    assert afternoon.webhook in text, "what is looked for would be found"
    assert found(afternoon.secrets, text) == []


@pytest.mark.sqlite
def test_a_backup_lets_nobody_in(afternoon: Afternoon, tmp_path: Path) -> None:
    target = tmp_path / "backup.tar"
    words = [sys.executable, "manage.py", "backup", str(target)]
    subprocess.run(words, cwd=TOP, env=afternoon.server.env, check=True, capture_output=True)
    with tarfile.open(target) as tar:
        parts = [tar.extractfile(one) for one in tar.getmembers() if one.isfile()]
        text = "\n".join(part.read().decode("latin-1") for part in parts if part)
    assert "Tidy" in text and "secret.key" not in text
    assert found(afternoon.secrets | afternoon.cookies, text) == []
