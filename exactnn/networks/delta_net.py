"""Delta rules: a matrix that is read at a key, and written there by what is missing; one or several times a step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_matrix, exact_vector, sequence
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits, rows
from exactnn.networks.circuit import Unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing

__all__ = ["DeltaNet", "DeltaProduct", "DeltaProductLayer", "GatedDeltaNet"]

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaProductLayer(RecurrentLayer):
    """A layer of the delta rule, for :func:`StackedRNN`; :func:`DeltaProduct` has its equations and parameters.

    With one factor it is the layer of :func:`DeltaNet`, and with `decay` that of :func:`GatedDeltaNet`.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    K: Any
    V: Any = None
    beta: Any
    decay: Any = None
    Q: Any = None
    S: Any
    gate: str | Activation | Squashing = "identity"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "S", exact_matrix(self.S, "S"))
        height, width = len(self.S), input_width(self.S)
        if not height or not width:
            raise NetworkError("S is empty: give a start matrix of at least one row and one column")
        keys = sequence(self.K, "K", "a sequence of matrices, one for each delta step")
        if not keys:
            raise NetworkError("K is empty: give the keys of at least one delta step")
        keys = [exact_matrix(key, f"K[{f}]", height=width) for f, key in enumerate(keys)]
        size = input_width(keys[0])
        fill(self, "K", tuple(exact_matrix(key, f"K[{f}]", width=size) for f, key in enumerate(keys)))
        values = [((ZERO,) * size,) * height] * len(keys)
        if self.V is not None:
            given = sequence(self.V, "V", "a sequence of matrices, one for each delta step")
            values = [exact_matrix(value, f"V[{f}]", height=height, width=size) for f, value in enumerate(given)]
        fill(self, "V", tuple(values))
        strengths = sequence(self.beta, "beta", "a sequence of vectors, one for each delta step")
        fill(self, "beta", tuple(exact_vector(beta, f"beta[{f}]", size=size) for f, beta in enumerate(strengths)))
        for letter in ("V", "beta"):
            if len(getattr(self, letter)) != len(keys):
                count = len(getattr(self, letter))
                raise NetworkError(f"{letter} has {count} entries, but K has {len(keys)}: give one for each delta step")
        if self.decay is not None:
            fill(self, "decay", exact_vector(self.decay, "decay", size=size))
        if self.Q is not None:
            fill(self, "Q", exact_matrix(self.Q, "Q", height=width, width=size))
        fill(self, "gate", Squashing.named(self.gate))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.K[0])

    @property
    def hidden_size(self) -> int:
        """Length of its hidden state: what the query reads, a number for each row of S; without a query all of S."""
        return len(self.S) * (1 if self.Q is not None else len(self.S[0]))

    @property
    def start(self) -> Vector:
        """Its start state: zeros for what the query reads, if there is one, then S row by row."""
        read = (ZERO,) * len(self.S) if self.Q is not None else ()
        return (*read, *(entry for row in self.S for entry in row))

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`DeltaProduct`; :meth:`RecurrentLayer.lower` says more."""
        height, width = len(self.S), len(self.S[0])
        matrix = tuple(own[len(own) - height * width :])
        tables = self._tables(step, below, number)
        if self.decay is not None:
            (decay,) = tables["a"]
            matrix = tuple(
                step.add([_term(_place("aS", number, j, width), [(decay, old)]) for j, old in enumerate(matrix)])
            )
        for f in range(len(self.K)):
            names = f"{number}.{f + 1}" if len(self.K) > 1 else number
            matrix = self._delta_step(step, matrix, [tables[f"{letter}{f}"] for letter in "kvb"], names)
        if self.Q is None:
            return matrix
        read = step.add(
            [
                _term(f"o{number}[{i}]", zip(matrix[i * width : (i + 1) * width], tables["q"], strict=True))
                for i in range(height)
            ]
        )
        return (*read, *matrix)

    def _tables(self, step: StepUnits, below: Registers, number: str) -> dict[str, Registers]:
        """Add what depends on the input only: keys, values, strengths, the decay and the query, in one layer."""
        vectors: dict[str, tuple[Sequence[Unit], Squashing]] = {}
        identity, gate = Squashing.named("identity"), Squashing.named(self.gate)
        for f in range(len(self.K)):
            for letter, matrix, squashing in (
                ("k", self.K[f], identity),
                ("v", self.V[f], identity),
                ("b", (self.beta[f],), gate),
            ):
                name = f"{letter}{number}.{f + 1}" if len(self.K) > 1 else f"{letter}{number}"
                vectors[f"{letter}{f}"] = (rows(name, (ZERO,) * len(matrix), sums=[(below, matrix)]), squashing)
        if self.decay is not None:
            vectors["a"] = (rows(f"a{number}", (ZERO,), sums=[(below, (self.decay,))]), gate)
        if self.Q is not None:
            vectors["q"] = (rows(f"q{number}", (ZERO,) * len(self.Q), sums=[(below, self.Q)]), identity)
        return step.squashed(vectors)

    def _delta_step(
        self, step: StepUnits, matrix: Sequence[int], tables: Sequence[Registers], number: str
    ) -> tuple[int, ...]:
        """Add the four layers u = S k, v - u, w = beta (v - u), S + w k' and return the registers of the last."""
        height, width = len(self.S), len(self.S[0])
        key, value, (strength,) = tables
        read = step.add(
            [
                _term(f"u{number}[{i}]", zip(matrix[i * width : (i + 1) * width], key, strict=True))
                for i in range(height)
            ]
        )
        missing = step.add(
            [
                Unit(name=f"v-u{number}[{i}]", bias=ZERO, linear=((value[i], ONE), (read[i], -ONE)))
                for i in range(height)
            ]
        )
        written = step.add([_term(f"w{number}[{i}]", [(strength, missing[i])]) for i in range(height)])
        return tuple(
            step.add(
                [
                    Unit(
                        name=_place("S", number, i * width + j, width),
                        bias=ZERO,
                        linear=((matrix[i * width + j], ONE),),
                        bilinear=((written[i], key[j], ONE),),
                    )
                    for i in range(height)
                    for j in range(width)
                ]
            )
        )


def _term(name: str, pairs: Iterable[tuple[int, int]]) -> Unit:
    return Unit(name=name, bias=ZERO, bilinear=tuple((first, second, ONE) for first, second in pairs))


def _place(letter: str, number: str, entry: int, width: int) -> str:
    return f"{letter}{number}[{entry // width},{entry % width}]"


def DeltaProduct(  # noqa: N802  (a constructor by its field's name)
    *,
    K: Sequence[Sequence[Sequence[ExactNumber]]],
    V: Sequence[Sequence[Sequence[ExactNumber]]] | None = None,
    beta: Sequence[Sequence[ExactNumber]],
    decay: Sequence[ExactNumber] | None = None,
    Q: Sequence[Sequence[ExactNumber]] | None = None,
    S: Sequence[Sequence[ExactNumber]],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "identity",
    alphabet: Iterable[str] | None = None,
    name: str = "DeltaProduct",
) -> Network:
    """Return a DeltaProduct: a state matrix S, with several delta steps for each input.

    First ``S = a(x) S``, if there is a decay a. Then for each factor ``u = S k(x)``, ``w = beta(x) (v(x) - u)`` and
    ``S = S + w k(x)'``: S times ``1 - beta k k'``, plus ``beta v k'``. Then ``o = S q(x)`` is what the layer above and
    the readout read; without a query it is S itself, row by row. Keys, values, strengths, decay and query are matrices
    times the input: on symbols their columns are tables, one entry for each symbol.

    Every product and sum is rounded in that order; sums over entries run from the first to the last.

    Parameters
    ----------
    K : sequence of matrices (d_k by d), one for each factor
        The keys.
    V : sequence of matrices (d_v by d), optional
        The values, 0 unless given.
    beta : sequence of vectors of length d
        The strengths; ``1 - beta k k'`` is a reflection where ``beta = 2 / k'k``.
    decay : vector of length d, optional
        The decay; 1 unless given.
    Q : matrix (d_k by d), optional
        The query.
    S : matrix (d_v by d_k)
        The start state.
    readout_weight : vector as long as what the readout reads, or matrix
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector
    gate : str, Activation or Squashing
        Applied to strengths and decay; "identity" takes the tables as they are.
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors; a word is accepted if the output after it is above 0. Without it the network
        reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    References
    ----------
    J. Siems et al., "DeltaProduct: improving state-tracking in linear RNNs via Householder products", 2025,
    arXiv:2502.10297.

    Examples
    --------
    The key (1, -1) with strength 1 swaps two numbers, two such steps a cycle of three:

    >>> swap, other = [[1], [-1], [0]], [[1], [0], [-1]]
    >>> cycle = DeltaProduct(K=[swap, other], beta=[[1], [1]], S=[[1, 2, 3]], readout_weight=[[1, 0, 0], [0, 1, 0],
    ...                      [0, 0, 1]], alphabet="a")
    >>> from exactnn import run
    >>> [" ".join(map(str, numbers)) for numbers in run(cycle, "aaa").outputs]
    ['3 1 2', '2 3 1', '1 2 3']
    """
    layer = DeltaProductLayer(K=K, V=V, beta=beta, decay=decay, Q=Q, S=S, gate=gate)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)


def DeltaNet(  # noqa: N802  (a constructor by its field's name)
    *,
    K: Sequence[Sequence[ExactNumber]],
    V: Sequence[Sequence[ExactNumber]] | None = None,
    beta: Sequence[ExactNumber],
    Q: Sequence[Sequence[ExactNumber]] | None = None,
    S: Sequence[Sequence[ExactNumber]],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "identity",
    alphabet: Iterable[str] | None = None,
    name: str = "DeltaNet",
) -> Network:
    """Return a DeltaNet: one delta step for each input, which is :func:`DeltaProduct` with one factor.

    The parameters are those of :func:`DeltaProduct`, of the one factor: K and V are matrices, `beta` is a vector.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    References
    ----------
    S. Yang et al., "Parallelizing linear transformers with the delta rule over sequence length", 2024,
    arXiv:2406.06484.

    Examples
    --------
    A memory: the key says where, the value what, and strength 1 writes it in place of what was there.

    >>> from exactnn import run
    >>> memory = DeltaNet(K=[[1, 0, 1], [0, 1, 0]], V=[[5, 7, 6]], beta=[1, 1, 1], S=[[0, 0]],
    ...                   readout_weight=[[1, 0], [0, 1]], alphabet="abc")
    >>> [" ".join(map(str, numbers)) for numbers in run(memory, "abc").outputs]
    ['5 0', '5 7', '6 7']
    """
    return GatedDeltaNet(
        K=K,
        V=V,
        beta=beta,
        decay=None,
        Q=Q,
        S=S,
        readout_weight=readout_weight,
        readout_bias=readout_bias,
        gate=gate,
        alphabet=alphabet,
        name=name,
    )


def GatedDeltaNet(  # noqa: N802  (a constructor by its field's name)
    *,
    K: Sequence[Sequence[ExactNumber]],
    V: Sequence[Sequence[ExactNumber]] | None = None,
    beta: Sequence[ExactNumber],
    decay: Sequence[ExactNumber] | None,
    Q: Sequence[Sequence[ExactNumber]] | None = None,
    S: Sequence[Sequence[ExactNumber]],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "identity",
    alphabet: Iterable[str] | None = None,
    name: str = "gated DeltaNet",
) -> Network:
    """Return a gated DeltaNet: S decays before its delta step; it is :func:`DeltaProduct` with a decay and one factor.

    The parameters are those of :func:`DeltaProduct`, of the one factor: K and V are matrices, `beta` is a vector.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    References
    ----------
    S. Yang, J. Kautz and A. Hatamizadeh, "Gated delta networks: improving Mamba2 with delta rule", 2024,
    arXiv:2412.06464.

    Examples
    --------
    >>> from exactnn import run
    >>> fades = GatedDeltaNet(K=[[1, 0]], V=[[1, 0]], beta=[1, 0], decay=["1/2", "1/2"], S=[[0]], readout_weight=[1],
    ...                       alphabet="ab")
    >>> [str(y) for y in run(fades, "abb").outputs]
    ['1', '1/2', '1/4']
    """
    return DeltaProduct(
        K=[K],
        V=None if V is None else [V],
        beta=[beta],
        decay=decay,
        Q=Q,
        S=S,
        readout_weight=readout_weight,
        readout_bias=readout_bias,
        gate=gate,
        alphabet=alphabet,
        name=name,
    )
