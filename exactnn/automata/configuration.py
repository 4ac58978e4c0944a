"""What a machine's memory holds at one moment: a tape, stacks or counters, and how that is shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactnn.automata.alphabet import Symbol
from exactnn.automata.multi_tape_turing_machine import MultiTapeTuringMachine
from exactnn.automata.transitions import State
from exactnn.automata.turing_machine import TuringMachine
from exactnn.markup import printable

__all__ = [
    "LOST",
    "NOT_CUT",
    "CounterConfiguration",
    "StackConfiguration",
    "TapeConfiguration",
    "configuration_text",
    "is_in_a_state",
    "tape_configuration",
    "word_cell",
    "word_text",
]


class _Lost(str):
    """Text that equals only itself: a machine may have a symbol or a state called "?"."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__

    def __reduce__(self) -> str:
        return "LOST"


LOST = _Lost("?")
"""Stands for a state or cell that cannot be read back from a rounded network state; it prints as "?"."""


def is_in_a_state(configuration: object) -> bool:
    """Return whether a configuration has a state of its machine: not :data:`LOST`, nor a phase before the first move.

    >>> is_in_a_state(("q", ("a", LOST))), is_in_a_state((LOST, ("a",)))
    (True, False)
    """
    first = configuration[0] if isinstance(configuration, tuple) and configuration else configuration
    state = getattr(configuration, "state", first)
    return state is not LOST and not getattr(state, "is_before_first_move", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeConfiguration:
    """State, left part of the tape (nearest cell first), scanned symbol, right part (nearest first).

    Two configurations are equal when the machine cannot tell them apart: blanks that stretch to an
    infinite end of the tape are not part of it. On a semi-infinite tape `left` is complete, so that its
    length is the position of the head.
    """

    state: State
    left: tuple[Symbol, ...]
    scanned: Symbol
    right: tuple[Symbol, ...]

    def __str__(self) -> str:
        """The tape from left to right with the head in brackets, after the state.

        >>> print(TapeConfiguration(state="q", left=("b", "a"), scanned="c", right=("d",)))
        q: a b [c] d
        """
        cells = [*reversed(self.left), f"[{self.scanned}]", *self.right]
        return printable(f"{self.state}: " + " ".join(cells))

    @property
    def tape(self) -> tuple[Symbol, ...]:
        """All cells from left to right."""
        return (*reversed(self.left), self.scanned, *self.right)


def tape_configuration(
    machine: TuringMachine | MultiTapeTuringMachine,
    state: State,
    left: Sequence[Symbol],
    scanned: Symbol,
    right: Sequence[Symbol],
) -> TapeConfiguration:
    """Return the configuration in its unique form: without the blanks of the tape's infinite ends.

    Parameters
    ----------
    machine : TuringMachine or MultiTapeTuringMachine
        Says which ends of its tape are infinite and what is blank.
    left, right : sequence of str
        The cells beside the head, nearest first.
    """
    blank = machine.blank_symbol
    if machine.tape == "two_way_infinite":
        left = _without_far_blanks(left, blank)
    return TapeConfiguration(
        state=state, left=tuple(left), scanned=scanned, right=tuple(_without_far_blanks(right, blank))
    )


def _without_far_blanks(cells: Sequence[Symbol], blank: Symbol) -> Sequence[Symbol]:
    end = len(cells)
    while end and cells[end - 1] == blank:
        end -= 1
    return cells[:end]


# --- Configurations of a stack machine: a state and the contents of the stacks.


@dataclass(frozen=True, slots=True, kw_only=True)
class StackConfiguration:
    """State and stacks, each from its top down.

    >>> print(StackConfiguration(state="q", stacks=(("a", "b"), ())))
    q: a b | (empty)
    """

    state: State
    stacks: tuple[tuple[Symbol, ...], ...]

    def __str__(self) -> str:
        """The stacks after the state, each from its top, with a stroke between two."""
        return printable(f"{self.state}: " + " | ".join(" ".join(stack) or "(empty)" for stack in self.stacks))


# --- Configurations of a counter machine: a state and the values of the counters.


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterConfiguration:
    """State and counters; a counter that cannot be read back from a rounded network state is LOST.

    >>> print(CounterConfiguration(state="q", counters=(3, -1)))
    q: 3, -1
    """

    state: State
    counters: tuple[int | str, ...]

    def __str__(self) -> str:
        """The counters after the state."""
        return printable(f"{self.state}: ") + ", ".join(map(str, self.counters))


# --- Configurations and words as text for people: tapes are cut at their ends.

NOT_CUT = (False, False)


def word_text(word: Sequence[object]) -> str:
    """Return a word: its symbols, with spaces between them if one has several characters; vectors with commas.

    >>> word_text("ab"), word_text(("a", "bc")), word_text(((1, 0), (0, 1))), word_text(())
    ('ab', 'a bc', '1,0 0,1', '(empty)')
    """
    symbols = [",".join(map(str, symbol)) if isinstance(symbol, tuple) else str(symbol) for symbol in word]
    joint = "" if all(isinstance(symbol, str) and len(symbol) == 1 for symbol in word) else " "
    return joint.join(symbols) if symbols else "(empty)"


def word_cell(word: Sequence[object] | None) -> str | None:
    """Return a word as a table of data has it: as text, the empty word as empty text.

    >>> word_cell("ab"), word_cell(()), word_cell(None)
    ('ab', '', None)
    """
    return None if word is None else word_text(word) if word else ""


def configuration_text(configuration: object, *, reach: int | None = None, cut: tuple[bool, bool] = NOT_CUT) -> str:
    """Return a configuration as text, at most `reach` cells on either side of the head.

    Parameters
    ----------
    configuration : object
    reach : int, optional
    cut : pair of bool
        Whether the tape goes on beyond the cells of `configuration`, to the left and to the right. The first of them
        says of stacks whether the longest go on.

    Examples
    --------
    >>> tape = TapeConfiguration(state="q", left=("b", "a"), scanned="c", right=("d", "e"))
    >>> configuration_text(tape), configuration_text(tape, reach=1), configuration_text(tape, cut=(True, False))
    ('q: a b [c] d e', 'q: … b [c] d …', 'q: … a b [c] d e')
    """
    if isinstance(configuration, StackConfiguration):
        return _stacks_text(configuration, reach, cut[0])
    if isinstance(configuration, tuple):
        return f"({', '.join(map(str, configuration))})"
    if not isinstance(configuration, TapeConfiguration):
        return str(configuration)
    cells = [*reversed(configuration.left[:reach]), f"[{configuration.scanned}]", *configuration.right[:reach]]
    before, after = (reach is not None and len(side) > reach for side in (configuration.left, configuration.right))
    dots = ["…" * (before or cut[0]), "…" * (after or cut[1])]
    return printable(" ".join(filter(None, [f"{configuration.state}:", dots[0], *cells, dots[1]])))


def _stacks_text(configuration: StackConfiguration, reach: int | None, cut: bool) -> str:
    """Return the state and at most `reach` symbols of each stack, with dots where there are more."""
    longest = max(map(len, configuration.stacks))
    texts = []
    for stack in configuration.stacks:
        more = (reach is not None and len(stack) > reach) or (cut and len(stack) == longest)
        texts.append(" ".join([*stack[:reach], *["…"] * more]) or "(empty)")
    return printable(f"{configuration.state}: " + " | ".join(texts))
