"""What a state of a network stands for, near the head, and how much is written on its tape."""

from dataclasses import dataclass, replace

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, Enclosure, FixedPoint, FloatFormat
from exactnn.automata import LOST, NOT_CUT, StackConfiguration, TapeConfiguration, TuringMachine, configuration_text
from exactnn.cli.subject import Subject
from exactnn.markup import printable
from exactnn.simulation import Values

__all__ = ["REACH", "Decoded", "decoded", "nonblank_cells"]

REACH = 1000
"""Cells that are decoded on either side of the head."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A configuration (None for a mere network), and whether its tape goes on to the left and to the right."""

    configuration: object
    cut: tuple[bool, bool] = NOT_CUT

    def text(self, reach: int | None = None) -> str:
        """Return it as printable text, at most `reach` cells on either side of the head; "" for a mere network."""
        return printable(self.record(reach) or "")

    def record(self, reach: int | None = None) -> str | None:
        """Return it as text of a JSON record."""
        if self.configuration is None:
            return None
        return configuration_text(self.configuration, reach=reach, cut=self.cut)


def decoded(
    subject: Subject, values: Values, *, arithmetic: Arithmetic | EnclosingArithmetic, steps: int, word_length: int
) -> Decoded:
    """Return the configuration that the state after `steps` steps stands for, up to REACH cells from the head.

    A state of enclosures stands for one if all of its numbers are known.
    """
    known = _known(values)
    if subject.construction is None or known is None:
        return Decoded(None)
    if isinstance(arithmetic, FloatFormat | FixedPoint):
        configuration = _rounded_configuration(subject, values, steps, word_length)
        if isinstance(configuration, StackConfiguration):
            return _cut_stacks(configuration)
        if not isinstance(configuration, TapeConfiguration):
            return Decoded(configuration)
        sides = (configuration.left, configuration.right)
        configuration = replace(configuration, left=sides[0][:REACH], right=sides[1][:REACH])
        return Decoded(configuration, (len(sides[0]) > REACH, len(sides[1]) > REACH))
    left, right = subject.construction.extent(known) or (0, 0)
    return Decoded(subject.construction.decode(known, cells=REACH), (left > REACH, right > REACH))


def _known(values: Values) -> Values | None:
    """Return the state as numbers; None if it has enclosures whose numbers are not known."""
    enclosures = [value for value in values if isinstance(value, Enclosure)]
    if not enclosures:
        return values
    return None if any(value.width for value in enclosures) else tuple(value.low for value in enclosures)


def _cut_stacks(configuration: StackConfiguration) -> Decoded:
    stacks = tuple(stack[:REACH] for stack in configuration.stacks)
    return Decoded(replace(configuration, stacks=stacks), (stacks != configuration.stacks, False))


def nonblank_cells(
    subject: Subject, values: Values, *, arithmetic: Arithmetic | EnclosingArithmetic, steps: int, word_length: int
) -> int | None:
    """Return how many cells of the whole tape are not blank; None without a tape, or where a cell is lost."""
    machine = None if subject.construction is None else subject.construction.machine
    if subject.construction is None or not isinstance(machine, TuringMachine):
        return None
    if not isinstance(arithmetic, FloatFormat | FixedPoint):
        known = _known(values)
        return None if known is None else subject.construction.nonblank(known)
    configuration = _rounded_configuration(subject, values, steps, word_length)
    if not isinstance(configuration, TapeConfiguration) or LOST in configuration.tape:
        return None
    return sum(symbol != machine.blank_symbol for symbol in configuration.tape)


def _rounded_configuration(subject: Subject, values: Values, steps: int, word_length: int) -> object:
    """Return what a rounded state stands for, whose digits may have no end: as many cells as can have been visited."""
    assert subject.construction is not None
    return subject.construction.decode(values, cells=word_length + steps + 1)
