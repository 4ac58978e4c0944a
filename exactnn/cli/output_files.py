"""Files that a command writes besides its report: refused early where they cannot be, replaced with --force only."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress

import click

from exactnn.errors import ExactnnError, OptionError, shown
from exactnn.files import target_of, write_file
from exactnn.markup import printable

__all__ = ["attempt", "check_new_files", "check_yaml_file", "force_option", "report_beside", "save_text", "saved_text"]

_STANDARD_OUTPUT = ("-", "/dev/stdout")

force_option = click.option("--force", is_flag=True, help="Replace files that are there.")


def check_new_files(
    files: Iterable[tuple[str, str | None]],
    *,
    force: bool,
    texts: Collection[str] = (),
    as_json: bool = False,
    kept: Iterable[tuple[str, str | None]] = (),
) -> None:
    """Refuse files that cannot be written, before anything is computed.

    Parameters
    ----------
    files : iterable of pairs
        Options, and the names of their files, or None.
    force : bool
        Whether files that are there may be replaced.
    texts : collection of str
        Options that take -, or /dev/stdout, for standard output.
    as_json : bool
        Whether standard output is taken.
    kept : iterable of pairs
        Options of files that the command goes on with, which may be there: no other may be the same.

    Raises
    ------
    OptionError
        If one is no regular file, lies in a folder that does not exist, is there already, or is given twice.
    """
    seen: dict[str, str] = {}
    for option, name in kept:
        with suppress(OSError, ValueError):  # what no file system can name is refused where it is read
            seen |= {} if name is None else {os.path.realpath(name): option}
    for option, name in files:
        if name is None:
            continue
        real = _checked(option, name, force=force, is_text=option in texts, as_json=as_json)
        if real in seen:
            raise OptionError(f"{seen[real]} and {option} are both {shown(name, limit=1000)}: give two files")
        seen[real] = option


def _checked(option: str, name: str, *, force: bool, is_text: bool, as_json: bool) -> str:
    """Return which file a name means."""
    subject = f"{option} {shown(name, limit=1000)}"
    if name in _STANDARD_OUTPUT:
        if not is_text:
            raise OptionError(f"{subject}: this file cannot go to standard output: give the name of a regular file")
        if as_json:
            raise OptionError(f"{subject} and --json: standard output takes one of them, name a file")
        return _STANDARD_OUTPUT[0]
    target = target_of(name, error=OptionError, subject=subject)
    if target.status is not None and not force:
        raise OptionError(f"{subject} exists already: give another name, or --force to replace it")
    return str(target.path)


def check_yaml_file(option: str, name: str | None) -> None:
    """Refuse a name that is read as something else than the machine file that is written there."""
    if name is not None and name.lower().endswith(".json"):
        raise OptionError(
            f"{option} {shown(name, limit=1000)}: a machine is written in YAML, and .json is read as a network: name a "
            "file that ends in .yaml"
        )


def save_text(option: str, name: str, text: str, *, force: bool) -> None:
    """Write a text file, or to standard output if its name is -; raises OptionError if that cannot be done."""
    subject = f"{option} {shown(name, limit=1000)} cannot be written"
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise OptionError(f"{subject}: a name in it holds half a surrogate pair, which is not text") from None
    if name in _STANDARD_OUTPUT:
        click.echo(text, nl=False)
    else:
        write_file(name, content, error=OptionError, subject=subject, replace=force)


def saved_text(name: str) -> str:
    """Return which file was written and how long it is, for people."""
    return f"{printable(name)} ({os.path.getsize(name):,} bytes)"


def attempt(*writers: Callable[[], object]) -> ExactnnError | None:
    """Write what can be written; return what went wrong first, for after the report: a result is worth keeping."""
    failure = None
    for write in writers:
        try:
            write()
        except ExactnnError as error:
            failure = failure or error
    return failure


@contextmanager
def report_beside(*names: str | None) -> Iterator[None]:
    """Print what the block reports to standard error where one of these files is standard output."""
    if not set(names) & set(_STANDARD_OUTPUT):
        yield
        return
    with redirect_stdout(sys.stderr):
        yield
