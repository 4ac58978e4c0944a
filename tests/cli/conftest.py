import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from exactnn.cli import main

Invoke = Callable[..., Result]
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def invoke() -> Invoke:
    """Run a command in this process."""

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(main, list(arguments))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


@pytest.fixture
def program() -> Program:
    """Run the program as a user does, in a process of its own."""

    def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
        code = "import sys; from exactnn.cli import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=300, check=False
        )

    return call
