"""Speed of one network step: floats against the rational reference, and the reference against a plain loop.

Everything is measured in one process, the contenders in turn, best of several rounds; what counts is the ratio.
All start from the same configuration. The float runs restart from it often: a float run that has left
the truth for long has other units switched on than the exact one, and is no longer the same work.

    python benchmarks/step_speed.py
"""

import platform
import random
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

from gmpy2 import mpq
from rich.console import Console
from rich.table import Table

import exactnn as xn
from exactnn.networks import EOS, Activation, Network
from exactnn.simulation import Executor, executor_for

ROUNDS = 7


def best_time(work: Callable[[], object]) -> float:
    """Return the shortest time of several calls, in seconds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def plain_loop(network: Network, state: list[mpq], symbol: int, steps: int) -> list[mpq]:
    """Step in a plain gmpy2 loop over the non-zero weights, as one would write it in an afternoon."""
    circuit = network.circuit
    (units,) = circuit.layers
    rows = [(unit.bias, unit.linear, unit.activation) for unit in units]
    size = circuit.state_size
    zero, one = mpq(0), mpq(1)
    for _ in range(steps):
        registers = [*state, *(mpq(i == symbol) for i in range(circuit.input_size))]
        following = []
        for bias, linear, activation in rows:
            total = bias
            for register, weight in linear:
                total += weight * registers[register]
            if activation == Activation.RELU:
                total = max(total, zero)
            elif activation == Activation.SLU:
                total = min(max(total, zero), one)
            following.append(total)
        state = following
        assert len(state) == size
    return state


def tape_of(construction: xn.Construction, cells: int) -> tuple[mpq, ...]:
    """Return a network state whose tape holds `cells` random symbols around the head."""
    machine = construction.machine
    assert isinstance(machine, xn.TuringMachine)
    rng = random.Random(cells)
    symbols = [a for a in machine.tape_symbols if a != machine.blank_symbol]
    tape = [rng.choice(symbols) for _ in range(cells)]
    half = cells // 2
    return construction.encode(
        xn.TapeConfiguration(
            state=machine.initial_state, left=tuple(tape[:half]), scanned=tape[half], right=tuple(tape[half + 1 :])
        )
    )


def repeat(executor: Executor, begin: object, symbol: int, steps: int, repetitions: int) -> None:
    """Advance from the same state again and again."""
    for _ in range(repetitions):
        executor.advance(begin, symbol, steps, until_decided=False)


def compare(name: str, construction: xn.Construction, cells: int, table: Table) -> None:
    """Measure one network with a tape of `cells` symbols and add a row."""
    network = construction.network
    assert network.alphabet is not None
    symbol = network.alphabet.index(EOS)
    state = tape_of(construction, cells)
    exact = executor_for(network, xn.RATIONAL)
    exact_steps, float_steps = 50, max(50, 2_000_000 // network.circuit.weights)
    repetitions = max(1, 20_000_000 // network.circuit.weights // float_steps)
    assert exact.advance(state, symbol, exact_steps, until_decided=False).state == tuple(
        plain_loop(network, list(state), symbol, exact_steps)
    )
    reference = best_time(lambda: exact.advance(state, symbol, exact_steps, until_decided=False)) / exact_steps
    plain = best_time(lambda: plain_loop(network, list(state), symbol, exact_steps)) / exact_steps
    cells_of_row = [name, str(cells), str(network.neurons), str(network.circuit.weights)]
    cells_of_row += [f"{reference * 1e6:.1f}", f"{plain / reference:.2f}"]
    for arithmetic in (xn.FLOAT64, xn.FLOAT32):
        rounded = executor_for(network, arithmetic)
        begin = rounded.start()
        begin[:] = [float(value) for value in state]
        work = partial(repeat, rounded, begin, symbol, float_steps, repetitions)
        work()
        seconds = best_time(work) / (float_steps * repetitions)
        cells_of_row += [f"{network.circuit.weights / seconds / 1e6:.0f}", f"{reference / seconds:.0f}"]
    table.add_row(*cells_of_row)


def main() -> None:
    """Print the table."""
    versions = ", ".join(f"{package} {version(package)}" for package in ("numba", "gmpy2", "numpy"))
    table = Table(title=f"One step, one core; Python {platform.python_version()}, {versions}")
    for column in (
        "network", "cells", "neurons", "weights", "rational us/step", "plain gmpy2 loop / rational",
        "float64 Mweights/s", "rational / float64", "float32 Mweights/s", "rational / float32",
    ):  # fmt: skip
        table.add_column(column, justify="right")
    for name in ("palindrome", "bb5", "anbncn", "sweeper"):
        machine = xn.load(name)
        for label, build in (("", xn.siegelmann_sontag), (" (book)", xn.siegelmann_sontag_book)):
            construction = build(machine)
            for cells in (10, 1000):
                compare(name + label, construction, cells, table)
    Console(width=170).print(table)


if __name__ == "__main__":
    main()
