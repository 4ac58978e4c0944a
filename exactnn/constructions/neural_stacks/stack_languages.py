"""Languages that networks with a stack recognise: balanced brackets, and words with their reverse behind a mark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gmpy2 import mpq

from exactnn.arithmetic import counted
from exactnn.automata import StackConfiguration
from exactnn.automata.nondeterministic_stack import names_of
from exactnn.constructions.construction import require_state
from exactnn.constructions.neural_stacks.stack_rnn import StackLayout, StackRNN
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.markup import named
from exactnn.networks import EOS, Network, SimpleRNNLayer
from exactnn.options import choice, whole_number
from exactnn.simulation import Values
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack

__all__ = ["StackLanguage", "stack_rnn_dyck", "stack_rnn_marked_reversal"]

MOST_PAIRS = 100

Kind = Literal["superposition", "strengths"]

Terms = Mapping[str, int]
"""Weights by what is read: "x ..." a symbol, "r ..." a symbol on top, else a unit one step before; "1" is the bias."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackLanguage:
    """A network with a stack, and how to read its state.

    A configuration is a :class:`~exactnn.automata.StackConfiguration` with one stack, whose state is "reading",
    "marked" after a mark, or "wrong".

    Parameters
    ----------
    network : Network
    stack_symbols : tuple
        What is on the stack, by the numbers of its vectors.
    units : tuple of str
        The names of the controller's units.
    layout : StackLayout
    claim, citation : str
    """

    network: Network
    stack_symbols: tuple[str, ...]
    units: tuple[str, ...]
    layout: StackLayout
    claim: str
    citation: str

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Return `steps`: every symbol is one move."""
        return steps

    def encode(self, configuration: StackConfiguration) -> Values:
        """Return a network state that stands for a configuration; raises ConstructionError if there is none."""
        if (
            not isinstance(configuration, StackConfiguration)
            or configuration.state not in ("reading", "marked", "wrong")
            or (configuration.state == "marked" and "marked" not in self.units)
            or len(configuration.stacks) != 1
            or len(configuration.stacks[0]) > self.layout.depth
            or any(symbol not in self.stack_symbols for symbol in configuration.stacks[0])
        ):
            raise ConstructionError(f"{shown(configuration)} is no configuration of {self.network.name}")
        found = list(self.network.initial_state)
        for unit in {"marked": ["marked"], "wrong": ["wrong"]}.get(str(configuration.state), []):
            found[self.units.index(unit)] = mpq(1)
        for depth, symbol in enumerate(configuration.stacks[0]):
            place = self.stack_symbols.index(symbol)
            found[self.layout.cell(depth)[place]] = mpq(1)
            if self.layout.strong:
                found[self.layout.strengths[depth]] = mpq(1)
            if not depth:
                found[self.layout.read[place]] = mpq(1)
        return tuple(found)

    def decode(self, state: Values, *, cells: int | None = None) -> StackConfiguration:
        """Return the configuration that a state stands for: `cells` symbols of its stack, from the top; by default all.

        Raises
        ------
        ConstructionError
            If the state is none of this network.
        """
        require_state(state, self.network)
        values: Sequence[Any] = state
        on = {unit for unit, value in zip(self.units, values, strict=False) if value > 0}
        wrong = {unit for unit in on if unit.startswith(("wrong", "mismatch"))}
        stack = []
        for depth in range(self.layout.depth):
            if self.layout.strong and not values[self.layout.strengths[depth]] > 0:
                continue
            cell = [values[register] for register in self.layout.cell(depth)]
            stack += [symbol for symbol, value in zip(self.stack_symbols, cell, strict=True) if value > 0]
        phase = "wrong" if wrong else "marked" if "marked" in on else "reading"
        return StackConfiguration(state=phase, stacks=(tuple(stack[:cells]),))

    def __repr__(self) -> str:
        return f"<StackLanguage {named(self.network.name)}: {counted(self.network.neurons, 'neuron')}>"


def stack_rnn_dyck(k: int = 2, *, depth: int = 32, stack: Kind = "superposition") -> StackLanguage:
    """Return the network with a stack for the balanced words of k kinds of brackets.

    An opening bracket is pushed; a closing one pops its kind if that is on top, else the word is wrong. At EOS the
    stack is to be empty. All gates are 0 or 1: so the stack is one, of either kind.

    Parameters
    ----------
    k : int
        Up to 4 the brackets are ``()[]{}<>``; of more kinds they are ``(1`` and ``)1``, and so on.
    depth : int
        How many open brackets there may be; more are the outcome "stack full".
    stack : "superposition" or "strengths"

    Raises
    ------
    OptionError
        If a number is out of range, or there is no such stack.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> dyck = stack_rnn_dyck(2)
    >>> [run(dyck, word).verdict.value for word in ("", "([])[]", "([)]", "((")]
    ['accept', 'accept', 'reject', 'reject']
    >>> print(dyck.decode(run(dyck, "([[").final_state))
    reading: [ [ (
    """
    k = whole_number("k", k, least=1, most=MOST_PAIRS)
    pairs = list(zip("([{<", ")]}>", strict=True))[:k] if k <= 4 else [(f"({i + 1}", f"){i + 1}") for i in range(k)]
    kinds = [left for left, _ in pairs]
    units: dict[str, Terms] = {}
    for left, right in pairs:
        units[f"push {left}"] = {f"x {left}": 1}
        units[f"pop {left}"] = {f"x {right}": 1, f"r {left}": 1, "1": -1}
        units[f"mismatch {left}"] = {f"x {right}": 1, f"r {left}": -1}
    return _language(
        units=units,
        kinds=kinds,
        alphabet=[*kinds, *(right for _, right in pairs)],
        needed=[],
        depth=depth,
        stack=stack,
        name=f"stack_rnn_dyck({k})",
        claim=f"The words of balanced brackets of {counted(k, 'kind')} are accepted, one step after they end, and all "
        "others rejected, as long as no more brackets are open than there is depth.",
    )


def stack_rnn_marked_reversal(
    symbols: Sequence[str] = "ab", *, mark: str = "#", depth: int = 32, stack: Kind = "superposition"
) -> StackLanguage:
    """Return the network with a stack for a word, a mark, and the word reversed.

    Before the mark it pushes; after it each symbol pops its like, or the word is wrong. At EOS there was one mark, and
    the stack is empty.

    Parameters
    ----------
    symbols : sequence of str
    mark : str
    depth : int
        How long the word may be; the outcome of a longer one is "stack full".
    stack : "superposition" or "strengths"

    Raises
    ------
    OptionError
        If a number is out of range, a symbol is there twice, or there is no such stack.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> reversal = stack_rnn_marked_reversal(stack="strengths")
    >>> [run(reversal, word).verdict.value for word in ("#", "abb#bba", "ab#ab", "a#a#")]
    ['accept', 'accept', 'reject', 'reject']
    """
    kinds = list(names_of("symbols", symbols))
    if not all(isinstance(a, str) and a for a in [mark, *kinds]) or mark in kinds:
        raise OptionError(f"symbols={shown(symbols)}, mark={shown(mark)}: give different texts")
    units: dict[str, Terms] = {}
    for a in kinds:
        units[f"push {a}"] = {f"x {a}": 1, "marked": -1}
        units[f"pop {a}"] = {f"x {a}": 1, "marked": 1, f"r {a}": 1, "1": -2}
        units[f"mismatch {a}"] = {f"x {a}": 1, "marked": 1, f"r {a}": -1, "1": -1}
    units["mismatch"] = {f"x {mark}": 1, "marked": 1, "1": -1}
    units["marked"] = {"marked": 1, f"x {mark}": 1}
    return _language(
        units=units,
        kinds=kinds,
        alphabet=[*kinds, mark],
        needed=["marked"],
        depth=depth,
        stack=stack,
        name="stack_rnn_marked_reversal",
        claim="A word, the mark and the word reversed are accepted, one step after they end, and all other words are "
        "rejected, as long as the first is not longer than the stack is deep.",
    )


def _language(
    *,
    units: dict[str, Terms],
    kinds: Sequence[str],
    alphabet: Sequence[str],
    needed: Sequence[str],
    depth: int,
    stack: Kind,
    name: str,
    claim: str,
) -> StackLanguage:
    """Return the network: besides its units one that stays at 1 after a mismatch, and two for the verdicts at EOS."""
    choice("stack", stack, ("superposition", "strengths"))
    if EOS in alphabet:
        raise OptionError(f"a symbol is {EOS!r}, which is that of the end of a word: rename it")
    faults = ["wrong", *(unit for unit in units if unit.startswith("mismatch"))]
    left = {f"r {kind}": 1 for kind in kinds}
    against = {**left, **dict.fromkeys(faults, 1), **dict.fromkeys(needed, -1)}
    many = len(against) + 1
    units = units | {
        "wrong": dict.fromkeys(faults, 1),
        "accept": {f"x {EOS}": 1, "1": -len(needed), **{term: -weight for term, weight in against.items()}},
        "reject": {f"x {EOS}": many, "1": len(needed) - many, **against},
    }
    symbols, names = [*alphabet, EOS], list(units)
    columns = {f"x {a}": i for i, a in enumerate(symbols)} | {f"r {a}": len(symbols) + i for i, a in enumerate(kinds)}
    V = [[terms.get(unit, 0) for unit in names] for terms in units.values()]
    W = [[terms.get(column, 0) for column in columns] for terms in units.values()]
    values = len(kinds)
    network = StackRNN(
        controller=SimpleRNNLayer(
            V=V, W=W, b=[terms.get("1", 0) for terms in units.values()], s=[0] * len(names), activation="slu"
        ),
        stack=SuperpositionStack(values=values) if stack == "superposition" else StratifiedStack(values=values),
        depth=depth,
        push_weight=[int(unit.startswith("push")) for unit in names],
        pop_weight=[int(unit.startswith("pop")) for unit in names],
        value_weight=[[int(unit == f"push {kind}") for unit in names] for kind in kinds],
        readout_weight=[(unit == "accept") - (unit == "reject") for unit in names],
        alphabet=symbols,
        name=name,
    )
    return StackLanguage(
        network=network,
        stack_symbols=tuple(kinds),
        units=tuple(names),
        layout=StackLayout(len(names), values, depth, stack == "strengths", verdicts=True),
        claim=claim,
        citation="the cells of Joulin and Mikolov 2015 and of Grefenstette et al. 2015; the weights are this project's",
    )
