"""What was answered before, under the question that reads like it."""

from __future__ import annotations

from processes.services import searching
from tests.making import decide, make_process, resume


def test_a_past_answer_is_used_again_without_scripts(principal):
    before = make_process(question="Which bucket is right?")
    decide(before, answer="the <b>old</b> one")
    resume(before)
    asking = make_process(question="Which bucket is right now?")
    searching.sweep()
    said = principal.get(f"/processes/{asking.id}/").content.decode()
    assert f'href="?reuse={before.suspension_id}"' in said and "<b>" not in said
    reused = principal.get(f"/processes/{asking.id}/?reuse={before.suspension_id}")
    assert "\nthe &lt;b&gt;old&lt;/b&gt; one</textarea>" in reused.content.decode()
    unknown = principal.get(f"/processes/{asking.id}/?reuse=nothing")
    assert unknown.status_code == 200
    assert asking.stop.status == "open"


def test_nothing_stands_there_when_nothing_like_it_was_asked(principal):
    asking = make_process(question="Which bucket is right?")
    searching.sweep()
    assert "Answered before" not in principal.get(f"/processes/{asking.id}/").content.decode()
