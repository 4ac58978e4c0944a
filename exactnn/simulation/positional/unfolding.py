"""A network that reads few numbers of its state, as one whose state is these: y = Vx.

The units of a network read its state x in sums. Where many units read few different sums, V has one row for each of as
many of these as are independent, and every sum is a sum of them: U y. So the network x' = act(U V x + ...) has the same
outputs as y' = V act(U y + ...). Of the latter's units the first ones are those of the former, and the last layer adds
them up. A construction of hundreds of units for two stacks has a dozen such numbers, each of which holds one stack.

The rows of V are a reduced echelon form. Its leading 1s are in components that are read like many others, which lets
every row be about one part of the construction. Each row is given the sign with which its number is positive in a few
steps of the network, since the engine's long numbers are in (0, 1).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from gmpy2 import mpq

from exactnn.errors import SizeLimitError
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Activation, Input, Network, Unit
from exactnn.networks.circuit import affine_unit, weights_by_register
from exactnn.simulation.common_denominator import CommonDenominatorExecutor
from exactnn.simulation.lowest_terms import LowestTermsExecutor
from exactnn.simulation.positional.projection import Projection
from exactnn.simulation.positional.radix import radix_of

__all__ = ["unfolded"]

ZERO = mpq(0)

WORTH_WHILE = 4
"""How many times fewer the numbers must be."""
MOST_NUMBERS, MOST_KINDS = 64, 512
"""Numbers of the smaller state, and kinds of components of the full one: so many that finding them takes no time."""
LOOKED_AT, RUNS = 300_000, 4
"""Weights that are applied to see which signs numbers have, or more in one run; and how many runs at most."""
LETTERS, STEPS = 8, 32
"""Of such a run: random letters, and then one letter so often."""

Row = dict[int, mpq]


def unfolded(network: Network) -> Projection | None:
    """Return the network whose state is what the units of this one read of its state; None if that is not much less.

    Examples
    --------
    Four units that read their sum:

    >>> from exactnn.networks import SimpleRNN
    >>> rnn = SimpleRNN(V=[["1/8"] * 4] * 4, W=[[1], [1], [0], [0]], b=[0] * 4, s=[1] * 4, readout_weight=[1] * 4)
    >>> found = unfolded(rnn)
    >>> found.network.initial_state, [unit.linear for unit in found.network.readout]
    ((mpq(4,1),), [((0, mpq(1,1)),)])
    """
    circuit = network.circuit
    size = circuit.state_size
    readers = [*(unit for layer in circuit.layers for unit in layer), *network.readout]
    if any(unit.bilinear for unit in readers):  # squares may grow without bound in the runs that tell signs
        return None
    if any(register < size + circuit.input_size for register in circuit.next_state):
        return None
    basis = _basis([_reads(unit, size) for unit in readers], size // WORTH_WHILE)
    if basis is None:
        return None
    homes, rows = basis
    try:
        signs = _signs(network, rows)
    except SizeLimitError:
        return None
    rows = [{i: sign * weight for i, weight in row.items()} for sign, row in zip(signs, rows, strict=True)]
    projection = Projection(network, tuple(tuple(row.items()) for row in rows), tuple(homes), size)
    return replace(projection, network=_smaller(network, projection))


def _smaller(network: Network, projection: Projection) -> Network:
    """Return the network of the numbers of a projection."""
    circuit, rows = network.circuit, projection.rows
    size, moved = circuit.state_size, len(rows) - circuit.state_size
    homes = {home: (i, dict(row)[home]) for i, (row, home) in enumerate(zip(rows, projection.homes, strict=True))}

    def renewed(unit: Unit) -> Unit:
        reads = weights_by_register(term for term in unit.linear if term[0] in homes)  # no two rows have one
        numbers = sorted([(homes[home][0], weight / homes[home][1]) for home, weight in reads.items()])
        others = [(register + moved, weight) for register, weight in unit.linear if register >= size]
        return replace(unit, linear=(*numbers, *others))

    sums = []
    for i, row in enumerate(rows):
        weights = weights_by_register((circuit.next_state[component] + moved, weight) for component, weight in row)
        sums.append(affine_unit(f"sum {i}", weights, ZERO, Activation.IDENTITY))
    first = len(rows) + circuit.input_size + circuit.units
    smaller = replace(
        circuit,
        state_size=len(rows),
        layers=(*(tuple(map(renewed, layer)) for layer in circuit.layers), tuple(sums)),
        next_state=tuple(range(first, first + len(rows))),
    )
    start = tuple(map(mpq, projection.project(network.initial_state)))
    return replace(network, circuit=smaller, initial_state=start, readout=tuple(map(renewed, network.readout)))


def _reads(unit: Unit, size: int) -> Row:
    """Return the weights with which a unit reads the components of the state."""
    return weights_by_register(term for term in unit.linear if term[0] < size)


def _basis(reads: Sequence[Row], most: int) -> tuple[list[int], list[Row]] | None:
    """Return the components with the leading 1s, and the rows of a reduced echelon form; None if they are too many."""
    columns: defaultdict[int, list[tuple[int, mpq]]] = defaultdict(list)
    for number, row in enumerate(reads):
        for component, weight in row.items():
            columns[component].append((number, weight))
    alike: dict[tuple[tuple[int, mpq], ...], list[int]] = {}
    for component in sorted(columns):
        alike.setdefault(tuple(columns[component]), []).append(component)
    kinds = sorted(alike.values(), key=lambda components: (-len(components), components[0]))
    if len(kinds) > MOST_KINDS:
        return None
    rows = list(dict.fromkeys([tuple([row.get(kind[0], ZERO) for kind in kinds]) for row in reads if row]))
    most = min(most, MOST_NUMBERS)
    if not rows or _have_more(rows, most):
        return None
    with Uninterrupted("loading numpy"):  # only here, since that takes long
        from exactnn.linear_algebra import reduced_rows

    reduced, leading = reduced_rows(rows)
    if len(reduced) > most:
        return None
    found = [{i: weight for weight, kind in zip(row, kinds, strict=True) if weight for i in kind} for row in reduced]
    return [kinds[column][0] for column in leading], found


def _have_more(rows: Sequence[tuple[mpq, ...]], most: int) -> bool:
    """Return whether more rows are seen to be independent: those that begin at other places, or are modulo a prime."""
    if len({next(i for i, weight in enumerate(row) if weight) for row in rows}) > most:
        return True
    with Uninterrupted("loading numpy"):
        from exactnn.linear_algebra import ModularRows, UnluckyPrimeError, primes

    space = ModularRows(len(rows[0]), next(primes()))
    try:
        for row in rows:
            space.add(space.reduced(row))
            if len(space) > most:
                return True
    except UnluckyPrimeError:
        return True
    return False


def _signs(network: Network, rows: Sequence[Row]) -> list[int]:
    """Return the sign that each sum of components has most often in some runs, where it is not 0; 1 in doubt.

    What the engine does with a network must depend on that alone, since it is found anew where a run is resumed.
    """
    votes = [0] * len(rows)
    for state in _states(network):
        for i, row in enumerate(rows):
            total = sum((weight * state[component] for component, weight in row.items() if state[component]), ZERO)
            votes[i] += (total > 0) - (total < 0)
    return [-1 if vote < 0 else 1 for vote in votes]


def _states(network: Network) -> Iterator[tuple[mpq, ...]]:
    """Yield states of a few runs: random letters, and the end of the word if words have one, else one letter."""
    random = Random(0)
    inputs: Sequence[Input] = range(network.circuit.input_size) or [()]
    letters = [letter for letter in inputs if letter != network.eos] or inputs
    runs = LOOKED_AT // max(1, network.circuit.weights * (LETTERS + STEPS))
    # Layers in lowest terms are known from the first steps of a run; but without a common base these take long.
    executor: Any = (CommonDenominatorExecutor if radix_of(network) is None else LowestTermsExecutor)(network)
    for _ in range(min(max(1, runs), RUNS)):
        ending = random.choice(letters) if network.eos is None else network.eos
        state = executor.start()
        for letter in [*random.choices(letters, k=LETTERS), *[ending] * STEPS]:
            state = executor.advance(state, letter, 1, until_decided=False).state
            yield executor.values(state)
