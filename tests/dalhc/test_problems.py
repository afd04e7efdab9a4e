"""A problem is its docstring and its name."""

from __future__ import annotations

from dalhc.problems import Problem


class DoorShut(Problem):
    """The door is shut; knock, and whoever is
    inside opens it.

    This is for who reads the code.
    """


def test_the_code_is_the_name_and_the_title_the_first_sentence_whole():
    problem = DoorShut()
    assert problem.code == "door_shut"
    assert problem.title == "The door is shut; knock, and whoever is inside opens it."
    assert str(problem) == problem.detail == problem.title
    assert (problem.errors, problem.current, problem.retry_after) == ((), None, None)


def test_a_detail_stands_beside_the_title_and_a_pointer_makes_an_error_of_it():
    problem = DoorShut("It is locked.", pointer="/door")
    assert str(problem) == "It is locked."
    assert problem.title.startswith("The door is shut")
    assert problem.errors == ({"pointer": "/door", "detail": "It is locked."},)


def test_many_errors_are_kept_as_they_are():
    errors = ({"pointer": "/a", "detail": "x"}, {"pointer": "/b", "detail": "y"})
    assert DoorShut("x; y", errors=errors, pointer="/c").errors == errors
