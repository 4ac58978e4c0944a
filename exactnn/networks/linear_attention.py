"""Linear attention with gates: a matrix of values at keys that decays, and is read by a query."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_matrix, exact_vector
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits, rows
from exactnn.networks.circuit import Unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network

__all__ = ["MLSTM", "GatedLinearAttention", "GatedLinearAttentionLayer", "MLSTMLayer"]

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedLinearAttentionLayer(RecurrentLayer):
    """A layer of gated linear attention, for :func:`StackedRNN`; :func:`GatedLinearAttention` has its equations.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    a: Any
    K: Any
    V: Any
    Q: Any
    S: Any = None

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "K", exact_matrix(self.K, "K"))
        width, size = len(self.K), input_width(self.K)
        if not width:
            raise NetworkError("K is empty: give the keys a matrix of at least one row")
        fill(self, "V", exact_matrix(self.V, "V", width=size))
        for letter in ("a", "Q"):
            fill(self, letter, exact_matrix(getattr(self, letter), letter, height=width, width=size))
        zeros = ((ZERO,) * width,) * len(self.V)
        fill(self, "S", zeros if self.S is None else exact_matrix(self.S, "S", height=len(self.V), width=width))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.K)

    @property
    def hidden_size(self) -> int:
        """Length of y, which is read: a number for each row of S."""
        return len(self.V)

    @property
    def start(self) -> Vector:
        """Its start state: zeros for y, then S row by row."""
        return (*(ZERO for _ in self.V), *(entry for row in self.S for entry in row))

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`GatedLinearAttention`; :meth:`RecurrentLayer.lower` says more."""
        a, k, v, q = (
            tables_of(step, below, {letter: getattr(self, letter) for letter in "aKVQ"}, number)[letter]
            for letter in "aKVQ"
        )
        width = len(k)
        matrix = written(step, own[len(v) :], a, v, k, number)
        return (*read_by(step, matrix, q, width, f"y{number}"), *matrix)


def tables_of(step: StepUnits, below: Registers, matrices: dict[str, Any], number: str) -> dict[str, Registers]:
    """Add matrices times what is read, in one layer, and return their registers."""
    units: list[Unit] = []
    places: dict[str, range] = {}
    first = 0
    for letter, matrix in matrices.items():
        units += rows(f"{letter.lower()}{number}", (ZERO,) * len(matrix), sums=[(below, matrix)])
        places[letter] = range(first, first + len(matrix))
        first += len(matrix)
    registers = step.add(units)
    return {letter: [registers[i] for i in place] for letter, place in places.items()}


def written(
    step: StepUnits, old: Registers, decays: Registers, value: Registers, key: Registers, number: str, letter: str = "S"
) -> Registers:
    """Add the units ``S_ij = a_j S_ij + v_i k_j``, row by row."""
    width = len(key)
    return step.add(
        [
            Unit(
                name=f"{letter}{number}[{i},{j}]",
                bias=ZERO,
                bilinear=((decays[j], old[i * width + j], ONE), (value[i], key[j], ONE)),
            )
            for i in range(len(value))
            for j in range(width)
        ]
    )


def read_by(step: StepUnits, matrix: Registers, query: Registers, width: int, name: str) -> Registers:
    """Add the units ``y_i = sum_j S_ij q_j``."""
    return step.add(
        [
            Unit(
                name=f"{name}[{i}]",
                bias=ZERO,
                bilinear=tuple((matrix[i * width + j], query[j], ONE) for j in range(width)),
            )
            for i in range(len(matrix) // width)
        ]
    )


def GatedLinearAttention(  # noqa: N802  (a constructor by its field's name)
    *,
    a: Sequence[Sequence[ExactNumber]],
    K: Sequence[Sequence[ExactNumber]],
    V: Sequence[Sequence[ExactNumber]],
    Q: Sequence[Sequence[ExactNumber]],
    S: Sequence[Sequence[ExactNumber]] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    alphabet: Iterable[str] | None = None,
    name: str = "gated linear attention",
) -> Network:
    """Return gated linear attention: a state matrix S whose columns decay, written by v k' and read by a query.

    ``S_ij(t) = a_j(x) S_ij(t-1) + v_i(x) k_j(x)`` and ``y_i(t) = sum_j S_ij(t) q_j(x)``, where a, k, v and q are
    matrices times the input x(t): on symbols their columns are tables, one for each symbol. The layer above and the
    readout read y. RetNet is the same with one constant for all decays. The order of sums is that of the equations.

    Parameters
    ----------
    a : matrix (d_k by d)
        The decays.
    K, Q : matrices (d_k by d)
        The keys and the queries.
    V : matrix (d_v by d)
        The values.
    S : matrix (d_v by d_k), optional
        The start state, 0 unless given.
    readout_weight : vector of length d_v, or matrix (k by d_v)
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors; a word is accepted if the output after it is above 0. Without it the network
        reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    References
    ----------
    S. Yang et al., "Gated linear attention transformers with hardware-efficient training", 2023, arXiv:2312.06635;
    Y. Sun et al., "Retentive network: a successor to transformer for large language models", 2023, arXiv:2307.08621.

    Examples
    --------
    >>> from exactnn import run
    >>> fades = GatedLinearAttention(a=[["1/2", "1/2"]], K=[[1, 0]], V=[[1, 0]], Q=[[1, 1]], readout_weight=[1],
    ...                              alphabet="ab")
    >>> [str(y) for y in run(fades, "abab").outputs]
    ['1', '1/2', '5/4', '5/8']
    """
    layer = GatedLinearAttentionLayer(a=a, K=K, V=V, Q=Q, S=S)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class MLSTMLayer(RecurrentLayer):
    """A layer of matrix LSTM cells, for :func:`StackedRNN`; :func:`MLSTM` has its equations.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    f: Any
    i: Any
    K: Any
    V: Any
    Q: Any
    threshold: Any = 0

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "K", exact_matrix(self.K, "K"))
        width, size = len(self.K), input_width(self.K)
        if not width:
            raise NetworkError("K is empty: give the keys a matrix of at least one row")
        fill(self, "V", exact_matrix(self.V, "V", width=size))
        fill(self, "Q", exact_matrix(self.Q, "Q", height=width, width=size))
        for letter in "fi":
            fill(self, letter, exact_vector(getattr(self, letter), letter, size=size))
        (threshold,) = exact_vector([self.threshold], "threshold")
        fill(self, "threshold", threshold)

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.K)

    @property
    def hidden_size(self) -> int:
        """Length of what is read: a number for each row of C."""
        return len(self.V)

    @property
    def start(self) -> Vector:
        """Its start state: zeros for what is read, for C row by row, and for n."""
        return (ZERO,) * (len(self.V) + len(self.V) * len(self.K) + len(self.K))

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`MLSTM`; :meth:`RecurrentLayer.lower` says more."""
        height, width = len(self.V), len(self.K)
        matrices = {"f": (self.f,), "i": (self.i,), "K": self.K, "V": self.V, "Q": self.Q}
        tables = tables_of(step, below, matrices, number)
        ((forget,), (enter,)) = tables["f"], tables["i"]
        entering = step.add(
            [
                Unit(name=f"i{letter}{number}[{j}]", bias=ZERO, bilinear=((enter, register, ONE),))
                for letter in "VK"
                for j, register in enumerate(tables[letter])
            ]
        )
        old, past = own[height : height + height * width], own[height + height * width :]
        matrix = written(step, old, [forget] * width, entering[:height], tables["K"], number, "C")
        normaliser = step.add(
            [
                Unit(
                    name=f"n{number}[{j}]",
                    bias=ZERO,
                    linear=((entering[height + j], ONE),),
                    bilinear=((forget, past[j], ONE),),
                )
                for j in range(width)
            ]
        )
        return (*self._compared(step, matrix, normaliser, tables["Q"], number), *matrix, *normaliser)

    def _compared(
        self, step: StepUnits, matrix: Registers, normaliser: Registers, query: Registers, number: str
    ) -> Registers:
        """Add C q, n q, and what has the sign of the quotient less the threshold; without one C q will do."""
        width = len(self.K)
        read = read_by(step, matrix, query, width, f"Cq{number}")
        if not self.threshold:
            return read
        (size,) = read_by(step, normaliser, query, width, f"nq{number}")
        parts = step.add(  # max(|x|, 1) = 1 + relu(x - 1) + relu(-x - 1)
            [
                Unit(name=f"beyond {sign}1{number}", bias=-ONE, linear=((size, weight),), activation=Activation.RELU)
                for sign, weight in (("", ONE), ("-", -ONE))
            ]
        )
        return step.add(
            [
                Unit(
                    name=f"h{number}[{i}]",
                    bias=-self.threshold,
                    linear=((register, ONE), *((part, -self.threshold) for part in parts)),
                )
                for i, register in enumerate(read)
            ]
        )


def MLSTM(  # noqa: N802  (a constructor by its field's name)
    *,
    f: Sequence[ExactNumber],
    i: Sequence[ExactNumber],
    K: Sequence[Sequence[ExactNumber]],
    V: Sequence[Sequence[ExactNumber]],
    Q: Sequence[Sequence[ExactNumber]],
    threshold: ExactNumber = 0,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    alphabet: Iterable[str] | None = None,
    name: str = "mLSTM",
) -> Network:
    """Return a matrix LSTM, and decide without a division whether its value is above a threshold.

    ``C(t) = f(x) C(t-1) + i(x) v(x) k(x)'``, ``n(t) = f(x) n(t-1) + i(x) k(x)``. The value is C q / max(|n q|, 1); what
    is read here is ``C q - threshold max(|n q|, 1)``, which is above 0 exactly if the value is above the threshold. The
    output gate, which is positive, does not change that. On symbols, f, i and the columns of K, V and Q are tables.

    Parameters
    ----------
    f, i : vectors of length d
        The forget gate and the input gate: a number for each symbol.
    K, Q : matrices (d_k by d)
        The keys and the queries.
    V : matrix (d_v by d)
        The values.
    threshold : number
        What the value is compared with.
    readout_weight : vector of length d_v, or matrix (k by d_v)
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors; a word is accepted if the output after it is above 0. Without it the network
        reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    References
    ----------
    M. Beck et al., "xLSTM: extended long short-term memory", 2024, arXiv:2405.04517.

    Examples
    --------
    The average of the values that were read is above 3:

    >>> from exactnn import run
    >>> average = MLSTM(f=[1, 1], i=[1, 1], K=[[1, 1]], V=[[2, 5]], Q=[[1, 1]], threshold=3, readout_weight=[1],
    ...                 alphabet="ab")
    >>> [run(average, word).verdict.value for word in ("ab", "aab", "aaab")]
    ['accept', 'reject', 'reject']
    """
    layer = MLSTMLayer(f=f, i=i, K=K, V=V, Q=Q, threshold=threshold)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
