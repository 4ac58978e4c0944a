"""The delay law: layers of n units delay by so many steps as they have units to spare, and by no more."""

from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.depth.linear_rnn import LinearRNN
from exactnn.errors import ConstructionError
from exactnn.files import DataTable
from exactnn.markup import Table
from exactnn.options import whole_number

__all__ = ["DepthParameters", "delay", "delay_is_realisable", "depth_parameters"]

ZERO, ONE = mpq(0), mpq(1)

MOST = 10**12
"""Of steps, units, layers and inputs that are spoken of."""
MOST_WEIGHTS = 10_000_000
"""Entries of all matrices of a network that is built."""


def delay_is_realisable(p: int, *, units: int, layers: int, inputs: int = 1) -> bool:
    """Return whether linear layers realise the delay ``x(t) -> x(t - p)``: if and only if p d <= L (n - d).

    Parameters
    ----------
    p : int
        The delay in steps.
    units, layers, inputs : int
        n units in each of L layers, and d numbers in an input.

    Raises
    ------
    ConstructionError
        If one of them is no whole number up to 10^12, or there are no units, layers or inputs.

    Notes
    -----
    :func:`delay` builds the network. That there is none beyond: a layer is ``(1 - z A)^-1 B``. A minor of order d of
    ``(1 - z A)^-1`` is one of order n - d of ``1 - z A`` over ``det(1 - z A)``, which is 1 at 0 (Jacobi): a polynomial
    of degree n - d at most over that. By the formula of Cauchy and Binet the determinant of C times the product of the
    layers is a polynomial of degree L (n - d) at most over one that is 1 at 0. Of the delay it is z^(p d).

    Examples
    --------
    >>> [delay_is_realisable(p, units=3, layers=2) for p in (4, 5)]
    [True, False]
    """
    p, units, layers, inputs = _checked(p, units, layers, inputs)
    return p * inputs <= layers * (units - inputs)


def delay(p: int, *, units: int, layers: int, inputs: int = 1) -> LinearRNN:
    """Return a linear network whose output is its input p steps before: zeros first.

    Each layer has d units that hold what it reads and n - d that remember: each of them what another unit held one step
    before. They are given to the components of the input as long as these are to be delayed further.

    Parameters
    ----------
    p, units, layers, inputs : int
        As for :func:`delay_is_realisable`. The network has one output for one input, else a tuple.

    Raises
    ------
    ConstructionError
        If there is no such network: then the error states why.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = delay(4, units=3, layers=2)
    >>> [str(y) for y in run(net, [[k] for k in range(1, 8)]).outputs]
    ['0', '0', '0', '0', '1', '2', '3']
    >>> delay(5, units=3, layers=2)
    Traceback (most recent call last):
        ...
    exactnn.errors.ConstructionError: no 2 linear layers of 3 units delay 1 number by 5 steps: ...
    """
    p, units, layers, inputs = _checked(p, units, layers, inputs)
    if not p * inputs <= layers * (units - inputs):
        raise ConstructionError(_proof(p, units, layers, inputs))
    if layers * units * (units + max(units, inputs)) > MOST_WEIGHTS:
        raise ConstructionError(f"{layers:,} layers of {units:,} units have more than {MOST_WEIGHTS:,} weights")
    left = [p] * inputs
    matrices = []
    places = list(range(inputs))  # where the layer finds each component in what it reads
    width = inputs
    for _ in range(layers):
        spare = units - inputs
        a = [[ZERO] * units for _ in range(units)]
        b = [[ZERO] * width for _ in range(units)]
        cell = 0
        following = []
        for component in range(inputs):
            steps = min(spare, left[component])
            spare, left[component] = spare - steps, left[component] - steps
            b[cell][places[component]] = ONE
            for further in range(cell + 1, cell + 1 + steps):
                a[further][further - 1] = ONE
            following.append(cell + steps)
            cell += 1 + steps
        matrices.append((a, b))
        places, width = following, units
    rows = [[mpq(unit == place) for unit in range(units)] for place in places]
    return LinearRNN(
        layers=matrices, readout=rows[0] if inputs == 1 else rows, name=f"delay by {p} step{'s' * (p != 1)}"
    )


def _checked(p: object, units: object, layers: object, inputs: object) -> tuple[int, int, int, int]:
    return (
        whole_number("p", p, most=MOST, error=ConstructionError),
        whole_number("units", units, least=1, most=MOST, error=ConstructionError),
        whole_number("layers", layers, least=1, most=MOST, error=ConstructionError),
        whole_number("inputs", inputs, least=1, most=MOST, error=ConstructionError),
    )


def _proof(p: int, n: int, layers: int, d: int) -> str:
    """Return why there is no such network."""
    what = f"no {layers} linear layer{'s' * (layers != 1)} of {n} units delay{'s' * (layers == 1)} {d} "
    what += f"number{'s' * (d != 1)} by {p} step{'s' * (p != 1)}"
    if n < d:
        return f"{what}: a layer of {n} units passes on {n} of {d} numbers only; give at least {d} units"
    return (
        f"{what}: the determinant of what they compute is a polynomial of degree {layers} ({n} - {d}) = "
        f"{layers * (n - d)} at most over one that is 1 at 0, and that of the delay is z^{p * d}; give as many units "
        f"and layers as make layers (units - {d}) at least {p * d}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthParameters(DataTable):
    """Parameters of the linear networks that delay one number by p steps, by their depth.

    Parameters
    ----------
    p : int
    rows : tuple of (units, layers, parameters, parameters with biases)
        For each number of layers that lowers the number of units: entries of all A, B and C, and those with a bias for
        each unit. The first row is the network of one layer, the last has two units in p layers.
    """

    p: int
    rows: tuple[tuple[int, int, int, int], ...]

    @property
    def cheapest(self) -> tuple[int, int, int, int]:
        """The row with the fewest parameters, of those the one with the fewest layers."""
        return min(self.rows, key=lambda row: (row[2], row[1]))

    @property
    def cheapest_with_biases(self) -> tuple[int, int, int, int]:
        """The row with the fewest parameters, biases counted."""
        return min(self.rows, key=lambda row: (row[3], row[1]))

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each depth."""
        names = ("units", "layers", "parameters", "parameters_with_biases")
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        heading = ("units", "layers", "parameters", "with biases")
        return Table(title=f"delay by {self.p}", heading=heading, rows=self.rows)


def depth_parameters(p: int) -> DepthParameters:
    """Return what a delay of one number by p steps costs, by depth: n^2 + n + (L - 1) 2 n^2 + n, and n L biases.

    Raises
    ------
    ConstructionError
        If p is no whole number from 1 to 100,000.

    Examples
    --------
    >>> depth_parameters(4).rows
    ((5, 1, 35, 40), (3, 2, 33, 39), (2, 4, 32, 40))
    >>> depth_parameters(64).cheapest
    (2, 64, 512, 640)
    """
    p = whole_number("p", p, least=1, most=100_000, error=ConstructionError)
    rows = []
    fewest = None
    for layers in range(1, p + 1):
        units = 1 + -(-p // layers)
        if units != fewest:
            fewest = units
            parameters = units * units + 2 * units + (layers - 1) * 2 * units * units
            rows.append((units, layers, parameters, parameters + units * layers))
    return DepthParameters(p=p, rows=tuple(rows))
