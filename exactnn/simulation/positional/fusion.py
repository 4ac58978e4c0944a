"""Two ReLU units that are one saturated unit: relu(x) - relu(x - 1) = min(1, max(0, x)).

Where every reader of such a pair uses the difference only, a network with the SLU unit in its place has the same
outputs, and numbers above 1 that cancel are never there. Its state is a projection of the full one, with the two
components that hold the pair mapped to their difference.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gmpy2 import mpq

from exactnn.networks import Activation, Network, Unit
from exactnn.networks.circuit import weights_by_register
from exactnn.simulation.executor import unlike
from exactnn.simulation.positional.projection import Projection

__all__ = ["fused"]

ONE, ZERO = mpq(1), mpq(0)

Reads = dict[tuple[int, int | None], mpq]
"""Where a register is read: (unit, the other register of a product or None) -> weight."""


def fused(network: Network) -> Projection | None:
    """Return the network with every pair of ReLU units fused whose difference is all that is used; None without one.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> pair = SimpleRNN(V=[[2, -2], [2, -2]], W=[[1], [1]], b=[0, -1], s=["1/8", 0], readout_weight=[1, -1])
    >>> fusion = fused(pair)
    >>> [(unit.activation.formula, unit.linear) for unit in fusion.network.circuit.layers[0]], fusion.rows
    ([('min(1, max(0, x))', ((0, mpq(2,1)), (1, mpq(1,1))))], (((0, mpq(1,1)), (1, mpq(-1,1))),))
    """
    search = _Search(network)
    return _network_without(network, search.units, search.components) if search.units else None


class _Search:
    """The pairs of a network: of registers of units, and of the state components that hold them."""

    def __init__(self, network: Network) -> None:
        circuit = network.circuit
        self._held: dict[int, list[int]] = {}
        for component, register in enumerate(circuit.next_state):
            self._held.setdefault(register, []).append(component)
        self.units: list[tuple[int, int]] = []
        self.components: list[tuple[int, int]] = []
        at = circuit.state_size + circuit.input_size
        pairs: list[tuple[int, int]] = []
        for units in circuit.layers:
            pairs += [(at + first, at + second) for first, second in _alike(units)]
            at += len(units)
        asked = {register for pair in pairs for register in pair}
        asked |= {component for register in asked for component in self._held.get(register, ())}
        readers = (*(unit for units in circuit.layers for unit in units), *network.readout)
        self._reads = _reads(readers, asked) if pairs else {}
        taken: set[int] = set()
        for first, second in pairs:
            if first not in taken and second not in taken and self._accept(first, second):
                taken |= {first, second}

    def _accept(self, first: int, second: int) -> bool:
        """Take a pair of units if everything that reads or holds them uses the difference only."""
        held = self._held.get(first, []), self._held.get(second, [])
        if not self._opposite(first, second) or not len(held[0]) == len(held[1]) <= 1:
            return False
        for component in zip(*held, strict=True):
            if not self._opposite(*component) or any(c in self._held for c in component):
                return False
            self.components.append(component)
        self.units.append((first, second))
        return True

    def _opposite(self, first: int, second: int) -> bool:
        """Return whether two registers are read with opposite weights only, and never as a product of the two."""
        one, other = self._reads.get(first, {}), self._reads.get(second, {})
        return len(one) == len(other) and all(
            other.get(place) == -weight and place[1] not in (first, second) for place, weight in one.items()
        )


def _alike(units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Yield the ReLU units of a layer whose pre-activations are x and x - 1."""
    kinds = unlike([unit.activation for unit in units])
    are_relu = {name for name, activation in kinds.items() if activation == Activation.RELU}
    relu = [(index, unit) for index, unit in enumerate(units) if id(unit.activation) in are_relu]
    sums = [sum([weight for _, weight in unit.linear], ZERO) for _, unit in relu]  # of x and x - 1 they are alike
    known = {(total, unit.bias) for total, (_, unit) in zip(sums, relu, strict=True)}
    by_form: dict[object, dict[mpq, list[int]]] = {}
    for total, (index, unit) in zip(sums, relu, strict=True):
        if (total, unit.bias - 1) in known or (total, unit.bias + 1) in known:
            by_form.setdefault(_form(unit), {}).setdefault(unit.bias, []).append(index)
    for by_bias in by_form.values():
        for bias, found in by_bias.items():
            yield from ((first, second) for first in found for second in by_bias.get(bias - 1, ()))


def _form(unit: Unit) -> object:
    """Return the pre-activation without its bias, the same for every order of the same terms."""
    linear = tuple(sorted(weights_by_register(unit.linear).items()))
    products: dict[tuple[int, int], mpq] = {}
    for first, second, weight in unit.bilinear:
        both = min(first, second), max(first, second)
        products[both] = products.get(both, ZERO) + weight
    return linear, tuple(sorted((both, weight) for both, weight in products.items() if weight))


def _reads(units: Iterable[Unit], asked: Iterable[int]) -> dict[int, Reads]:
    """Return for each register that is asked for where it is read."""
    found: dict[int, Reads] = {register: {} for register in asked}
    for number, unit in enumerate(units):
        terms: list[tuple[int, int | None, mpq]] = [
            (register, None, weight) for register, weight in unit.linear if register in found
        ]
        for first, second, weight in unit.bilinear:
            terms += [(first, second, weight)] * (first in found) + [(second, first, weight)] * (second in found)
        for register, other, weight in terms:
            reads, place = found[register], (number, other)
            reads[place] = reads[place] + weight if place in reads else weight
    return {register: {place: w for place, w in reads.items() if w} for register, reads in found.items()}


def _network_without(
    network: Network, units: Sequence[tuple[int, int]], components: Sequence[tuple[int, int]]
) -> Projection:
    """Return the network with the first unit of each pair saturated, and nothing of the second."""
    circuit = network.circuit
    dropped = {second for pair in (units, components) for _, second in pair}
    saturated = {first for first, _ in units}
    new: dict[int, int] = {}
    for register in range(circuit.state_size + circuit.input_size + circuit.units):
        if register not in dropped:
            new[register] = len(new)
    layers = []
    at = circuit.state_size + circuit.input_size
    for layer in circuit.layers:
        kept = [(at + i, unit) for i, unit in enumerate(layer) if at + i not in dropped]
        layers.append(tuple(_renumbered(unit, new, register in saturated) for register, unit in kept))
        at += len(layer)
    second_of = dict(components)
    homes = tuple(i for i in range(circuit.state_size) if i not in dropped)
    rows = tuple(((i, ONE), (second_of[i], -ONE)) if i in second_of else ((i, ONE),) for i in homes)
    smaller = replace(
        circuit,
        state_size=len(homes),
        layers=tuple(layers),
        next_state=tuple(new[circuit.next_state[i]] for i in homes),
    )
    readout = tuple(_renumbered(unit, new, False) for unit in network.readout)
    pairs = tuple(number for number, i in enumerate(homes) if i in second_of)
    projection = Projection(network, rows, homes, circuit.state_size, pairs)
    start = tuple(map(mpq, projection.project(network.initial_state)))
    return replace(projection, network=replace(network, circuit=smaller, initial_state=start, readout=readout))


def _renumbered(unit: Unit, new: dict[int, int], saturated: bool) -> Unit:
    """Return the unit without its terms in registers that are gone."""
    return replace(
        unit,
        linear=tuple((new[register], weight) for register, weight in unit.linear if register in new),
        bilinear=tuple((new[a], new[b], weight) for a, b, weight in unit.bilinear if a in new and b in new),
        activation=Activation.SLU if saturated else unit.activation,
    )
