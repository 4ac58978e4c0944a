"""The equations of the real-time network: which units there are, and the affine form of each.

Notation: s(q, a) is the indicator of "in q scanning a", a form over the units that is 0 or 1. A move pushes
on one stack, pops the other, and the symbol under the head is in the scan units only, in neither stack.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from gmpy2 import mpq

from exactnn.automata import State, TuringMachine, reachable_states
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import Phase
from exactnn.constructions.tapes.two_stacks import TwoStackPlan
from exactnn.networks import EOS
from exactnn.options import whole_number

__all__ = ["HALTED", "RealTimePlan", "comparator", "excess", "scan", "state"]

HALTED = Phase.HALTED
"""The scan units of all halting states are shared: only the last symbol scanned is of interest."""

Control = State | Phase


class _Source(Enum):
    """What stands for a state where none decides: a state of a machine may be called anything."""

    INPUT = "input"


def state(q: Control) -> Hashable:
    """Return the key of the unit "in state q"."""
    return ("state", q)


def scan(q: Control, entry: str, a: int) -> Hashable:
    """Return the key of the unit "entered q by a move `entry`, and scans symbol number a > 0"."""
    return ("scan", q, entry, a)


def comparator(stack: str, k: int, part: str = "") -> Hashable:
    """Return the key of the unit "the top of the stack is at least k"."""
    return (stack, f">={k}", part) if part else (stack, f">={k}")


def excess(unit: Hashable) -> Hashable:
    """Return the key of the unit "how much the pre-activation of `unit` exceeds 1"."""
    return ("excess", unit)


def _base(asked: int | None, least: int) -> int:
    """Return the base asked for, or the least power of two: its weights are exact in every binary format."""
    if asked is None:
        return 1 << (least - 1).bit_length()
    return whole_number("base", asked, least)


@dataclass(frozen=True, slots=True)
class _Rule:
    """In `source` (INPUT: whatever it is) scanning, or reading as the input, `read`: write, move, go to `target`."""

    source: Control | _Source
    read: int
    target: Control
    written: int
    move: str


class RealTimePlan(TwoStackPlan):
    """Units and equations of the real-time network of a machine, whose units are SLUs or, with `relu`, ReLUs."""

    def __init__(self, machine: TuringMachine, base: int | None = None, *, relu: bool = False) -> None:
        rest = (a for a in machine.tape_symbols if a != machine.blank_symbol)
        super().__init__(machine, (machine.blank_symbol, *rest))
        self.relu = relu
        self.base = _base(base, least=max(3, 2 * self.tops["left"] + 1))
        self.states: list[Control] = list(reachable_states(machine))
        if self.loads:
            self.states += [Phase.LOAD, Phase.REWIND] + [Phase.READY] * self.bounded

    @cached_property
    def rules(self) -> list[_Rule]:
        """The machine's rules, and those that load the word and rewind."""
        rules = [
            _Rule(q, self.number[a], rule.next_state, self.number[rule.written], rule.move)
            for q in self.states
            if not isinstance(q, Phase)
            for a, rule in self.machine.transitions.get(q, {}).items()
        ]
        if not self.loads:
            return rules
        initial = self.machine.initial_state
        letters = [self.number[a] for a in self.machine.input_symbols]
        rules += [_Rule(_Source.INPUT, a, Phase.LOAD, a, "R") for a in letters]
        rules += [_Rule(Phase.LOAD, 0, Phase.REWIND, 0, "L")]
        rules += [_Rule(Phase.REWIND, a, Phase.REWIND, a, "L") for a in letters]
        if self.bounded:
            return rules + [_Rule(Phase.READY, a, initial, a, "L") for a in (0, *letters)]
        return [*rules, _Rule(Phase.REWIND, 0, initial, 0, "R")]

    @cached_property
    def scans(self) -> list[tuple[Control, str, int]]:
        """The scan units: (state or HALTED, entry, symbol number)."""
        found: dict[tuple[Control, str, int], None] = {}
        everything = range(1, self.bottom)
        letters = [self.number[a] for a in self.machine.input_symbols]
        for rule in self.rules:
            if rule.target is Phase.LOAD:
                continue
            target = self._scanner(rule.target)
            found |= dict.fromkeys((target, rule.move, a) for a in (letters if target is Phase.REWIND else everything))
            if self.bounded and rule.move == "L" and rule.written:
                found[self._scanner(self._stayed(rule.target)), "stay", rule.written] = None
        return list(found)

    def _scanner(self, q: Control) -> Control:
        return HALTED if q in self.machine.halting_states else q

    @staticmethod
    def _stayed(target: Control) -> Control:
        """Return where a move to the left ends that finds no cell there: rewinding is over then."""
        return Phase.READY if target is Phase.REWIND else target

    def indicator(self, rule: _Rule) -> Affine:
        """Return s(source, read) of a rule: 1 if it applies now, else 0."""
        if rule.source is _Source.INPUT:
            return symbol(self.symbols[rule.read])
        if rule.source is Phase.LOAD:  # loading, and the symbol read is EOS
            return var(state(Phase.LOAD)) - total(map(symbol, self.machine.input_symbols))
        scans = self._scans_of.get(rule.source, [])
        if rule.read:
            return total(var(scan(rule.source, entry, a)) for entry, a in scans if a == rule.read)
        return var(state(rule.source)) - total(var(scan(rule.source, entry, a)) for entry, a in scans)

    @cached_property
    def _scans_of(self) -> dict[Control, list[tuple[str, int]]]:
        found: dict[Control, list[tuple[str, int]]] = {}
        for q, entry, a in self.scans:
            found.setdefault(q, []).append((entry, a))
        return found

    @cached_property
    def _indicators(self) -> list[tuple[_Rule, Affine]]:
        return [(rule, self.indicator(rule)) for rule in self.rules]

    @cached_property
    def _sums(self) -> dict[Hashable, Affine]:
        """The sums of indicators that :meth:`_sum` is asked for, made in one pass over the rules."""
        groups: dict[Hashable, list[Affine | int]] = {}
        for rule, form in self._indicators:
            to, move, written = ("target", rule.target), ("move", rule.move), ("written", rule.written)
            for key in ((to,), (to, move), (to, move, written), (move,)):
                groups.setdefault(key, []).append(form)
        return {key: total(forms) for key, forms in groups.items()}

    def _sum(self, **wanted: Hashable) -> Affine:
        """Return the sum of the indicators of the rules with these fields, named in the order of `_sums`."""
        return self._sums.get(tuple(wanted.items()), Affine({}))

    def top(self, stack: str, k: int) -> Affine:
        """Return the form "the top of the stack is at least k"; 0 beyond the largest symbol."""
        if not 1 <= k <= self.tops[stack]:
            return Affine({})
        if self.bounded and stack == "right":
            return total(var(comparator(stack, k, part)) for part in ("pop", "push", "hold"))
        return var(comparator(stack, k))

    @property
    def leftmost(self) -> Affine:
        """The form "the head is on the leftmost cell of a semi-infinite tape"."""
        return self.top("left", self.bottom) if self.bounded else Affine({})

    def content(self, stack: str) -> Affine:
        """Return a stack's number as a form."""
        parts = ("push", "pop", "hold") if self.bounded and stack == "right" else ("push", "pop")
        return total(var((stack, part)) for part in parts)

    @property
    def size(self) -> tuple[int, int]:
        """How many units there are, and at most how many weights, found before any unit is made.

        The indicator of a rule has a weight for each scan unit of its state, and stands in one state unit, in up to
        m - 1 scan units, and in the units of both stacks, which also read each other.
        """
        entries = sum(1 + 2 * len(self._scans_of.get(rule.source, [])) for rule in self.rules if not rule.read)
        stacks = 4 + self.bounded + self.tops["left"] + (3 if self.bounded else 1) * self.tops["right"]
        units = len(self.states) + len(self.scans) + stacks + len(self.exceeding) * self.relu
        return units, entries * (len(self.symbols) + stacks) + units * (4 + stacks)

    def units(self) -> dict[Hashable, Affine]:
        """Return the pre-activation of every unit."""
        units = (
            self._state_units() | self._scan_units() | self._stack_units("left", "R") | self._stack_units("right", "L")
        )
        return self._as_relus(units) if self.relu else units

    @cached_property
    def exceeding(self) -> list[Hashable]:
        """The units whose pre-activation x exceeds 1 in some runs: comparators that look at the digit below the top.

        State and scan units are sums of indicators, of which one is 1, minus what is at least 0; stacks are below 1.
        A comparator is base * rest - (2k - 1) when the top is popped. With digits up to 2a that is at most
        2a - 2k + 1 and what the digits below add, less than 1: it exceeds 1 if a > k, or if a = k and there are digits
        below. Below the largest symbol of all, the bottom of a semi-infinite tape, there are none.
        """
        found = [comparator("left", k) for k in range(1, self.bottom)]
        part = "pop" if self.bounded else ""
        return found + [comparator("right", k, part) for k in range(1, self.bottom)]

    def _as_relus(self, units: dict[Hashable, Affine]) -> dict[Hashable, Affine]:
        """Return the units with ReLUs for x and for x - 1 where x exceeds 1; their difference is the SLU."""
        differences = {unit: var(unit) - var(excess(unit)) for unit in self.exceeding}
        relus: dict[Hashable, Affine] = {}
        for unit, form in units.items():
            relus[unit] = form.substitute(differences)
            if unit in differences:
                relus[excess(unit)] = relus[unit] - 1
        return relus

    def _state_units(self) -> dict[Hashable, Affine]:
        units = {}
        for q in self.states:
            form = self._sum(target=q)
            if q is Phase.LOAD:
                form = var(state(q)) - symbol(EOS)
            elif q is Phase.REWIND:
                form = form - self.leftmost
            elif q is Phase.READY:
                form = self._sum(target=Phase.REWIND) + self.leftmost - 1
            elif q in self.machine.halting_states:
                form = form + var(state(q))  # latched
            units[state(q)] = form
        return units

    def _scan_units(self) -> dict[Hashable, Affine]:
        units = {}
        for q, entry, a in self.scans:
            targets: Iterable[Control] = self.machine.halting_states if q is HALTED else [q]
            if entry == "stay":
                targets = [Phase.REWIND] if q is Phase.READY else targets
                entered = total(self._sum(target=t, move="L", written=a) for t in targets)
                units[scan(q, entry, a)] = entered + self.leftmost - 1
                continue
            stack = "right" if entry == "R" else "left"
            entered = total(self._sum(target=t, move=entry) for t in targets)
            units[scan(q, entry, a)] = entered + self.top(stack, a) - self.top(stack, a + 1) - 1
        return units

    def _stack_units(self, stack: str, pushing: str) -> dict[Hashable, Affine]:
        """Return the units of a stack that moves in the direction `pushing` push on."""
        base = self.base
        push = self._sum(move=pushing)
        pop = self._sum(move="L" if pushing == "R" else "R")
        holds = self.bounded and stack == "right"  # a stay pushes nothing and pops nothing
        number = self.content(stack)
        rest = base * number - 2 * total(self.top(stack, k) for k in range(1, self.tops[stack] + 1))
        if stack == "left":  # the bottom of a semi-infinite tape is never popped
            rest = rest + mpq(2 * self.bottom, base) * self.leftmost
        written = total(rule.written * form for rule, form in self._indicators if rule.move == pushing)
        stays = self.leftmost if holds else Affine({})
        units: dict[Hashable, Affine] = {
            (stack, "push"): number / base + written * mpq(2, base) + push - 1 - stays,
            (stack, "pop"): rest + pop - 1,
        }
        if holds:
            units[stack, "hold"] = number + push + self.leftmost - 2
        for k in range(1, self.tops[stack] + 1):
            units |= self._comparators(stack, k, pushing, rest, push, holds)
        return units

    def _comparators(
        self, stack: str, k: int, pushing: str, rest: Affine, push: Affine, holds: bool
    ) -> dict[Hashable, Affine]:
        """Return the units that know whether the top will be at least k: after a pop the digit below decides."""
        below = self.base * rest - (2 * k - 1)
        off = self.base - 2 * k + 1
        high = total(form for rule, form in self._indicators if rule.move == pushing and rule.written >= k)
        if not holds:
            return {comparator(stack, k): below + 2 * k * high - off * (push - high)}
        return {
            comparator(stack, k, "pop"): below - off * push,
            comparator(stack, k, "push"): high - self.leftmost,
            comparator(stack, k, "hold"): self.top(stack, k) + push + self.leftmost - 2,
        }

    def start(self) -> dict[Hashable, mpq]:
        """Return the start values that are not zero."""
        values = {state(Phase.LOAD if self.loads else self.machine.initial_state): mpq(1)}
        if self.bounded:
            values["left", "pop"] = mpq(2 * self.bottom, self.base)
            values |= {comparator("left", k): mpq(1) for k in range(1, self.bottom + 1)}
        return values
