"""The examples of docs/fuzzing.md run as they stand."""

import doctest
from pathlib import Path


def test_the_examples_run():
    page = Path(__file__).parents[2] / "docs" / "fuzzing.md"
    done = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert (done.failed, done.attempted > 10) == (0, True)
