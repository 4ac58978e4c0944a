"""What ``exactnn show`` prints in place of its report: a graph, the machine file, weights, or what was expected."""

from collections.abc import Iterator

from exactnn.arithmetic import counted
from exactnn.cli.subject import is_network_file, load_subject
from exactnn.errors import OptionError, shown
from exactnn.machine_files import MachineFile, disagreements, load_file, write_dot, write_yaml, zoo_names, zoo_path
from exactnn.markup import printable
from exactnn.networks import step_formulas

__all__ = ["shown_instead"]


def shown_instead(source: str, option: str, construction: str | None) -> str:
    """Return what `option`, one of ``--dot``, ``--yaml``, ``--check`` and ``--weights``, shows of `source`.

    Raises
    ------
    OptionError
        If the option is of machines, and `source` is a network or a construction is named.

    Examples
    --------
    >>> print(shown_instead("parity", "--check", None))
    7 runs, all as expected
    <BLANKLINE>
    """
    if option == "--weights":
        return _lines(printable(line) for line in step_formulas(load_subject(source, construction).network))
    if construction is not None:
        raise OptionError(f"{option} and --construction: {option} shows the machine alone, leave one out")
    if is_network_file(source):
        raise OptionError(f"{option}: {shown(source)} is a network, and {option} shows a machine")
    if option == "--yaml" and source in zoo_names():
        return zoo_path(source).read_text(encoding="utf-8")
    file = load_file(source)
    if option == "--yaml":
        return write_yaml(file)
    return write_dot(file.machine) if option == "--dot" else _lines(_checked(file))


def _checked(file: MachineFile) -> Iterator[str]:
    """Yield what the direct interpreter finds otherwise than `file` expects, and how many runs those are."""
    if not file.expectations:
        yield "nothing is expected: the file has no key 'expect:'"
        return
    wrong = 0
    for expectation in file.expectations:
        found = disagreements(file.machine, expectation)
        wrong += bool(found)
        if found:
            yield printable(f"{shown(' '.join(expectation.word))}: {'; '.join(found)}")
    yield f"{counted(len(file.expectations), 'run')}, {f'{wrong} not' if wrong else 'all'} as expected"


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
