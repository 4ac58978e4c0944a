"""The degree of a second-order network's output as a polynomial in its inputs."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from gmpy2 import mpq

from exactnn.errors import OptionError, SizeLimitError, shown
from exactnn.linear_algebra import Vector, polynomial, polynomial_product, polynomial_sum
from exactnn.markup import Table, Tabular
from exactnn.networks import Activation, AnyNetwork, Network, Unit, network_of
from exactnn.options import whole_number

__all__ = ["PolynomialDegree", "polynomial_degree"]

ZERO = mpq(0)

MOST = 1_000
"""The largest degree that is computed with."""

MOST_STEPS = 10_000

NOTHING = -1
"""Stands for the degree of 0."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PolynomialDegree(Tabular):
    """The degree of an output as a polynomial in the inputs.

    Parameters
    ----------
    steps : int
    input : int or None
        The step whose input alone is varied, from 1 on; None if all are.
    degree : int
        Attained on the line of the witness, and so proven as a lower bound; -1 of an output that is 0 there.
    bound : int
        What no output of a network with these connections exceeds; -1 if the output is 0.
    base, direction : tuples of vectors
        The witness: with the inputs ``base + s direction`` the output is a polynomial in s of this degree.
    leading : mpq
        Its leading coefficient: the finite difference of order `degree` over ``degree!``, exactly.
    """

    steps: int
    input: int | None
    degree: int
    bound: int
    base: tuple[Vector, ...]
    direction: tuple[Vector, ...]
    leading: mpq

    @property
    def is_exact(self) -> bool:
        """Whether the degree is proven to be that: it is the bound."""
        return self.degree == self.bound

    def __repr__(self) -> str:
        bound = "" if self.is_exact else f", at most {self.bound}"
        return f"<PolynomialDegree {self.degree}{bound} after {self.steps} step{'s' * (self.steps != 1)}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        varied = "all inputs" if self.input is None else f"the input of step {self.input}"
        degree = str(self.degree) if self.is_exact else f"at least {self.degree}, at most {self.bound}"
        return Table.of_fields("degree", {"steps": self.steps, "in": varied, "degree": degree})


def polynomial_degree(network: AnyNetwork, steps: int, input: int | None = None, *, seed: int = 0) -> PolynomialDegree:
    """Return the degree of the output after some steps as a polynomial in the inputs, with points that show it.

    Units have no activation but the identity, so that sums and products are all there is. The bound follows from the
    connections: products add degrees. The degree is that on a line through random points, in exact polynomials;
    where both agree it is proven. It is one less than it could be only if all terms of that degree cancel there.

    Parameters
    ----------
    network : Network or Construction
        With one output. Of one that reads symbols the inputs are vectors, all the same.
    steps : int
        At most 10,000.
    input : int, optional
        Vary the input of this step only, from 1 on; by default all.
    seed : int
        Of the points.

    Raises
    ------
    OptionError
        If a unit has another activation, there are several outputs, or a number is out of range.
    SizeLimitError
        If the bound is above 1,000.

    Notes
    -----
    Of L layers of second-order units, each ``h_l(t) = h_l(t-1) h_(l-1)(t)``, the degree is binom(t + L - 1, L) after t
    steps, and binom(t + L - 2, L - 1) in the first input alone; no network of L such layers has more.

    Examples
    --------
    >>> from exactnn.networks import SecondOrderRNNLayer, StackedRNN
    >>> layer = SecondOrderRNNLayer(A=[[[1]]], s=[1])
    >>> two = StackedRNN([layer, layer], readout_weight=[1])
    >>> [polynomial_degree(two, t).degree for t in range(1, 5)], polynomial_degree(two, 4, input=1).degree
    ([1, 3, 6, 10], 4)
    """
    core = network_of(network)
    steps = whole_number("steps", steps, most=MOST_STEPS)
    if not core.scalar_output:
        raise OptionError(f"{core.name} has several outputs: give a network with one")
    if input is not None:
        input = whole_number("input", input, least=1, most=max(1, steps), otherwise="None for all")
    for unit in (*(unit for layer in core.circuit.layers for unit in layer), *core.readout):
        if unit.activation != Activation.IDENTITY:
            raise OptionError(
                f"unit {shown(unit.name)} of {core.name} has the activation {unit.activation}: that is no polynomial"
            )
    varied = [input is None or step + 1 == input for step in range(steps)]
    bound = _bound(core, varied)
    if bound > MOST:
        raise SizeLimitError(f"the degree may be above {MOST:,}, which is the most that is computed: give fewer steps")
    random = Random(whole_number("seed", seed))
    size = core.circuit.input_size

    def vector(all_zero: bool) -> Vector:
        return tuple(ZERO if all_zero else mpq(random.randint(1, 99)) for _ in range(size))

    base, direction = tuple(vector(False) for _ in varied), tuple(vector(not moves) for moves in varied)
    found = _output(core, base, direction)
    return PolynomialDegree(
        steps=steps,
        input=input,
        degree=len(found) - 1,
        bound=bound,
        base=base,
        direction=direction,
        leading=found[-1] if found else ZERO,
    )


def _bound(network: Network, varied: list[bool]) -> int:
    """Return what the degree of no output exceeds, by the degrees of sums and products."""
    circuit = network.circuit
    state = [0 if x else NOTHING for x in network.initial_state]

    def of_unit(unit: Unit, registers: list[int]) -> int:
        found = [0 if unit.bias else NOTHING]
        found += [registers[register] for register, weight in unit.linear if weight]
        for first, second, weight in unit.bilinear:
            if weight and NOTHING not in (registers[first], registers[second]):
                found.append(registers[first] + registers[second])
        return max(found)

    for moves in varied:
        registers = [*state, *[int(moves)] * circuit.input_size]
        for layer in circuit.layers:
            registers += [of_unit(unit, registers) for unit in layer]
        state = [registers[register] for register in circuit.next_state]
    return of_unit(network.readout[0], state)


def _output(network: Network, base: tuple[Vector, ...], direction: tuple[Vector, ...]) -> Vector:
    """Return the output as a polynomial in s, with the inputs base + s direction."""
    circuit = network.circuit
    state = [polynomial([x]) for x in network.initial_state]

    def of_unit(unit: Unit, registers: list[Vector]) -> Vector:
        total = polynomial([unit.bias])
        for register, weight in unit.linear:
            total = polynomial_sum(total, registers[register], weight)
        for first, second, weight in unit.bilinear:
            total = polynomial_sum(total, polynomial_product(registers[first], registers[second]), weight)
        return total

    for begin, along in zip(base, direction, strict=True):
        registers = [*state, *(polynomial(line) for line in zip(begin, along, strict=True))]
        for layer in circuit.layers:
            registers += [of_unit(unit, registers) for unit in layer]
        state = [registers[register] for register in circuit.next_state]
    return of_unit(network.readout[0], state)
