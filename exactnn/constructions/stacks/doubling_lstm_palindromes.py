"""Marked palindromes by the doubling LSTM: a stack that is one number, and grows with it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import counted
from exactnn.automata import LOST, StackConfiguration, Symbol
from exactnn.constructions.affine import symbol, var
from exactnn.constructions.construction import require_state
from exactnn.constructions.counters.lstm_counter import Gates, gate_parameters, whole
from exactnn.constructions.stack_numbers import HALF
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.markup import named
from exactnn.networks import EOS, DoublingLSTM, Network
from exactnn.options import entries
from exactnn.simulation import Values

__all__ = ["DoublingStack", "doubling_lstm_palindromes"]

UNITS = ("value", "weight", "length", "marked", "marked twice", "b for a", "a for b", "none left")
"""The cells, in the order of the state."""

WRONG = ("marked twice", "b for a", "a for b", "none left")


@dataclass(frozen=True, slots=True, kw_only=True)
class DoublingStack:
    """The network of :func:`doubling_lstm_palindromes`, and how to read its stack.

    A configuration is a :class:`~exactnn.automata.StackConfiguration` with one stack, and with one of the states
    "push", "compare" and "wrong"; of the last nothing is read.
    """

    network: Network
    alphabet: tuple[Symbol, Symbol]
    mark: Symbol
    claim: str
    citation: str

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Return `steps`: every symbol is one move."""
        return steps

    def encode(self, configuration: StackConfiguration) -> Values:
        """Return a network state that stands for a configuration; raises ConstructionError if it is none."""
        cells: dict[str, int] = dict.fromkeys(UNITS, 0)
        if (
            not isinstance(configuration, StackConfiguration)
            or len(configuration.stacks) != 1
            or configuration.state not in ("push", "compare", "wrong")
            or any(symbol not in self.alphabet for symbol in configuration.stacks[0])
        ):
            raise ConstructionError(f"{shown(configuration)} is no configuration of {self.network.name}")
        stack = configuration.stacks[0]
        bits = [self.alphabet.index(a) for a in reversed(stack)]
        cells |= {"value": sum(bit << i for i, bit in enumerate(bits)), "length": len(stack)}
        cells |= {"weight": 1 << len(stack), "none left": int(configuration.state == "wrong")}
        if configuration.state != "push":
            cells |= {"marked": 1, "weight": -cells["weight"]}
        values = tuple(mpq(cells[unit]) for unit in UNITS)
        return (*values, *values)

    def decode(self, state: Values, *, cells: int | None = None) -> StackConfiguration:
        """Return the configuration that a state stands for, `cells` symbols of the stack at most; LOST is unknown."""
        require_state(state, self.network)
        value: dict[str, Any] = dict(zip(UNITS, state[len(UNITS) :], strict=True))
        if not value["marked"] < HALF and any(not value[unit] < HALF for unit in WRONG):
            return StackConfiguration(state="wrong", stacks=((),))
        phase = "compare" if value["marked"] > HALF else "push"
        pushed, weight, length = (whole(value[unit]) for unit in ("value", "weight", "length"))
        if isinstance(pushed, str) or isinstance(weight, str) or isinstance(length, str) or not weight:
            return StackConfiguration(state=phase, stacks=((LOST,),))
        places = abs(weight).bit_length() - 1
        shown_places = range(places - 1, places - 1 - min(length, places if cells is None else cells), -1)
        return StackConfiguration(state=phase, stacks=(tuple(self.alphabet[pushed >> i & 1] for i in shown_places),))

    def __repr__(self) -> str:
        return f"<DoublingStack of {named(self.network.name)}: {counted(self.network.neurons, 'neuron')}>"


def doubling_lstm_palindromes(*, alphabet: Sequence[Symbol] = ("a", "b"), mark: Symbol = "$") -> DoublingStack:
    """Return the doubling LSTM of 8 memory cells for {w $ w^R : w a word of a's and b's}.

    ``value`` is a stack of bits with the top at the highest place, ``weight`` the weight of the next place. A push adds
    the weight for a b and doubles the weight; the mark turns the sign of the weight, which then is kept; a pop
    doubles the value and takes the weight away for a b. So forget gates are 0, 1 and 2: reset, keep and double. Whether
    the top is a b is whether ``value >= weight / 2``. The other units count what is on the stack, remember the mark,
    and note a symbol that is not the one on top, a pop of the empty stack, a second mark.

    Parameters
    ----------
    alphabet : two symbols
        What words are made of; the first is the bit 0, the second the bit 1.
    mark : symbol

    Returns
    -------
    DoublingStack

    Raises
    ------
    OptionError
        If these are not three different symbols.

    Notes
    -----
    Exact for words of any length, in numbers of so many bits as there are symbols on the stack: this is the memory that
    grows linearly, and what makes the cell impractical. In a format with p bits the stack has p places
    (:func:`~exactnn.precision.doubling_capacity`): b a^(p-1) b $ b a^(p-1) b is rejected. Both forget gates with the
    same weights, as the lecture prints them, could not keep the value when the mark is read, nor the length ever
    (erratum E16).

    References
    ----------
    The cell is from a lecture of G. Weiss on RNNs and formal languages, which leaves the stack as an idea; the weights
    are worked out here.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = doubling_lstm_palindromes()
    >>> [run(net, word).verdict.value for word in ("$", "abb$bba", "abb$abb", "abb$bb", "ab", "a$a$")]
    ['accept', 'accept', 'reject', 'reject', 'reject', 'reject']
    >>> print(net.decode(run(net, "abb$b").final_state))
    compare: b a
    """
    symbols = (*(entries("alphabet", alphabet) if isinstance(alphabet, Sequence) else ()), mark)
    texts = all(isinstance(a, str) and a for a in symbols)
    if not texts or len(symbols) != 3 or len(set(symbols)) != 3 or EOS in symbols:
        raise OptionError(f"alphabet={shown(alphabet)}, mark={shown(mark)}: give three different symbols, none 'EOS'")
    a, b, marker = map(symbol, symbols)
    value, weight, length, marked = map(var, ("value", "weight", "length", "marked"))
    kept: Gates = {"f1": 1 - marker + marked}  # what the pushes noted is cleared by the first mark
    units: dict[Hashable, Gates] = {
        "value": {"f2": marked + a + b - 1, "i": b, "g": weight},
        "weight": {"f1": 1 - marker, "f2": a + b - marked, "i": marker, "g": -weight},
        "length": {"i": a + b, "g": 1 - 2 * marked},
        "marked": {"f1": 1 - marker, "i": marker},
        "marked twice": {"i": marker + marked - 1},
        "b for a": {**kept, "i": value + weight / 2 + 1, "g": a},
        "a for b": {**kept, "i": -weight / 2 - value, "g": b},
        "none left": {**kept, "i": 1 - length, "g": a + b},
    }
    V, W, bias = gate_parameters(units, symbols, {"i": 1, "f1": 1, "f2": 0, "g": 1, "o": 1})
    start = [mpq(unit == "weight") for unit in UNITS]
    weights = {"marked": 1, "length": -1, **dict.fromkeys(WRONG, -1), "none left": -2}
    return DoublingStack(
        network=DoublingLSTM(
            V=V,
            W=W,
            b=bias,
            h=start,
            c=start,
            readout_weight=[weights.get(unit, 0) for unit in UNITS],
            readout_bias="-1/2",
            gate="slu",
            candidate="identity",
            output="identity",
            alphabet=symbols,
            name="doubling_lstm_palindromes",
        ),
        alphabet=(alphabet[0], alphabet[1]),
        mark=mark,
        claim=f"A doubling LSTM of {len(UNITS)} memory cells with hard gates: the output after a word is above 0 if it "
        "is w, the mark and w reversed, and below 0 if not, for every word.",
        citation="lecture of G. Weiss on RNNs and formal languages (the cell); the weights are this project's",
    )
