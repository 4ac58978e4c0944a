"""Weighted pushdown automata: the weights of all runs on a word, by dynamic programming and by enumeration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import (
    EXACT,
    RATIONAL,
    AnyArithmetic,
    ExactNumber,
    Number,
    arithmetic_of,
    calculation_in,
    counted,
    exact,
)
from exactnn.automata.drawn import Drawn, shown_symbol
from exactnn.automata.nondeterministic_stack import NondeterministicStack, Semiring, StackWeights, names_of
from exactnn.automata.transitions import Transitions
from exactnn.automata.validation import name_faults, symbol_faults, unlike_names
from exactnn.errors import MachineError, OptionError, SizeLimitError, WordError, shown
from exactnn.markup import MOST_ROWS, Arrow, Graph, Node, Table, clipped
from exactnn.options import entries, mapped

__all__ = ["WeightedPushdownAutomaton", "nondeterministic_reversal"]

ONE = mpq(1)

MOST_RUNS = 1_000_000
"""Steps of runs that are enumerated."""

MOST_NOTED = 200
"""Characters of what stands below a table."""

_ACTIONS = {"push": "push", "replace": "replace by", "pop": "pop"}

Actions = Mapping[str, Mapping[tuple[Any, ...], ExactNumber]]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WeightedPushdownAutomaton(Drawn):
    """A pushdown automaton whose actions have weights; it reads a symbol in each step.

    Parameters
    ----------
    states, stack_symbols : sequences of names
        It begins in the first state, with the first symbol, the bottom, on the stack. The bottom may be replaced, and
        is never popped.
    input_symbols : sequence of str
    push, replace : mapping of symbol to {(state, top, next state, new symbol): weight}
    pop : mapping of symbol to {(state, top, next state): weight}
    final : mapping of (state, top) to a weight
        What the weight of a run that ends so is multiplied by; of others it is 0.

    Raises
    ------
    MachineError, NumberError
        If a name is unknown or there twice, two print alike, a symbol is no text, or a weight is negative.

    Examples
    --------
    Words with more a's than b's: each a pushes, each b pops.

    >>> more = WeightedPushdownAutomaton(
    ...     states=["q"],
    ...     stack_symbols=["bottom", "a"],
    ...     input_symbols="ab",
    ...     push={"a": {("q", "bottom", "q", "a"): 1, ("q", "a", "q", "a"): 1}},
    ...     pop={"b": {("q", "a", "q"): 1}},
    ...     final={("q", "a"): 1},
    ... )
    >>> [str(more.weight(word)) for word in ("aab", "ab", "ba")]
    ['1', '0', '0']
    """

    states: tuple[Any, ...]
    stack_symbols: tuple[Any, ...]
    input_symbols: tuple[str, ...]
    push: Mapping[str, StackWeights]
    replace: Mapping[str, StackWeights]
    pop: Mapping[str, StackWeights]
    final: Mapping[tuple[Any, Any], mpq]
    name: str

    def __init__(
        self,
        *,
        states: Iterable[Any],
        stack_symbols: Iterable[Any],
        input_symbols: Iterable[str],
        push: Actions | None = None,
        replace: Actions | None = None,
        pop: Actions | None = None,
        final: Mapping[tuple[Any, Any], ExactNumber] | None = None,
        name: str = "weighted pushdown automaton",
    ) -> None:
        fill = object.__setattr__
        for field, given in (("states", states), ("stack_symbols", stack_symbols), ("input_symbols", input_symbols)):
            try:
                fill(self, field, names_of(field, given))
            except OptionError as error:
                raise MachineError(name, [str(error)]) from None
        faults = [*name_faults({}, (), name), *symbol_faults(self.input_symbols, "input symbol")]
        faults += [*unlike_names(self.states), *unlike_names(self.stack_symbols, "stack symbols")]
        if faults:
            raise MachineError(name, faults)
        fill(self, "name", name)
        for field, given_actions in (("push", push), ("replace", replace), ("pop", pop)):
            fill(self, field, Transitions(self._actions(field, given_actions)))
        pairs = {(state, top) for state in self.states for top in self.stack_symbols}
        ends = mapped("final", final or {})
        if unknown := [pair for pair in ends if pair not in pairs]:
            raise MachineError(name, [f"final has {shown(unknown[0])}: give pairs of a state and a stack symbol"])
        fill(self, "final", Transitions({pair: exact(weight) for pair, weight in ends.items()}))
        if negative := [pair for pair, weight in self.final.items() if weight < 0]:
            raise MachineError(name, [f"final[{shown(negative[0])}] is negative: give a weight of at least 0"])
        try:
            start = self.stack()
            for symbol in self.input_symbols:
                self.after(start, symbol)  # which checks the names and the weights
        except OptionError as error:
            raise MachineError(name, [str(error)]) from None

    def _actions(self, field: str, given: Actions | None) -> dict[str, Transitions[tuple[Any, ...], mpq]]:
        found = {}
        for symbol, weights in mapped(field, given or {}).items():
            if symbol not in self.input_symbols:
                known = shown(self.input_symbols)
                raise MachineError(self.name, [f"{field} has the symbol {shown(symbol)}: give one of {known}"])
            inner = mapped(f"{field}[{shown(symbol)}]", weights)
            found[symbol] = Transitions({key: exact(weight) for key, weight in inner.items()})
        return found

    def stack(self, *, semiring: Semiring = "probability", arithmetic: AnyArithmetic = EXACT) -> NondeterministicStack:
        """Return the stack before the first symbol."""
        return NondeterministicStack(
            states=self.states,
            symbols=self.stack_symbols,
            semiring=semiring,
            arithmetic=arithmetic_of(arithmetic, error=OptionError),
        )

    def after(self, stack: NondeterministicStack, symbol: str) -> NondeterministicStack:
        """Return the stack one symbol later."""
        return stack.step(push=self.push.get(symbol), replace=self.replace.get(symbol), pop=self.pop.get(symbol))

    def read(
        self, word: str | Sequence[str], *, semiring: Semiring = "probability", arithmetic: AnyArithmetic = EXACT
    ) -> NondeterministicStack:
        """Return the stack after a word: the weights of all runs by state and top, by dynamic programming.

        Raises
        ------
        WordError
            If a symbol is unknown.
        """
        for stack in self.path(word, semiring=semiring, arithmetic=arithmetic):
            last = stack
        return last

    def path(
        self, word: str | Sequence[str], *, semiring: Semiring = "probability", arithmetic: AnyArithmetic = EXACT
    ) -> Iterator[NondeterministicStack]:
        """Yield the stack before the word, and after each of its symbols.

        Raises
        ------
        WordError
            If a symbol is unknown.
        """
        symbols = self._checked(word)
        stack = self.stack(semiring=semiring, arithmetic=arithmetic)
        yield stack
        for symbol in symbols:
            stack = self.after(stack, symbol)
            yield stack

    def _checked(self, word: str | Sequence[str]) -> list[str]:
        symbols = list(word) if isinstance(word, str) else entries("word", word, error=WordError)
        if unknown := [symbol for symbol in symbols if symbol not in self.input_symbols]:
            raise WordError(f"the word has {shown(unknown[0])}: give symbols of {shown(self.input_symbols)}")
        return symbols

    def weight(self, word: str | Sequence[str], *, arithmetic: AnyArithmetic = RATIONAL) -> Number:
        """Return the sum of the weights of all runs on a word, each times the weight of its end.

        Raises
        ------
        WordError
            If a symbol is unknown.
        """
        return self.final_weight(self.read(word, arithmetic=arithmetic))

    def final_weight(self, stack: NondeterministicStack) -> Number:
        """Return the weight of a word from the stack after it, whose semiring is not "log"."""
        calculate, found = calculation_in(stack.arithmetic), stack.weights
        total: Number = calculate.number(mpq(0))
        for pair, last in self.final.items():
            if pair in found:
                total = calculate.add(total, calculate.multiply(found[pair], calculate.number(last)))
        return total

    def runs(self, word: str | Sequence[str]) -> Iterator[tuple[Any, tuple[Any, ...], mpq]]:
        """Yield the end of each run on a word: its state, its stack from the bottom, and its weight, one by one.

        There may be exponentially many: it is what :meth:`read` is compared with.

        Raises
        ------
        WordError
            If a symbol is unknown.
        SizeLimitError
            If the runs have more than a million steps.
        """
        symbols = self._checked(word)
        steps = 0
        waiting: list[tuple[int, Any, tuple[Any, ...], mpq]] = [(0, self.states[0], (self.stack_symbols[0],), ONE)]
        while waiting:
            time, state, stack, weight = waiting.pop()
            if time == len(symbols):
                yield state, stack, weight
                continue
            for following, after, factor in self._moves(symbols[time], state, stack):
                waiting.append((time + 1, following, after, weight * factor))
                steps += 1
            if steps > MOST_RUNS:
                raise SizeLimitError(
                    f"the runs on {shown(word)} have more than {MOST_RUNS:,} steps: use weight or read"
                )

    def _moves(self, symbol: str, state: Any, stack: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...], mpq]]:
        top = stack[-1]
        for key, weight in self.push.get(symbol, {}).items():
            if key[:2] == (state, top) and weight:
                yield key[2], (*stack, key[3]), exact(weight)
        for key, weight in self.replace.get(symbol, {}).items():
            if key[:2] == (state, top) and weight:
                yield key[2], (*stack[:-1], key[3]), exact(weight)
        for key, weight in self.pop.get(symbol, {}).items():
            if key[:2] == (state, top) and weight and len(stack) > 1:
                yield key[2], stack[:-1], exact(weight)

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.states), 'state')}, {counted(len(self.stack_symbols), 'stack symbol')}"
        return f"<WeightedPushdownAutomaton {self.name}: {sizes}>"

    def graph(self) -> Graph:
        """Return it as a graph: a node for each state, an arrow for each pair of states with an action between them.

        An arrow has a line ``symbol, top / action`` for each action, with its weight after another slash unless that is
        1. A state with which words end is written as state / tops, with their weights; without, if all tops end with 1.
        """
        number = {state: i for i, state in enumerate(self.states)}
        lines: dict[tuple[Any, Any], list[str]] = {}
        for symbol, action, key, weight in self.actions():
            done = f"{_ACTIONS[action]} {key[3]}".rstrip() if len(key) > 3 else action
            said = f"{shown_symbol(symbol)}, {key[1]} / {done}" + ("" if weight == 1 else f" / {weight}")
            if weight:
                lines.setdefault((key[0], key[2]), []).append(said)
        return Graph(
            title=self.name,
            nodes=tuple(self._node(state) for state in self.states),
            arrows=tuple(
                Arrow(source=number[source], target=number[target], lines=tuple(lines[source, target]))
                for source in self.states
                for target in self.states
                if (source, target) in lines
            ),
            starts=((0, ""),),
        )

    def _node(self, state: Any) -> Node:
        ends = {top: self.final.get((state, top), 0) for top in self.stack_symbols}
        tops = [str(top) if weight == 1 else f"{top} {weight}" for top, weight in ends.items() if weight]
        plain = not tops or all(weight == 1 for weight in ends.values())
        return Node(name=str(state) if plain else f"{state} / {', '.join(tops)}", double=bool(tops))

    def actions(self) -> Iterator[tuple[str, str, tuple[Any, ...], mpq]]:
        """Yield the symbol, the action, its key and its weight, of all actions."""
        for action, by_symbol in (("push", self.push), ("replace", self.replace), ("pop", self.pop)):
            for symbol, weights in by_symbol.items():
                for key, weight in weights.items():
                    yield symbol, action, key, exact(weight)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the actions, with their weights."""
        count = sum(len(weights) for part in (self.push, self.replace, self.pop) for weights in part.values())
        rows = tuple(
            (symbol, action, *map(str, key[:3]), str(key[3]) if len(key) > 3 else "", str(weight))
            for symbol, action, key, weight in islice(self.actions(), MOST_ROWS)
        )
        heading = ("symbol", "action", "state", "top", "next state", "new top", "weight")
        begin = f"begins in {self.states[0]} with {self.stack_symbols[0]}"
        note = f"{clipped(begin, MOST_NOTED)}; ends in {clipped(self.ends_text, MOST_NOTED)}"
        return Table(title=self.name, heading=heading, rows=rows, note=note, more=max(0, count - MOST_ROWS))

    @property
    def ends_text(self) -> str:
        """The states and tops with which words end, with their weights, for people."""
        ends = (
            f"{state} with {top}" + ("" if weight == 1 else f" (weight {weight})")
            for (state, top), weight in islice(self.final.items(), MOST_ROWS)
            if weight
        )
        return ", ".join(ends) or "nothing"


def nondeterministic_reversal(symbols: Sequence[str] = "ab") -> WeightedPushdownAutomaton:
    """Return the automaton of the words w and w reversed, without a mark between them: it guesses the middle.

    In the state "push" it pushes what it reads, or, if that is on top, guesses that the middle was before it: it pops
    it, and goes on so in the state "pop". All weights are 1, so that the weight of a word counts its accepted runs:
    1 of a word w w^R that is not empty, else 0.

    Examples
    --------
    >>> reversal = nondeterministic_reversal()
    >>> [str(reversal.weight(word)) for word in ("abba", "aaaa", "abab", "aba")]
    ['1', '1', '0', '0']
    """
    letters = names_of("symbols", symbols)
    if "bottom" in letters:
        raise OptionError("symbols has 'bottom', which is the bottom of the stack: rename it")
    return WeightedPushdownAutomaton(
        states=["push", "pop"],
        stack_symbols=["bottom", *letters],
        input_symbols=letters,
        push={a: {("push", top, "push", a): ONE for top in ("bottom", *letters)} for a in letters},
        pop={a: {(state, a, "pop"): ONE for state in ("push", "pop")} for a in letters},
        final={("pop", "bottom"): ONE},
        name="nondeterministic reversal",
    )
