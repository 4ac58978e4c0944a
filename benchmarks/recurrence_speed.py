"""Letters a second of a diagonal recurrence in float formats, against a plain loop in numba in float32.

The network has 64 numbers h, each with ``h <- a h + c`` on every letter, where a letter chooses c. All is measured in
one process, the contenders in turn, best of several rounds; what counts is the ratio to the plain loop.

    python benchmarks/recurrence_speed.py
"""

import random
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
from rich.console import Console
from rich.table import Table
from step_speed import best_time

import exactnn as xn
from exactnn.arithmetic import arithmetic_of
from exactnn.simulation import executor_for

SIZE, LETTERS = 64, 10_000_000
FORMATS = ("float32", "bfloat16", "float16", "float8_e4m3", "tf32", "p20e8", "float64")

Array = np.ndarray[Any, Any]


@numba.njit  # type: ignore[untyped-decorator]
def plain_loop(letters: Array, factors: Array, constants: Array, state: Array) -> None:
    """Take the steps as one would write them; products and sums are those of float32."""
    for t in range(len(letters)):
        letter = letters[t]
        for i in range(len(state)):
            state[i] = factors[letter, i] * state[i] + constants[letter, i]


def main() -> None:
    """Print the table."""
    rng = random.Random(0)
    factors = [rng.randrange(32, 60) / 64 for _ in range(SIZE)]  # the numbers stay below 4: every format has room
    columns = [[rng.randrange(-16, 17) / 64 for _ in "ab"] for _ in range(SIZE)]
    network = xn.DiagonalSSM(a=factors, B=columns, readout_weight=[1] * SIZE, alphabet="ab")
    word = "".join(rng.choices("ab", k=LETTERS))
    inputs = network.inputs(word)
    letters = np.array(inputs, dtype=np.uint8)
    a, c = np.array([factors] * 2, dtype=np.float32), np.array(columns, dtype=np.float32).T.copy()

    def plainly() -> Array:
        state = np.zeros(SIZE, dtype=np.float32)
        plain_loop(letters, a, c, state)
        return state

    table = Table("what", "ns a letter", "to the plain loop", "million letters a second")

    def add(what: str, seconds: float) -> None:
        table.add_row(what, f"{seconds / LETTERS * 1e9:.1f}", f"{seconds / base:.2f}", f"{LETTERS / seconds / 1e6:.1f}")

    plainly()
    base = best_time(plainly)
    add("a plain loop, float32", base)
    for name in FORMATS:
        executor: Any = executor_for(network, arithmetic_of(name))
        start = executor.start()
        found = executor.values(executor.read(start, inputs).state)
        assert name != "float32" or found == tuple(plainly().tolist())
        base = min(base, best_time(plainly))
        add(f"{name}, the steps", best_time(lambda: executor.read(start, letters)))  # noqa: B023
        add(f"{name}, run(record='end')", best_time(lambda: xn.run(network, word, name, record="end")))  # noqa: B023
    console = Console(width=110)
    console.print(f"numba {version('numba')}, numpy {version('numpy')}, {LETTERS} letters, {SIZE} numbers")
    console.print(table)


if __name__ == "__main__":
    main()
