"""The units of a step while a cell is written down: rows of sums and products, and squashings of them."""

from collections.abc import Mapping, Sequence

from gmpy2 import mpq

from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.activation import Activation
from exactnn.networks.circuit import Unit
from exactnn.networks.squashing import Squashing

__all__ = ["Registers", "StepUnits", "additions", "complements", "rows"]

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
