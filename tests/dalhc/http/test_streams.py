"""Long answers come in chunks, none of them made before it is asked for."""

from __future__ import annotations

from dalhc.http.streams import chunks, download


def test_small_pieces_are_gathered():
    assert list(chunks(["ab", "cd", "é"], size=4)) == [b"abcd", "é".encode()]


def test_nothing_is_no_chunk():
    assert list(chunks([])) == []


def test_a_chunk_is_made_when_it_is_asked_for():
    made = []

    def pieces():
        for number in range(3):
            made.append(number)
            yield "x" * 10

    stream = chunks(pieces(), size=10)
    next(stream)
    assert made == [0]


def test_a_download_is_saved_and_never_shown():
    reply = download(["{}"], "application/json", "run-1.json")
    assert reply.getvalue() == b"{}"
    assert reply["Content-Disposition"] == 'attachment; filename="run-1.json"'
    assert reply["X-Content-Type-Options"] == "nosniff"
