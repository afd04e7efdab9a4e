"""The outbox: written with what happened, sent at least once, tried again, and never silent."""

from __future__ import annotations

import json
import smtplib
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from standardwebhooks import Webhook

from dalhc import clock
from processes import services
from processes.journal import errors
from processes.journal.commands import Suspend
from processes.models import Notice, Recipient
from processes.notices.address import AddressRefused
from processes.services import Forbidden, delivering, expire, outbox
from tests.making import (
    admin_actor,
    decide,
    make_process,
    principal_actor,
)
from tests.processes.services.test_expiry import BEGIN, OVER, asking
from tests.processes.views.conftest import logged_in

pytestmark = pytest.mark.django_db
ADMIN = admin_actor()


class Receiver(BaseHTTPRequestHandler):
    """Keeps what it got, and answers what it was told to."""

    answers: list[int]
    got: list[tuple[str, dict[str, str], str]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        type(self).got.append((self.path, dict(self.headers), body))
        status = self.answers.pop(0) if self.answers else 204
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def receiver(*answers: int):
    kind = type("One", (Receiver,), {"answers": list(answers), "got": []})
    with HTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hook", kind
        server.shutdown()
        thread.join()


@pytest.fixture
def principal(db):
    return logged_in("principal", "principals")


@pytest.fixture
def reviewer(db):
    return logged_in("reviewer", "reviewers")


@pytest.fixture
def admin(db):
    return logged_in("admin", is_superuser=True)


@pytest.fixture(autouse=True)
def _allowed(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"webhook_hosts": ("127.0.0.1",), "webhook_private": True}
    )


def add(url: str, *wants: str) -> str:
    return services.add_recipient("webhook", url, list(wants or ["waiting"]), by=ADMIN)[1]


def test_a_webhook_is_signed_and_names_the_page():
    with receiver() as (url, kind):
        secret = add(url)
        made = make_process(question="Which\u202e region?\nNow")
        delivering.sweep()
    [(path, headers, body)] = kind.got
    told = Webhook(secret).verify(body, headers)
    assert path == "/hook" and told["type"] == "suspension.waiting"
    assert told["data"]["ask"] == "Which[U+202E] region? Now"
    assert told["data"]["url"].endswith(f"/processes/{made.id}/")
    assert Notice.objects.get().status == "sent"
    assert headers["webhook-id"] == Notice.objects.get().id


def test_what_rolls_back_tells_nobody():
    with receiver() as (url, kind):
        add(url)
        made = make_process(question="Which?")
        with pytest.raises(errors.NotRunning):
            services.suspend(made.id, other_question(), by=made.by)
        assert Notice.objects.count() == 1
        delivering.sweep()
    assert len(kind.got) == 1


def other_question():
    return Suspend(reason="ask_user", question="Another?")


def test_an_answer_and_an_expiry_are_told_of():
    with receiver() as (url, kind):
        add(url, "answered")
        decide(make_process(question="Which?"), answer="eu")
        made = asking("default", default_answer="eu")
        with clock.at(OVER):
            expire(made.suspension_id)
        delivering.sweep()
        with clock.at(OVER):
            delivering.sweep()
    told = sorted(json.loads(body)["data"]["status"] for _, _, body in kind.got)
    assert told == ["answered", "expired"]
    assert not any(json.loads(body)["data"].get("answer") == "eu" for _, _, body in kind.got)


def test_an_expiry_is_announced_before_it_comes_unless_it_was_answered():
    with receiver() as (url, kind):
        add(url, "expiring")
        first, second = asking("decline"), asking("decline")
        with clock.at(BEGIN):
            delivering.sweep()
            assert kind.got == []
            decide(first, answer="eu")
        with clock.at(OVER - 1):
            delivering.sweep()
    [(_, _, body)] = kind.got
    assert json.loads(body)["data"]["process_id"] == second.id
    assert sorted(Notice.objects.values_list("status", flat=True)) == ["dropped", "sent"]


def test_B94_a_notice_that_is_not_taken_is_tried_again_with_the_same_id_and_seen(principal):
    now = clock.now_ms()
    with receiver(500, 503) as (url, kind):
        add(url)
        made = make_process(question="Which?")
        delivering.sweep()
        assert "It answered 500." in principal.get(f"/processes/{made.id}/").content.decode()
        delivering.sweep()
        assert len(kind.got) == 1
        for pause in (10_000, 100_000):
            with clock.at(now + pause):
                delivering.sweep()
    assert len({headers["webhook-id"] for _, headers, _ in kind.got}) == 1
    assert (len(kind.got), Notice.objects.get().status) == (3, "sent")
    assert "It answered" not in principal.get(f"/processes/{made.id}/").content.decode()
    decide(made, answer="still answerable")


def test_a_notice_fails_in_the_end_and_can_be_sent_again():
    now = clock.now_ms()
    with receiver(*[500] * (len(delivering.PAUSES) + 1)) as (url, kind):
        add(url)
        make_process(question="Which?")
        for n in range(len(delivering.PAUSES) + 3):
            with clock.at(now + n * 30_000_000):
                delivering.sweep()
        failed = Notice.objects.get()
        assert (failed.status, len(kind.got)) == ("failed", len(delivering.PAUSES) + 1)
        with pytest.raises(Forbidden):
            services.send_again(failed.id, by=principal_actor())
        services.send_again(failed.id, by=ADMIN)
        delivering.sweep()
    assert Notice.objects.get().status == "sent"


def test_T23_no_redirect_is_followed():
    with receiver(302) as (url, kind):
        add(url)
        make_process(question="Which?")
        delivering.sweep()
    assert [path for path, _, _ in kind.got] == ["/hook"]
    assert Notice.objects.get().error == "It answered 302."


def test_T23_a_host_that_is_no_longer_allowed_gets_nothing(settings):
    with receiver() as (url, kind):
        add(url)
        make_process(question="Which?")
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"webhook_hosts": ()})
        delivering.sweep()
    assert kind.got == [] and Notice.objects.get().status == "pending"
    with pytest.raises(AddressRefused):
        add("https://anywhere.example/")


def test_a_removed_recipient_gets_nothing_more():
    with receiver() as (url, kind):
        add(url)
        make_process(question="Which?")
        services.remove_recipient(Recipient.objects.get().id, by=ADMIN)
        make_process(question="And?")
        delivering.sweep()
    assert kind.got == []
    assert [notice.status for notice in Notice.objects.all()] == ["dropped"]
    with pytest.raises(errors.ProcessNotFound):
        services.remove_recipient(Recipient.objects.get().id, by=ADMIN)


def test_only_an_admin_says_who_is_told():
    with pytest.raises(Forbidden):
        services.add_recipient("webhook", "https://x/", ["waiting"], by=principal_actor())


@pytest.mark.parametrize(
    ("kind", "to", "wants"),
    [("pigeon", "a@b.c", ["waiting"]), ("email", "no address", ["waiting"]),
     ("email", "a@b.c\nBcc: x@y.z", ["waiting"]), ("email", "a@b.c", ["waiting"]),
     ("webhook", "http://127.0.0.1/", []), ("webhook", "http://127.0.0.1/", ["gossip"])],
)  # fmt: skip
def test_a_recipient_is_one_of_two_kinds_and_wants_something(kind, to, wants):
    with pytest.raises(outbox.InvalidRecipient):
        services.add_recipient(kind, to, wants, by=ADMIN)


def test_an_e_mail_is_sent_with_the_agents_words_on_one_line(settings, monkeypatch):
    sent = []
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"smtp": "smtp://mail.example:2525"}
    )

    class Server:
        def __init__(self, host, port, timeout):
            assert (host, port) == ("mail.example", 2525)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def send_message(self, message):
            sent.append(message)

    monkeypatch.setattr(smtplib, "SMTP", Server)
    services.add_recipient("email", "ana@example.com", ["waiting"], by=ADMIN)
    made = make_process(question="Which?\nBcc: eve@example.com")
    delivering.sweep()
    [message] = sent
    assert message["To"] == "ana@example.com" and "\n" not in message["Subject"]
    assert f"/processes/{made.id}/" in message.get_content()
    assert message["Bcc"] is None
    assert Notice.objects.get().status == "sent"


def test_B94_a_mail_server_that_is_down_is_said_and_tried_again(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"smtp": "smtp://127.0.0.1:1"}
    )
    services.add_recipient("email", "ana@example.com", ["waiting"], by=ADMIN)
    make_process(question="Which?")
    delivering.sweep()
    found = Notice.objects.get()
    assert (found.status, found.tries) == ("pending", 1) and "refused" in found.error


def test_an_admin_sees_the_log_and_redrives(admin, reviewer):
    page = admin.post(
        "/notices/", {"kind": "webhook", "address": "http://127.0.0.1/x", "wants": "waiting"}
    )
    text = page.content.decode()
    secret = Recipient.objects.get().secret
    assert secret in text and secret not in admin.get("/notices/").content.decode()
    made = make_process(question="Which?")
    notice = Notice.objects.get()
    Notice.objects.update(status="failed", error="It answered 500.")
    text = admin.get("/notices/").content.decode()
    assert made.id in text and "It answered 500." in text
    assert admin.post(f"/notices/{notice.id}/again/").status_code == 303
    assert Notice.objects.get().status == "pending"
    assert reviewer.get("/notices/").status_code == 403
    assert reviewer.post(f"/notices/{notice.id}/again/").status_code == 403
    assert admin.post(f"/notices/{Recipient.objects.get().id}/remove/").status_code == 303
    refused = admin.post("/notices/", {"kind": "webhook", "address": "x", "wants": "waiting"})
    assert refused.status_code == 422 and 'value="x"' in refused.content.decode()
