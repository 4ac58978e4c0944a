"""Shortest words that two orders of evaluation decide differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import numpy as np

from exactnn.arithmetic import AnyArithmetic, Arithmetic, FloatFormat, arithmetic_of
from exactnn.automata import Word, word_text
from exactnn.errors import OptionError, shown
from exactnn.evaluation.compiled_order import CompiledWords, can_compile
from exactnn.evaluation.order import EvaluationOrder, order_of
from exactnn.evaluation.ordered import Recurrence, Step, check_ordered, distinct_steps, states_in_order
from exactnn.markup import Table, Tabular
from exactnn.networks import AnyNetwork, Network, Protocol, network_of
from exactnn.options import whole_number
from exactnn.simulation.walk import outcome_after

__all__ = ["OrderWitness", "order_witness"]

MOST_LETTERS = 1 << 25
"""Letters of all words that are compared: some minutes."""
PLAIN = 5000
"""Letters that take less time in plain Python than it takes to load a compiled loop."""
BATCH = 1024
"""Words of which all states are kept at a time."""
MOST_OUTPUTS = 1 << 20
"""Outputs that are kept, by the state."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OrderWitness(Tabular):
    """What :func:`order_witness` found; false if there is no word.

    Parameters
    ----------
    orders : pair of EvaluationOrder
    arithmetic : Arithmetic
    word : tuple of str or None
        A shortest word on which they differ, the first in the order of the alphabet; None if there is none so far.
    outputs : pair of numbers or None
        What the two give after it.
    length : int
        All words up to this length were compared, or up to the one that was found.
    """

    orders: tuple[EvaluationOrder, EvaluationOrder]
    arithmetic: Arithmetic
    word: Word | None
    outputs: tuple[Any, Any] | None
    length: int

    def __bool__(self) -> bool:
        return self.word is not None

    def __repr__(self) -> str:
        first, second = self.orders
        if self.word is None or self.outputs is None:
            return f"<OrderWitness of {first!r} and {second!r} in {self.arithmetic}: none up to length {self.length}>"
        gives = " / ".join(map(str, self.outputs))
        return f"<OrderWitness of {first!r} and {second!r} in {self.arithmetic}: {word_text(self.word)}, {gives}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        fields = {
            "orders": " and ".join(map(repr, self.orders)),
            "arithmetic": str(self.arithmetic),
            "word": "none" if self.word is None else word_text(self.word),
            "outputs": None if self.outputs is None else " / ".join(map(str, self.outputs)),
            "compared": f"all words up to length {self.length}",
        }
        return Table.of_fields("", fields)


def order_witness(
    network: AnyNetwork,
    first: EvaluationOrder | str,
    second: EvaluationOrder | str,
    arithmetic: AnyArithmetic,
    *,
    max_length: int,
) -> OrderWitness:
    """Return a shortest word that two orders of evaluation decide differently, of all words up to a length.

    Parameters
    ----------
    network : Network, Construction, machine or name of a machine
        It takes symbols and decides at the end of the word.
    first, second : EvaluationOrder or str
    arithmetic : Arithmetic
    max_length : int
        How long words are, at most: there are as many words as the alphabet has symbols, to this power.

    Raises
    ------
    OptionError
        If the network takes vectors or gives outputs only, `max_length` is not a whole number, or the words have
        more than 33 million letters together.
    NetworkError, UnsupportedArithmeticError
        As :func:`exactnn.run` with `order` raises them.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT8_E5M2
    >>> from exactnn.evaluation.order import KOGGE_STONE, STEP
    >>> from exactnn.networks import DiagonalSSM
    >>> net = DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
    >>> order_witness(net, STEP, KOGGE_STONE, FLOAT8_E5M2, max_length=5)
    <OrderWitness of STEP and KOGGE_STONE in float8_e5m2: +--+, 0.0 / 0.125>
    """
    chosen, orders = arithmetic_of(arithmetic), (order_of(first), order_of(second))
    whole_number("max_length", max_length, 0)
    core = network_of(network)
    check_ordered(chosen)
    symbols = core.input_symbols
    if symbols is None or core.decision.protocol is not Protocol.END_OF_WORD:
        raise OptionError(f"{core.name} takes vectors or gives no verdict: give a network with symbols that decides")
    longest = max_length if symbols else 0  # without symbols there is one word
    letters = length = 0
    while length < longest:
        length += 1
        letters += length * len(symbols) ** length
        if letters > MOST_LETTERS:
            raise OptionError(
                f"max_length={shown(max_length)}: the words up to length {length} have more than "
                f"{MOST_LETTERS:,} letters together; give a length below {length}"
            )
    steps, _ = distinct_steps(core, core.inputs(symbols))
    ends = (
        _compiled_ends(core, chosen, steps)
        if letters > PLAIN and can_compile(chosen, steps)
        else _plain_ends(core, chosen, steps)
    )
    for length in range(longest + 1):
        words = product(range(len(symbols)), repeat=length)
        while batch := list(islice(words, BATCH)):
            first_ends, second_ends = (ends(batch, order) for order in orders)
            for word, *outputs in zip(batch, first_ends, second_ends, strict=True):
                if len({outcome_after(core, length, length, output) for output in outputs}) > 1:
                    return OrderWitness(
                        orders=orders,
                        arithmetic=chosen,
                        word=tuple(symbols[i] for i in word),
                        outputs=(outputs[0], outputs[1]),
                        length=length,
                    )
    return OrderWitness(orders=orders, arithmetic=chosen, word=None, outputs=None, length=max_length)


Ends = Callable[[list[tuple[int, ...]], EvaluationOrder], list[Any]]
"""From words of one length and an order to the outputs after them."""


def _plain_ends(network: Network, arithmetic: Arithmetic, steps: Sequence[Step]) -> Ends:
    recurrence = Recurrence.of(network, arithmetic)
    rounded = list(map(recurrence.rounded, steps))

    def ends(words: list[tuple[int, ...]], order: EvaluationOrder) -> list[Any]:
        paths = ([rounded[i] for i in word] for word in words)
        return [recurrence.output(states_in_order(recurrence, path, order)[-1]) for path in paths]

    return ends


def _compiled_ends(network: Network, format: FloatFormat, steps: Sequence[Step]) -> Ends:
    """Compute all words of a batch in one call; states that are alike have one output."""
    compiled = CompiledWords(network, format, steps)
    outputs: dict[bytes, Any] = {}

    def ends(words: list[tuple[int, ...]], order: EvaluationOrder) -> list[Any]:
        found = []
        for state in compiled.states(np.array(words, dtype=np.int64), order)[:, -1]:
            key = state.tobytes()
            if key not in outputs:
                if len(outputs) > MOST_OUTPUTS:
                    outputs.clear()
                outputs[key] = compiled.output(state)
            found.append(outputs[key])
        return found

    return ends
