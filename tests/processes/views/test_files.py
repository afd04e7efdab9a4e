"""The pages of what files own: whose it is, what an answer does, and what stood in its way."""

from __future__ import annotations

import pytest

from processes import services
from processes.bridge import watching
from processes.models import Process
from tests.files import Journals
from tests.making import choice, make_process

pytestmark = pytest.mark.django_db


@pytest.fixture
def there(tmp_path):
    return Journals(tmp_path / "journals")


@pytest.fixture
def asks(there):
    return there.golden("suspended-ask_user")


def form(made, action="answer", **fields):
    return {
        "suspension_id": made.suspension_id, "action": action,
        "review_digest": services.review_digest(made.stop), **fields,
    }  # fmt: skip


def send(client, made, **fields):
    return client.post(f"/processes/{made.id}/decision/", form(made, **fields), follow=True)


def page(client, made):
    return client.get(f"/processes/{made.id}/").content.decode()


def test_it_says_whose_it_is_and_that_an_answer_is_final(principal, asks):
    text = page(principal, asks)
    assert "owned by files" in text
    assert "It is written to the file at once, and cannot be taken back." in text
    assert "owned by files" not in page(principal, make_process(question="Which?"))


def test_lists_say_it_too(principal, asks):
    assert "owned by files" in principal.get("/").content.decode()
    send(principal, asks, answer="Müller")
    assert "owned by files" in principal.get("/running/").content.decode()


def test_the_receipt_says_it_is_written_and_offers_no_way_back(principal, there, asks):
    text = send(principal, asks, answer="Müller").content.decode()
    assert there.told(asks.id)["principal_answer"] == "Müller"
    assert "written to the file" in text and "Take it back" not in text
    assert text.count("Which supplier first?") == 1  # the question is told once


def test_what_the_runtime_changed_meanwhile_is_shown_and_the_text_kept(principal, there, asks):
    there.write(asks.id, cycle_id="meanwhile")
    reply = send(principal, asks, answer="My long answer")
    text = reply.content.decode()
    assert reply.status_code == 409
    assert "The journal file has changed since it was read; nothing was written." in text
    assert "My long answer" in text and "meanwhile" in text and "took it back" not in text
    assert there.told(asks.id)["state"] == "suspended"


def test_a_runtime_that_was_faster_leaves_the_text_to_copy(principal, there, asks):
    there.runtime.resume_at(asks.id, "from the console")
    text = send(principal, asks, answer="My long answer").content.decode()
    assert "What you had typed" in text and "My long answer" in text
    assert "from the console" in text


def test_ending_it_writes_the_file(principal, there):
    made = there.golden("running")
    assert "Its file then says failed" in page(principal, made)
    principal.post(f"/processes/{made.id}/stop/", {"note": "Enough."})
    assert there.told(made.id)["state"] == "failed"
    text = page(principal, made)
    assert "You ended it" in text and "Enough." in text


def test_a_decision_that_is_not_written_yet_says_so(principal, there, asks):
    seen = choice(asks, answer="Müller")
    services.decide_once(asks.suspension_id, seen, by=services.Actor(
        "principal", "mia", scopes=frozenset({"read", "decide"})
    ))  # fmt: skip
    text = page(principal, asks)
    assert "not written to the file yet" in text and "Take it back" not in text


def test_a_file_that_broke_says_so_on_its_page(principal, there, asks):
    path = there.root / f"{asks.id}.json"
    path.write_bytes(path.read_bytes()[:-9])
    there.look(asks.id)
    text = page(principal, asks)
    assert "Shown is what was read last." in text
    path.unlink()
    there.look(asks.id)
    assert "The journal file is gone" in page(principal, asks)


def test_a_held_stop_says_that_its_runtime_does_not_ask(principal, there):
    made = there.golden("suspended-guard")
    assert "Its runtime may go on without asking." in page(principal, made)
    send(principal, made, action="approve")
    assert there.told(made.id)["state"] == "running"


def test_the_state_of_the_server_lists_what_is_refused(admin, there, monkeypatch):
    (there.root / "bad\u202e.json").write_text("{")
    (there.root / "worse.json").write_text('{"schema_version": 1, "id": "<b>x</b>"}')
    there.golden("running")
    there.watch.scan()
    monkeypatch.setattr(watching.SERVER, "watch", there.watch)
    text = admin.get("/status/").content.decode()
    assert str(there.root) in text
    assert "worse.json" in text and "U+202E" in text and "\u202e" not in text
    assert "<b>x" not in text
    assert Process.objects.count() == 1


def test_without_a_folder_the_state_of_the_server_says_nothing_of_files(admin):
    assert "Journal files" not in admin.get("/status/").content.decode()
