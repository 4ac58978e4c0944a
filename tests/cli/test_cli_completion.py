"""What shells propose."""

import os
import shutil
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from exactnn.cli import main
from exactnn.constructions import constructions_for
from exactnn.machine_files import load


def proposed(*args):
    """Return what is proposed for the last of some arguments."""
    completer = ShellComplete(main, {}, "exactnn", "_EXACTNN_COMPLETE")
    return [(item.value, item.type) for item in completer.get_completions(list(args[:-1]), args[-1])]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("coll",), ["collapse"]),
        (("run", "palin"), ["palindrome"]),
        (("compare", "parity", "palin"), ["palindrome"]),
        (("show", "bb"), ["bb2", "bb2x3", "bb2x4", "bb3", "bb4", "bb5"]),
        (("run", "parity", "--construction", ""), list(constructions_for(load("parity")))),
        (("run", "parity", "--construction", "sta"), ["state_grid"]),
        (("run", "gated"), ["gated_counter"]),
        (("run", "gated_counter", "--construction", ""), []),
        (("run", "parity", "--format", "bf"), ["bfloat16"]),
        (("run", "parity", "--arithmetic", "ra"), ["rational"]),
        (("collapse", "parity", "--formats", "float16,bf"), ["float16,bfloat16"]),
        (("check", "parity", "--formats", "bfloat16,bf"), []),
    ],
)
def test_names_are_proposed(args, expected):
    assert [value for value, _ in proposed(*args)] == expected


def test_files_are_left_to_the_shell():
    assert proposed("run", "./ma") == [("./ma", "file")]


@pytest.mark.skipif(shutil.which("bash") is None, reason="this is what bash does")
def test_bash_completes():
    environment = os.environ | {
        "_EXACTNN_COMPLETE": "bash_complete",
        "COMP_WORDS": "exactnn run palin",
        "COMP_CWORD": "2",
    }
    program = "import sys; sys.argv = ['exactnn']; from exactnn.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.splitlines() == ["plain,palindrome"]
    source = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"_EXACTNN_COMPLETE": "zsh_source"}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert "#compdef exactnn" in source.stdout
