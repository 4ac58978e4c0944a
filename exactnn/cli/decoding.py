"""What a state of a network stands for, and how much is written on its tape."""

from exactnn.arithmetic import Arithmetic, FloatFormat
from exactnn.automata import LOST, TapeConfiguration, TuringMachine
from exactnn.cli.subject import Subject
from exactnn.simulation import Values

__all__ = ["decoded", "nonblank_cells"]


def decoded(subject: Subject, values: Values, *, arithmetic: Arithmetic, steps: int, word_length: int) -> object:
    """Return the configuration that the state after `steps` steps stands for; None for a mere network.

    A rounded state may have digits without end, so no more cells are read than the machine can have visited.
    """
    if subject.construction is None:
        return None
    cells = word_length + steps + 1 if isinstance(arithmetic, FloatFormat) else None
    return subject.construction.decode(values, cells=cells)


def nonblank_cells(subject: Subject, configuration: object) -> int | None:
    """Return how many cells of a decoded tape are not blank; None without a tape, or where a cell is lost."""
    machine = None if subject.construction is None else subject.construction.machine
    if not isinstance(machine, TuringMachine) or not isinstance(configuration, TapeConfiguration):
        return None
    if LOST in configuration.tape:
        return None
    return sum(symbol != machine.blank_symbol for symbol in configuration.tape)
