"""Dense random networks: the exact executor of networks without positional structure against other ways to do it.

Every contender takes the same word, of runs of ten equal symbols, and gives the state after it and the output after
each step, which are compared. All are measured in one process, in turn, best of several rounds; what counts are the
ratios: of "plain exact" to the better one of the mpq and the mpz loop, and to the best of all. To make the weights
ready is not measured, for any of them; outputs are gmpy2 numbers for all of them. The matrices of python-flint take
part where they can be imported. A contender that would take minutes is left out.

    python benchmarks/dense_networks.py
"""

import platform
import random
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import chain, groupby
from typing import Any

from gmpy2 import lcm, mpq, mpz
from rich.console import Console
from rich.table import Table

import exactnn as xn
from exactnn.networks import Activation, Network
from exactnn.simulation.executor import advance_by
from exactnn.simulation.plain_exact import PlainExactExecutor
from exactnn.simulation.rational import RationalExecutor

try:
    import flint
except ImportError:
    flint = None

ROUNDS = {5: 60, 10: 30, 30: 8}
"""By neurons, 5 for more: what takes half a millisecond needs many rounds for its best to be the same twice."""
SIZES, LENGTHS = (5, 10, 30, 60), (50, 300)
WEIGHTS: dict[str, Callable[[random.Random], mpq]] = {
    "denominators <= 10": lambda rng: mpq(rng.randint(-10, 10), 10 if rng.random() < 0.1 else rng.randint(1, 10)) / 2,
    "denominators of 2 digits": lambda rng: mpq(rng.randint(-50, 50), rng.randint(10, 99)),
    "float64": lambda rng: mpq(rng.uniform(-1, 1)),
}

Result = tuple[tuple[Any, ...], list[Any]]
Contender = Callable[[list[int]], Result]
Matrix = list[list[mpq]]


def dense_network(size: int, weights: str, activation: str) -> Network:
    """Return a random network with every weight drawn, and an alphabet of two symbols."""
    rng = random.Random(f"{size} {weights} {activation}")

    def matrix(height: int, width: int) -> Matrix:
        return [[WEIGHTS[weights](rng) for _ in range(width)] for _ in range(height)]

    (bias, start, readout) = matrix(3, size)
    return xn.SimpleRNN(
        V=matrix(size, size), W=matrix(size, 2), b=bias, s=start, readout_weight=readout,
        activation=activation, alphabet="ab",
    )  # fmt: skip


def rounds(network: Network) -> int:
    """Return how often each contender runs."""
    return ROUNDS.get(network.neurons, 5)


def parts(network: Network) -> tuple[Matrix, Matrix, list[mpq], bool]:
    """Return V, the bias for each symbol, the readout, and whether it saturates."""
    (units,) = network.circuit.layers
    size = network.neurons
    rows = [dict(unit.linear) for unit in units]
    matrix = [[row.get(j, mpq(0)) for j in range(size)] for row in rows]
    biases = [[unit.bias + row.get(size + s, mpq(0)) for unit, row in zip(units, rows, strict=True)] for s in range(2)]
    readout = dict(network.readout[0].linear)
    return matrix, biases, [readout.get(j, mpq(0)) for j in range(size)], units[0].activation == Activation.SLU


def executor(kind: Callable[[Network], Any]) -> Callable[[Network], Contender]:
    """Return an executor as a contender; one that measures begins anew in every round."""

    def built(network: Network) -> Contender:
        def work(word: list[int]) -> Result:
            executor, outputs = ready.pop(), []
            state = executor.start()
            for symbol, group in groupby(word):
                segment = advance_by(executor, state, symbol, sum(1 for _ in group))
                state = segment.state
                outputs += [output for output, _ in segment.outputs]
            return tuple(executor.values(state)), outputs

        ready = [kind(network) for _ in range(rounds(network))]
        for executor in ready:  # weights are made ready for a symbol when it is read
            for symbol in range(2):
                executor.advance(executor.start(), symbol, 1, until_decided=False)
        return work

    return built


def mpq_loop(network: Network) -> Contender:
    """Return the plain loop over mpq."""
    matrix, biases, readout, saturates = parts(network)
    zero, one = mpq(0), mpq(1)

    def work(word: list[int]) -> Result:
        state, outputs = list(network.initial_state), []
        for symbol in word:
            following = []
            for row, total in zip(matrix, biases[symbol], strict=True):
                for weight, value in zip(row, state, strict=True):
                    total += weight * value
                following.append(max(zero, min(one, total) if saturates else total))
            state = following
            outputs.append(sum((w * x for w, x in zip(readout, state, strict=True)), zero))
        return tuple(state), outputs

    return work


def mpz_loop(network: Network) -> Contender:
    """Return the plain loop over mpz with a common denominator that only grows."""
    matrix, biases, readout, saturates = parts(network)
    scale = lcm(*(x.denominator for x in (*chain(*matrix, *biases), *readout)))
    whole = [[mpz(x * scale) for x in row] for row in matrix]
    shifts = [[mpz(x * scale) for x in bias] for bias in biases]
    reads = [mpz(x * scale) for x in readout]
    first = lcm(*(x.denominator for x in network.initial_state))

    def work(word: list[int]) -> Result:
        denominator, outputs = first, []
        state = [mpz(x * first) for x in network.initial_state]
        for symbol in word:
            one = denominator * scale
            following = []
            for row, shift in zip(whole, shifts[symbol], strict=True):
                total = shift * denominator
                for weight, value in zip(row, state, strict=True):
                    total += weight * value
                following.append(mpz(0) if total < 0 else one if saturates and total > one else total)
            state, denominator = following, one
            outputs.append(mpq(sum(w * x for w, x in zip(reads, state, strict=True)), denominator * scale))
        return tuple(mpq(x, denominator) for x in state), outputs

    return work


def plain(number: Any) -> mpq:
    """Return a number of any contender as gmpy2's."""
    return number if isinstance(number, mpq) else mpq(int(number.p), int(number.q))


def flint_integers(network: Network) -> Contender:
    """Return fmpz_mat with a common denominator that only grows."""
    matrix, biases, readout, saturates = parts(network)
    scale = lcm(*(x.denominator for x in (*chain(*matrix, *biases), *readout)))
    size = network.neurons
    whole = flint.fmpz_mat([[int(x * scale) for x in row] for row in matrix])
    shifts = [flint.fmpz_mat([[int(x * scale)] for x in bias]) for bias in biases]
    reads = flint.fmpz_mat([[int(x * scale) for x in readout]])
    first = int(lcm(*(x.denominator for x in network.initial_state)))
    factor, zero = flint.fmpz(int(scale)), flint.fmpz(0)

    def work(word: list[int]) -> Result:
        denominator, outputs = flint.fmpz(first), []
        state = flint.fmpz_mat([[int(x * first)] for x in network.initial_state])
        for symbol in word:
            totals = (whole * state + shifts[symbol] * denominator).entries()
            denominator *= factor
            if saturates:
                totals = [zero if x < zero else denominator if x > denominator else x for x in totals]
            else:
                totals = [zero if x < zero else x for x in totals]
            state = flint.fmpz_mat(size, 1, totals)
            outputs.append(mpq(int((reads * state)[0, 0]), int(denominator * factor)))
        return tuple(flint.fmpq(x, denominator) for x in state.entries()), outputs

    return work


def flint_rationals(network: Network) -> Contender:
    """Return fmpq_mat."""
    matrix, biases, readout, saturates = parts(network)
    size = network.neurons

    def number(x: mpq) -> Any:
        return flint.fmpq(int(x.numerator), int(x.denominator))

    def column(values: tuple[mpq, ...] | list[mpq]) -> Any:
        return flint.fmpq_mat(len(values), 1, list(map(number, values)))

    whole = flint.fmpq_mat(size, size, [number(x) for row in matrix for x in row])
    shifts = [column(bias) for bias in biases]
    reads = flint.fmpq_mat(1, size, list(map(number, readout)))
    zero, one = flint.fmpq(0), flint.fmpq(1)

    def work(word: list[int]) -> Result:
        state, outputs = column(network.initial_state), []
        for symbol in word:
            totals = (whole * state + shifts[symbol]).entries()
            totals = [zero if x < zero else one if saturates and x > one else x for x in totals]
            state = flint.fmpq_mat(size, 1, totals)
            outputs.append(plain((reads * state)[0, 0]))
        return tuple(state.entries()), outputs

    return work


CONTENDERS: dict[str, Callable[[Network], Contender]] = {
    "plain exact": executor(PlainExactExecutor),
    "RATIONAL": executor(RationalExecutor),
    "mpq loop": mpq_loop,
    "mpz loop": mpz_loop,
    **({"fmpz_mat": flint_integers, "fmpq_mat": flint_rationals} if flint else {}),
}


def measure(network: Network, word: list[int], too_slow: set[str]) -> tuple[dict[str, float], int]:
    """Return the best time of each contender, and the bits of the last state's longest denominator."""
    works = {name: build(network) for name, build in CONTENDERS.items() if name not in too_slow}
    times = dict.fromkeys(works, float("inf"))
    expected: Result | None = None
    for number in range(rounds(network)):
        for name, work in works.items():
            if number and times[name] > 0.5:
                continue
            began = time.perf_counter()
            values, outputs = work(word)
            times[name] = min(times[name], time.perf_counter() - began)
            if number == 0:
                found = tuple(map(plain, values)), list(map(plain, outputs))
                expected = expected or found
                assert found == expected, name
    assert expected is not None
    return times, max(x.denominator.bit_length() for x in expected[0])


def main() -> None:
    """Print the table."""
    packages = ["gmpy2", "numpy", *(["python-flint"] if flint else [])]
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    table = Table(title=f"Microseconds per step; Python {platform.python_version()}, {versions}")
    columns = ("weights", "activation", "neurons", "steps", "bits", *CONTENDERS, "to the loops", "to all")
    for column in columns:
        table.add_column(column, justify="right")
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    for size in sizes:
        for weights in WEIGHTS:
            for activation in ("relu", "slu"):
                network = dense_network(size, weights, activation)
                too_slow: set[str] = set()
                for length in LENGTHS:
                    rng = random.Random(length)
                    word = [symbol for _ in range(length // 10) for symbol in [rng.randrange(2)] * 10]
                    times, bits = measure(network, word, too_slow)
                    too_slow = {name for name, seconds in times.items() if seconds > 0.5}
                    own = times.pop("plain exact")
                    loops = min(times.get(name, float("inf")) for name in ("mpq loop", "mpz loop"))
                    ratios = [f"{own / loops:.2f}", f"{own / min(times.values()):.2f}"]
                    times["plain exact"] = own
                    cells = [f"{times[name] / length * 1e6:.1f}" if name in times else "-" for name in CONTENDERS]
                    table.add_row(weights, activation, str(size), str(length), str(bits), *cells, *ratios)
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
