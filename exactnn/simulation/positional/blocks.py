"""Blocks: several steps of direct mode at once, where a few more digits tell the outcomes of all of them.

A node of the program looks at a few leading digits of the long numbers, and its transitions are single steps. The node
of blocks that is written beside it looks at more, and its transitions are as many steps as these tell. It is a node
like any other, of one or two long numbers and one table. Blocks are written when their digits come up in a run that has
been going on for a while.

A step shifts numbers, turns them and adds constants, and so do several. The plain program is followed with an interval
for each number, that which its leading digits leave open, as long as the look-ups of a step come out the same for all
of the interval. A block reads and writes the first bank. That is safe, since nothing can fail once it writes, and its
moves are in an order in which none reads what another has written. No machine word overflows in a move of several steps
if it does not in one, by :meth:`Program.fits`: that bounds the result, and the constant by itself, for heads of
`radix.longest` digits, however the move came about."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from math import gcd, log2
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.simulation.positional import kernels
from exactnn.simulation.positional.numeral_kernels import MIDDLE, PLACES, SLOT, Array
from exactnn.simulation.positional.program import Pattern, Program
from exactnn.simulation.positional.radix import MOST_STEPS
from exactnn.simulation.positional.rows import Status

__all__ = ["Blocks", "Form", "SeveralSteps", "in_order"]

Move = tuple[int, int, int, int, int, int]
"""The words of a move in the program."""


class Form(NamedTuple):
    """What a slot holds, in the number x that a slot held at first: sign * base**shift * x + constant."""

    source: int
    sign: int
    shift: int
    constant: mpq


@dataclass(frozen=True, slots=True)
class End:
    """Where some steps lead: the node, how many steps, and what the slots hold."""

    node: int
    steps: int
    forms: dict[int, Form]


class SeveralSteps:
    """Steps of a program of which `digits` leading digits of the numbers are known at first.

    Those of a number q / base**digits are given by the entry 2q, those of a number between it and the next by 2q+1.
    """

    def __init__(self, program: Program, digits: int) -> None:
        self.program = program
        self.digits = digits
        self._base = mpq(program.radix.base)
        self._zero = SLOT * (program.slots - 1)
        self._moves: dict[int, list[tuple[int, Form]]] = {}  # of transitions: what is written into which slots

    def ends(self, node: int, entries: dict[int, int], most: int) -> list[End] | None:
        """Return where one, two, ... steps from a node lead, up to `most` and as far as the entries of its slots tell.

        Between them all outputs are that at the beginning. None if the program is not complete for these steps yet.
        """
        code = self.program.code.array
        output = code[node + kernels.N_OUTPUT]
        forms = {slot: Form(slot, 1, 0, mpq(0)) for slot in (*entries, self._zero)}
        found: list[End] = []
        while len(found) < most:
            case = self._case(node, forms, entries)
            if case is None:
                break
            transition = int(code[code[node + kernels.N_TABLE] + case])
            if not transition:
                return None
            for destination, form in self._moves_of(transition):
                forms[destination] = self._after(form, forms[form.source])
            node, _, written, steps = code[transition : transition + kernels.T_STEPS + 1].tolist()
            if written == kernels.UNFIXED:
                break
            if steps:
                found.append(End(node, len(found) + 1, forms.copy()))
                if written != output:
                    break
        return found

    def move(self, destination: int, form: Form) -> Move | None:
        """Return the move that writes a form into a slot; None if the digits or the machine word do not suffice."""
        program = self.program
        places = program.radix.places(form.constant)
        assert places is not None
        shift = form.shift
        if form.source == self._zero:
            shift = 1 - places  # the slot has one digit
        elif shift + places > self.digits:
            return None
        number = int(form.constant * self._base**places)
        if not program.fits(number, places, shift):
            return None
        return destination, form.source, min(form.sign, 0), shift, 2 * number, places

    def _case(self, node: int, forms: dict[int, Form], entries: dict[int, int]) -> int | None:
        """Return the case of a node; None if the entries do not tell."""
        code = self.program.code.array
        header = code[node : node + kernels.HEADER].tolist()
        if header[kernels.N_ROWS] or header[kernels.N_OUTSIDE]:
            return None
        case = 0
        first = node + kernels.HEADER
        words = code[first : first + kernels.SOURCE * header[kernels.N_SOURCES]].tolist()
        for slot, _, digits, lookup in zip(*[iter(words)] * kernels.SOURCE, strict=True):
            if digits >= 0:
                entry = self._entry(forms[slot], digits, entries)
                if entry is None:
                    return None
                case += int(code[lookup + entry])
        return case

    def _entry(self, form: Form, digits: int, entries: dict[int, int]) -> int | None:
        """Return the entry of a form by so many digits; None if the entry of its source does not tell."""
        low = high = form.constant * self._base**digits
        if form.source != self._zero:
            entry = entries[form.source]
            scale = form.sign * self._base ** (form.shift - self.digits + digits)
            low, high = sorted((low + scale * (entry // 2), low + scale * ((entry + 1) // 2)))
        leading = int(low.numerator // low.denominator)
        if low == high:
            return 2 * leading + (low != leading)
        return 2 * leading + 1 if high <= leading + 1 else None

    def _moves_of(self, transition: int) -> list[tuple[int, Form]]:
        """Return the slots that a transition writes, with forms in those that it reads."""
        if transition not in self._moves:
            code, first = self.program.code.array, transition + kernels.T_FIRST
            words = code[first : first + kernels.MOVE * int(code[transition + kernels.T_MOVES])].tolist()
            self._moves[transition] = [
                (destination, Form(source, turned | 1, shift, twice / (2 * self._base**places)))
                for destination, source, turned, shift, twice, places in zip(*[iter(words)] * kernels.MOVE, strict=True)
            ]
        return self._moves[transition]

    def _after(self, form: Form, first: Form) -> Form:
        """Return a form of what a first one gives."""
        constant = form.constant
        if first.constant:
            constant += form.sign * self._base**form.shift * first.constant
        return Form(first.source, form.sign * first.sign, form.shift + first.shift, constant)


def in_order(moves: Iterable[Move]) -> list[Move] | None:
    """Return moves in an order in which none reads what another has written; None if there is none.

    Those that leave everything as it is are left out.

    >>> in_order([(0, 8, 0, 2, 0, 0), (8, 16, 0, 0, 0, 0), (24, 24, 0, 0, 0, 0)])
    [(0, 8, 0, 2, 0, 0), (8, 16, 0, 0, 0, 0)]
    >>> in_order([(0, 8, 0, 2, 0, 0), (8, 0, 0, 0, 0, 0)])
    """
    left = [move for move in moves if move != (move[0], move[0], 0, 0, 0, 0)]
    done: list[Move] = []
    while left:
        free = [move for move in left if all(other is move or other[1] != move[0] for other in left)]
        if not free:
            return None
        done.append(free[0])
        left.remove(free[0])
    return done


AFTER = 64
"""So many blocks could have been written before the first one is."""
CHEAP = 64
"""So many blocks are written at the first pace, so many at half of it, at a third, ..."""
MOST_NUMBERS = 2
MOST_NODES, MOST_BLOCKS = 1 << 8, 1 << 14
LEADING = 1 << 12
"""Numbers of as many digits as are looked at, at most."""
CLASSES = 1 << 6
"""Different leading digits for which there are blocks, those that come up first, and one for all others."""


class Blocks:
    """The blocks in the program of an engine.

    At first one is written for every `pace` steps at most, later ever fewer: a run whose steps seldom recur should lose
    little. `credit` counts the steps that were taken, less what the blocks so far have cost.
    """

    def __init__(self, program: Program, pace: int) -> None:
        self.program = program
        self.pace = pace
        self.credit = -AFTER * pace
        self.written = 0
        self._steps: SeveralSteps | None = None
        self._classes: dict[int, int] = {}  # of leading digits
        self._lookups: list[int] = []  # for the first and the second number of a node
        self._sources: dict[int, tuple[int, ...]] = {}  # of nodes: the slots of their numbers
        self._begun: dict[int, int] = {}  # what _begin found for a node
        self._transitions: list[int] = []

    def stretch(self, steps: int, count: int) -> tuple[int, bool]:
        """Return up to how many of `count` steps, after so many, the loop goes on, and whether it stops for new blocks.

        The last block may pass the limit, but not the count: there are at least MOST_STEPS left.
        """
        limit = count - MOST_STEPS + 1
        if self.credit >= 0:
            return limit, self.written < MOST_BLOCKS
        return min(limit, steps - self.credit), False

    def learn(self, code: int, control: Array, taken: int, slots: Array) -> bool:
        """Take note of steps and of why they stopped; return whether the loop can go on at once."""
        self.credit += taken
        node = int(control[kernels.C_NODE])
        if code == kernels.MISS and node in self._sources:
            control[kernels.C_NODE] = self._write(node, slots)
            return True
        if self.credit >= 0 and node == control[kernels.C_START] and node not in self._sources:
            self._begin(node)
        return False

    def _write(self, node: int, slots: Array) -> int:
        """Write the block of a node for the numbers in the slots; return the node to go on with.

        That is the plain one if the program for the steps is not complete yet: it will be when they come up again.
        """
        assert self._steps is not None
        self.credit -= self.pace * (1 + self.written // CHEAP)
        program, sources = self.program, self._sources[node]
        entries = [self._entry(slots, source) for source in sources]
        classes = [self._class(entry) for entry in entries]
        plain = program.plain(node)
        ends: list[End] | None = []
        if all(classes):
            ends = self._steps.ends(plain, dict(zip(sources, entries, strict=True)), MOST_STEPS)
        if ends is None:
            return plain
        found = (self._block(end) for end in reversed(ends))
        block = next(filter(None, found), [plain, plain, kernels.WITHIN, 0, 0])  # without steps if there are none
        case = sum(CLASSES**i * number for i, number in enumerate(classes))
        transition = program.code.append(block)
        program.code.array[program.code.array[node + kernels.N_TABLE] + case] = transition
        self._transitions.append(transition)
        self.written += 1
        return node

    def _block(self, end: End) -> list[int] | None:
        """Return the transition that leads to an end, but into the first bank; None if it cannot be written."""
        assert self._steps is not None
        program = self.program
        pattern = program.pattern(end.node)
        if not _is_plain(pattern):
            return None
        bank = SLOT * pattern.bank * len(pattern.statuses)
        moves = [self._steps.move(slot, end.forms[slot + bank]) for slot in _live(pattern)]
        possible = [move for move in moves if move is not None]
        ordered = in_order(possible) if len(possible) == len(moves) else None
        if ordered is None:
            return None
        plain = self._begin(end.node)
        output = int(program.code.array[plain + kernels.N_OUTPUT])
        return [plain, program.blocks.get(plain, plain), output, end.steps, len(ordered), *chain(*ordered)]

    def _begin(self, node: int) -> int:
        """Return the plain node in the first bank for the pattern of a node where a step begins.

        It has a node of blocks from now on, if there can be blocks.
        """
        if node not in self._begun:
            program = self.program
            plain = program.enter(replace(program.pattern(node), bank=0))
            if plain not in program.blocks and self._is_fit(plain):
                self._write_node(plain)
            self._begun[node] = plain
        return self._begun[node]

    def _is_fit(self, plain: int) -> bool:
        """Return whether there can be blocks from a plain node."""
        if self._steps is None:
            self._steps = SeveralSteps(self.program, _digits(self.program))
        code, pattern = self.program.code.array, self.program.pattern(plain)
        return (
            self._steps.digits > 0
            and len(self._sources) < MOST_NODES
            and _is_plain(pattern)
            and len(_live(pattern)) <= MOST_NUMBERS
            and not code[plain + kernels.N_ROWS]
            and not code[plain + kernels.N_OUTSIDE]
        )

    def _write_node(self, plain: int) -> None:
        """Write the node of blocks of a plain node, without blocks, and let transitions lead to it."""
        assert self._steps is not None
        program, digits = self.program, self._steps.digits
        sources = _live(program.pattern(plain))
        while len(self._lookups) < MOST_NUMBERS:
            self._lookups.append(program.code.append([0] * 2 * program.radix.base**digits))
        looks = [(slot, digits, digits, lookup) for slot, lookup in zip(sources, self._lookups, strict=False)]
        table = program.code.append([0] * CLASSES ** len(sources))
        output = int(program.code.array[plain + kernels.N_OUTPUT])
        node = program.code.append([len(sources), 0, table, output, 0, plain, *chain(*looks)])
        self._sources[node] = sources
        program.blocks[plain] = node
        code = program.code.array
        for transition in chain(program.transitions, self._transitions):
            if code[transition + kernels.T_NODE] == plain:
                code[transition + kernels.T_BLOCK] = node

    def _entry(self, slots: Array, slot: int) -> int:
        """Return which entry of the lookups the number in a slot has."""
        assert self._steps is not None
        middle, places = int(slots[slot + MIDDLE]), int(slots[slot + PLACES])
        leading, rest = divmod(middle, 2 * self.program.radix.base ** (places - self._steps.digits))
        return int(2 * leading + (rest > 0))

    def _class(self, entry: int) -> int:
        """Return the class of an entry; 0 if it came too late to get one of its own."""
        if entry not in self._classes and len(self._classes) < CLASSES - 1:
            self._classes[entry] = len(self._classes) + 1
            for position, lookup in enumerate(self._lookups):
                self.program.code.array[lookup + entry] = CLASSES**position * self._classes[entry]
        return self._classes.get(entry, 0)


def _is_plain(pattern: Pattern) -> bool:
    """Return whether all numbers of a state are between 0 and 1."""
    return max(pattern.statuses, default=Status.ZERO) <= Status.LIVE


def _live(pattern: Pattern) -> tuple[int, ...]:
    """Return the slots of the long numbers of a state in the first bank."""
    return tuple(SLOT * i for i, status in enumerate(pattern.statuses) if status is Status.LIVE)


def _digits(program: Program) -> int:
    """Return at how many digits blocks look: whole symbols of a stack, if numbers are stacks.

    A head that has too few of them gets a limb, and must not have more than `radix.longest` digits then.
    """
    radix = program.radix
    symbol = gcd(*program.shifts) or 1
    return min(int(log2(LEADING) / log2(radix.base)), radix.longest - radix.limb) // symbol * symbol
