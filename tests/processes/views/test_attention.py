"""Who is on it, on the page of a process and in the inbox; without a script."""

from __future__ import annotations

import re

from django.contrib.auth.models import User

from dalhc import clock
from tests.making import make_process
from tests.processes.services.test_expiry import BEGIN, OVER, asking


def text(page) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())


def act(client, made, verb, **form):
    return client.post(
        f"/processes/{made.id}/{verb}/", {"suspension_id": made.suspension_id} | form
    )


def test_a_claim_is_seen_by_the_others_and_can_be_taken_over(principal, ana):
    made = make_process(question="Which region?")
    assert act(principal, made, "claim").status_code == 303
    page = text(ana.get(f"/processes/{made.id}/"))
    assert "principal has claimed it; take it over first." in page
    assert "Take it over" in page and "Let it resume" not in page
    assert "principal has it" in text(ana.get("/"))
    assert act(ana, made, "claim").status_code == 409
    assert act(ana, made, "claim", take_over="1").status_code == 303
    assert made.stop.holder == "principal:ana"


def test_B20_the_text_of_whoever_was_taken_over_is_kept(principal, ana):
    made = make_process(question="Which region?")
    page = principal.get(f"/processes/{made.id}/").content.decode()
    digest = re.search(r'name="review_digest" value="(\w+)"', page)[1]
    act(ana, made, "claim")
    form = {"review_digest": digest, "action": "answer", "answer": "My long answer"}
    late = act(principal, made, "decision", **form)
    assert late.status_code == 409
    assert "My long answer" in late.content.decode()
    assert "ana" in text(late)
    assert made.stop.status == "open"


def test_it_is_given_back_passed_on_and_put_off(principal):
    made = make_process(question="Which region?")
    act(principal, made, "claim")
    act(principal, made, "release")
    assert made.stop.holder is None
    User.objects.create_user("ben")
    act(principal, made, "reassign", assignees="ben, principal")
    assert made.stop.assignees == ("ben", "principal")
    assert "Which region?" in text(principal.get("/?whose=mine"))
    act(principal, made, "snooze", minutes="60")
    assert "Which region?" not in text(principal.get("/"))
    assert "Which region?" in text(principal.get("/?whose=snoozed"))
    act(principal, made, "snooze", minutes="")
    assert "Which region?" in text(principal.get("/"))


def test_nobody_unknown_is_passed_anything(principal):
    made = make_process(question="Which region?")
    refused = act(principal, made, "reassign", assignees="nobody")
    assert refused.status_code == 422 and made.stop.assignees == ()
    assert act(principal, made, "reassign", assignees="a b<c").status_code == 422
    assert act(principal, made, "snooze", minutes="0").status_code == 422


def test_B80_another_processes_stop_is_not_this_ones(principal):
    one, other = make_process(question="One?"), make_process(question="Two?")
    for verb in ("claim", "release", "reassign", "snooze"):
        form = {"suspension_id": other.suspension_id, "minutes": "5"}
        assert principal.post(f"/processes/{one.id}/{verb}/", form).status_code == 404


def test_a_reviewer_reads_who_is_on_it_and_changes_nothing(principal, reviewer):
    made = make_process(question="Which region?")
    act(principal, made, "claim")
    page = text(reviewer.get(f"/processes/{made.id}/"))
    assert "principal has it since" in page and "Take it over" not in page
    for verb in ("claim", "release", "reassign", "snooze"):
        assert act(reviewer, made, verb, take_over="1", minutes="5").status_code == 403


def test_B58_a_row_and_a_page_say_what_happens_if_nobody_answers(principal):
    made = asking("default", default_answer="eu")
    with clock.at(BEGIN):
        assert "then default used 17:30" in text(principal.get("/"))
        page = text(principal.get(f"/processes/{made.id}/"))
    assert "Without an answer by 17:30 UTC: default used." in page


def test_B61_an_expiry_reads_as_what_it_was(principal):
    made = asking("default", default_answer="eu")
    page = principal.get(f"/processes/{made.id}/").content.decode()
    digest = re.search(r'name="review_digest" value="(\w+)"', page)[1]
    with clock.at(OVER):
        form = {"review_digest": digest, "action": "answer", "answer": "us, because"}
        late = act(principal, made, "decision", **form)
        assert late.status_code == 409
        assert "us, because" in late.content.decode()
        assert "No answer by 17:30 UTC; default used" in text(late)


def test_B83_looking_changes_nothing(principal):
    made = make_process(question="Which region?")
    for verb in ("claim", "release", "reassign", "snooze", "decision", "stop"):
        for method in (principal.get, principal.head, principal.options):
            for _ in range(20):
                assert method(f"/processes/{made.id}/{verb}/").status_code == 405
    assert made.row.host.revision == 2 and made.stop.holder is None


def test_the_list_has_what_expires_on_top_then_the_high_priority(principal):
    make_process(question="Old?")
    make_process(question="Urgent?", priority="high")
    make_process(question="Low?", priority="low")
    asking("stop", question="Ends?", **{})
    page = text(principal.get("/"))
    found = [page.index(word) for word in ("Ends?", "Urgent?", "Old?", "Low?")]
    assert found == sorted(found)


def test_B38_a_badge_counts_what_its_list_shows(principal):
    for n in range(3):
        make_process(question=f"{n}?", agent="one")
    claimed = make_process(question="mine?", agent="two")
    make_process(reason="guard", agent="two")
    act(principal, claimed, "claim")
    for query in ("", "whose=mine", "whose=free", "whose=snoozed", "agent=two"):
        for reason in ("", "ask_user", "guard", "wall_clock"):
            page = principal.get(f"/?reason={reason}&{query}").content.decode()
            rows = page.count("<li><a class=row")
            [badge] = re.findall(
                r'aria-current="page">(?:<span data-reason.*?</span>)?[A-Z][\w ]* '
                r'<span class="num">(\d+)',
                page,
            )
            assert int(badge) == rows, (query, reason)
