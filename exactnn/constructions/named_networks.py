"""Networks that need no machine: wherever a network is asked for, their names will do."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from exactnn.interrupts import loaded

if TYPE_CHECKING:
    from exactnn.networks import Network, Runnable

__all__ = ["NETWORKS", "named_network"]

NETWORKS = {
    "bounded_dyck": "balanced brackets of two kinds, nested up to 3 deep, by linear recurrences",
    "doubling_lstm_palindromes": "w $ w^R, w in {a, b}*, by an LSTM that doubles its cell",
    "flip_flop": "the last digit that was written is 1, by a linear recurrence of one unit",
    "fractional_counter": "a^n b^n, by a cell that counts in halves",
    "gated_counter": "a^n b^n, by a cell with saturated gates",
    "lstm_anbn": "a^n b^n, by an LSTM of 3 memory cells",
    "lstm_anbn_then_any": "a^n b^n w, n >= 1, w in {a, b}*, by an LSTM of 5 memory cells",
    "lstm_anbncn": "a^n b^n c^n, by an LSTM of 7 memory cells",
    "lstm_shuffle_dyck": "balanced brackets of one kind, by an LSTM of 2 memory cells",
    "parity_unit": "an odd number of 1, by a linear recurrence of one unit",
    "scalar_stack": "w # w^R, w in {0, 1}*, with a stack in one number",
    "stack_rnn_dyck": "balanced brackets of two kinds, by a network with a superposition of stacks",
    "stack_rnn_marked_reversal": "w # w^R, w in {a, b}*, by a network with a superposition of stacks",
    "vector_stack": "w # w^R, w in {0, 1}*, with a stack in a number for each symbol",
}
"""Name of each network that needs no machine, with its language.

The name is that of a function, which makes others by its options.
"""


@lru_cache
def named_network(name: str) -> Network | Runnable:
    """Return the network of a name of :data:`NETWORKS`, or what has it; the same one each time.

    It is the same, since what runs find out is kept with a network.

    >>> named_network("lstm_anbn")
    <lstm_anbn of a^n b^n: 6 neurons>
    """
    made: Network | Runnable = getattr(loaded("exactnn.constructions"), name)()
    return made
