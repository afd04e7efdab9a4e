from __future__ import annotations

import json
from io import BytesIO

import pytest

from processes import services
from processes.services import passport_check
from tests.making import decide, make_process, resume


def with_artifact(path: str, content: bytes = b"<script>alert(1)</script>"):
    made = make_process(running=True)
    services.put_artifact(made.id, path, BytesIO(content), by=made.by)
    return made


@pytest.mark.parametrize("path", ["x.html", "x.svg", "a b/ü&?#.pdf", 'a";x=1.txt', "x.png"])
def test_an_artifact_is_handed_out_and_never_shown(reviewer, path):
    made = with_artifact(path)
    page = reviewer.get(f"/processes/{made.id}/artifacts/").content.decode()
    address = page.split('<td><a href="', 1)[1].split('"', 1)[0].replace("&amp;", "&")
    answer = reviewer.get(address)
    assert b"".join(answer.streaming_content) == b"<script>alert(1)</script>"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    "path", ["nothing.txt", "../secret.key", "..%2f..%2fsecret.key", "/etc/passwd", "a%00"]
)
def test_no_other_file_is_handed_out(reviewer, path):
    made = with_artifact("x.txt")
    assert reviewer.get(f"/processes/{made.id}/artifacts/{path}").status_code == 404


def test_artifacts_are_paged_by_name(reviewer):
    made = make_process(running=True)
    for number in range(203):
        services.put_artifact(made.id, f"{number:03}.txt", BytesIO(b"x"), by=made.by)
    first = reviewer.get(f"/processes/{made.id}/artifacts/").content.decode()
    assert (
        "199.txt" in first and "200.txt" not in first.split("<table", 1)[1].split("</table>")[0]
    )
    assert (
        "202.txt"
        in reviewer.get(f"/processes/{made.id}/artifacts/?after=199.txt").content.decode()
    )


def test_turns_say_who_answered(reviewer):
    made = make_process(question="Which region?")
    decide(made, answer="eu")
    resume(made)
    page = reviewer.get(f"/processes/{made.id}/turns/").content.decode()
    assert "mia answered" in page and "The agent asked" in page


def test_events_are_every_write_and_paged(reviewer):
    made = make_process(steps=60)
    page = reviewer.get(f"/processes/{made.id}/events/").content.decode()
    assert page.count("<td>step</td>") == 50
    assert (
        "<td>open</td>"
        in reviewer.get(f"/processes/{made.id}/events/?before=12").content.decode()
    )


def test_the_record_is_shown_and_downloaded_exactly(reviewer):
    made = make_process(steps=2, objective="hé\u202e")
    page = reviewer.get(f"/processes/{made.id}/raw/").content.decode()
    assert 'hé<mark class="hid">⟦U+202E⟧</mark>' in page
    answer = reviewer.get(f"/processes/{made.id}/journal.json")
    assert answer["Content-Disposition"] == f'attachment; filename="{made.id}.json"'
    assert json.loads(answer.getvalue()) == made.record.model_dump(mode="json")


def test_a_long_record_is_only_downloaded(reviewer):
    made = make_process(steps=301)
    page = reviewer.get(f"/processes/{made.id}/raw/").content.decode()
    assert "too long to show here" in page and "idempotency_key" not in page


def test_the_passport_is_downloaded_and_holds(reviewer, tmp_path):
    made = make_process(steps=2, id="a", question="Which?")
    assert (
        'href="/processes/a/passport.html" download'
        in reviewer.get(f"/processes/{made.id}/raw/").content.decode()
    )
    answer = reviewer.get("/processes/a/passport.html")
    assert answer["Content-Disposition"] == 'attachment; filename="a.html"'
    path = tmp_path / "a.html"
    path.write_bytes(answer.getvalue())
    assert passport_check.check(path, {}).steps == 2
    assert reviewer.get("/processes/nothing/passport.html").status_code == 404
