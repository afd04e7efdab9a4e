"""What looks like a secret is refused where it stands, and so is what is no JSON."""

from __future__ import annotations

import pytest

from dalhc.problems import Problem
from descriptors.contract import secrets
from descriptors.contract.errors import NotJsonSafe, SecretRefused


def refused(value: object) -> Problem:
    with pytest.raises(Problem) as found:
        secrets.refuse(value)
    return found.value


@pytest.mark.parametrize(
    ("value", "kind", "pointer"),
    [
        ({"a": [{"b": 1}, {"api_key": None}]}, SecretRefused, "/a/1/api_key"),
        ({"a": {"b": ["plain", "Bearer 0123456789abcdef"]}}, SecretRefused, "/a/b/1"),
        ({"token": {1, 2}}, SecretRefused, "/token"),
        (["https://mia:letmein@example.org"], SecretRefused, "/0"),
        ({"a": [0.5, float("nan")]}, NotJsonSafe, "/a/1"),
        ({"a": ({"b": b"bytes"},)}, NotJsonSafe, "/a/0/b"),
        ({"a": {1: "no name"}}, NotJsonSafe, "/a"),
    ],
)
def test_a_refusal_names_the_place(value: object, kind: type[Problem], pointer: str):
    problem = refused(value)
    assert isinstance(problem, kind)
    assert problem.errors[0]["pointer"] == pointer


def test_plain_values_pass_whatever_their_shape():
    secrets.refuse({"a": [None, True, 1, 0.5, "tokens of trust", {"keys": []}], "b": ()})
