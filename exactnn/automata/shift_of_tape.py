"""Turing machines as generalised shifts: the state stands left of the dot, the scanned symbol right of it."""

from collections.abc import Hashable
from dataclasses import dataclass

from exactnn.automata.configuration import TapeConfiguration, tape_configuration
from exactnn.automata.generalized_shift import DottedSequence, GeneralizedShift, dotted_sequence
from exactnn.automata.reachable_states import reachable_states
from exactnn.automata.turing_machine import Rule, TuringMachine
from exactnn.errors import MachineError, shown
from exactnn.markup import named

__all__ = ["LEFT_END", "ShiftOfTape", "generalized_shift"]

LEFT_END = ("left end",)
"""What a semi-infinite tape has beyond its leftmost cell; no symbol of a tape is a tuple."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftOfTape:
    """A generalised shift that makes the moves of a Turing machine, one for one.

    Parameters
    ----------
    shift : GeneralizedShift
        Head symbols are the states that can be reached, those that halt last: they have no rules, and stay.
    machine : TuringMachine
    """

    shift: GeneralizedShift
    machine: TuringMachine

    def encode(self, configuration: TapeConfiguration) -> DottedSequence:
        """Return the sequence that stands for a configuration; raises MachineError for an unknown state or symbol."""
        if not isinstance(configuration, TapeConfiguration):
            raise MachineError(shown(configuration), [f"it is not a configuration of {self.machine.name}"])
        end = (LEFT_END,) if self.machine.tape == "semi_infinite" else ()
        left = (configuration.state, *configuration.left, *end)
        return dotted_sequence(self.shift, left, (configuration.scanned, *configuration.right))

    def decode(self, sequence: DottedSequence) -> TapeConfiguration:
        """Return the configuration that a sequence stands for; raises MachineError if it is not one of the shift."""
        if not isinstance(sequence, DottedSequence):
            raise MachineError(shown(sequence), [f"it is not a sequence of {self.shift.name}"])
        sequence = dotted_sequence(self.shift, sequence.left, sequence.right)
        state, *left = sequence.left
        cells = [str(a) for a in left[: left.index(LEFT_END) if LEFT_END in left else None]]
        scanned, *right = (str(a) for a in sequence.right or (self.machine.blank_symbol,))
        return tape_configuration(self.machine, state, cells, scanned, right)

    def __repr__(self) -> str:
        return f"<ShiftOfTape of {named(self.machine.name)}: {len(self.shift.rules):,} rules>"


def generalized_shift(machine: TuringMachine) -> ShiftOfTape:
    """Return the generalised shift of a Turing machine: ``... b . a_1 q . s a_2 ...`` with a window of three symbols.

    Raises
    ------
    MachineError
        If it is no TuringMachine.

    Notes
    -----
    In state q scanning s with a to the left, (a, q, s) becomes (a, s', q') and the dot moves right, or (q', a, s') and
    the dot moves left; at the left end of a semi-infinite tape (a, q', s'), and the dot stays.

    References
    ----------
    C. Moore, "Generalized shifts: unpredictability and undecidability in dynamical systems", *Nonlinearity* 4, 1991.

    Examples
    --------
    >>> beaver = TuringMachine(states="ABH", input_symbols=(), tape_symbols="01",
    ...     transitions={"A": {"0": ("B", "1", "R"), "1": ("B", "1", "L")},
    ...                  "B": {"0": ("A", "1", "L"), "1": ("H", "1", "R")}},
    ...     initial_state="A", blank_symbol="0", halt_state="H", tape="two_way_infinite")
    >>> found = generalized_shift(beaver)
    >>> from itertools import islice
    >>> from exactnn.automata import configurations, shift_orbit
    >>> for sequence in islice(shift_orbit(found.shift, found.encode(next(configurations(beaver)))), 7):
    ...     print(sequence)
    A .
    1 B .
    A . 1 1
    B . 0 1 1
    A . 0 1 1 1
    1 B . 1 1 1
    1 1 H . 1 1
    """
    if not isinstance(machine, TuringMachine):
        raise MachineError(shown(machine), [f"it is a {type(machine).__name__}: give a TuringMachine"])
    states = reachable_states(machine)
    blank = machine.blank_symbol
    symbols = (blank, *(a for a in machine.tape_symbols if a != blank))
    left: tuple[Hashable, ...] = (*symbols, LEFT_END) if machine.tape == "semi_infinite" else symbols
    working = [q for q in states if q not in machine.halting_states]
    rules: dict[tuple[Hashable, ...], tuple[tuple[Hashable, ...], int]]
    rules = {(a, q, s): _shift_rule(a, machine.transitions[q][s]) for q in working for a in left for s in symbols}
    shift = GeneralizedShift(
        head_symbols=(*working, *(q for q in states if q in machine.halting_states)),
        left_symbols=left,
        right_symbols=symbols,
        window=(2, 1),
        rules=rules,
        name=f"shift of {machine.name}",
    )
    return ShiftOfTape(shift=shift, machine=machine)


def _shift_rule(a: Hashable, rule: Rule) -> tuple[tuple[Hashable, ...], int]:
    if rule.move == "R":
        return (a, rule.written, rule.next_state), 1
    if a == LEFT_END:
        return (a, rule.next_state, rule.written), 0
    return (rule.next_state, a, rule.written), -1
