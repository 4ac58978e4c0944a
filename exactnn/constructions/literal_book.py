"""The steps of the textbook proofs, equation by equation and with their errors; for comparison only.

For Turing machines this is the text of the chapter that `docs/sources.md` describes, (4.22) to (4.34), as a step in
the language of `exactnn.constructions.steps`, so that its errors can be run; each has a switch.
`siegelmann_sontag_book` is the corrected construction. Where the text leaves something open:

* ``top(r) = a`` is the component of (4.25) for a; ``top(l) != $`` is one minus the component for $; a conjunction of n
  values is slu(sum - (n-1)), or with ``clipped=False`` relu(sum - (n-1)): the text only says "Boolean operators using
  ReLUs", and both agree on 0 and 1.
* The symbol c in the second sum of (4.33) is bound nowhere: `reading` says what to take for it.
* The output is that of the theorem's statement: accept - reject.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from enum import Enum

from gmpy2 import mpq

from exactnn.automata import DFA, State, Symbol, TuringMachine
from exactnn.constructions.construction import Phase, require_machine
from exactnn.constructions.stack_numbers import write_vector
from exactnn.constructions.steps.expression import Expression, relu, slu, total
from exactnn.constructions.steps.registers import StackVector, number, push, read, read_any
from exactnn.constructions.steps.step import Held, Step, Value
from exactnn.constructions.tapes.siegelmann_sontag_book import Marker
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.networks import EOS, DeepTransitionRNN, Network

__all__ = ["BOOK_FIXES", "Reading", "literal_book", "literal_dfa", "literal_if", "literal_pop", "literal_stack"]

BASE = 3
BOTTOM = Marker.BOTTOM

BOOK_FIXES = {
    "E1": "pop takes the top digit away wholly",
    "E2": "a left move writes its symbol",
    "E3": "at the left end the head stays",
    "E4": "a left move reads a blank beyond the right end",
    "E10": "accept and reject stay",
}
"""What can be corrected, one by one."""

Case = tuple[Expression, State | Phase, StackVector, StackVector]
"""A condition, and the state and the two stacks that follow if it holds."""


class Reading(Enum):
    """What the unbound c of (4.33) may stand for besides a symbol: a, a', or a sum over all tape symbols."""

    READ = "read"
    WRITTEN = "written"
    EVERY = "every"


def literal_dfa(dfa: DFA | str) -> Network:
    """Return the first attempt of the text at finite automata, (4.7) to (4.12), whose step has two layers.

    The first layer has a conjunction of each state and each symbol, the second a sum for each state. So it is no simple
    RNN; what the text makes of it, with the second layer moved into the next step, is `minsky`.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> network = literal_dfa(load("parity"))
    >>> len(network.circuit.layers), [run(network, word).verdict.value for word in ("", "1", "11", "101", "111")]
    (2, ['reject', 'accept', 'reject', 'reject', 'accept'])
    """
    dfa = require_machine(dfa, DFA, "literal_dfa")
    pairs = [(q, a) for q in dfa.states for a in dfa.input_symbols]
    sums = [[int(dfa.transitions[q][a] == r) for q, a in pairs] for r in dfa.states]
    return DeepTransitionRNN(
        V=[[int(q == r) for r in dfa.states] for q, _ in pairs],
        W=[[int(a == x) for x in dfa.input_symbols] for _, a in pairs],
        b=[-1] * len(pairs),
        transitions=[(sums, [0] * len(dfa.states))],
        s=[int(q == dfa.initial_state) for q in dfa.states],
        readout_weight=[int(q in dfa.final_states) for q in dfa.states],
        alphabet=dfa.input_symbols,
        name=f"literal_dfa({dfa.name})",
    )


def literal_book(
    machine: TuringMachine | str,
    *,
    fixes: Collection[str] = (),
    reading: Reading | Marker | Symbol = BOTTOM,
    clipped: bool = True,
) -> Step:
    """Return the chapter's step for a machine, uncorrected but for `fixes`.

    Parameters
    ----------
    machine : TuringMachine, or what :func:`exactnn.load` makes one of
        With a semi-infinite tape.
    fixes : collection of str
        Names in :data:`BOOK_FIXES`.
    reading : Reading, or a symbol
        What c is where E3 is not corrected.
    clipped : bool
        Whether a conjunction is an SLU or a ReLU.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine with a semi-infinite tape, or has a halt state, or "EOS" is an input symbol.
    OptionError
        If there is no such fix or reading.

    Examples
    --------
    >>> from exactnn.constructions.steps import step_network
    >>> from exactnn.machine_files import load
    >>> step_network(literal_book(load("anbn"))).circuit.state_size
    16
    """
    machine = require_machine(machine, TuringMachine, "literal_book")
    if machine.tape != "semi_infinite":
        raise ConstructionError(f"{machine.name} has a tape without a left end: the chapter's machines have one")
    if machine.halt_state is not None:
        raise ConstructionError(f"{machine.name} has a halt state: the chapter's machines accept and reject")
    if unknown := [fix for fix in fixes if fix not in BOOK_FIXES]:
        raise OptionError(f"fixes: {shown(unknown[0])} is none of {', '.join(BOOK_FIXES)}")
    if not isinstance(reading, Reading) and reading not in (*machine.tape_symbols, BOTTOM):
        raise OptionError(f"reading={shown(reading)}: give a Reading, a tape symbol or Marker.BOTTOM")
    return _Book(machine, frozenset(fixes), reading, clipped).step()


def literal_stack(content: Sequence[Hashable], symbols: Sequence[Hashable]) -> StackVector:
    """Return a stack that is written down, (4.22) and (4.23)."""
    values = write_vector(tuple(content), tuple(symbols), BASE)
    return StackVector(BASE, tuple((a, Expression((), values[a])) for a in symbols))


def literal_top(stack: StackVector) -> dict[Hashable, Expression]:
    """Return (4.25), ``slu(3z - 1)``."""
    return {a: slu(BASE * value - 1) for a, value in stack.items}


def literal_pop(stack: StackVector, *, corrected: bool = False) -> StackVector:
    """Return (4.26), ``3z - slu(3z - 1)``, or what it should be, ``3z - 2 slu(3z - 1)``.

    >>> literal_pop(literal_stack("a", "ab"))["a"], literal_pop(literal_stack("a", "ab"), corrected=True)["a"]
    (1, 0)
    """
    tops = literal_top(stack)
    return StackVector(BASE, tuple((a, BASE * value - (1 + corrected) * tops[a]) for a, value in stack.items))


def literal_if(condition: Expression, branch: Expression) -> Expression:
    """Return (4.29), ``slu(t - 1 + c)``, on any operands."""
    return slu(branch - 1 + condition)


class _Book:
    """The registers of (4.27), and the cases of (4.31) to (4.34)."""

    def __init__(
        self, machine: TuringMachine, fixes: frozenset[str], reading: Reading | Marker | Symbol, clipped: bool
    ) -> None:
        self.machine, self.fixes, self.reading, self.clipped = machine, fixes, reading, clipped
        self.symbols: tuple[Hashable, ...] = (*machine.tape_symbols, BOTTOM)
        self.states: tuple[State | Phase, ...] = (Phase.LOAD, Phase.REWIND, *machine.states)
        self.q = {q: number(("state", q), start=int(q is Phase.LOAD)) for q in self.states}
        self.left = self._stack("left", [BOTTOM])
        self.right = self._stack("right", [machine.blank_symbol, BOTTOM])
        self.top_left, self.top_right = literal_top(self.left), literal_top(self.right)

    def _stack(self, name: str, content: Sequence[Hashable]) -> StackVector:
        start = write_vector(tuple(content), self.symbols, BASE)  # (4.28)
        return StackVector(BASE, tuple((a, number((name, a), start=start[a])) for a in self.symbols))

    def step(self) -> Step:
        """Return (4.30), the sum of all cases."""
        cases = list(self.cases())
        following: dict[Held, Value] = {}
        for q, register in self.q.items():
            ones = [(condition, Expression((), mpq(target == q))) for condition, target, _, _ in cases]
            following[register] = total([literal_if(*one) for one in ones])
        following[self.left] = _sum_of_ifs(self.left, [(condition, left) for condition, _, left, _ in cases])
        following[self.right] = _sum_of_ifs(self.right, [(condition, right) for condition, _, _, right in cases])
        halting = (self.machine.accept_state, self.machine.reject_state)
        accept, reject = (Expression(()) if q is None else self.q[q] for q in halting)
        return Step(
            symbols=(*self.machine.input_symbols, EOS),
            next=following,
            output=accept - reject,
            name=f"literal_book({self.machine.name})",
        )

    def both(self, *values: Expression) -> Expression:
        """Return the conjunction of values."""
        return (slu if self.clipped else relu)(total(values) - (len(values) - 1))

    def push(self, stack: StackVector, pushed: Hashable | Mapping[Hashable, Expression]) -> StackVector:
        """Return (4.24), ``2/3 e_a + z/3``, whatever stands for e_a."""
        if not isinstance(pushed, Mapping):
            return push(stack, pushed)
        zero = Expression(())
        return StackVector(BASE, tuple((a, (2 * pushed.get(a, zero) + z) / BASE) for a, z in stack.items))

    def cases(self) -> Iterator[Case]:
        """Yield all cases."""
        q, left, right, top_left = self.q, self.left, self.right, self.top_left
        eos = read(EOS)
        letter = read_any(self.machine.input_symbols)
        yield self.both(q[Phase.LOAD], 1 - eos), Phase.LOAD, self.push(left, letter), right  # (4.31)
        yield self.both(q[Phase.LOAD], eos), Phase.REWIND, left, right
        yield (  # (4.32)
            self.both(q[Phase.REWIND], 1 - top_left[BOTTOM]),
            Phase.REWIND,
            self.pop(left),
            self.push(right, top_left),
        )
        yield self.both(q[Phase.REWIND], top_left[BOTTOM]), self.machine.initial_state, left, right
        for p, row in self.machine.transitions.items():
            for a, (target, written, move) in row.items():
                yield from (self.left_cases if move == "L" else self.right_cases)(p, a, target, written)
        if "E10" in self.fixes:
            for halting in (self.machine.accept_state, self.machine.reject_state):
                if halting is not None:
                    yield q[halting], halting, left, right

    def pop(self, stack: StackVector) -> StackVector:
        """Return (4.26)."""
        return literal_pop(stack, corrected="E1" in self.fixes)

    def left_cases(self, p: State, a: Symbol, target: State, written: Symbol) -> Iterator[Case]:
        """Yield (4.33): moves to the left."""
        state, left, right, top_left = self.q[p], self.left, self.right, self.top_left
        here = (state, self.top_right[a])
        rest = self.push(self.pop(right), written) if "E2" in self.fixes else right
        for c in self.machine.tape_symbols:
            yield self.both(*here, top_left[c]), target, self.pop(left), self.push(rest, c)
        leftmost = self.both(*here, top_left[BOTTOM])
        if "E3" in self.fixes:
            yield leftmost, target, left, self.push(self.pop(right), written)
        else:
            for unbound in self.readings(a, written):
                yield leftmost, target, self.push(self.pop(left), unbound), right
        if "E4" in self.fixes and a == self.machine.blank_symbol:
            bottom = self.top_right[BOTTOM]
            blank = self.push(right, written)
            for c in self.machine.tape_symbols:
                yield self.both(state, bottom, top_left[c]), target, self.pop(left), self.push(blank, c)
            yield self.both(state, bottom, top_left[BOTTOM]), target, left, blank

    def readings(self, a: Symbol, written: Symbol) -> tuple[Hashable, ...]:
        """Return the symbols that the unbound c may stand for."""
        if self.reading is Reading.EVERY:
            return self.machine.tape_symbols
        if isinstance(self.reading, Reading):
            return (a if self.reading is Reading.READ else written,)
        return (self.reading,)

    def right_cases(self, p: State, a: Symbol, target: State, written: Symbol) -> Iterator[Case]:
        """Yield (4.34): moves to the right."""
        state, left, right = self.q[p], self.left, self.right
        yield self.both(state, self.top_right[a]), target, self.push(left, written), self.pop(right)
        if a == self.machine.blank_symbol:
            yield self.both(state, self.top_right[BOTTOM]), target, self.push(left, written), right


def _sum_of_ifs(held: StackVector, branches: Sequence[tuple[Expression, StackVector]]) -> StackVector:
    """Return the sum of (4.29) over branches that are stacks."""
    sums = [(a, total([literal_if(condition, branch[a]) for condition, branch in branches])) for a in held.symbols]
    return StackVector(BASE, tuple(sums))
