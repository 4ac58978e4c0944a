"""What a rounding costs in emulated arithmetic, in the loops that run networks, and in other people's packages.

Sums and products of random numbers, one after the other, in arrays that stay in the cache; contenders in turn in one
process, best of several rounds. What counts is the ratio, and nanoseconds for each rounding. Emulated steps: a network
with dense weights, many words side by side.

    pip install ml_dtypes pychop
    python -m benchmarks.rounding_speed
"""

import importlib
import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table

from exactnn.arithmetic import NAMED_FORMATS, FloatFormat, Rounding
from exactnn.networks import SimpleRNN
from exactnn.simulation.compiled_steps import CompiledSteps
from exactnn.simulation.rounded import Roundings, can_round, plain
from tests.simulation import lanes as kernels

ROUNDS = 9
LANES = 1024
REPEATED = 400
FORMATS = ("bfloat16", "float16", "tf32", "float32", "float8_e5m2", "p30e9", "p53e10")


def format_called(name: str, mode: Rounding) -> FloatFormat:
    """Return a named format, or one by its bits, in a rounding mode."""
    if name in NAMED_FORMATS:
        named = NAMED_FORMATS[name]
        return FloatFormat(precision=named.precision, exponent_bits=named.exponent_bits, rounding=mode)
    precision, exponent_bits = map(int, name[1:].split("e"))
    return FloatFormat(precision=precision, exponent_bits=exponent_bits, rounding=mode)


def nanoseconds(work: Callable[[], object], repeated: int = 1) -> float:
    """Return the shortest time for each lane of several calls."""
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times) / repeated / LANES * 1e9


@njit
def repeat_add(times: int, values: Any, results: Any, format: Any) -> None:
    for count in range(times):
        kernels.add(values, results, format, count)


@njit
def repeat_multiply(times: int, factor: float, values: Any, results: Any, format: Any) -> None:
    for count in range(times):
        kernels.multiply(factor, values, results, format, count)


@njit
def repeat_convert(times: int, values: Any, results: Any, format: Any) -> None:
    for count in range(times):
        results[:] = values
        kernels.convert(results, format, count)


@njit
def repeat_float64(times: int, values: Any, results: Any) -> None:
    for _ in range(times):
        for lane in range(len(values)):
            results[lane] += values[lane]


def by_frexp(values: Any, precision: int) -> Any:
    """Round to nearest even as one does in numpy: no exponent range, no subnormals."""
    significands, exponents = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(significands, precision)), exponents - precision)


def ours(values: Any, table: Table) -> None:
    """Time every mode of every format."""
    for name in FORMATS:
        for mode in Rounding:
            format = format_called(name, mode)
            if not can_round(format):
                continue
            packed = kernels.carrier_of(plain(format, 2 * format.precision <= 53))
            x = values.copy()
            kernels.convert(x, packed, 0)
            found = (
                nanoseconds(lambda x=x, p=packed: repeat_add(REPEATED, x, x.copy(), p), REPEATED),
                nanoseconds(lambda x=x, p=packed: repeat_multiply(REPEATED, 1.25, x, x.copy(), p), REPEATED),
                nanoseconds(lambda x=x, p=packed: repeat_convert(REPEATED, values, x.copy(), p), REPEATED),
            )
            table.add_row(name, str(mode), *(f"{ns:.2f}" for ns in found))


def others(values: Any, table: Table) -> None:
    """Time what else rounds arrays, to bfloat16 and float8."""
    table.add_row(
        "float64",
        "none, plain sum",
        f"{nanoseconds(lambda: repeat_float64(REPEATED, values, values.copy()), REPEATED):.2f}",
        "",
        "",
    )
    table.add_row("any", "numpy frexp", "", "", f"{nanoseconds(lambda: by_frexp(values, 8)):.2f}")
    try:
        types = importlib.import_module("ml_dtypes")
        for name in ("bfloat16", "float8_e5m2"):
            kind = getattr(types, name)
            table.add_row(
                name, "ml_dtypes", "", "", f"{nanoseconds(lambda k=kind: values.astype(k).astype(np.float64)):.2f}"
            )
            column = values.astype(kind)
            table.add_row(name, "ml_dtypes, sum", f"{nanoseconds(lambda c=column: c + c):.2f}", "", "")
    except ImportError:
        pass
    try:
        pychop = importlib.import_module("pychop")
        pychop.backend("numpy")
        chop = pychop.Chop(exp_bits=8, sig_bits=7, rmode=1)
        table.add_row("bfloat16", "pychop", "", "", f"{nanoseconds(lambda: chop(values)):.2f}")
    except ImportError:
        pass


def steps(table: Table) -> None:
    """Time emulated weights of a dense layer, for many words side by side."""
    size = 128
    rng = np.random.default_rng(1)
    weights = [[float(x) for x in row] for row in rng.standard_normal((size, size))]
    network = SimpleRNN(V=weights, W=[[0]] * size, b=[0] * size, s=[0] * size, readout_weight=[1] * size)
    for name in FORMATS:
        format = format_called(name, Rounding.NEAREST_EVEN)
        steps = CompiledSteps(network, Roundings(network, format).parameters, format)
        for lanes in (64, 256):
            states = rng.standard_normal((lanes, size)).astype(np.float32).astype(np.float64)
            seconds = nanoseconds(lambda s=steps, x=states: s.following(x, 0, np.float64)) * LANES / 1e9
            rate = size * size * lanes / seconds / 1e6
            table.add_row(name, str(lanes), f"{rate:.0f}", f"{500 / rate:.2f}")


def main() -> None:
    """Print both tables."""
    packages = []
    for name in ("numpy", "numba", "ml_dtypes", "pychop"):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            packages.append(f"no {name}")
    console = Console()
    console.print(
        f"Python {platform.python_version()}, {', '.join(packages)}, {platform.processor() or platform.machine()}"
    )
    values = np.random.default_rng(0).standard_normal(LANES)
    table = Table(title=f"nanoseconds for each of {LANES} roundings")
    for column in ("format", "rounding", "sum", "product", "conversion"):
        table.add_column(column)
    ours(values, table)
    others(values, table)
    console.print(table)
    table = Table(title="emulated weights, 128 by 128, two roundings each")
    for column in ("format", "words at once", "million weights/s", "ns for a rounding"):
        table.add_column(column)
    steps(table)
    console.print(table)


if __name__ == "__main__":
    main()
