"""Word problems of groups as linear recurrences: by permutation matrices, swaps, signs, and rotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import lcm
from typing import Any

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import FloatFormat, is_finite
from exactnn.automata import DFA, LOST, Permutation, PermutationGroup, cycles_of, swaps_of, then
from exactnn.constructions.construction import Codec, Configuration, Construction, reject_reserved
from exactnn.constructions.stack_numbers import readable
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.networks import Decision, DeltaProduct, LinearRecurrence, Network, Protocol, SelectiveSSM
from exactnn.options import choice
from exactnn.simulation import Values

__all__ = ["word_problem"]

MINUS_ONE, HALF = mpq(-1), mpq(1, 2)
GRAZZI = (
    "R. Grazzi et al., Unlocking state-tracking in linear RNNs through negative eigenvalues, 2024, arXiv:2411.12537"
)
MOST_WEIGHTS = 2_000_000
ROOT_BITS = 300
"""Of a cosine that no format is named for: enough for its rounding to any format to be that of the real number."""


def word_problem(
    group: PermutationGroup | str, cell: str = "delta_product", *, weights: FloatFormat | None = None
) -> Construction:
    """Return a linear recurrence that says after each word of generators whether their product is the identity.

    Parameters
    ----------
    group : PermutationGroup, or its name
        Such as "S5", "A5" or "Z7".
    cell : str
        "delta_product": a permutation is a product of swaps, and a swap is a delta step with the key e_i - e_j and
        strength 1. As many steps for each letter as a generator needs swaps. "permutation": a letter multiplies by its
        permutation matrix. "diagonal": a letter multiplies some numbers by -1, for groups in which every element is its
        own inverse; no other group has a diagonal matrix of rationals for each element. "rotation": the first generator
        of a cyclic group of k elements turns the plane by the k-th part of a circle. The others run in every format
        that has -1, 0, 1 and 2; a rotation has irrational numbers.
    weights : FloatFormat, optional
        Of a rotation: the format that cosines and sines are rounded to. Else they have 300 bits.

    Raises
    ------
    MachineError
        If there is no such group.
    ConstructionError
        If the group has no such network, or the network has more than two million weights.
    OptionError
        If there is no such cell, or `weights` is given for another cell than "rotation".

    Notes
    -----
    A permutation of n places with c cycles, those of one place included, is a product of n - c swaps, and no fewer
    reflections of any kind give its matrix. An element of order p^a other than 2 needs at least phi(p^a) factors
    1 - beta k k' over the rationals, in any representation: A5 needs four, and has four here. Over the reals
    two suffice for a rotation, but no format has its numbers.

    References
    ----------
    R. Grazzi et al., "Unlocking state-tracking in linear RNNs through negative eigenvalues", 2024, arXiv:2411.12537;
    W. Merrill, J. Petty and A. Sabharwal, "The illusion of state in state-space models", 2024, arXiv:2404.08819.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = word_problem("A5")
    >>> net, run(net, "aaabbbbb").verdict.value, net.decode(run(net, "ab").final_state)
    (<word_problem of word problem of A5: 25 neurons>, 'accept', '(1 3 2 4 5)')
    """
    choice("cell", cell, _CELLS)
    if weights is not None and (cell != "rotation" or not isinstance(weights, FloatFormat)):
        raise OptionError(f"weights={shown(weights)}: give a FloatFormat with cell='rotation', or leave it out")
    found = group if isinstance(group, PermutationGroup) else PermutationGroup(group)
    reject_reserved(found.symbols)
    if cell == "rotation":
        return _rotation(found, weights)
    return _CELLS[cell](found)


def _construction(
    dfa: DFA, network: Network, codec: Codec, claim: str, citation: str, weight_field: str = "Z"
) -> Construction:
    return Construction(
        name="word_problem",
        machine=dfa,
        network=network,
        codec=codec,
        steps_per_move=1,
        set_up=(0, 0),
        claim=claim,
        citation=citation,
        weight_field=weight_field,
    )


def _deciding(network: Network, threshold: mpq) -> Network:
    return replace(network, decision=Decision(protocol=Protocol.END_OF_WORD, threshold=threshold))


# --- By matrices of permutations: the state is a permutation matrix, row by row.


class _MatrixCodec(Codec):
    """Reads and writes a permutation as a matrix with one 1 in each row and each column."""

    def __init__(self, group: PermutationGroup) -> None:
        self._group = group

    def encode(self, configuration: Configuration) -> Values:
        element = _element(self._group, configuration)
        return tuple(mpq(j == image) for image in element for j in range(self._group.degree))

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        size = self._group.degree
        values = readable(range(size * size), state)
        ones = [i for i in range(size * size) if values.get(i, mpq(0)) > HALF]
        images = tuple(i % size for i in ones)
        if [i // size for i in ones] != list(range(size)) or len(set(images)) != size:
            return LOST
        return self._group.printed(images)


def _element(group: PermutationGroup, configuration: Configuration) -> Permutation:
    if not isinstance(configuration, str) or configuration not in _printed(group):
        raise ConstructionError(f"{shown(configuration)} is not an element of {group.name}: give one as '(1 2)(3 4)'")
    return _printed(group)[configuration]


def _printed(group: PermutationGroup) -> dict[str, Permutation]:
    return {group.printed(element): element for element in group.elements}


def _moved(size: int) -> list[int]:
    """Return the readout of a matrix: -1 for each entry beside the diagonal, so 0 exactly for the identity."""
    return [0 if i == j else -1 for i in range(size) for j in range(size)]


def _unit_matrix(size: int) -> list[list[int]]:
    return [[int(i == j) for j in range(size)] for i in range(size)]


def _delta_product(group: PermutationGroup) -> Construction:
    size = group.degree
    swaps = {symbol: swaps_of(element) for symbol, element in group.generators.items()}
    factors = max(1, *map(len, swaps.values()))
    _check_size(group, factors * size * size * 3)

    def entry(symbol: str, factor: int, place: int) -> int:
        if factor >= len(swaps[symbol]):
            return 0
        first, second = swaps[symbol][factor]
        return int(place == first) - int(place == second)

    network = DeltaProduct(
        K=[[[entry(a, f, j) for a in group.symbols] for j in range(size)] for f in range(factors)],
        beta=[[1] * len(group.symbols)] * factors,
        S=_unit_matrix(size),
        readout_weight=_moved(size),
        alphabet=group.symbols,
        name=f"word_problem({group.name})",
    )
    return _construction(
        group.automaton(),
        _deciding(network, MINUS_ONE),
        _MatrixCodec(group),
        f"After w the state is the permutation matrix of the product of w, by {factors} swaps for each letter, and "
        "the output is 0 if it is the identity and at most -2 if not, for every w, in every format that has -1, 0, 1 "
        "and 2.",
        "Householder products for permutations: J. Siems et al., DeltaProduct, 2025, arXiv:2502.10297; the integer "
        "keys are exactnn's own",
    )


def _permutation(group: PermutationGroup) -> Construction:
    size, symbols = group.degree, group.symbols
    _check_size(group, size**4 * len(symbols))
    inverse = {a: {image: i for i, image in enumerate(element)} for a, element in group.generators.items()}
    places = [(i, j) for i in range(size) for j in range(size)]
    network = LinearRecurrence(
        A=[[[int(k == i and inverse[a][j] == m) for a in symbols] for k, m in places] for i, j in places],
        s=[int(i == j) for i, j in places],
        readout_weight=_moved(size),
        alphabet=symbols,
        name=f"word_problem({group.name})",
    )
    return _construction(
        group.automaton(),
        _deciding(network, MINUS_ONE),
        _MatrixCodec(group),
        "After w the state is the permutation matrix of the product of w, and the output is 0 if it is the identity "
        "and at most -2 if not, for every w, in every format that has -1, 0 and 1.",
        "W. Merrill, J. Petty, A. Sabharwal, The illusion of state in state-space models, 2024, arXiv:2404.08819",
    )


def _check_size(group: PermutationGroup, weights: int) -> None:
    if weights > MOST_WEIGHTS:
        raise ConstructionError(
            f"{group.name} moves {group.degree} places, so that its network has about {weights:,} weights: give a "
            "group of fewer places"
        )


# --- By signs: a group in which every element is its own inverse is one of signs.


class _SignCodec(Codec):
    """Reads and writes an element as signs."""

    def __init__(self, signs: Mapping[str, tuple[int, ...]]) -> None:
        self._signs = signs
        self._element = {value: key for key, value in signs.items()}

    def encode(self, configuration: Configuration) -> Values:
        if not isinstance(configuration, str) or configuration not in self._signs:
            raise ConstructionError(f"{shown(configuration)} is not an element of the group: give one as '(1 2)(3 4)'")
        return tuple(map(mpq, self._signs[configuration]))

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        size = len(next(iter(self._element)))
        values = readable(range(size), state)
        if (
            len(values) != size
            or not all(map(is_finite, state))
            or not all(HALF < abs(value) < 1 + HALF for value in values.values())
        ):
            return LOST
        return self._element.get(tuple(1 if values[i] > 0 else -1 for i in range(size)), LOST)


def _diagonal(group: PermutationGroup) -> Construction:
    for symbol, element in group.generators.items():
        if any(len(cycle) > 2 for cycle in cycles_of(element)):
            raise _no_signs(
                group, f"{symbol} = {group.printed(element)} has order {lcm(*map(len, cycles_of(element)))}"
            )
    for a in group.symbols:
        for b in group.symbols:
            if group.product([a, b]) != group.product([b, a]):
                raise _no_signs(group, f"{a} {b} is not {b} {a}")
    signs, columns = _signs(group)
    rank = max(1, len(next(iter(signs.values()))))
    network = SelectiveSSM(
        a=[[columns[a][r] if columns[a] else 1 for a in group.symbols] for r in range(rank)],
        b=[[0] * len(group.symbols)] * rank,
        s=[1] * rank,
        readout_weight=[1] * rank,
        readout_bias=-rank,
        alphabet=group.symbols,
        name=f"word_problem({group.name})",
    )
    whole = {element: value or (1,) for element, value in signs.items()}
    return _construction(
        group.automaton(),
        _deciding(network, MINUS_ONE),
        _SignCodec(whole),
        f"After w the {rank} numbers of the state are the signs of the product of w, and the output is 0 if it is "
        "the identity and at most -2 if not, for every w, in every format that has -1, 0 and 1.",
        GRAZZI,
    )


def _no_signs(group: PermutationGroup, why: str) -> ConstructionError:
    return ConstructionError(
        f"{group.name} has no diagonal network: {why}, but rational diagonal matrices of finite order are signs, which "
        "commute and are their own inverses; give cell='delta_product'"
    )


def _signs(group: PermutationGroup) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """Return the signs of all elements, and those of the generators: each new generator has a number of its own."""
    known: dict[Permutation, tuple[int, ...]] = {group.identity: ()}
    for generator in group.generators.values():
        if generator not in known:
            doubled = {element: (*value, 1) for element, value in known.items()}
            doubled |= {then(element, generator): (*value, -1) for element, value in known.items()}
            known = doubled
    printed = {group.printed(element): value for element, value in known.items()}
    return printed, {a: known[element] for a, element in group.generators.items()}


# --- By rotations of the plane.


class _RotationCodec(Codec):
    """Reads the nearest k-th root of 1."""

    def __init__(self, order: int, names: list[str]) -> None:
        self._names = names
        self._number = {name: j for j, name in enumerate(names)}
        self._roots = [root_of_one(j, order, None) for j in range(order)]

    def encode(self, configuration: Configuration) -> Values:
        if not isinstance(configuration, str) or configuration not in self._number:
            raise ConstructionError(f"{shown(configuration)} is not an element of the group: give one as '(1 2)(3 4)'")
        return self._roots[self._number[configuration]]

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        values = readable(range(2), state)
        if not values or not all(map(is_finite, state)):
            return LOST
        x, y = values.get(0, mpq(0)), values.get(1, mpq(0))
        return self._names[max(range(len(self._roots)), key=lambda j: x * self._roots[j][0] + y * self._roots[j][1])]


def root_of_one(power: int, order: int, format: FloatFormat | None) -> tuple[mpq, mpq]:
    """Return cosine and sine of `power` parts of a circle in `order` parts, correctly rounded to a format.

    Without a format they have 300 bits; where they are rational, they are exact.

    >>> root_of_one(1, 4, None), [float(x) for x in root_of_one(1, 3, None)]
    ((mpq(0,1), mpq(1,1)), [-0.5, 0.8660254037844386])
    """
    eighths = mpq(8 * (power % order), order)
    found = []
    for turned in (eighths, eighths - 2):  # sin x is the cosine of x less a quarter turn
        folded = abs((turned + 4) % 8 - 4)
        exactly = {mpq(0): mpq(1), mpq(4, 3): HALF, mpq(2): mpq(0), mpq(8, 3): -HALF, mpq(4): MINUS_ONE}
        if folded in exactly:
            found.append(exactly[folded])
            continue
        work: Any = gmpy2.context(precision=ROOT_BITS)
        found.append(mpq(work.cos(work.mul(work.const_pi(), folded / 4))))
    cosine, sine = found
    return (cosine, sine) if format is None else (mpq(format.nearest(cosine)), mpq(format.nearest(sine)))


def _rotation(group: PermutationGroup, weights: FloatFormat | None) -> Construction:
    generator = next(iter(group.generators.values()))
    order = group.order
    powers = [group.identity]
    for _ in range(order - 1):
        powers.append(then(powers[-1], generator))
    if len(set(powers)) != order:
        raise ConstructionError(
            f"{group.name} is not cyclic with the generator {group.printed(generator)}: its rotations are those of the "
            "plane only for a group such as 'Z5'; give cell='delta_product'"
        )
    place = {element: j for j, element in enumerate(powers)}
    steps = {a: place[element] for a, element in group.generators.items()}
    turns = {a: root_of_one(j, order, weights) for a, j in steps.items()}
    symbols = group.symbols
    network = LinearRecurrence(
        A=[
            [[turns[a][0] for a in symbols], [-turns[a][1] for a in symbols]],
            [[turns[a][1] for a in symbols], [turns[a][0] for a in symbols]],
        ],
        s=[1, 0],
        readout_weight=[1, 0],
        alphabet=symbols,
        name=f"word_problem({group.name})",
    )
    threshold = _between(order)
    names = [group.printed(element) for element in powers]
    exactly = order in (1, 2, 4)
    return _construction(
        group.automaton(),
        _deciding(network, threshold),
        _RotationCodec(order, names),
        "After w the state is the root of 1 of the product of w, and the output above the threshold if it is 1, for "
        + (
            "every w."
            if exactly
            else "every w in real numbers; a format rounds its cosines, and may close the circle or leave it."
        ),
        GRAZZI,
        "Z" if exactly else "Q",
    )


def _between(order: int) -> mpq:
    """Return a threshold with few bits between the cosine of one part of a circle and 1."""
    cosine, bits = root_of_one(1, order, None)[0] if order > 1 else mpq(0), 1
    while not cosine < (threshold := 1 - mpq(1, 2**bits)):
        bits += 1
    return threshold


_CELLS: dict[str, Callable[[PermutationGroup], Construction]] = {
    "delta_product": _delta_product,
    "permutation": _permutation,
    "diagonal": _diagonal,
    "rotation": lambda group: _rotation(group, None),
}
