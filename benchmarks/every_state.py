"""The numbers of every state: exact runs beside formats, against plain rationals.

`first_divergence`, `error_growth`, `check_format` and the measures of contractive networks look at all numbers after
each step. Both are measured in one process, in turn, best of several rounds, and give the same numbers.

    python benchmarks/every_state.py
"""

import time
from collections import deque
from collections.abc import Iterator

from dense_networks import dense_network
from gmpy2 import mpq

import exactnn as xn
from exactnn.networks import Network
from exactnn.simulation import executor_for, values_along

ROUNDS = 5


def networks() -> Iterator[tuple[str, Network, list[int], int]]:
    """Yield a name, a network, a word and the steps that are taken."""
    for size, weights, steps in (
        (5, "denominators <= 10", 120),
        (10, "denominators <= 10", 120),
        (30, "denominators <= 10", 120),
        (60, "denominators <= 10", 40),
        (30, "float64", 60),
    ):
        network = dense_network(size, weights, "relu")
        yield f"dense relu network of {size} units, {weights}", network, [0, 1, 1, 0, 1] * (steps // 5), steps
    primes = [p for p in range(2, 230) if all(p % q for q in range(2, p))]
    alone = xn.SimpleRNN(
        V=[[mpq(i == j, p) for j in range(len(primes))] for i, p in enumerate(primes)],
        W=[[1, 0]] * len(primes), b=[0] * len(primes), s=[1] * len(primes), readout_weight=[1] * len(primes),
        activation="relu", alphabet="ab",
    )  # fmt: skip
    yield f"{len(primes)} units, each over the powers of a prime of its own", alone, [0] * 100, 100
    for name, construction, word in (
        ("palindrome", "siegelmann_sontag", "ab" * 8 + "ba" * 8),
        ("palindrome", "siegelmann_sontag_book", "abba"),
        ("bb5", "siegelmann_sontag", ""),
        ("mirror-stacks", "layered_stacks", "ab" * 20 + "#" + "ba" * 20),
    ):
        network = xn.compile(name, construction).network
        inputs = network.inputs(word)
        yield f"`{construction}` of {name}", network, inputs, max(len(inputs), 500)


def measured(network: Network, inputs: list[int], steps: int) -> tuple[float, float]:
    """Return the shortest times in EXACT and in RATIONAL."""
    times = {xn.EXACT: float("inf"), xn.RATIONAL: float("inf")}
    for _ in range(ROUNDS):
        last: dict[object, tuple[mpq, ...]] = {}
        for arithmetic in times:
            executor = executor_for(network, arithmetic, every_state=True)
            began = time.perf_counter()
            (last[arithmetic],) = deque(values_along(executor, inputs, steps), maxlen=1)
            times[arithmetic] = min(times[arithmetic], time.perf_counter() - began)
        assert last[xn.EXACT] == last[xn.RATIONAL]
    return times[xn.EXACT], times[xn.RATIONAL]


def main() -> None:
    """Print the table."""
    print("| network | exact, µs a step | plain rationals | ratio |\n|---|---|---|---|")
    for name, network, inputs, steps in networks():
        exact, rational = measured(network, inputs, steps)
        print(f"| {name} | {exact / steps * 1e6:.0f} | {rational / steps * 1e6:.0f} | {exact / rational:.2f} |")


if __name__ == "__main__":
    main()
