"""Generalized shifts, and the one that a Turing machine is."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from exactnn.automata.configuration import TapeConfiguration, tape_configuration
from exactnn.automata.machine import machine_of, reachable_states
from exactnn.automata.transitions import Transitions
from exactnn.automata.turing_machine import Rule, TuringMachine
from exactnn.automata.validation import collected, hashable, read_mapping
from exactnn.errors import MachineError, OptionError, shown
from exactnn.markup import named
from exactnn.options import entries

__all__ = [
    "LEFT_END",
    "DottedSequence",
    "GeneralizedShift",
    "ShiftOfTape",
    "ShiftRule",
    "dotted_sequence",
    "generalized_shift",
    "shift_orbit",
    "shifted",
]


class ShiftRule(NamedTuple):
    """What takes the place of a window, and how far the dot moves to the right then."""

    written: tuple[Hashable, ...]
    shift: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DottedSequence:
    """A two-way infinite sequence with a dot in it: what is left of the dot, what is right of it, each nearest first.

    What is not written is filled with the first symbol of the alphabet of that side.
    """

    left: tuple[Hashable, ...]
    right: tuple[Hashable, ...]

    def __str__(self) -> str:
        """The sequence from left to right.

        >>> print(DottedSequence(left=("q", "b", "a"), right=("c", "d")))
        a b q . c d
        """
        return " ".join([*map(str, reversed(self.left)), ".", *map(str, self.right)])


@dataclass(frozen=True, slots=True, init=False)
class GeneralizedShift:
    """A map of dotted sequences: a window around the dot decides what is written there and how the dot moves.

    Parameters
    ----------
    head_symbols : iterable of hashable
        What may stand directly left of the dot.
    left_symbols, right_symbols : iterable of hashable
        What may stand further left, and right of the dot; the first of each fills the infinite end on its side.
    window : pair of int
        How many symbols left of the dot, at least 1, and right of it, at least 0, are read and written.
    rules : mapping window -> (written, shift)
        Windows, and what is written in their place, are tuples from left to right. A window without a rule stays.
    name : str, optional

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    Notes
    -----
    Moore's shift has a domain of dependence, which is read, a domain of effect, which is written (G), and a shift of
    any length (F), and one alphabet. Here both domains are the window, and the dot stays in it, right of its first
    symbol at least: a larger window does the rest. Alphabets for each side make the map on the unit square smaller.

    References
    ----------
    C. Moore, "Unpredictability and undecidability in dynamical systems", *Phys. Rev. Lett.* 64, 1990; "Generalized
    shifts: unpredictability and undecidability in dynamical systems", *Nonlinearity* 4, 1991.

    Examples
    --------
    >>> add_one = GeneralizedShift(head_symbols="01", left_symbols="01", right_symbols="01", window=(1, 0),
    ...     rules={("1",): (("1",), 0), ("0",): (("1",), 0)}, name="set")
    >>> print(shifted(add_one, dotted_sequence(add_one, ["0", "1"], ["1"])))
    1 1 . 1
    """

    head_symbols: tuple[Hashable, ...]
    left_symbols: tuple[Hashable, ...]
    right_symbols: tuple[Hashable, ...]
    window: tuple[int, int]
    rules: Transitions[tuple[Hashable, ...], ShiftRule]
    name: str

    def __init__(
        self,
        *,
        head_symbols: Iterable[Hashable],
        left_symbols: Iterable[Hashable],
        right_symbols: Iterable[Hashable],
        window: tuple[int, int],
        rules: Mapping[tuple[Hashable, ...], tuple[tuple[Hashable, ...], int]],
        name: str = "generalised shift",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        for what, symbols in (("head", head_symbols), ("left", left_symbols), ("right", right_symbols)):
            alphabet = collected(f"{what}_symbols", symbols, faults)
            fill(self, f"{what}_symbols", alphabet)
            faults += [] if alphabet else [f"there are no {what}_symbols: give at least one"]
        counts = _window(window)
        if counts is None:
            faults.append(f"window={shown(window)}: give how many symbols left, at least 1, and right of the dot")
        table: dict[Any, Any] = {}
        if isinstance(rules, Mapping):
            table = read_mapping("rules", rules, faults)
        else:
            faults.append(f"rules is {shown(rules)}: give a mapping from windows to (written, shift)")
        fill(self, "window", counts or (1, 0))
        well_formed = {read: rule for read, rule in table.items() if _is_rule(read, rule)}
        fill(self, "rules", Transitions({read: ShiftRule(*rule) for read, rule in well_formed.items()}))
        fill(self, "name", name)
        faults += [] if isinstance(name, str) else [f"name is {shown(name)}: give text"]
        faults += [
            f"the rule of {shown(read)} is {shown(rule)}: write (what is written, how far the dot moves)"
            for read, rule in table.items()
            if read not in well_formed
        ]
        if not faults:
            faults += [fault for read, rule in self.rules.items() for fault in self._rule_faults(read, rule)]
        if faults:
            raise MachineError(name, faults)

    def windows(self, head: Hashable) -> Iterator[tuple[Hashable, ...]]:
        """Yield the windows with `head` left of the dot, in the order of the alphabets."""
        left, right = self.window
        for cells in product(*[self.left_symbols] * (left - 1), *[self.right_symbols] * right):
            yield (*cells[: left - 1], head, *cells[left - 1 :])

    def _rule_faults(self, read: tuple[Hashable, ...], rule: ShiftRule) -> list[str]:
        where = f"the rule of {shown(read)}"
        left, size = self.window[0], sum(self.window)
        dot = left + rule.shift
        if len(read) != size or len(rule.written) != size:
            return [f"{where} writes {shown(rule.written)}: a window has {size} symbols"]
        if not 1 <= dot <= size:
            return [f"{where} moves the dot by {rule.shift}: it leaves the window, make that larger"]
        faults = [f"{where}: {fault}" for fault in self._misplaced(read, left)]
        return faults + [f"{where}, after the shift: {fault}" for fault in self._misplaced(rule.written, dot)]

    def _misplaced(self, symbols: tuple[Hashable, ...], dot: int) -> Iterator[str]:
        for i, symbol in enumerate(symbols):
            what = "head" if i == dot - 1 else "left" if i < dot else "right"
            if symbol not in getattr(self, f"{what}_symbols"):
                yield f"{shown(symbol)} is not one of the {what}_symbols"


def _window(window: object) -> tuple[int, int] | None:
    try:
        counts = entries("window", window) if isinstance(window, Sequence) else []
    except OptionError:
        return None
    if len(counts) != 2 or any(not isinstance(n, int) or isinstance(n, bool) for n in counts):
        return None
    left, right = counts
    return (left, right) if left >= 1 and right >= 0 else None


def _is_rule(read: object, rule: object) -> bool:
    if not (isinstance(read, tuple) and isinstance(rule, tuple) and len(rule) == 2 and isinstance(rule[0], tuple)):
        return False
    return hashable(rule[0]) and isinstance(rule[1], int) and not isinstance(rule[1], bool)


def dotted_sequence(shift: GeneralizedShift, left: Sequence[Hashable], right: Sequence[Hashable]) -> DottedSequence:
    """Return a sequence in its unique form: without the fillings of its infinite ends.

    Parameters
    ----------
    left, right : sequence of symbols
        What is on either side of the dot, nearest first; `left` begins with the head symbol.

    Raises
    ------
    MachineError
        If a symbol may not stand where it is.
    """
    places = [*zip(left, ["head", *["left"] * len(left)], strict=False), *((a, "right") for a in right)]
    alphabets = {what: getattr(shift, f"{what}_symbols") for what in ("head", "left", "right")}
    faults = [f"{shown(a)} is not one of the {what}_symbols" for a, what in places if a not in alphabets[what]]
    if faults or not left:
        raise MachineError(f"a sequence of {shift.name}", faults or ["nothing is left of the dot: give a head symbol"])
    head, *rest = left
    return DottedSequence(
        left=(head, *_cut(rest, shift.left_symbols[0])), right=tuple(_cut(right, shift.right_symbols[0]))
    )


def _cut(symbols: Sequence[Hashable], filling: Hashable) -> Sequence[Hashable]:
    end = len(symbols)
    while end and symbols[end - 1] == filling:
        end -= 1
    return symbols[:end]


def shifted(shift: GeneralizedShift, sequence: DottedSequence) -> DottedSequence:
    """Return what the shift makes of a sequence, by its definition."""
    size_left, size_right = shift.window
    left = [*sequence.left, *[shift.left_symbols[0]] * (size_left - len(sequence.left))]
    right = [*sequence.right, *[shift.right_symbols[0]] * (size_right - len(sequence.right))]
    rule = shift.rules.get((*reversed(left[:size_left]), *right[:size_right]))
    if rule is None:
        return sequence
    dot = size_left + rule.shift
    return dotted_sequence(
        shift,
        [*reversed(rule.written[:dot]), *left[size_left:]],
        [*rule.written[dot:], *right[size_right:]],
    )


def shift_orbit(shift: GeneralizedShift, sequence: DottedSequence) -> Iterator[DottedSequence]:
    """Yield a sequence and what the shift makes of it again and again, without end."""
    while True:
        yield sequence
        sequence = shifted(shift, sequence)


# --- Turing machines as generalised shifts: the state stands left of the dot, the scanned symbol right of it.

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


def generalized_shift(machine: TuringMachine | str) -> ShiftOfTape:
    """Return the generalised shift of a Turing machine: ``... b . a_1 q . s a_2 ...`` with a window of three symbols.

    Parameters
    ----------
    machine : TuringMachine, or what :func:`exactnn.load` makes one of

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
    machine = machine_of(machine)
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
