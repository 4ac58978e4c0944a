"""State-space models whose matrix is diagonal: with fixed decays, and with decays that the input selects."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError, shown
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_matrix, exact_vector, is_sequence, sequence
from exactnn.networks.cell import Registers, StepUnits, rows
from exactnn.networks.circuit import Unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network

__all__ = ["DiagonalSSM", "DiagonalSSMLayer", "SelectiveSSM", "SelectiveSSMLayer"]

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagonalSSMLayer(RecurrentLayer):
    """A layer of a diagonal state-space model, for :func:`StackedRNN`; :func:`DiagonalSSM` has its equations.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    a: Any
    B: Any
    C: Any = None
    D: Any = None
    s: Any = None

    def __post_init__(self) -> None:
        fill = object.__setattr__
        poles = sequence(self.a, "a", "a sequence of numbers, or of pairs (real part, imaginary part)")
        pairs = [exact_vector(pole if is_sequence(pole) else [pole], f"a[{i}]") for i, pole in enumerate(poles)]
        for i, pair in enumerate(pairs):
            if len(pair) not in (1, 2):
                raise NetworkError(f"a[{i}] is {shown(poles[i])}: give a number, or a pair (real part, imaginary part)")
        fill(self, "a", tuple(pairs))
        size = sum(map(len, pairs))
        fill(self, "B", exact_matrix(self.B, "B", height=size))
        fill(self, "s", (ZERO,) * size if self.s is None else exact_vector(self.s, "s", size=size))
        if self.C is not None:
            fill(self, "C", exact_matrix(self.C, "C", width=size))
        if self.D is not None:
            if self.C is None:
                raise NetworkError("D is given without C: y = C h + D x has both; give C, or leave D out")
            fill(self, "D", exact_matrix(self.D, "D", height=len(self.C), width=input_width(self.B)))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.B)

    @property
    def hidden_size(self) -> int:
        """Length of what is read: of y where there is a C, else of h."""
        return len(self.s) if self.C is None else len(self.C)

    @property
    def start(self) -> Vector:
        """Its start state: zeros for y where there is a C, then `s`."""
        return (*(ZERO for _ in self.C or ()), *self.s)

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`DiagonalSSM`; :meth:`RecurrentLayer.lower` says more."""
        old = own[len(own) - len(self.s) :]
        units, i = [], 0
        for pole in self.a:
            terms = (
                [[(i, pole[0])]]
                if len(pole) == 1
                else [[(i, pole[0]), (i + 1, -pole[1])], [(i, pole[1]), (i + 1, pole[0])]]
            )
            for row in terms:
                read = [(old[j], weight) for j, weight in row if weight]
                read += [(register, weight) for register, weight in zip(below, self.B[i], strict=True) if weight]
                units.append(Unit(name=f"h{number}[{i}]", bias=ZERO, linear=tuple(read)))
                i += 1
        state = step.add(units)
        if self.C is None:
            return tuple(state)
        sums = [(state, self.C), *([(below, self.D)] if self.D is not None else [])]
        return (*step.add(rows(f"y{number}", (ZERO,) * len(self.C), sums=sums)), *state)


def DiagonalSSM(  # noqa: N802  (a constructor by its field's name)
    *,
    a: Sequence[ExactNumber | tuple[ExactNumber, ExactNumber]],
    B: Sequence[Sequence[ExactNumber]],
    C: Sequence[Sequence[ExactNumber]] | None = None,
    D: Sequence[Sequence[ExactNumber]] | None = None,
    s: Sequence[ExactNumber] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    alphabet: Iterable[str] | None = None,
    name: str = "diagonal SSM",
) -> Network:
    """Return a diagonal state-space model, discrete in time: S4D with real poles, S5 after its matrix is diagonal.

    ``h(t) = a h(t-1) + B x(t)`` entry by entry, ``h(0) = s``, and ``y(t) = C h(t) + D x(t)``, which the layer above and
    the readout read; without C they read h. A complex pole is a pair (real part r, imaginary part i) and takes two
    numbers of the state, which it multiplies by [[r, -i], [i, r]]. The order of sums is a h, B x; and C h, D x.

    Parameters
    ----------
    a : sequence of numbers or of pairs
        The poles; they make n numbers of state.
    B : matrix (n by d)
    C : matrix (m by n), optional
    D : matrix (m by d), optional
    s : vector of length n, optional
        The start state, 0 unless given.
    readout_weight : vector of length m (without C of length n), or matrix
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors; a word is accepted if the output after it is above 0. Without it the network
        reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    Notes
    -----
    Without C it is the same as a simple RNN with the identity as activation and a diagonal V.

    References
    ----------
    A. Gu et al., "On the parameterization and initialization of diagonal state space models", 2022, arXiv:2206.11893;
    J. T. H. Smith, A. Warrington and S. W. Linderman, "Simplified state space layers for sequence modeling", 2022,
    arXiv:2208.04933.

    Examples
    --------
    >>> from exactnn import run
    >>> decay = DiagonalSSM(a=["9/10"], B=[[1, 0]], readout_weight=[1], alphabet="ab")
    >>> [str(y) for y in run(decay, "abb").outputs]
    ['1', '9/10', '81/100']
    >>> quarter_turns = DiagonalSSM(a=[(0, 1)], B=[[1], [0]], readout_weight=[[1, 0], [0, 1]])
    >>> [" ".join(map(str, y)) for y in run(quarter_turns, [1, 0, 0]).outputs]
    ['1 0', '0 1', '-1 0']
    """
    layer = DiagonalSSMLayer(a=a, B=B, C=C, D=D, s=s)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectiveSSMLayer(RecurrentLayer):
    """A layer of a selective state-space model, for :func:`StackedRNN`; :func:`SelectiveSSM` has its equations.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    a: Any
    b: Any
    C: Any = None
    D: Any = None
    s: Any = None

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "a", exact_matrix(self.a, "a"))
        size = len(self.a)
        fill(self, "b", exact_matrix(self.b, "b", height=size, width=input_width(self.a)))
        fill(self, "s", (ZERO,) * size if self.s is None else exact_vector(self.s, "s", size=size))
        if (self.C is None) != (self.D is None):
            raise NetworkError("one of C and D is given: y = C h + D has both; give both, or leave both out")
        if self.C is not None:
            fill(self, "C", exact_matrix(self.C, "C", height=size, width=input_width(self.a)))
            fill(self, "D", exact_matrix(self.D, "D", width=input_width(self.a)))
            if not self.D or size % len(self.D):
                raise NetworkError(
                    f"D has {len(self.D)} rows and a has {size}: give D a row for each of some equal parts of the state"
                )

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.a)

    @property
    def hidden_size(self) -> int:
        """Length of what is read: of y where there is a C, else of h."""
        return len(self.s) if self.C is None else len(self.D)

    @property
    def start(self) -> Vector:
        """Its start state: zeros for y where there is a C, then `s`."""
        return (*(ZERO for _ in self.D or ()), *self.s)

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`SelectiveSSM`; :meth:`RecurrentLayer.lower` says more."""
        size = len(self.s)
        old = own[len(own) - size :]
        named = {"a": self.a, "b": self.b} | ({} if self.C is None else {"C": self.C, "D": self.D})
        tables = step.add(
            [
                unit
                for letter, matrix in named.items()
                for unit in rows(f"{letter}{number}", (ZERO,) * len(matrix), sums=[(below, matrix)])
            ]
        )
        units = [
            Unit(
                name=f"h{number}[{i}]",
                bias=ZERO,
                linear=((tables[size + i], ONE),),
                bilinear=((tables[i], old[i], ONE),),
            )
            for i in range(size)
        ]
        state = tuple(step.add(units))
        if self.C is None:
            return state
        part = size // len(self.D)
        outputs = [
            Unit(
                name=f"y{number}[{i}]",
                bias=ZERO,
                linear=((tables[3 * size + i], ONE),),
                bilinear=tuple((tables[2 * size + j], state[j], ONE) for j in range(i * part, i * part + part)),
            )
            for i in range(len(self.D))
        ]
        return (*step.add(outputs), *state)


def SelectiveSSM(  # noqa: N802  (a constructor by its field's name)
    *,
    a: Sequence[Sequence[ExactNumber]],
    b: Sequence[Sequence[ExactNumber]],
    C: Sequence[Sequence[ExactNumber]] | None = None,
    D: Sequence[Sequence[ExactNumber]] | None = None,
    s: Sequence[ExactNumber] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    alphabet: Iterable[str] | None = None,
    name: str = "selective SSM",
) -> Network:
    """Return a selective state-space model: a diagonal one whose decays depend on the input, as Mamba's do.

    ``h(t) = a(x(t)) h(t-1) + b(x(t))`` entry by entry, ``h(0) = s``, where ``a(x) = a x`` and ``b(x) = b x``: on
    symbols the columns of a and b are tables of decays and of inputs, one for each symbol. A trained network has tables
    a(x) = exp(D(x) A) of floats, and these are taken exactly. Rounded are the product and the sum.

    With C and D the layer above and the readout read y instead of h. The state is cut into as many equal parts as D has
    rows, and ``y_i = D_i(x) + sum_j C_j(x) h_j`` over the numbers of the i-th part, D first, where ``C(x) = C x`` and
    ``D(x) = D x``: in Mamba each channel is such a part.

    Parameters
    ----------
    a, b : matrices (n by d)
        The decays and the inputs.
    C, D : matrices (n by d) and (m by d), optional
        What reads the state, and what is added to it; m divides n.
    s : vector of length n, optional
        The start state, 0 unless given.
    readout_weight : vector of length n (with D of length m), or matrix
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
    A. Gu and T. Dao, "Mamba: linear-time sequence modeling with selective state spaces", 2023, arXiv:2312.00752.

    Examples
    --------
    0 and 1 are written, - keeps what is there:

    >>> from exactnn import run
    >>> flip_flop = SelectiveSSM(a=[[0, 0, 1]], b=[[0, 1, 0]], readout_weight=[1], alphabet="01-")
    >>> [str(y) for y in run(flip_flop, "1--0-").outputs]
    ['1', '1', '1', '0', '0']
    """
    layer = SelectiveSSMLayer(a=a, b=b, C=C, D=D, s=s)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
