"""A run that skipped a test, or ran none, is not a green one."""

from __future__ import annotations

from scripts.tally import complaint


def results(folder, *cases):
    path = folder / "tests.xml"
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return str(path)


PASSED = '<testcase classname="tests.a" name="test_one"/>'
SKIPPED = '<testcase classname="tests.a" name="test_two"><skipped/></testcase>'


def test_a_run_of_passes_is_believed(tmp_path):
    assert complaint(results(tmp_path, PASSED)) is None


def test_a_skip_is_named(tmp_path):
    said = complaint(results(tmp_path, PASSED, SKIPPED))
    assert said == "1 skipped, none may be: tests.a::test_two."


def test_no_tests_and_no_results_are_refused(tmp_path):
    assert complaint(results(tmp_path)) == "No test ran."
    assert complaint(str(tmp_path / "none.xml")) == "There is no result of the tests to count."
