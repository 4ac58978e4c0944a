"""The program ``exactnn``: its commands, loaded when they are called, and what an error looks like.

Bad input is one line on standard error and exit code 2. Only errors that exactnn or click raise on purpose are
turned into that line; any other exception is a defect and keeps its traceback.
"""

import difflib
import errno
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn, TextIO

import click

from exactnn.cli.printing import one_line
from exactnn.errors import CampaignError, ExactnnError, SizeLimitError, TimeLimitError, shown
from exactnn.notices import COMPILING, listening
from exactnn.version import __version__

__all__ = ["BAD_INPUT", "LIMIT_REACHED", "NOT_AS_EXPECTED", "Program", "main"]

BAD_INPUT = 2
"""Exit code: the input is not valid."""
LIMIT_REACHED = 3
"""Exit code: a limit, or Ctrl-C, came before the end."""
NOT_AS_EXPECTED = 4
"""Exit code: a check ended, and something is not as expected."""

_COMMANDS = {
    "zoo": "List the machines and networks that come along.",
    "show": "Show a machine: its table, and the networks that it compiles to.",
    "run": "Run a machine's network, or another one, on a word.",
    "compile": "Compile a machine to a network and save it.",
    "import": "Read a trained network from safetensors or ONNX, exactly, and save it.",
    "export": "Save a machine's network, or a network file, as ONNX or safetensors.",
    "verify": "Check the certificate of a long exact run, or of an extracted automaton, in plain rationals.",
    "check": "Show what formats do to a network on many words: errors and wrong decisions.",
    "collapse": "Show from which word length on floating point goes wrong.",
    "threshold": "Show how many bits are enough for a word, and which are not.",
    "campaign": "Show, export and mend the stores of long work, and run the census of small machines.",
    "extract": "Show which automaton a network is in a format, and prove it.",
    "compare": "Decide whether two machines or networks say the same of every word, or find a shortest witness.",
    "fuzz": "Search for a machine and a word on which a construction or a format is wrong.",
    "constructions": "Show the constructions side by side, measured on machines.",
    "unitary": "Make the unitary twin of a contractive network, with the same outputs, and prove it.",
    "errata": "Run the errata of the sources: what they say, what comes out, and what holds instead.",
    "warm": "Compile the kernels ahead, so that later commands do not wait for them.",
    "plot": "Draw what happens on one word: errors, tapes over time, required bits.",
}

_MODULES = {"import": "import_network", "export": "export_network"}
"""Commands whose modules have another name: ``import`` is a word of Python."""


class Program(click.Group):
    """A group whose commands live in modules of their names, which are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help text."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, importing its module."""
        if cmd_name not in _COMMANDS:
            return None
        module = _MODULES.get(cmd_name, cmd_name)
        command: click.Command = importlib.import_module(f"exactnn.cli.{module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; near names are proposed if there is none."""
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name[:80], _COMMANDS, n=1)
            hint = f"did you mean {near[0]}? " if near else _as_machine(name)
            raise click.UsageError(f"command {shown(name)} is unknown: {hint}'exactnn --help' lists them")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with a line each, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C outside of a run, which would have kept its result, ends with code 3."""
        try:
            with warnings.catch_warnings(), listening(_Compilation()):
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("exactnn: interrupted before there was a result", err=True)
            return LIMIT_REACHED

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run the program and exit with its code."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a character that the terminal lacks is no reason to stop
                stream.reconfigure(errors="replace")
        extra["standalone_mode"] = False
        try:
            code = super().main(args, prog_name or "exactnn", **extra)
            if sys.stdout is not None:  # it is None where the caller closed it
                sys.stdout.flush()
        except click.UsageError as error:
            code = _refuse(_usage(error))
        except click.ClickException as error:
            code = _refuse(error.format_message())
        except ExactnnError as error:
            code = _refuse(str(error))
            if isinstance(error, SizeLimitError | TimeLimitError | CampaignError):
                code = LIMIT_REACHED
        except OSError as error:
            code = _output_failed(error)
        sys.exit(code or 0)


def _as_machine(name: str) -> str:
    """Return a hint if the name of a command looks much like that of a machine."""
    from exactnn.machine_files.load import near_machines

    near = near_machines(name, cutoff=0.8)[:1]
    return f"did you mean 'exactnn run {near[0]}'? " if near else ""


class _Compilation:
    """Says once, to a person who waits, that kernels are compiled; `exactnn warm` says so itself."""

    def __init__(self) -> None:
        self._said = not (sys.stderr is not None and sys.stderr.isatty()) or "warm" in sys.argv[1:2]

    def __call__(self, what: str) -> None:
        if not self._said:
            self._said = True
            click.echo(COMPILING, err=True)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as an error is shown, in one line; the file and line are those of the library."""
    click.echo(f"exactnn: warning: {one_line(str(message))}", err=True)


def _usage(error: click.UsageError) -> str:
    """Return the message of click with the way to the help of the command in question."""
    message = error.format_message().rstrip(".")
    if error.ctx is not None and ":" not in message.replace("option: ", ""):
        message += f": see '{error.ctx.command_path} --help'"
    return message


def _refuse(message: str) -> int:
    click.echo(f"exactnn: error: {one_line(message)}", err=True)
    return BAD_INPUT


def _output_failed(error: OSError) -> int:
    """Return the exit code for output that nobody reads or that has no room; raise any other error."""
    if error.errno not in (errno.EPIPE, errno.ENOSPC):
        raise error
    with suppress(OSError, ValueError):  # what is still buffered must not fail once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.ENOSPC:
        return _refuse("cannot write: no space is left on the device: free some and run again")
    return 1


@click.group(cls=Program, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="exactnn", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Run recurrent neural networks exactly, and see where finite precision breaks them.

    M is a name that 'exactnn zoo' lists, the path of a machine file (.yaml) or of a network file (.json), or
    bbchallenge text such as 1RB1LB_1LA1RZ.

    Exit codes: 0 for any result, 2 for input that is not valid, 3 if a limit or Ctrl-C came first, 4 if a check found
    something that is not as expected.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
