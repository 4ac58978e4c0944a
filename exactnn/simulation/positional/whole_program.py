"""The program with whole steps: where units read several numbers, the leading digits of all tell a step together.

A node of whole steps looks at so many digits of each number of the state. Their entries are the digits of its case, in
a number system of mixed base, and its table is a hash table. Numbers in (-1, 0) have as many entries as those in
(0, 1); the pattern says which they are, so that no two cases are alike. The first node of a pattern looks at as many
digits as the first numbers there need. Where these are too few for others, it leads to a node that looks at more; where
no whole step can be written, to the node for the layers.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exactnn.networks import Input, Network
from exactnn.simulation.executor import Basic
from exactnn.simulation.positional import words
from exactnn.simulation.positional.numeral_kernels import SLOT, Array, entry_in
from exactnn.simulation.positional.program import Pattern, Program
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.rows import LIVE, AffineForm, Row, Status
from exactnn.simulation.positional.table_kernels import pair_of
from exactnn.simulation.positional.whole_steps import Look, Start, WholeStep, entries, whole_step

__all__ = ["WholeProgram"]

MOST_CASES = 1 << 9
"""Cases of a pattern: where more come up, digits do not recur, as where two numbers are compared."""
MOST_NUMBERS = 20
"""Long numbers of a state: of more of them a word has no room for enough digits."""
FEWEST_PLACES = 16
"""Places in the table of a node at first, a power of 2."""


@dataclass(frozen=True, slots=True)
class _WholeNode:
    """A node that looks at leading digits of all numbers of a state together: at so many of the one in each register.

    An outcome is a step, or a node that looks at more digits, or, where whole steps cannot be written, the layers.
    """

    pattern: Pattern
    digits: dict[int, int]


class WholeProgram(Program):
    """A program that takes whole steps where layers would hand on sums of several long numbers."""

    def __init__(self, network: Network, radix: Radix) -> None:
        super().__init__(network, radix)
        layers = network.circuit.layers
        self._has_whole_steps = len(layers) > 1 and not any(unit.bilinear for units in layers for unit in units)
        self._whole_nodes: dict[int, _WholeNode] = {}
        self._looking: dict[tuple[Pattern, tuple[int, ...]], int] = {}  # nodes by their patterns and digits
        self._starts: dict[tuple[Input, tuple[Status, ...]], Start] = {}
        self._used: dict[int, int] = {}  # of nodes: how many cases have a transition
        self._cases: Counter[Pattern] = Counter()  # of patterns: how many cases there are in all nodes

    def _addresses(self) -> list[int]:
        return [*super()._addresses(), *self._whole_nodes]

    def pattern(self, node: int) -> Pattern:
        """Return the pattern of a node."""
        return self._whole_nodes[node].pattern if node in self._whole_nodes else super().pattern(node)

    def enter(self, pattern: Pattern) -> int:
        """Return the node for a pattern: for whole steps, or for the first rows of a layer."""
        return self._node_of(pattern, {}) if self._is_whole(pattern) else super().enter(pattern)

    def follow(self, address: int, case: int, slots: Array) -> None:
        """Write the transition from a node after the outcomes with number `case`, to which numbers in `slots` led."""
        node = self._whole_nodes.get(address)
        if node is None:
            super().follow(address, case, slots)
            return
        pattern, base = node.pattern, self.radix.base
        self._cases[pattern] += 1
        if self._cases[pattern] > MOST_CASES:
            self._give_up(address, pattern)
            return

        def entry(register: int, digits: int) -> int:
            return entry_in(self._slot(register, pattern.bank), slots, digits, base)

        look = Look(node.digits, entry, self.radix)
        step = None if case == words.BEYOND else self._step(pattern, look)
        if look.digits != node.digits:
            address = self._closer(address, case, pattern, look)
            case = 0
            for register, digits in self._whole_nodes[address].digits.items():
                if self._looks(pattern, register, digits):
                    case = case * entries(digits, self.radix) + entry(register, digits)
        if self.code.array[self._pair(address, case) + 1]:
            return  # others came to the same case of the closer node
        rows = None if step is None else self._rows(step)
        if step is None or rows is None:
            self._lead(address, case, super().enter(pattern), words.WITHIN, [])
            return
        moves, sums = self._moves(pattern, rows)
        following = self.enter(Pattern(pattern.given, 1 - pattern.bank, 0, step.statuses))
        output = int(self.code.array[following + words.N_OUTPUT])
        if sums:
            transition = self._transition(following, output, moves)
            header = [0, len(sums) // words.ROW, self.code.append([transition]), words.UNFIXED, 0, 0, 0]
            following, output, moves = self.code.append([*header, *sums]), words.WITHIN, []
        self._lead(address, case, following, output, moves)

    def _closer(self, address: int, case: int, pattern: Pattern, look: Look) -> int:
        """Return the node for a case of a node that looks at more digits: at those of `look`, or at more.

        It is the node itself as long as no transition leads on from that: it looks at more digits from now on.
        """
        if self._used.get(address):
            closer = self._node_of(pattern, look.digits)
            self._lead(address, case, closer, words.WITHIN, [])
            return closer
        first = address + words.HEADER
        sources = self._sources(pattern, look.digits)
        self.code.array[first : first + len(sources)] = sources
        self._whole_nodes[address] = _WholeNode(pattern, look.digits)
        return address

    def _is_whole(self, pattern: Pattern) -> bool:
        """Return whether whole steps may help: a unit reads several numbers, and its sum may be of use to later layers.

        There must be few long numbers, none above 1, and no products. Where ever new digits come up, they do not help.
        """
        if pattern.layer or not self._has_whole_steps or self._cases[pattern] > MOST_CASES:
            return False
        live = [status for status in pattern.statuses if status >= LIVE]
        if len(live) > MOST_NUMBERS or Status.BIG in live:
            return False
        _, groups, outside = self._resolution(pattern)
        several = [group.rows[0] for group in groups if group.source is None and group.rows[0].operands]
        return not outside and any(row.activation is not Basic.HEAVISIDE for row in several)

    def _give_up(self, address: int, pattern: Pattern) -> None:
        """Let a node lead to the layers, whatever the digits."""
        transition = self._transition(super().enter(pattern), words.WITHIN, [])
        output = int(self.code.array[address + words.N_OUTPUT])
        header = [0, 0, self.code.append([transition]), output, 0, 0, 0]
        self.code.array[address : address + words.HEADER] = header  # at once, since Ctrl-C may come before

    def _node_of(self, pattern: Pattern, digits: dict[int, int]) -> int:
        """Return the node of a pattern that looks at so many digits of the numbers in registers; at first at none."""
        key = pattern, tuple(digits.values())
        if key not in self._looking:
            digits = digits or {i: 0 for i, status in enumerate(pattern.statuses) if status >= LIVE}
            table = self.code.append([0] * 2 * FEWEST_PLACES)
            header = [len(digits), 0, table, self._output(pattern.statuses), 0, 0, FEWEST_PLACES]
            sources = self._sources(pattern, digits)
            address = self.code.size
            self.code.append([*header, *sources])
            self._whole_nodes[address] = _WholeNode(pattern, digits)
            self._looking[key] = address  # last, since Ctrl-C may come before
        return self._looking[key]

    def _sources(self, pattern: Pattern, digits: dict[int, int]) -> list[int]:
        """Return the words of a node's sources."""
        least, sources = self.radix.least, []
        for register, seen in digits.items():
            looked = seen if self._looks(pattern, register, seen) else -1
            sources += [self._slot(register, pattern.bank), least, looked, entries(seen, self.radix)]
        return sources

    @staticmethod
    def _looks(pattern: Pattern, register: int, digits: int) -> bool:
        """Return whether to look at so many digits: at none only to see whether a negative number is -1."""
        return digits > 0 or pattern.statuses[register] is not LIVE

    def _step(self, pattern: Pattern, look: Look) -> WholeStep | None:
        """Return the step in a pattern for the numbers that are looked at."""
        key = pattern.given, pattern.statuses
        if key not in self._starts:
            self._starts[key] = Start(self.layers[0], pattern.statuses, self._given(pattern.given).vector)
        return whole_step(self.layers, self.network.circuit.next_state, self._starts[key], look)

    def _rows(self, step: WholeStep) -> list[tuple[int, Row]] | None:
        """Return the components of the next state that are not 0 or 1, as rows; None if some cannot be computed."""
        rows = []
        for component, (status, form) in enumerate(zip(step.statuses, step.forms, strict=True)):
            if status not in (Status.ZERO, Status.ONE):
                row = self._row_of(form)
                if row is None or not row.fits_words(self.radix):
                    return None
                rows.append((component, row))
        return rows

    def _row_of(self, form: AffineForm) -> Row | None:
        """Return a form as a row; None if it is not in the base."""
        radix, places = self.radix, self.radix.places(form.constant)
        if places is None or any(radix.places(weight) is None for weight in form.terms.values()):
            return None
        number = int(form.constant * radix.base**places)
        operands = tuple((register, *radix.term(weight)) for register, weight in form.terms.items())
        return Row(unit=-1, activation=Basic.IDENTITY, constant=(number, places), operands=operands, status=None)

    def _moves(self, pattern: Pattern, rows: Sequence[tuple[int, Row]]) -> tuple[list[int], list[int]]:
        """Return the moves to components of the next state, and the rows of those that are sums or long multiples."""
        first = SLOT * (1 - pattern.bank) * self.network.circuit.state_size
        moves: list[int] = []
        sums: list[int] = []
        for component, row in rows:
            destination = first + SLOT * component
            if self._is_move(row):
                moves += self._move(pattern, row, destination)
            else:
                sums += self._row(pattern, row, 0, destination)
        return moves, sums

    def _is_move(self, row: Row) -> bool:
        """Return whether a row is a constant, or a number that is shifted within what its head holds."""
        if not row.operands:
            return True
        return row.is_shift_within(self.radix)

    def _transition(self, following: int, output: int, moves: list[int]) -> int:
        """Write a transition, and return its address."""
        transition = self.code.append([following, output, len(moves) // words.MOVE, *moves])
        self.transitions[transition] = None
        return transition

    def _lead(self, address: int, case: int, following: int, output: int, moves: list[int]) -> None:
        """Write the transition of a case, and put it into the table of its node."""
        transition = self._transition(following, output, moves)
        self._used[address] = self._used.get(address, 0) + 1  # first, since Ctrl-C may come: too many do no harm
        header = self.code.array[address : address + words.HEADER].copy()
        table, places = header[[words.N_TABLE, words.N_PLACES]].tolist()
        if 2 * self._used[address] > places:
            pairs = self.code.array[table : table + 2 * places].reshape(-1, 2).copy()
            header[words.N_PLACES] = 4 * places
            header[words.N_TABLE] = self.code.append([0] * 2 * 4 * places)
            for pair in pairs[pairs[:, 1] != 0].tolist():
                place = self._place(header, pair[0])
                self.code.array[place : place + 2] = pair
        place = self._place(header, case)
        self.code.array[place : place + 2] = case, transition
        self.code.array[address : address + words.HEADER] = header  # at once, since Ctrl-C may come before

    def _pair(self, address: int, case: int) -> int:
        """Return the address of the pair (case, transition) of a node, or of a free one."""
        return self._place(self.code.array[address : address + words.HEADER], case)

    def _place(self, header: Array, case: int) -> int:
        """Return the address of the pair of a case in the table of a header, or of a free one."""
        key, table, places = np.array([case, header[words.N_TABLE], header[words.N_PLACES]]).astype(np.uint64)
        return int(pair_of(key, self.code.array, table, places))
