"""What several steps of a program do together, as far as some leading digits of the numbers tell.

A step shifts numbers, turns them and adds constants, and so do several. The plain program is followed with an interval
for each number, that which its leading digits leave open, as long as the look-ups of a step come out the same for all
of the interval.

No machine word overflows in a move of several steps if it does not in one, by :meth:`Program.fits`: that bounds the
result, and the constant by itself, for heads of `radix.longest` digits, however the move came about.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.simulation.positional import kernels
from exactnn.simulation.positional.program import Program

__all__ = ["End", "Form", "SeveralSteps", "in_order"]

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
        self._zero = kernels.SLOT * (program.slots - 1)
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
