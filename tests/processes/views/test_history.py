"""The pages across all runs: history, cycles, artifacts, two runs compared."""

from __future__ import annotations

import io
import re

import pytest

from processes import services
from tests.making import append, decide, make_process

HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def text(client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, answer.content
    return answer.content.decode()


def test_history_has_an_entry_of_its_own(reviewer):
    page = text(reviewer, "/audit/")
    assert '<a href="/audit/" aria-current="page">History</a>' in page
    assert "Nothing like that happened" in page
    for path in ("/cycles/", "/artifacts/"):
        assert '<a href="/audit/" aria-current="page">History</a>' in text(reviewer, path)


def test_a_decision_is_found_by_who_made_it(reviewer):
    made = make_process(id="a", question="Which?", objective=HOSTILE)
    decide(made, answer="eu")
    page = text(reviewer, "/audit/?kind=decisions&who=mia")
    assert page.count("<tr>") == 2 and "decided" in page
    assert 'href="/processes/a/"' in page and "<img" not in page and "⟦U+202E⟧" in page
    assert "?who=mia" in page and "kind=decisions" in page
    assert "Nothing like that happened" in text(reviewer, "/audit/?who=ben")


def test_an_odd_filter_is_a_page_that_says_so(reviewer):
    assert "A day is written as" in text(reviewer, "/audit/?since=yesterday", 422)
    text(reviewer, "/audit/?after=5.x", 400)
    text(reviewer, "/artifacts/?hash=abc", 422)
    text(reviewer, "/cycles/?cycle=" + "x" * 201, 422)


def test_a_long_history_goes_on(reviewer):
    for _ in range(26):
        make_process(running=True)
    page = text(reviewer, "/audit/?who=tidier")
    assert page.count("<tr>") == 51 and "?who=tidier&amp;after=" in page


def test_cycles_are_counted_by_phase_and_lead_to_their_runs(reviewer):
    for number, phase in enumerate(("plan", "act", "act")):
        make_process(id=f"p{number}", metadata={"cycle_id": "7", "cycle_phase": phase})
    make_process(id="none", metadata={"cycle_id": "7"})
    make_process(id="other", metadata={"cycle_id": "a/b &c"}, ended="completed")
    make_process(id="alone")
    page = text(reviewer, "/cycles/")
    assert page.index("a/b &amp;c") < page.index('?cycle=7"')
    assert "?cycle=a%2Fb%20%26c" in page and "no phase" in page
    runs = text(reviewer, "/cycles/?cycle=7")
    assert runs.count("class=row") == 4 and "4 runs, 0 settled" in runs
    assert text(reviewer, "/cycles/?cycle=7&phase=act").count("class=row") == 2
    assert text(reviewer, "/cycles/?cycle=7&phase=").count("class=row") == 1
    assert text(reviewer, "/cycles/?cycle=a%2Fb%20%26c").count("class=row") == 1
    assert "No run here" in text(reviewer, "/cycles/?cycle=8")


def test_many_cycles_are_paged(reviewer):
    for number in range(45):
        make_process(metadata={"cycle_id": f"{number:03}"})
    first = text(reviewer, "/cycles/")
    assert first.count("<tr>") == 21 and 'href="?below=025"' in first
    last = text(reviewer, "/cycles/?below=005")
    assert last.count("<tr>") == 6 and 'href="?below=' not in last


def test_artifacts_of_all_runs_by_type_hash_and_process(reviewer):
    for id, path, content in (
        ("a", "notes/x.TXT", b"one"), ("b", "y.csv", b"two"), ("c", ".hidden", b"one"),
    ):  # fmt: skip
        made = make_process(id=id, steps=3)
        kept, _ = services.put_artifact(id, path, io.BytesIO(content), by=made.by)
        digest = kept.sha256
    page = text(reviewer, "/artifacts/")
    assert page.count("<tr>") == 4 and page.index(".hidden") < page.index("y.csv")
    assert 'href="?type=csv"' in page and 'href="?type=txt"' in page
    assert 'href="/processes/a/?before=5"' in page and "after step 3" in page
    assert text(reviewer, "/artifacts/?type=TXT").count("<tr>") == 2
    assert text(reviewer, f"/artifacts/?hash={digest}").count("<tr>") == 3
    assert text(reviewer, f"/artifacts/?hash={digest[:8]}").count("<tr>") == 3
    assert text(reviewer, "/artifacts/?process=b").count("<tr>") == 2
    assert "No artifact like that" in text(reviewer, "/artifacts/?process=b&type=txt")


def test_many_artifacts_are_paged(reviewer):
    made = make_process(running=True)
    for number in range(53):
        services.put_artifact(made.id, f"{number}.txt", io.BytesIO(b"x"), by=made.by)
    first = text(reviewer, "/artifacts/?type=txt")
    assert first.count("<tr>") == 51
    older = first.split('href="?type=txt&amp;after=')[1].split('"')[0]
    assert text(reviewer, f"/artifacts/?type=txt&after={older}").count("<tr>") == 4


def test_two_runs_are_compared(reviewer):
    for id, digest in (("a", "one"), ("b", "two")):
        made = make_process(id=id, steps=2)
        append(made, tool="look", result_digest=digest)
    append(made, tool="more", args={"text": HOSTILE})
    assert 'href="?with=b"' in text(reviewer, "/processes/a/compare/")
    assert 'href="/processes/a/compare/"' in text(reviewer, "/processes/a/")
    page = text(reviewer, "/processes/a/compare/?with=b")
    assert page.count("Same</td>") == 2 and "Only there" in page and "<img" not in page
    assert "one" in page and "two" in page
    only = text(reviewer, "/processes/a/compare/?with=b&only=missing")
    assert only.count("<tr>") == 2
    text(reviewer, "/processes/a/compare/?with=nothing", 404)
    text(reviewer, "/processes/a/compare/?with=b&only=x", 400)
    text(reviewer, "/processes/nothing/compare/", 404)


def test_different_objectives_are_said_so(reviewer):
    make_process(id="a", objective="Tidy")
    make_process(id="b", objective="Paint")
    assert "have different objectives" in text(reviewer, "/processes/a/compare/?with=b")
    assert "No other run of this objective" in text(reviewer, "/processes/a/compare/")


@pytest.mark.parametrize(
    "path", ["/audit/", "/cycles/", "/artifacts/", "/processes/a/compare/"]
)
def test_nobody_sees_them_without_a_login(client, db, path):
    make_process(id="a")
    assert client.get(path)["Location"].startswith("/login/")


def test_the_first_types_of_artifacts_are_offered(reviewer):
    made = make_process(running=True)
    for letter in "abcdefghij":
        services.put_artifact(made.id, f"x.{letter}", io.BytesIO(b"x"), by=made.by)
    page = reviewer.get("/artifacts/").content.decode()
    assert re.findall(r'href="\?type=(\w)"', page) == list("abcdefgh")
