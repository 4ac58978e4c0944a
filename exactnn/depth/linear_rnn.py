"""Linear networks of layers: each of them is a layer alone, and a matrix of rational functions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, counted
from exactnn.errors import NetworkError, OptionError
from exactnn.linear_algebra import (
    Matrix,
    Vector,
    characteristic_polynomial,
    identity,
    polynomial,
    polynomial_gcd,
    polynomial_product,
    polynomial_quotient,
    polynomial_text,
    product,
    rank,
    transposed,
)
from exactnn.markup import Table, Tabular
from exactnn.matrices import exact_matrix, exact_vector, is_sequence, sequence
from exactnn.networks import Activation, Network, SimpleRNNLayer, StackedRNN
from exactnn.options import choice, whole_number
from exactnn.simulation import Values

__all__ = ["LinearRNN", "RationalFunction"]

ZERO, ONE = mpq(0), mpq(1)

MOST_LENGTH = 1_000_000

RECURRENT = ("pre-activation", "post-activation")


@dataclass(frozen=True, slots=True)
class RationalFunction:
    """A quotient of polynomials in z in lowest terms, whose denominator is 1 at 0.

    Coefficients are those of 1, z, z^2 and so on; the numerator 0 has none.

    >>> half = RationalFunction((mpq(0), mpq(1)), (mpq(1), mpq(-1, 2)))
    >>> print(half, [str(y) for y in half.series(4)])
    (z) / (1 - 1/2 z) ['0', '1', '1/2', '1/4']
    """

    numerator: Vector
    denominator: Vector

    @classmethod
    def reduced(cls, numerator: Vector, denominator: Vector) -> "RationalFunction":
        """Return a quotient of polynomials in lowest terms; the denominator is not 0 at 0.

        >>> print(RationalFunction.reduced((mpq(2), mpq(-2)), (mpq(2), mpq(0), mpq(-2))))
        (1) / (1 + z)
        """
        if not denominator or not denominator[0]:
            raise OptionError("the denominator is 0 at 0: give one that is not, as that of a network is")
        common = polynomial_gcd(denominator, numerator)
        above, below = (polynomial_quotient(part, common)[0] for part in (numerator, denominator))
        return cls(tuple(x / below[0] for x in above), tuple(x / below[0] for x in below))

    @property
    def degree(self) -> int:
        """The least number of units of a linear network that it is the transfer function of, which the output reads.

        That is the rank of the Hankel matrix of its series, and the McMillan degree of z times it.
        """
        return max(len(self.numerator), len(self.denominator) - 1)

    def series(self, length: int) -> Vector:
        """Return the first coefficients of its power series: the outputs after one 1, then zeros."""
        found: list[mpq] = []
        for t in range(whole_number("length", length, most=MOST_LENGTH)):
            above = self.numerator[t] if t < len(self.numerator) else ZERO
            found.append(above - sum((c * found[t - k] for k, c in enumerate(self.denominator[: t + 1]) if k), ZERO))
        return tuple(found)

    def __str__(self) -> str:
        above = polynomial_text(self.numerator)
        return above if self.denominator == (ONE,) else f"({above}) / ({polynomial_text(self.denominator)})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class LinearRNN(Tabular):
    """A linear network of layers: ``h_l(t) = A_l h_l(t-1) + B_l h_(l-1)(t) + b_l``, ``h_0 = x``, output ``C h_L(t)``.

    It can be given wherever a network is taken. The states begin at 0.

    Parameters
    ----------
    layers : sequence of pairs (A, B)
        A_l is n by n, B_l n by the width of the layer below; of the first by that of the input.
    readout : vector of length n, or matrix (k by n)
        C. A vector gives a number as output, a matrix a tuple.
    biases : sequence of vectors, optional
        One for each layer, 0 unless given.
    activation : str or Activation
        "identity", the linear network, unless given.
    recurrent : "post-activation" or "pre-activation"
        With another activation, where it is: ``h_l(t) = activation(A_l h_l(t-1) + B_l h_(l-1)(t) + b_l)``, or only
        between layers, ``h_l(t) = A_l h_l(t-1) + B_l activation(h_(l-1)(t)) + b_l`` with the input as it is and the
        readout of activation(h_L(t)), as a published program for deep networks has it.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is no exact number.

    Examples
    --------
    Two layers of one unit, with a pole each: their cascade has rank 2.

    >>> cascade = LinearRNN(layers=[([["1/2"]], [[1]]), ([["1/3"]], [[1]])], readout=[1])
    >>> print(cascade.transfer_function(), cascade.hankel_rank())
    (1) / (1 - 5/6 z + 1/6 z^2) 2
    >>> from exactnn.simulation import run
    >>> [str(y) for y in run(cascade, [[1], [0], [0]]).outputs]
    ['1', '5/6', '19/36']
    """

    layers: tuple[tuple[Matrix, Matrix], ...]
    readout: Matrix
    biases: tuple[Vector, ...]
    activation: Activation
    recurrent: str
    network: Network = field(compare=False)

    def __init__(
        self,
        *,
        layers: Sequence[tuple[Sequence[Sequence[ExactNumber]], Sequence[Sequence[ExactNumber]]]],
        readout: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
        biases: Sequence[Sequence[ExactNumber]] | None = None,
        activation: str | Activation = "identity",
        recurrent: str = "post-activation",
        name: str = "linear RNN",
    ) -> None:
        choice("recurrent", recurrent, RECURRENT, error=NetworkError)
        pairs = _checked_layers(layers)
        widths = [len(a) for a, _ in pairs]
        entries = sequence(readout, "readout", "a vector, or a matrix (a sequence of rows)")
        scalar = not any(map(is_sequence, entries))
        rows = exact_matrix([entries] if scalar else entries, "readout", width=widths[-1])
        kind = Activation.named(activation) if isinstance(activation, str) else activation
        vectors = _checked_biases(biases, widths)
        between = recurrent == "pre-activation" and kind != Activation.IDENTITY
        parts: list[SimpleRNNLayer] = []
        for (a, b), bias, width in zip(pairs, vectors, widths, strict=True):
            inner = Activation.IDENTITY if between else kind
            parts.append(SimpleRNNLayer(V=a, W=b, b=bias, s=(ZERO,) * width, activation=inner))
            if between:
                parts.append(_activation_alone(width, kind))
        fill = object.__setattr__
        fill(self, "layers", pairs)
        fill(self, "readout", rows)
        fill(self, "biases", vectors)
        fill(self, "activation", kind)
        fill(self, "recurrent", recurrent)
        fill(self, "network", StackedRNN(parts, readout_weight=rows[0] if scalar else rows, name=name))

    def decode(self, state: Values, *, cells: int | None = None) -> tuple[tuple[object, ...], ...]:
        """Return the states h_l of the layers that a state of the network stands for; `cells` plays no part."""
        times = len(state) // self.units  # 2 if activations between layers are part of the network's state, too
        ends = accumulate((len(a) for a, _ in self.layers), initial=0)
        return tuple(tuple(state[times * begin : (times - 1) * begin + end]) for begin, end in pairwise(ends))

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Return the steps: each of the network is one of the equation."""
        return steps

    @property
    def units(self) -> int:
        """How many units all layers have together."""
        return sum(len(a) for a, _ in self.layers)

    @property
    def is_linear(self) -> bool:
        """Whether there is no activation but the identity."""
        return self.activation == Activation.IDENTITY

    def __repr__(self) -> str:
        widths = ", ".join(str(len(a)) for a, _ in self.layers)
        return f"<{self.network.name}: {counted(len(self.layers), 'layer')} of {widths} units>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        fields = {"layers": len(self.layers), "units": self.units, "activation": str(self.activation)}
        if self.is_linear:
            fields["Hankel rank"] = self.hankel_rank()
        return Table.of_fields(self.network.name, fields)

    def flattened(self) -> "LinearRNN":
        """Return the network of one layer with the same states, and so with the same outputs.

        What a layer reads in a step is what the one below has computed in it, a combination of the last state and the
        input. The recurrent matrix is block lower triangular: block (l, j) is ``B_l ... B_(j+1) A_j``.

        Raises
        ------
        NetworkError
            If there is another activation than the identity.
        """
        self._require_linear("flattened")
        total = self.units
        rows: list[Vector] = []
        inputs: list[Vector] = []
        biases: list[mpq] = []
        below: tuple[Matrix, Matrix, Vector] | None = None
        begin = 0
        for (a, b), bias in zip(self.layers, self.biases, strict=True):
            size = len(a)
            own = tuple((ZERO,) * begin + row + (ZERO,) * (total - begin - size) for row in a)
            if below is None:
                found = own, b, bias
            else:
                read = tuple(row[0] for row in product(b, tuple((x,) for x in below[2])))
                found = _sum(own, product(b, below[0])), product(b, below[1]), tuple(map(_plus, bias, read))
            rows += found[0]
            inputs += found[1]
            biases += found[2]
            below = found
            begin += size
        readout = tuple((ZERO,) * (total - len(row)) + row for row in self.readout)
        return LinearRNN(
            layers=[(rows, inputs)],
            readout=readout[0] if self.network.scalar_output else readout,
            biases=[biases],
            name=f"{self.network.name}, flattened",
        )

    def transfer_function(self) -> RationalFunction | tuple[tuple[RationalFunction, ...], ...]:
        """Return ``C (1 - z A)^-1 B`` of the flattened network: the generating functions of its impulse responses.

        A rational function, or a matrix of them (outputs by inputs) where there are several of either. Biases play no
        part.

        Raises
        ------
        NetworkError
            If there is another activation than the identity.
        """
        flat = self.flattened()
        ((a, b),) = flat.layers
        denominator = polynomial(tuple(reversed(characteristic_polynomial(a))))
        found = tuple(
            tuple(RationalFunction.reduced(_cut(series, denominator), denominator) for series in row)
            for row in _responses(flat.readout, a, b, len(a))
        )
        return found[0][0] if len(found) == 1 == len(found[0]) else found

    def hankel_rank(self) -> int:
        """Return the rank of the Hankel matrix of the impulse responses, ``C A^(i+j) B`` in place (i, j): exactly.

        It is the least number of units of a linear network with this transfer function (Ho and Kalman 1966).

        Raises
        ------
        NetworkError
            If there is another activation than the identity.
        """
        flat = self.flattened()
        ((a, b),) = flat.layers
        seen, reached = [*flat.readout], [*transposed(b)]
        for rows, matrix in ((seen, a), (reached, transposed(a))):
            last = tuple(rows)
            for _ in range(self.units - 1):
                last = product(last, matrix)
                rows += last
        return rank(product(tuple(seen), transposed(tuple(reached))))

    def _require_linear(self, what: str) -> None:
        if not self.is_linear:
            raise NetworkError(f"{what}: {self.network.name} has the activation {self.activation}, and is not linear")


def _checked_layers(layers: object) -> tuple[tuple[Matrix, Matrix], ...]:
    """Return the pairs (A, B), each of the width of the layer below."""
    found: list[tuple[Matrix, Matrix]] = []
    for number, pair in enumerate(sequence(layers, "layers", "a sequence of pairs (A, B) of matrices")):
        parts = sequence(pair, f"layers[{number}]", "a pair (A, B) of matrices")
        if len(parts) != 2:
            raise NetworkError(f"layers[{number}] has {len(parts)} entries: give the pair (A, B)")
        size = len(sequence(parts[0], f"A of layers[{number}]", "a matrix (a sequence of rows)"))
        if not size:
            raise NetworkError(f"A of layers[{number}] is empty: a layer has a unit at least")
        below = len(found[-1][0]) if found else None
        a = exact_matrix(parts[0], f"A of layers[{number}]", height=size, width=size)
        found.append((a, exact_matrix(parts[1], f"B of layers[{number}]", height=size, width=below)))
    if not found:
        raise NetworkError("layers is empty: give a pair (A, B) of matrices for each layer")
    return tuple(found)


def _checked_biases(biases: object, widths: Sequence[int]) -> tuple[Vector, ...]:
    """Return a vector for each layer, of zeros where none are given."""
    if biases is None:
        return tuple((ZERO,) * width for width in widths)
    given = sequence(biases, "biases", "a vector for each layer")
    if len(given) != len(widths):
        raise NetworkError(f"biases has {len(given)} vectors for {counted(len(widths), 'layer')}: give one for each")
    return tuple(exact_vector(given[i], f"biases[{i}]", size=width) for i, width in enumerate(widths))


def _activation_alone(size: int, activation: Activation) -> SimpleRNNLayer:
    """Return a layer that remembers nothing: an activation between two layers."""
    zeros = (ZERO,) * size
    return SimpleRNNLayer(V=(zeros,) * size, W=identity(size), b=zeros, s=zeros, activation=activation)


def _plus(first: mpq, second: mpq) -> mpq:
    return first + second


def _sum(first: Matrix, second: Matrix) -> Matrix:
    return tuple(tuple(map(_plus, x, y)) for x, y in zip(first, second, strict=True))


def _responses(readout: Matrix, a: Matrix, b: Matrix, length: int) -> list[list[list[mpq]]]:
    """Return for each output and input the first numbers ``C A^t B``."""
    found: list[list[list[mpq]]] = [[[] for _ in b[0]] for _ in readout]
    state = b
    for _ in range(length):
        for row, outputs in zip(found, product(readout, state), strict=True):
            for series, value in zip(row, outputs, strict=True):
                series.append(value)
        state = product(a, state)
    return found


def _cut(series: Sequence[mpq], denominator: Vector) -> Vector:
    """Return a power series times a polynomial, as far as the series goes: the numerator."""
    return polynomial(polynomial_product(polynomial(series), denominator)[: len(series)])
