"""Ids and artifact paths become names on a disk."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processes.journal import limits
from processes.journal.errors import InvalidArtifactPath, InvalidProcessId
from processes.journal.paths import (
    artifact_path,
    artifact_paths,
    is_device_name,
    is_process_id,
    process_id,
)

LETTERS = string.ascii_letters + string.digits
ALPHABET = LETTERS + "._-"


@pytest.mark.parametrize(
    "value", ["a", "A.b_c-9", "-rf", "--help", "_", "0", "a" * 80, "con", "a.b.c", "proc_0-1"]
)
def test_an_id_of_the_alphabet_is_taken_as_it_stands(value):
    assert process_id(value) == value
    assert is_process_id(value)


@pytest.mark.parametrize(
    "value",
    [
        "", ".", "..", "...", "a..b", "..a", "a..", ".hidden", "abc.", "abc...", "a" * 81,
        "a/b", "a\\b", "a b", "a:b", "a\0b", "a\n", "\na", " ok ", "a%2fb", "%2e", "\u00e9",
            "\uff41",
        "\u0660", "a\u200b", "\U0001f600", "a\u0301", "a+b", "a@b", "~", "a\r\n",
    ],
)  # fmt: skip
def test_anything_else_is_no_id(value):
    assert not is_process_id(value)
    with pytest.raises(InvalidProcessId) as refused:
        process_id(value)
    assert refused.value.errors[0]["pointer"] == "/id"


@given(st.text(max_size=90))
def test_an_id_is_letters_digits_dots_underscores_and_hyphens(value):
    expected = (
        0 < len(value) <= 80
        and set(value) <= set(ALPHABET)
        and ".." not in value
        and value[0] != "."
        and value[-1] != "."
    )
    assert is_process_id(value) == expected


@given(st.text(ALPHABET, min_size=1, max_size=80))
def test_dots_are_what_makes_an_id_of_the_alphabet_bad(value):
    good = ".." not in value and not value.startswith(".") and not value.endswith(".")
    assert is_process_id(value) == good


@pytest.mark.parametrize("name", ["CON", "nul.txt", "COM1", "lpt9.log", "aux", "Prn.a.b"])
def test_a_device_of_windows_is_known_whatever_its_case_and_extension(name):
    assert is_device_name(name)


@pytest.mark.parametrize("name", ["console", "com", "com0", "nulls", "a.con", "lpt10"])
def test_a_name_that_only_looks_like_a_device_is_none(name):
    assert not is_device_name(name)


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "a/b.txt",
        "out/r\u00e9sum\u00e9.pdf",
        ".hidden",
        "a/.git/x",
        "a b/c",
        "\u65e5\u672c/\u8a9e",
        "a" * 512,
        "...a",
        "-rf",
    ],
)
def test_a_relative_path_inside_its_folder_is_kept_as_it_stands(path):
    assert artifact_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "/etc/x", "//h/s", "C:/x", "c:x", "file:///x", "http://x/y", "a\\b",
            "\\\\h\\s",
        "..", "../x", "a/../b", "a/..", "./a", "a/./b", ".", "a//b", "a/", "~", "~root/x",
            "~/x",
        "a\0b", "a\nb", "a\x7fb", "a\x85b", "a ", " a", "a./b", "a/b.", "a /b", "NUL",
            "a/con.txt",
        "a" * 513, "a/ b", "x/...",
    ],
)  # fmt: skip
def test_a_path_that_could_lead_elsewhere_is_refused(path):
    with pytest.raises(InvalidArtifactPath) as refused:
        artifact_path(path)
    assert refused.value.errors[0]["pointer"] == "/artifacts"


def test_a_bad_path_is_named_by_its_place_and_shown_in_ascii():
    with pytest.raises(InvalidArtifactPath) as refused:
        artifact_paths(["a", "b", "\u202e/../x"])
    assert refused.value.errors[0]["pointer"] == "/artifacts/2"
    assert refused.value.detail.isascii()


def test_paths_past_the_bound_that_are_not_kept_are_checked_too():
    good = [f"f{n}" for n in range(limits.ARTIFACTS_PER_STEP)]
    with pytest.raises(InvalidArtifactPath):
        artifact_paths([*good, "../x"])


def test_the_same_path_twice_is_refused():
    with pytest.raises(InvalidArtifactPath, match="twice"):
        artifact_paths(["a", "b", "a"])


@given(st.text(max_size=40))
def test_a_path_that_is_taken_never_leaves_its_folder(path):
    try:
        artifact_path(path)
    except InvalidArtifactPath:
        return
    parts = path.split("/")
    assert parts
    assert not {"", ".", ".."} & set(parts)
    assert not set(path) & set("\\:\0")
