"""Speed of this checkout against another one: the same work in both, in turn, in one run.

Each checkout works in a process of its own, with a cache of kernels of its own. A case is done by one, then by the
other, several times; a ratio above 1 says that this checkout is faster. Kernels are compiled before the clock starts,
but for the cases of first use: these start a process with an empty cache.

    python benchmarks/speed_against.py ../other-checkout [--rounds 7] [--only float]
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parents[1]
Work = Callable[[], object]
STEPS, REPETITIONS = 25, 200
"""So long a machine works on the word of the step cases, and so often."""
LENGTHS = (0, 20, 200, 2000)
LEAST_SECONDS = 0.05
"""Work is repeated until it takes this long."""


def formats() -> dict[str, Any]:
    """The arithmetics of a single run: a name, and what it is in this checkout."""
    import exactnn as xn

    return {
        "float64": xn.FLOAT64,
        "float32": xn.FLOAT32,
        "bfloat16": xn.BFLOAT16,
        "p20": xn.FloatFormat(precision=20, exponent_bits=8),
        "p30": xn.FloatFormat(precision=30, exponent_bits=10),
        "p52": xn.FloatFormat(precision=52, exponent_bits=10),
        "p60": xn.FloatFormat(precision=60, exponent_bits=10),
        "p20 up": xn.FloatFormat(precision=20, exponent_bits=8, rounding="up"),
        "p20 stochastic": xn.FloatFormat(precision=20, exponent_bits=8, rounding="stochastic", seed=1),
        "p20 pairwise": xn.FloatFormat(precision=20, exponent_bits=8, summation="pairwise"),
        "p8, sums p20": xn.FloatFormat(
            precision=8, exponent_bits=8, accumulator=xn.FloatFormat(precision=20, exponent_bits=8)
        ),
        "q8.24": xn.FixedPoint(integer_bits=8, fraction_bits=24),
        "q32.32": xn.FixedPoint(integer_bits=32, fraction_bits=32),
        "rational": xn.RATIONAL,
        "exact": xn.EXACT,
    }


def step_cases() -> dict[str, Callable[[], Work]]:
    """Many steps of one symbol: what a kernel takes."""
    return {
        f"steps of {machine}, {name}": partial(steps, machine, name)
        for machine in ("anbn", "palindrome")
        for name in formats()
        if name not in ("rational", "exact")
    }


def steps(machine: str, name: str) -> Work:
    import exactnn as xn
    from exactnn.networks import EOS
    from exactnn.simulation import executor_for

    network = xn.compile(xn.load(machine)).network
    executor, end = executor_for(network, formats()[name]), network.alphabet.index(EOS)
    begin = executor.start()
    for symbol in "ab" * 4:
        begin = executor.advance(begin, network.alphabet.index(symbol), 1, until_decided=False).state

    def work() -> None:
        for _ in range(REPETITIONS):
            state, done = begin, 0
            while done < STEPS:
                segment = executor.advance(state, end, STEPS - done, until_decided=False)
                state, done = segment.state, done + segment.steps

    return work


def run_cases() -> dict[str, Callable[[], Work]]:
    """Whole runs of words, by the public call."""
    return {f"run of {length} symbols, {name}": partial(runs, length, name) for length in LENGTHS for name in formats()}


def runs(length: int, name: str) -> Work:
    import exactnn as xn

    network = xn.compile(xn.load("palindrome")).network
    word, arithmetic = "ab" * (length // 2), formats()[name]
    return lambda: xn.run(network, word, arithmetic=arithmetic, max_steps=length + 50)


def lane_cases() -> dict[str, Callable[[], Work]]:
    """One step from many states side by side."""
    names = ("float64", "float32", "bfloat16", "p20", "p30", "p20 up", "q8.24", "q32.32")
    return {f"step of 1,024 states, {name}": partial(lanes, name) for name in names}


def lanes(name: str) -> Work:
    import exactnn as xn
    from exactnn.networks import EOS
    from exactnn.simulation.many_states import many_states

    network = xn.compile(xn.load("palindrome")).network
    found, states = many_states(network, formats()[name]), []
    for symbol in ("a", "b", "b", EOS):  # states that come up, not only the first
        state = found.start if not states else states[-1]
        states.append(found.step(state, network.alphabet.index(symbol)))
    several = np.concatenate(states * 256)
    return lambda: found.step(several, network.alphabet.index(EOS))


def other_cases() -> dict[str, Callable[[], Work]]:
    return {
        "512 verdicts, float32": partial(all_words, "float32"),
        "512 verdicts, bfloat16": partial(all_words, "bfloat16"),
        "512 verdicts, p30": partial(all_words, "p30"),
        "512 verdicts, p20 up": partial(all_words, "p20 up"),
        "512 verdicts, q8.24": partial(all_words, "q8.24"),
        "first divergence, float32": partial(divergence, "float32"),
        "first divergence, bfloat16": partial(divergence, "bfloat16"),
        "collapse of a^n": collapse,
        "states of q2.18": many_states,
        "extraction of 60 states, float16": partial(extraction, "float16"),
        "extraction of 60 states, q8.24": partial(extraction, "q8.24"),
        "extraction of 60 states, exact": partial(extraction, "exact"),
        "BB(5), exact, step by step": partial(beaver, {"macro": False}),
        "BB(5), exact, macro": partial(beaver, {"macro": True, "induction": False}),
        "BB(5), exact": partial(beaver, {}),
        "palindrome of 400, exact": partial(long_word, "exact"),
        "LSTM in intervals": intervals,
        "LSTM, smooth, float64": partial(smooth, "float64"),
        "LSTM, smooth, bfloat16": partial(smooth, "bfloat16"),
    }


def all_words(name: str) -> Work:
    import exactnn as xn

    built, arithmetic = xn.compile(xn.load("palindrome")), formats()[name]
    return lambda: xn.verdict_sweep(built, [8, 40], [arithmetic], words=256)


def divergence(name: str) -> Work:
    import exactnn as xn

    built, arithmetic = xn.compile(xn.load("palindrome")), formats()[name]
    return lambda: xn.first_divergence(built, "ab" * 20, arithmetic)


def collapse() -> Work:
    import exactnn as xn

    built = xn.compile(xn.load("palindrome"))
    return lambda: xn.collapse(built, ["a" * n for n in range(1, 20)])


def many_states() -> Work:
    import exactnn as xn

    network = xn.SimpleRNN(V=[["1/2"]], W=[["0", "1/2"]], b=[0], s=[0], readout_weight=[1], readout_bias="-1/2",
                           activation="slu", alphabet="ab")  # fmt: skip
    format = xn.FixedPoint(integer_bits=2, fraction_bits=18, rounding="down")
    return lambda: xn.extract_state_machine(network, format)


def random_automaton(states: int) -> Any:
    import exactnn as xn

    draw = random.Random(states)
    return xn.DFA(
        states=range(states),
        input_symbols="ab",
        transitions={q: {a: draw.randrange(states) for a in "ab"} for q in range(states)},
        initial_state=0,
        final_states=[q for q in range(states) if draw.random() < 0.5],
    )


def extraction(name: str) -> Work:
    import exactnn as xn

    network = xn.compile(random_automaton(60)).network
    arithmetic = xn.FLOAT16 if name == "float16" else formats()[name]
    return lambda: xn.extract_state_machine(network, arithmetic)


def beaver(options: dict[str, bool]) -> Work:
    import exactnn as xn
    from exactnn.networks import EOS
    from exactnn.simulation.positional.executor import ExactExecutor

    network = xn.compile(xn.load("bb5")).network
    symbol = network.alphabet.index(EOS)

    def work() -> None:
        executor = ExactExecutor(network, warm_up=0, **options)
        state, done = executor.start(), 0
        while done < 2_000_000:
            segment = executor.advance(state, symbol, 2_000_000 - done, until_decided=True)
            state, done = segment.state, done + segment.steps

    return work


def long_word(name: str) -> Work:
    import exactnn as xn

    network, arithmetic = xn.compile(xn.load("palindrome")).network, formats()[name]
    return lambda: xn.run(network, "ab" * 200, arithmetic=arithmetic, max_steps=None)


def random_lstm(size: int, inputs: int) -> Any:
    import exactnn as xn

    draw = random.Random(size)

    def matrix(height: int, width: int) -> list[list[str]]:
        return [[str(draw.uniform(-1, 1) / size**0.5) for _ in range(width)] for _ in range(height)]

    return xn.LSTM(V={g: matrix(size, size) for g in "ifgo"}, W={g: matrix(size, inputs) for g in "ifgo"},
                   b={g: matrix(1, size)[0] for g in "ifgo"}, readout_weight=matrix(1, size)[0])  # fmt: skip


def intervals() -> Work:
    import exactnn as xn

    network = random_lstm(32, 8)
    word = [["1" if i == t % 8 else "0" for i in range(8)] for t in range(5)]
    return lambda: xn.run(network, word, arithmetic=xn.Interval(bits=64), max_steps=5)


def smooth(name: str) -> Work:
    import exactnn as xn

    network, arithmetic = random_lstm(32, 8), formats()[name]
    word = [["1" if i == t % 8 else "0" for i in range(8)] for t in range(20)]
    return lambda: xn.run(network, word, arithmetic=arithmetic, max_steps=20)


FIRST_USE = {
    "first run, float64": ("run", "anbn", "aabb", "--arithmetic", "float64"),
    "first run, bfloat16": ("run", "anbn", "aabb", "--arithmetic", "bfloat16"),
    "first run, q8.24": ("run", "anbn", "aabb", "--arithmetic", "q8.24"),
    "first run, exact": ("run", "anbn", "aabb"),
    "first collapse": ("collapse", "palindrome", "a^n", "--n", "1:12"),
    "first extraction": ("extract", "parity", "--arithmetic", "float16"),
    "help": ("--help",),
}
"""Commands, each in a process of its own whose cache is empty."""


def cases() -> dict[str, Callable[[], Work]]:
    return step_cases() | run_cases() | lane_cases() | other_cases()


def serve() -> None:
    """Do the cases whose names come in, line by line, and print how long one repetition took."""
    warnings.simplefilter("ignore")
    known, ready = cases(), {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        try:
            if name not in ready:
                ready[name] = prepared(known[name]())
            work, times = ready[name]
            print(seconds(work, times) / times, flush=True)
        except Exception as error:  # whatever this checkout does not know
            print(f"{type(error).__name__}: {error}".replace("\n", " "), flush=True)


def prepared(work: Work) -> tuple[Work, int]:
    """Compile what it needs, and say how often it is repeated."""
    work()
    once = seconds(work, 1)
    return work, max(1, round(LEAST_SECONDS / max(once, 1e-9)))


def seconds(work: Work, times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        work()
    return time.perf_counter() - began


class Checkout:
    """A process that works with the library of one checkout."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(cache)}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env=self.environment, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def time(self, name: str) -> float | str:
        """The seconds that a case took, or why it could not be done."""
        if name in FIRST_USE:
            return self.first_use(FIRST_USE[name])
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        try:
            return float(answer)
        except ValueError:
            return answer or "the process ended"

    def first_use(self, command: tuple[str, ...]) -> float:
        with tempfile.TemporaryDirectory() as cache:
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "exactnn", *command],
                env=self.environment | {"NUMBA_CACHE_DIR": cache}, cwd=self.folder, check=False, capture_output=True,
            )  # fmt: skip
            return time.perf_counter() - began


def compare(name: str, ours: Checkout, other: Checkout, rounds: int) -> list[str]:
    """A row: the shortest times of both, and the median of the ratios, round by round."""
    pairs = []
    for number in range(rounds):
        both = (ours, other) if number % 2 else (other, ours)
        found = {checkout: checkout.time(name) for checkout in both}
        for checkout, value in found.items():
            if isinstance(value, str):
                return [name, *("" for _ in range(2)), f"{checkout.folder}: {value}"[:60]]
        pairs.append((float(found[ours]), float(found[other])))
    mine, theirs = (min(column) for column in zip(*pairs, strict=True))
    ratios = [b / a for a, b in pairs]
    return [name, shown(mine), shown(theirs), f"{theirs / mine:.2f}  ({statistics.median(ratios):.2f})"]


def shown(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"


@click.command()
@click.argument("other", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--rounds", default=7, help="Of each case.", show_default=True)
@click.option("--only", default="", help="Cases whose name holds this text.")
@click.option("--serve", "server", is_flag=True, help="Work as the comparison asks.")
def main(other: Path | None, rounds: int, only: str, server: bool) -> None:
    """Compare the speed of this checkout with that of OTHER."""
    if server:
        serve()
        return
    if other is None:
        raise click.UsageError("name the other checkout")
    names = [name for name in [*FIRST_USE, *cases()] if only in name]
    console = Console(width=140)
    console.print(f"Python {sys.version.split()[0]}, numba {version('numba')}, numpy {version('numpy')}")
    table = Table("work", "here", "there", "times faster: of the best, (median of the rounds)")
    with ExitStack() as stack:
        here, there = (
            Checkout(folder, Path(stack.enter_context(tempfile.TemporaryDirectory())))
            for folder in (HERE, other.resolve())
        )
        for name in names:
            few = min(rounds, 3) if name in FIRST_USE else rounds
            row = compare(name, here, there, few)
            print(*row, sep=" | ", file=sys.stderr, flush=True)
            table.add_row(*row)
        for checkout in (here, there):
            checkout.process.terminate()
    console.print(table)


if __name__ == "__main__":
    main()
