"""Synthetic tasks on which layers and products are told apart, each with a network that solves it exactly."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.depth.delay import delay
from exactnn.depth.linear_rnn import LinearRNN
from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Vector, identity
from exactnn.matrices import exact_matrix
from exactnn.networks import Network, SecondOrderRNNLayer, StackedRNN
from exactnn.options import choice, whole_number

__all__ = ["SYNTHETIC_TASKS", "SyntheticTask", "synthetic_task"]

ZERO, ONE = mpq(0), mpq(1)

MOST_UNITS = 100
"""Of a layer, whose products are a matrix for each unit."""

Vectors = Sequence[Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticTask:
    """A function of sequences of vectors, and a network that computes it.

    Parameters
    ----------
    name : str
    formula : str
        The output after step t, entry by entry; x(t) with t < 1 is 0.
    size : int
        Of inputs and of outputs.
    lag : int
    network : Network
        Of linear or second-order layers: its outputs are the targets, exactly.
    """

    name: str
    formula: str
    size: int
    lag: int
    network: Network

    def targets(self, word: Sequence[Sequence[ExactNumber]]) -> tuple[Vector, ...]:
        """Return the outputs after each input, by the formula.

        Raises
        ------
        NetworkError, NumberError
            If an input has another size, or an entry is no exact number.

        Examples
        --------
        >>> [str(y) for (y,) in synthetic_task("temporal product", size=1).targets([[2], [3], [5]])]
        ['0', '6', '15']
        """
        vectors = exact_matrix(word, "word", width=self.size)
        return tuple(_KINDS[self.name].targets(vectors, self.size, self.lag))


def synthetic_task(name: str, *, size: int = 5, lag: int | None = None) -> SyntheticTask:
    """Return a task of this name: "copy", "power", "temporal product", "state-tracking product" or "parity".

    Parameters
    ----------
    name : str
    size : int
        Entries of an input; every output is computed entry by entry.
    lag : int, optional
        How many steps before the factors or the copied input are: 8 of the copy, else 1. The state-tracking product and
        parity have none.

    Raises
    ------
    OptionError
        If there is no such task, a number is out of range, the network has more than 100 units, or there is no lag.

    Notes
    -----
    The names are those of "On the role of depth in the expressivity of RNNs", arXiv 2604.02201; the formulas are ours.
    A copy is a delay of :func:`delay`. Products of two inputs are sums of what a layer keeps times what it reads: one
    second-order layer has them where the factors are read at different steps, and two layers where they are not.

    Examples
    --------
    >>> task = synthetic_task("power", size=1)
    >>> task.formula
    'x(t - 1)^2'
    >>> from exactnn.simulation import run
    >>> [str(y) for (y,) in run(task.network, [[2], [3], [5]]).outputs]
    ['0', '4', '9']
    """
    choice("name", name, _KINDS)
    kind = _KINDS[name]
    size = whole_number("size", size, least=1, most=MOST_UNITS)
    if kind.lag is None:
        if lag is not None:
            raise OptionError(f"lag={shown(lag)}: the task {name!r} has none")
        steps = 0
    else:
        steps = kind.lag if lag is None else whole_number("lag", lag, least=1, most=MOST_UNITS)
    if size * (steps + 1) > MOST_UNITS:
        raise OptionError(f"size={size} and lag={steps} take {size * (steps + 1):,} units: at most {MOST_UNITS:,}")
    network = replace(kind.network(size, steps), name=name)
    return SyntheticTask(name=name, formula=kind.formula.format(lag=steps), size=size, lag=steps, network=network)


# --- The networks. A layer that remembers has blocks of `size` units: the first is what it reads, each other one what
# the block before it was one step ago.


def _matrix(height: int, width: int, ones: Iterable[tuple[int, int]]) -> list[list[mpq]]:
    places = set(ones)
    return [[mpq((i, j) in places) for j in range(width)] for i in range(height)]


def _memory(size: int, blocks: int, units: int, read: int, first: int = 0) -> dict[str, Any]:
    """Return U and V of a layer whose first blocks remember the numbers of what it reads from `first` on."""
    passed_on = ((i, i - size) for i in range(size, blocks * size))
    return {
        "U": _matrix(units, units, passed_on),
        "V": _matrix(units, read, ((i, first + i) for i in range(size))),
    }


def _products(units: int, read: int, factors: Iterable[tuple[int, int, int]], weight: int = 1) -> list[Any]:
    """Return A: unit i is the product of number j of the state and number k of what is read, for each (i, j, k)."""
    found = [[[ZERO] * read for _ in range(units)] for _ in range(units)]
    for i, j, k in factors:
        found[i][j][k] = mpq(weight)
    return found


def _layer(units: int, start: int = 0, **weights: Any) -> SecondOrderRNNLayer:
    return SecondOrderRNNLayer(s=[mpq(start)] * units, **weights)


def _network(size: int, *layers: SecondOrderRNNLayer) -> Network:
    """Return the network of layers that gives the last numbers of its state."""
    units = len(layers[-1].s)
    last = _matrix(size, units, ((i, units - size + i) for i in range(size)))
    return StackedRNN(layers, readout_weight=last)


def _copy(size: int, lag: int) -> Network:
    found = delay(lag, units=size * (lag + 1), layers=1, inputs=size)
    return LinearRNN(layers=found.layers, readout=found.readout).network  # one output is a vector, too


def _power(size: int, lag: int) -> Network:
    """Two layers: x(t - lag) is in the upper one, where it was kept a step ago, and in the lower one."""
    lower = size * (lag + 1)
    upper = 2 * size
    squares = ((size + i, i, lower - size + i) for i in range(size))
    return _network(
        size,
        _layer(lower, A=_products(lower, size, ()), **_memory(size, lag + 1, lower, size)),
        _layer(upper, A=_products(upper, lower, squares), **_memory(size, 1, upper, lower, lower - 2 * size)),
    )


def _temporal_product(size: int, lag: int) -> Network:
    """One layer: what it has kept for a step less, times what it reads."""
    units = size * (lag + 1)
    factors = ((units - size + i, units - 2 * size + i, i) for i in range(size))
    return _network(size, _layer(units, A=_products(units, size, factors), **_memory(size, lag, units, size)))


def _state_tracking(size: int, lag: int) -> Network:
    """One layer: what it has, times what it reads."""
    return _network(size, _layer(size, 1, A=_products(size, size, ((i, i, i) for i in range(size)))))


def _parity(size: int, lag: int) -> Network:
    """One layer: what it has, times 1 - 2 x."""
    signs = _products(size, size, ((i, i, i) for i in range(size)), -2)
    return _network(size, _layer(size, 1, A=signs, U=identity(size)))


# --- The formulas.


def _delayed(word: Vectors, size: int, lag: int) -> list[Vector]:
    return [(ZERO,) * size] * min(lag, len(word)) + list(word[: max(0, len(word) - lag)])


def _entrywise(x: Vector, y: Vector) -> Vector:
    return tuple(a * b for a, b in zip(x, y, strict=True))


def _running_product(word: Vectors, size: int) -> list[Vector]:
    return list(accumulate(word, _entrywise, initial=(ONE,) * size))[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """A task of any size: its formula as text, the lag unless another is given, its network, its outputs."""

    formula: str
    lag: int | None
    network: Callable[[int, int], Network]
    targets: Callable[[Vectors, int, int], list[Vector]]


_KINDS = {
    "copy": _Kind(formula="x(t - {lag})", lag=8, network=_copy, targets=_delayed),
    "power": _Kind(
        formula="x(t - {lag})^2",
        lag=1,
        network=_power,
        targets=lambda word, size, lag: [_entrywise(x, x) for x in _delayed(word, size, lag)],
    ),
    "temporal product": _Kind(
        formula="x(t) x(t - {lag})",
        lag=1,
        network=_temporal_product,
        targets=lambda word, size, lag: list(map(_entrywise, word, _delayed(word, size, lag))),
    ),
    "state-tracking product": _Kind(
        formula="x(1) x(2) ... x(t)",
        lag=None,
        network=_state_tracking,
        targets=lambda word, size, lag: _running_product(word, size),
    ),
    "parity": _Kind(
        formula="(1 - 2 x(1)) (1 - 2 x(2)) ... (1 - 2 x(t)): -1 to the number of ones",
        lag=None,
        network=_parity,
        targets=lambda word, size, lag: _running_product([tuple(1 - 2 * x for x in v) for v in word], size),
    ),
}

SYNTHETIC_TASKS = tuple(_KINDS)
"""The names of all tasks."""
