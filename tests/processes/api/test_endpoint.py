"""What every address shares: ETag, If-Match, If-None-Match, methods, bodies."""

from __future__ import annotations

import pytest

from tests.processes.api.callers import Caller, code, everything, step


@pytest.fixture
def made(runtime):
    return runtime.open()


def test_the_etag_is_the_revision_of_every_reply(runtime, mia, made):
    path = f"processes/{made['id']}"
    stop = runtime.ask(made["id"])
    replies = [
        runtime.get(path), runtime.get(f"{path}/next"), mia.get(f"suspensions/{stop['id']}"),
        mia.decide(stop, answer="a"), runtime.post(f"{path}/resume"),
        runtime.post(f"{path}/steps", step()), runtime.post(f"{path}/steps", [step(2)]),
        runtime.post(f"{path}/lease", {"owner": "me"}),
        runtime.post(f"{path}/complete", {"lease_epoch": 1}),
    ]  # fmt: skip
    tags = [reply["ETag"] for reply in replies]
    assert tags == ['"2"', '"2"', '"2"', '"3"', '"4"', '"5"', '"6"', '"7"', '"8"']


def test_a_record_that_has_not_changed_is_304(runtime, made):
    path = f"processes/{made['id']}"
    tag = runtime.get(path)["ETag"]
    for header in (tag, f"W/{tag}", f'"0", {tag}'):
        reply = runtime.get(path, If_None_Match=header)
        assert (reply.status_code, reply.content, reply["ETag"]) == (304, b"", tag)
    runtime.post(f"{path}/steps", step())
    assert runtime.get(path, If_None_Match=tag).status_code == 200


WRITES = [
    ("steps", step(9)), ("suspend", {"reason": "guard"}), ("complete", {}), ("fail", {}),
    ("lease", {"owner": "me"}),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "body"), WRITES)
def test_a_write_is_refused_when_another_revision_was_named(runtime, made, verb, body):
    path = f"processes/{made['id']}/{verb}"
    before = everything()
    for tag in ('"0"', '"2"', '"999999999999999999"'):
        refused = runtime.post(path, body, If_Match=tag)
        assert code(refused) == (412, "precondition_failed")
        assert refused.json()["current"] == {"state": "running", "revision": 1}
    assert everything() == before
    assert runtime.post(path, body, If_Match='"1"').status_code < 300


def test_resume_release_and_artifacts_honour_it_too(runtime, made):
    path = f"processes/{made['id']}"
    runtime.post(f"{path}/lease", {"owner": "me"})
    held = {"lease_epoch": 1}
    for verb in ("heartbeat", "release"):
        refused = runtime.post(f"{path}/{verb}", held, If_Match='"1"')
        assert code(refused) == (412, "precondition_failed")
    put = runtime.put(f"{path}/artifacts/a.txt?lease_epoch=1", b"x", If_Match='"1"')
    assert code(put) == (412, "precondition_failed")
    runtime.post(f"{path}/suspend", {"reason": "wall_clock"} | held)
    refused = runtime.post(f"{path}/resume", held, If_Match='"2"')
    assert code(refused) == (412, "precondition_failed")
    assert runtime.post(f"{path}/resume", held, If_Match='"3"').status_code == 200


def test_a_person_too_may_name_a_revision(runtime, mia, made):
    stop = runtime.ask(made["id"])
    path = f"suspensions/{stop['id']}/decision"
    choice = {"action": "answer", "answer": "a", "review_digest": stop["review_digest"]}
    assert code(mia.post(path, choice, If_Match='"1"')) == (412, "precondition_failed")
    assert mia.post(path, choice, If_Match='"2"').status_code == 200
    assert code(mia.delete(path, If_Match='"2"')) == (412, "precondition_failed")
    assert mia.delete(path, If_Match='"3"').status_code == 200
    stopping = f"processes/{made['id']}/stop"
    refused = mia.post(stopping, {"note": "no"}, If_Match='"2"')
    assert code(refused) == (412, "precondition_failed")


def test_any_revision_will_do_for_a_star(runtime, made):
    path = f"processes/{made['id']}/steps"
    assert runtime.post(path, step(), If_Match="*").status_code == 201


@pytest.mark.parametrize("tag", ["1", 'W/"1"', '"x"', '"1", "2"', '""', '"-1"', '"１"'])
def test_a_tag_that_is_no_revision_is_refused(runtime, made, tag):
    before = everything()
    reply = runtime.post(f"processes/{made['id']}/steps", step(), If_Match=tag)
    assert reply.status_code in {412, 422}
    assert everything() == before


def test_options_tells_the_methods_and_nothing_else(runtime, made):
    reply = runtime.send("OPTIONS", f"processes/{made['id']}/steps")
    assert (reply.status_code, reply.content) == (204, b"")
    assert set(reply["Allow"].split(", ")) == {"GET", "HEAD", "POST", "OPTIONS"}


def test_head_is_get_without_the_body(runtime, made):
    reply = runtime.send("HEAD", f"processes/{made['id']}")
    assert (reply.status_code, reply.content, reply["ETag"]) == (200, b"", '"1"')


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "processes/x"), ("DELETE", "processes/x"), ("PUT", "processes/x"),
        ("PUT", "processes"), ("GET", "processes/x/suspend"), ("POST", "processes/x/next"),
        ("GET", "suspensions/x/decision"), ("POST", "suspensions"), ("DELETE", "suspensions/x"),
        ("GET", "import"), ("POST", "processes/x/artifacts/a"), ("TRACE", "processes"),
    ],
)  # fmt: skip
def test_another_method_is_405_and_names_those_there_are(runtime, method, path):
    reply = runtime.send(method, path)
    assert code(reply) == (405, "method_not_allowed")
    assert method not in reply["Allow"]


@pytest.mark.parametrize(
    "path",
    [
        "", "process", "processes/", "processes/x/", "processes/x/Steps", "processes/x/y",
        "processes/x/artifacts/", "suspensions/", "suspensions/x/y", "openapi",
        "processes/x.json", "descriptors/x", "wakes/none",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_404_in_json(runtime, path):
    for caller in (runtime, Caller()):
        reply = caller.get(path)
        assert reply.status_code in ({404} if caller is runtime else {401, 404})
        assert reply["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("verb", ["resume", "complete", "fail"])
def test_an_empty_body_stands_for_an_empty_object(runtime, verb):
    made = runtime.open()
    assert runtime.post(f"processes/{made['id']}/{verb}").status_code == 200


def test_a_reply_is_never_kept_by_a_cache(runtime, made):
    for path in (f"processes/{made['id']}", "processes", "suspensions"):
        assert "no-store" in runtime.get(path)["Cache-Control"]


def test_a_callers_request_id_comes_back_when_it_is_a_plain_word(runtime):
    assert runtime.get("processes", X_Request_Id="job-12345")["X-Request-Id"] == "job-12345"
    for odd in ("short", "x" * 65, "a b c d e f", "é" * 10, "<script>aaa"):
        assert runtime.get("processes", X_Request_Id=odd)["X-Request-Id"].startswith("req_")
