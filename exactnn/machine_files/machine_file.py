"""A machine together with what its file says of it: a title, where it comes from and what it should do.

It is not a run: :mod:`exactnn.machine_files.checking` compares expectations with the direct interpreter.
"""

from dataclasses import dataclass

from exactnn.automata import Machine, Word
from exactnn.outcome import Outcome, Verdict

__all__ = ["Expectation", "MachineFile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a machine does on one word, as its file promises.

    Parameters
    ----------
    word : tuple of str
        The input word.
    outcome : Outcome
        How the run ends. ``Outcome.STEP_LIMIT`` says that the machine still runs after `steps` moves.
    steps : int, optional
        The number of moves; the one that enters the halting state counts.
    nonblank : int, optional
        The number of cells that are not blank at the end.
    tape : tuple of str, optional
        The cells from the first to the last that is not blank, at the end.
    stack : tuple of str, optional
        The first stack of a stack machine at the end, from its top.

    Examples
    --------
    >>> Expectation(word=("a", "b"), outcome=Outcome.ACCEPTED).verdict
    <Verdict.ACCEPT: 'accept'>
    """

    word: Word
    outcome: Outcome
    steps: int | None = None
    nonblank: int | None = None
    tape: Word | None = None
    stack: Word | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Accept, reject, or None where the outcome is neither."""
        return self.outcome.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFile:
    """The contents of one machine file.

    Parameters
    ----------
    machine : DFA, TuringMachine, StackMachine or CounterMachine
    name : str
        The name in the file, or the file's own name without its ending.
    title : str
        One line for lists; empty where the file has none.
    description : str
        A few sentences; empty where the file has none.
    source : str
        The bibliographic source of the machine; empty where the file has none.
    expectations : tuple of Expectation
        Runs whose results are known.
    sample_input : tuple of str, optional
        The word that the file proposes to try.
    """

    machine: Machine
    name: str
    title: str = ""
    description: str = ""
    source: str = ""
    expectations: tuple[Expectation, ...] = ()
    sample_input: Word | None = None
