"""What all cells share: names of weights, units for one step, and the way from parameters to a network."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, overload

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.matrices import exact_entry, exact_matrix, exact_vector, is_sequence, sequence
from exactnn.networks.activation import Activation
from exactnn.networks.circuit import Circuit, Unit, affine_unit
from exactnn.networks.network import EOS, Decision, Network, Protocol
from exactnn.networks.squashing import Squashing
from exactnn.options import entries

__all__ = [
    "TORCH_NAMES",
    "Registers",
    "StepUnits",
    "additions",
    "complements",
    "named_as_in_torch",
    "recurrent_network",
    "rows",
]


# --- The names of weights: the letters of the textbooks, and those of torch, which every cell takes too.

TORCH_NAMES = {"weight_hh": "V", "weight_ih": "W", "bias": "b"}
"""The recurrent weights, the input weights, the bias."""

Layer = TypeVar("Layer")
Result = TypeVar("Result")


@overload
def named_as_in_torch(cell: type[Layer], names: Mapping[str, str] = ...) -> type[Layer]: ...
@overload
def named_as_in_torch(cell: Callable[..., Result], names: Mapping[str, str] = ...) -> Callable[..., Result]: ...
def named_as_in_torch(cell: Any, names: Mapping[str, str] = TORCH_NAMES) -> Any:
    """Let a function or class with the parameters V, W and b take `weight_hh`, `weight_ih` and `bias` for them.

    `names` says what the parameters are called where they have other letters.

    Raises
    ------
    NetworkError
        When it is called with both names of one parameter.

    Examples
    --------
    >>> cell = named_as_in_torch(lambda *, V, W, b: (V, W, b))
    >>> cell(weight_hh=1, weight_ih=2, b=3)
    (1, 2, 3)
    >>> cell(V=1, weight_hh=1, W=2, b=3)
    Traceback (most recent call last):
    ...
    exactnn.errors.NetworkError: V and weight_hh are two names of one parameter: give one of them
    """

    if isinstance(cell, type):
        cell.__init__ = named_as_in_torch(cell.__init__, names)  # type: ignore[misc]
        return cell

    @wraps(cell)
    def called(*args: Any, **parameters: Any) -> Any:
        for name, letter in names.items():
            if name in parameters:
                if letter in parameters:
                    raise NetworkError(f"{letter} and {name} are two names of one parameter: give one of them")
                parameters[letter] = parameters.pop(name)
        return cell(*args, **parameters)

    return called


# --- The units of a step while a cell is written down: rows of sums and products, and squashings of them.

Registers = Sequence[int]
"""The registers of a vector."""

ONE = mpq(1)


def rows(
    name: str,
    bias: Vector,
    *,
    sums: Sequence[tuple[Registers, Matrix]] = (),
    products: Sequence[tuple[Registers, Registers]] = (),
) -> tuple[Unit, ...]:
    """Return the units ``bias + sum of matrix registers + sum of registers * registers``, one for each row.

    The terms stand in the order in which they are given, which is that of rounding; zero weights are left out.

    >>> [unit] = rows("u", (mpq(1),), sums=[((5, 6), ((mpq(2), mpq(0)),))], products=[((3,), (4,))])
    >>> unit.linear, unit.bilinear
    (((5, mpq(2,1)),), ((3, 4, mpq(1,1)),))
    """
    return tuple(
        Unit(
            name=f"{name}[{j}]",
            bias=bias[j],
            linear=tuple(
                (register, weight)
                for registers, matrix in sums
                for register, weight in zip(registers, matrix[j], strict=True)
                if weight
            ),
            bilinear=tuple((first[j], second[j], ONE) for first, second in products),
        )
        for j in range(len(bias))
    )


def complements(name: str, registers: Registers) -> tuple[Unit, ...]:
    """Return the units ``1 - register``."""
    return tuple(Unit(name=f"{name}[{j}]", bias=ONE, linear=((read, -ONE),)) for j, read in enumerate(registers))


def additions(name: str, first: Registers, second: Registers) -> tuple[Unit, ...]:
    """Return the units ``register + register``."""
    pairs = enumerate(zip(first, second, strict=True))
    return tuple(Unit(name=f"{name}[{j}]", bias=mpq(0), linear=((a, ONE), (b, ONE))) for j, (a, b) in pairs)


class StepUnits:
    """The layers of units of a step so far; what adds units returns their registers."""

    def __init__(self, first: int) -> None:
        """Begin without layers; `first` is the register of the first unit."""
        self.layers: list[tuple[Unit, ...]] = []
        self._next = first

    def add(self, units: Sequence[Unit]) -> Registers:
        """Add a layer of units and return their registers."""
        self.layers.append(tuple(units))
        self._next += len(units)
        return range(self._next - len(units), self._next)

    def squashed(self, vectors: Mapping[str, tuple[Sequence[Unit], Squashing]]) -> dict[str, Registers]:
        """Add sums side by side, each with its squashing, and return the registers of the values.

        Up to three layers: the sums, the pieces of those squashings that are no activations, the sums of these pieces.
        """
        pairs = [(unit, squashing) for units, squashing in vectors.values() for unit in units]
        sums = self.add([_before(unit, squashing) for unit, squashing in pairs])
        later = [i for i, (_, squashing) in enumerate(pairs) if not squashing.is_activation]
        values = dict(enumerate(sums))
        values |= zip(later, self._pieced([(pairs[i][0].name, pairs[i][1], sums[i]) for i in later]), strict=True)
        following = iter(values.values())
        return {name: tuple(next(following) for _ in units) for name, (units, _) in vectors.items()}

    def applied(self, name: str, registers: Registers, squashing: Squashing) -> Registers:
        """Add a squashing of registers that are there already, and return the registers of the values."""
        if squashing.is_activation:
            (piece,) = squashing.pieces
            if piece.activation == Activation.IDENTITY:
                return registers
        return self._pieced([(f"{name}[{j}]", squashing, register) for j, register in enumerate(registers)])

    def _pieced(self, entries: Sequence[tuple[str, Squashing, int]]) -> Registers:
        """Add the pieces of squashings of registers, and their sums where there are several, with these names."""
        if not entries:
            return ()
        pieces = iter(self.add([unit for entry in entries for unit in _pieces(*entry)]))
        read = [tuple(next(pieces) for _ in squashing.pieces) for _, squashing, _ in entries]
        several = [i for i, (_, squashing, _) in enumerate(entries) if not squashing.is_one_unit]
        values = {i: registers[0] for i, registers in enumerate(read)}
        if several:
            values |= zip(several, self.add([_sum(*entries[i][:2], read[i]) for i in several]), strict=True)
        return tuple(values.values())


def _before(unit: Unit, squashing: Squashing) -> Unit:
    """Return the unit of the sum that a squashing is applied to; an activation is applied at once."""
    return Unit(
        name=unit.name if squashing.is_activation else f"net {unit.name}",
        bias=unit.bias,
        linear=unit.linear,
        bilinear=unit.bilinear,
        activation=squashing.pieces[0].activation if squashing.is_activation else unit.activation,
    )


def _pieces(name: str, squashing: Squashing, register: int) -> list[Unit]:
    return [
        Unit(
            name=name if squashing.is_one_unit else f"piece {k} of {name}",
            bias=piece.offset,
            linear=((register, piece.scale),),
            activation=piece.activation,
        )
        for k, piece in enumerate(squashing.pieces)
    ]


def _sum(name: str, squashing: Squashing, registers: Registers) -> Unit:
    terms = zip(registers, (piece.factor for piece in squashing.pieces), strict=True)
    return Unit(name=name, bias=squashing.offset, linear=tuple(terms))


def recurrent_network(
    *,
    circuit: Circuit,
    initial_state: Sequence[mpq],
    read: range,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber],
    alphabet: Iterable[str] | None,
    name: str,
) -> Network:
    """Return the network of a cell's circuit with a linear readout.

    Parameters
    ----------
    circuit : Circuit
    initial_state : vector of length d'
    read : range
        The state components that the readout reads: all, or those of the top layer.
    readout_weight : vector of length len(read), or matrix (k by len(read))
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector of length k
    alphabet : iterable of str, optional
        Symbols read as one-hot vectors; with "EOS" among them the protocol is that of intermediate steps, else a
        word is accepted if the output after it is above 0. Without it the network reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If the parts do not fit each other, or an entry is not an exact number.
    """
    readout, scalar = _readout(readout_weight, readout_bias, read)
    symbols = None if alphabet is None else _symbols(alphabet)
    return Network(
        circuit=circuit,
        initial_state=tuple(initial_state),
        readout=readout,
        alphabet=symbols,
        decision=_decision(symbols, scalar),
        scalar_output=scalar,
        name=name,
    )


def _readout(weight: Any, bias: Any, top: range) -> tuple[tuple[Unit, ...], bool]:
    """Return the readout of the top layer, and whether it is a single number."""
    entries = sequence(weight, "readout_weight", "a vector or a matrix of exact numbers")
    scalar = not (entries and is_sequence(entries[0]))
    rows: tuple[tuple[mpq, ...], ...]
    if scalar:
        rows = (exact_vector(entries, "readout_weight", size=len(top)),)
    else:
        rows = exact_matrix(entries, "readout_weight", width=len(top))
    if is_sequence(bias):
        biases = exact_vector(bias, "readout_bias", size=len(rows))
    else:
        biases = (exact_entry(bias, "readout_bias"),) * len(rows)
    units = tuple(
        affine_unit("output" if scalar else f"output[{i}]", zip(top, row, strict=True), biases[i], Activation.IDENTITY)
        for i, row in enumerate(rows)
    )
    return units, scalar


def _symbols(alphabet: Iterable[str]) -> tuple[str, ...]:
    if not isinstance(alphabet, str) and not is_sequence(alphabet):
        raise NetworkError(f"alphabet is {shown(alphabet)}: give a sequence of symbols, one per input component")
    return tuple(entries("alphabet", alphabet, error=NetworkError))


def _decision(alphabet: tuple[str, ...] | None, scalar: bool) -> Decision:
    if alphabet is None or not scalar:
        return Decision(protocol=Protocol.OUTPUTS)
    has_eos = any(isinstance(symbol, str) and symbol == EOS for symbol in alphabet)  # an array is no symbol
    return Decision(protocol=Protocol.EOS_VERDICT if has_eos else Protocol.END_OF_WORD)
