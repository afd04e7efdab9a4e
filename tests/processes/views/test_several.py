"""Choose, look once more at the exact number, decide; without a script."""

from __future__ import annotations

import re

from tests.making import decide, make_process, principal_actor


def ids(page) -> list[str]:
    return re.findall(r'name="id" value="([^"]+)"', page.content.decode())


def items(page) -> list[str]:
    return re.findall(r'name="item" value="([^"]+)"', page.content.decode())


def text(page) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())


def test_several_are_ended_after_one_more_look(principal):
    made = [make_process(question=f"Question {n}?") for n in range(3)]
    chosen = ids(principal.get("/several/"))
    assert len(chosen) == 3
    form = {"id": chosen[:2], "action": "stop", "note": "Not needed."}
    seen = principal.post("/several/seen/", form)
    assert "End 2 processes?" in text(seen)
    assert [one.stop.status for one in made] == ["open"] * 3
    done = principal.post("/several/done/", form | {"item": items(seen)})
    assert "2 done" in text(done)
    assert [one.record.state for one in made] == ["failed", "failed", "suspended"]


def test_what_changes_between_the_look_and_the_press_is_listed(principal):
    made = [make_process(question=f"Question {n}?") for n in range(2)]
    form = {"id": [one.suspension_id for one in made], "action": "decline", "note": "No."}
    seen = principal.post("/several/seen/", form)
    decide(made[0], answer="eu", by=principal_actor("ben"))
    done = text(principal.post("/several/done/", form | {"item": items(seen)}))
    assert "1 done, 1 left as it is" in done
    assert "Question 0?" in done and "Question 1?" not in done


def test_a_guard_is_left_out_before_anything_is_pressed(principal):
    guard = make_process(reason="guard", detail="Delete rows")
    budget = make_process(reason="step_budget", detail="Used all")
    form = {"id": [guard.suspension_id, budget.suspension_id], "action": "approve"}
    seen = principal.post("/several/seen/", form)
    assert "Let resume 1 process?" in text(seen)
    assert "A guard is approved one at a time." in text(seen)
    assert len(items(seen)) == 1


def sent(page) -> dict[str, list[str]]:
    """What the browser sends from this page, and nothing else."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(
        r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.content.decode()
    ):
        found.setdefault(name, []).append(value)
    return found


def ticked(page) -> list[str]:
    return re.findall(r'name="id" value="([^"]+)" checked', page.content.decode())


def test_a_no_without_a_reason_keeps_what_was_ticked(principal):
    made = [make_process(question="Which?") for _ in range(2)]
    form = {"id": [made[0].suspension_id], "action": "stop", "note": " "}
    refused = principal.post("/several/seen/", form)
    assert refused.status_code == 422
    assert "Nothing was decided." in text(refused)
    assert ticked(refused) == [made[0].suspension_id]


def test_a_refusal_at_the_last_step_keeps_the_ticks_and_the_filters(principal):
    made = [make_process(question="Which?", agent="tidier") for _ in range(2)]
    make_process(question="Which?", agent="other")
    chosen = [one.suspension_id for one in made]
    where = "?agent=tidier"
    seen = principal.post(
        f"/several/seen/{where}", {"id": chosen, "action": "stop", "note": "x"}
    )
    assert f'action="/several/done/{where}"' in seen.content.decode()
    refused = principal.post(f"/several/done/{where}", sent(seen) | {"note": [""]})
    assert refused.status_code == 422
    assert sorted(ticked(refused)) == sorted(chosen) == sorted(ids(refused))
    assert [one.stop.status for one in made] == ["open"] * 2


def test_a_reviewer_looks_and_decides_nothing(reviewer):
    made = make_process(reason="step_budget")
    form = {"id": [made.suspension_id], "action": "approve"}
    assert reviewer.post("/several/seen/", form).status_code == 403
    item = f"{made.suspension_id}:{'0' * 64}"
    assert reviewer.post("/several/done/", form | {"item": item}).status_code == 403
    assert made.stop.status == "open"


def test_nothing_ticked_decides_nothing(principal):
    assert principal.post("/several/seen/", {"action": "stop"}).status_code == 422
    assert principal.post("/several/seen/", {"action": "burn"}).status_code == 422
