"""Assertions for tests: a construction is equivalent to its machine."""

from exactnn.arithmetic import EXACT, Arithmetic
from exactnn.automata import Machine
from exactnn.constructions import CONSTRUCTIONS, Construction
from exactnn.errors import OptionError, shown
from exactnn.testing.compiler import Compiled, Compiler, compiler_of
from exactnn.testing.disagreement import MAX_MOVES, By, Rules
from exactnn.testing.report import disagreement_text
from exactnn.testing.search import fuzz

__all__ = ["assert_equivalent"]


def assert_equivalent(
    construction: object,
    machine: Machine | type | None = None,
    *,
    arithmetic: Arithmetic = EXACT,
    by: By = "configuration",
    max_moves: int = MAX_MOVES,
    seconds: float = 5,
    seed: int = 0,
) -> None:
    """Raise AssertionError if a compiled network is found not to do what its machine does.

    Nothing is proven if it does not raise: so many machines and words as the time allows were the same.

    Parameters
    ----------
    construction : str, callable, Compiler, Construction or Network
        A name of :data:`exactnn.CONSTRUCTIONS`, ``module:function``, a function from a machine to a Construction, a
        Network or a Step, or what it made of `machine`.
    machine : Machine or type, optional
        Only this machine, or machines of this kind; by default those that the function is annotated with, or the
        machine of the Construction.
    arithmetic : Arithmetic
    by : "configuration" or "outcome"
        Whether decoded configurations are compared after every move, of a construction that has them, or only how runs
        end.
    max_moves : int
        Machines that have not halted by then must not have been decided by the network.
    seconds : float
        Time for the search.
    seed : int

    Raises
    ------
    AssertionError
        With the smallest machine and the shortest word that were found, how both end, both configurations where they
        begin to differ, and a command that shows it again.
    ExactnnError
        If an option is out of range, or no machine can be compiled.

    Examples
    --------
    >>> from exactnn.constructions.literal_book import literal_book
    >>> from exactnn.machine_files import load
    >>> assert_equivalent("minsky", load("parity"), seconds=0.5)
    >>> try:
    ...     assert_equivalent(literal_book, load("anbn"))
    ... except AssertionError as error:
    ...     print("\\n".join(str(error).splitlines()[:4]))
    literal_book in exact disagrees with its machine
    word      a b, length 2
    expected  accepted, 6 moves
    found     rejected, 7 steps of the network
    """
    if machine is None and isinstance(construction, Construction):
        machine = construction.machine
    tested = _compiler(construction)
    kind = machine if isinstance(machine, type) else None
    given = None if machine is None or isinstance(machine, type) else machine
    if given is None and isinstance(construction, Compiled):
        raise OptionError(f"{shown(construction)} is compiled already: give the machine that it is of")
    rules = Rules(arithmetic=arithmetic, by=by, max_moves=max_moves)
    found = fuzz(tested, machine=given, kind=kind, rules=rules, seconds=seconds, seed=seed).found
    if found is not None:
        raise AssertionError(disagreement_text(found))


def _is_one_of_ours(compiled: Compiled) -> bool:
    """Whether it is what the construction of its name makes, so that a command with that name shows the same."""
    if not isinstance(compiled, Construction) or compiled.name not in CONSTRUCTIONS:
        return False
    kind, function = CONSTRUCTIONS[compiled.name]
    return isinstance(compiled.machine, kind) and function(compiled.machine) == compiled


def _compiler(construction: object) -> Compiler:
    """Return the compiler that is meant; of a network that is there already, one that returns it."""
    if isinstance(construction, Compiled):
        name = construction.name if _is_one_of_ours(construction) else f"the network {construction.name}"
        return Compiler(name=name, kind=None, function=lambda _: construction)
    return compiler_of(construction)
