"""Probabilistic finite automata as ReLU networks that give the probabilities of the next symbol."""

from collections.abc import Iterable

from gmpy2 import mpq

from exactnn.automata import WeightedAutomaton, is_deterministic, is_probabilistic
from exactnn.constructions.construction import Codec, Configuration, Construction, require_machine
from exactnn.constructions.weighted import weights_of
from exactnn.errors import ConstructionError
from exactnn.linear_algebra import Matrix, Vector, dot
from exactnn.networks import SimpleRNN
from exactnn.options import flag
from exactnn.simulation import Values

__all__ = ["weighted_minsky"]

ZERO, ONE = mpq(0), mpq(1)


class _SpreadCodec(Codec):
    """The first unit is 1 before the word, when the states have the weights to begin with.

    The others are the weights of the states, those of each with the symbol that led there.
    """

    def __init__(self, initial: Vector, symbols: int) -> None:
        self._initial, self._symbols = initial, symbols

    def encode(self, configuration: Configuration) -> Values:
        weights = weights_of(configuration, len(self._initial))
        rest = (ZERO,) * (self._symbols - 1)
        return (ZERO, *(x for weight in weights for x in (weight, *rest)))

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        begin, *spread = state
        size = self._symbols
        return tuple(
            begin * weight + sum(spread[i * size : (i + 1) * size])  # type: ignore[arg-type, operator]
            for i, weight in enumerate(self._initial)
        )


def weighted_minsky(pfsa: WeightedAutomaton | str, *, joint: bool | None = None) -> Construction:
    """Return the ReLU RNN of a probabilistic automaton, whose output is linear in the state: what comes next.

    1 + Q m units for Q states and m symbols: one for the begin, and one for each state with the symbol that led there.
    The outputs are m + 1 numbers, one for each symbol in the order of the alphabet and one for the end of the word.

    Parameters
    ----------
    pfsa : WeightedAutomaton, or what :func:`exactnn.load` makes one of
        All its weights are probabilities: :func:`exactnn.is_probabilistic`, and :func:`exactnn.normalized` for others.
    joint : bool, optional
        Whether outputs are the probabilities that a word begins with the symbols read and the next one, or ends, and
        the state is the weights of the automaton's states. Otherwise they are the probabilities of what comes next
        given the symbols read, and the state is the automaton's state, which must be determined. By default joint where
        it is not. The first, divided by their sum, are the second.

    Raises
    ------
    ConstructionError
        If the weights are no probabilities, or outputs are to be conditional and the automaton is not deterministic.

    References
    ----------
    A. Svete, R. Cotterell, "Recurrent neural language models as probabilistic finite-state automata", EMNLP 2023; F.
    Nowak, A. Svete, L. Du, R. Cotterell, "On the representational capacity of recurrent neural language models", EMNLP
    2023. Their softmax is left out: the outputs themselves are the probabilities.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> half = WeightedAutomaton(input_symbols="ab", initial=[1], final=["1/2"],
    ...     transitions={"a": [["1/3"]], "b": [["1/6"]]})
    >>> run(weighted_minsky(half), "ab").outputs[-1]
    (mpq(1,3), mpq(1,6), mpq(1,2))
    >>> run(weighted_minsky(half, joint=True), "ab").outputs[-1]
    (mpq(1,54), mpq(1,108), mpq(1,36))
    """
    pfsa = require_machine(pfsa, WeightedAutomaton, "weighted_minsky")
    if not is_probabilistic(pfsa):
        raise ConstructionError(
            f"weighted_minsky compiles automata whose weights are probabilities, and those of {pfsa.name} are not: "
            "exactnn.normalized(automaton) makes them so, where the sum of all values is finite"
        )
    determined = is_deterministic(pfsa)
    joint = not determined if joint is None else flag("joint", joint, error=ConstructionError)
    if not joint and not determined:
        raise ConstructionError(
            f"{pfsa.name} is not deterministic: probabilities given the symbols read are not linear in any state of "
            "a ReLU network that holds its weights: give joint=True"
        )
    symbols, states = pfsa.input_symbols, pfsa.states
    steps = {a: matrix if joint else _support(matrix) for a, matrix in pfsa.transitions.items()}
    initial = pfsa.initial  # of a deterministic one a single 1

    def spread(column: Iterable[mpq]) -> list[mpq]:
        """Return a number for each state as one for each unit: first the begin, then states and symbols."""
        of_state = tuple(column)
        return [dot(initial, of_state), *(weight for weight in of_state for _ in symbols)]

    size = 1 + len(states) * len(symbols)
    network = SimpleRNN(
        V=[[ZERO] * size, *(spread(row[state] for row in steps[a]) for state in states for a in symbols)],
        W=[[ZERO] * len(symbols), *([mpq(a == b) for b in symbols] for _ in states for a in symbols)],
        b=[ZERO, *[-ONE] * (size - 1)],
        s=[ONE, *[ZERO] * (size - 1)],
        readout_weight=[
            *(spread(sum(row, ZERO) for row in pfsa.transitions[a]) for a in symbols),
            spread(pfsa.final),
        ],
        alphabet=symbols,
        name=f"weighted_minsky({pfsa.name})",
    )
    return Construction(
        name="weighted_minsky",
        machine=pfsa,
        network=network.giving_outputs(),
        codec=_SpreadCodec(initial, len(symbols)),
        steps_per_move=1,
        set_up=(0, 0),
        claim="The outputs after w are the probabilities of what comes next"
        + (", each times that of w." if joint else ", for every w that is possible."),
        citation="A. Svete, R. Cotterell, EMNLP 2023; F. Nowak, A. Svete, L. Du, R. Cotterell, EMNLP 2023",
        weight_field="Q",
    )


def _support(matrix: Matrix) -> Matrix:
    return tuple(tuple(mpq(bool(weight)) for weight in row) for row in matrix)
