"""How fast, as ratios: each kind of work in this package beside a yardstick that does the same, in one process.

What is slower by itself is so for the yardstick too, so that a ratio hardly depends on the machine. Both take their
turns, the best of several rounds counts, and what is compiled was compiled before, but in the rows of first use. A
yardstick is the shortest program for the work that we know, or plain rationals where there is none:

* for steps of a machine the same machine on an array of cells, in numba (`turing_simulator.py`): by a table, or by
  source text made for it;
* for runs that nobody can step through, BB(5) in that table, 47,176,870 steps: the unit is the time of such a run;
* for dense networks a bare loop over python-flint's integer matrices (`dense_networks.py`);
* for floats a loop in numba that knows no format, made for the one case, with 64 words side by side;
* for a first call a process that compiles one function of three lines, or imports numpy, all with bytecode on the disk.

    python benchmarks/yardsticks.py [PART ...] [--rounds 5]

Prints a table in Markdown. Step counts are checked against the published ones.
"""

import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import dense_networks
import numpy as np
from exact_speed import Steppers, exact_executor, random_tape, scrambler, whole_run
from long_runs import tens
from numba import njit
from published_runs import PUBLISHED_RUNS, TOWER_RUNS, PublishedRun
from turing_simulator import Simulator

import exactnn as xn
from exactnn.arithmetic import AnyArithmetic, format_of, power
from exactnn.machine_files.bbchallenge import read_bbchallenge
from exactnn.simulation import executor_for
from exactnn.simulation.word_batch import WordBatch, Words

Work = Callable[[], object]
ROOT = Path(__file__).resolve().parents[1]
STEPS = 47_176_870
"""Of BB(5)."""
LANES = 64
LONG = (1762, 21132, 36534)
"""Machines that halt after 10 to this power of steps."""
BY_POWERS = {"1RB2LA1RZ5LB5LA4LB_1LA4RB3RB5LB1LB4RA": (9866, "1 s"), "1RB2LB4LB3LA1RZ_1LA3RA3LB0LB0RA": (38033, "30 s")}
"""Machines of two states, with the whole part of the logarithm of their steps, and what a run may take."""
TOWERS = {5: "1 s", 15: "2 s", 2048: "30 s"}
"""What runs of more than 10^^n steps may take."""
CERTIFIED = (9866, 21132, 36534)
"""Runs of which a certificate is written, and one is verified, each in 5 s at most."""


@dataclass(frozen=True, slots=True)
class Row:
    """A work and its yardstick, each with the number of steps by which its time is divided."""

    name: str
    goal: str
    ours: Work
    yardstick: Work
    than: str
    """What the yardstick is."""
    steps: float = 1
    yardstick_steps: float = 1
    rounds: int | None = None


def seconds(work: Work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measured(row: Row, rounds: int) -> tuple[float, float]:
    """Return the shortest times of a step, ours and the yardstick's."""
    times: tuple[list[float], list[float]] = ([], [])
    row.ours()
    row.yardstick()
    for _ in range(row.rounds or rounds):
        for work, of_work in zip((row.yardstick, row.ours), times, strict=True):
            of_work.append(seconds(work))
    return min(times[1]) / row.steps, min(times[0]) / row.yardstick_steps


# --- exact runs


@cache
def table() -> Simulator:
    return Simulator(xn.load("bb5"), "table")


def long_runs() -> Iterator[Row]:
    """Runs that nobody can step through."""
    for run in PUBLISHED_RUNS:
        if run.steps.length - 1 in LONG:

            def ours(run: PublishedRun = run) -> None:
                assert run.steps.fits(xn.run(xn.siegelmann_sontag(read_bbchallenge(run.text))).steps)

            yield Row(f"{run.steps} steps", "1 s", ours, table().run, "BB(5) by table", rounds=2)


def enormous() -> Iterator[Row]:
    """Counts of steps that are sums of powers; and certificates, which are written and verified."""

    def halts(text: str, fits: Callable[[Any], bool]) -> None:
        steps = xn.run(xn.siegelmann_sontag(read_bbchallenge(text))).steps
        assert fits(steps), f"{text}: {steps}"

    by_table = table().run
    for text, (digits, goal) in BY_POWERS.items():
        ours = partial(halts, text, lambda n, k=digits: power(10, k) < n < power(10, k + 1))
        yield Row(f"10^{digits} steps", goal, ours, by_table, "BB(5) by table", rounds=1)
    for text, levels in TOWER_RUNS.items():
        ours = partial(halts, text, lambda n, k=levels: tens(k) < n < tens(k + 1))
        yield Row(f"more than 10^^{levels} steps", TOWERS[levels], ours, by_table, "BB(5) by table", rounds=1)
    texts = {text: f"10^{digits}" for text, (digits, _) in BY_POWERS.items() if digits in CERTIFIED}
    texts |= {run.text: str(run.steps) for run in PUBLISHED_RUNS if run.steps.length - 1 in CERTIFIED}
    for text, steps in texts.items():
        network = xn.siegelmann_sontag(read_bbchallenge(text))
        written = xn.run(network, certify=True).certificate
        assert written is not None
        size = len(json.dumps(written)) / 1000
        certify, verify = partial(xn.run, network, certify=True), partial(xn.check_certificate, written)
        name = f"certificate of {steps} steps"
        yield Row(f"{name}, written", "5 s", certify, by_table, "BB(5) by table", rounds=2)
        yield Row(f"{name}, {size:.0f} kB, verified", "5 s", verify, by_table, "BB(5) by table", rounds=2)


def beaver() -> Iterator[Row]:
    """BB(5), whole runs."""
    construction = xn.siegelmann_sontag(xn.load("bb5"))
    network, branches = construction.network, Simulator(xn.load("bb5"), "branches")

    def ours(executor: Any = None) -> None:  # of a copy nothing is known of earlier runs
        end = whole_run(executor or exact_executor(replace(network)), network)
        assert end.steps == STEPS

    direct = partial(ours, exact_executor(network, macro=False, induction=False))
    yield Row("BB(5), a step in direct mode", "4", direct, branches.run, "source text made for it", STEPS, STEPS)
    yield Row("BB(5), a step in direct mode", "1", direct, table().run, "table", STEPS, STEPS)
    yield Row("BB(5), macro mode, a new network", "8 ms", ours, table().run, "BB(5) by table")
    known = replace(network)

    def again() -> None:
        ours(exact_executor(known))

    yield Row("BB(5), macro mode, again", "8 ms", again, table().run, "BB(5) by table")
    book = xn.siegelmann_sontag_book(xn.load("bb5")).network
    of_book = exact_executor(book, macro=False, induction=False)

    def by_book() -> None:
        assert whole_run(of_book, book).steps == STEPS

    def by_rationals(count: int = 100) -> None:
        whole_run(executor_for(book, xn.RATIONAL), book, "", count)

    yield Row("BB(5) in book form, a step", "0.1 µs", by_book, by_rationals, "plain rationals", STEPS, 100, 2)


def tapes() -> Iterator[Row]:
    """A tape that no rule shortens."""
    construction, simulators = xn.siegelmann_sontag(scrambler()), {"table": Simulator(scrambler(), "table")}
    count = 1 << 23
    for cells in (10, 1000, 100_000):
        of = Steppers(construction, random_tape(cells), simulators).steps
        of["exact"](count)
        name = f"a random tape of {cells:,} cells, a step"
        yield Row(name, "3", partial(of["exact"], count), partial(of["table"], count), "table", count, count)


def steps(name: str, goal: str, network: xn.Network, word: str, count: int, few: int = 1000) -> Row:
    """A step of a run in EXACT against one of the first few in RATIONAL, whose numbers are shorter."""
    ours = partial(xn.run, network, word, max_steps=count)
    rationals = partial(xn.run, network, word, xn.RATIONAL, max_steps=few)
    assert ours().steps == count
    return Row(name, goal, ours, rationals, "plain rationals", count, few)


def constructions() -> Iterator[Row]:
    """Constructions whose numbers are not those of one tape."""
    half = "ab" * 2500
    stacks = xn.load("mirror-stacks")
    word = f"{half}#{half[::-1]}"
    assert set(word) <= set(stacks.input_symbols)
    for name in ("layered_stacks", "merged_stacks"):
        network = xn.compile(stacks, name).network
        yield steps(f"{name} of mirror-stacks, a step", "0.5 µs", network, word, len(word))
    network = xn.compile(xn.load("anbn-stacks"), "real_time_stacks").network
    yield steps("real_time_stacks of anbn-stacks, a step", "0.5 µs", network, "a" * 5000 + "b" * 5000, 10_000)
    yield steps("LSTM counters, a step", "1", xn.lstm_anbn().network, "a" * 2000 + "b" * 2000, 4000)
    memory = xn.growing_memory(xn.load("palindrome"), precision=8, modules=64).network
    word = "ab" * 32 + "ba" * 32
    yield steps("growing memory of palindrome, a step", "0.5 µs", memory, word, xn.run(memory, word).steps)


def short_runs() -> Iterator[Row]:
    """Runs of some hundred steps, of which no other run has found out anything, and once more."""
    reversal = "ab" * 100 + "#" + "ba" * 100
    runs: dict[str, tuple[xn.Network, str, int]] = {
        "`siegelmann_sontag` of bb5": (xn.compile("bb5").network, "", 400),
        "`layered_stacks` of mirror-stacks": (xn.compile("mirror-stacks", "layered_stacks").network, reversal, 401),
        "`lstm_anbn`": (xn.lstm_anbn().network, "a" * 200 + "b" * 200, 400),
    }
    memory = xn.growing_memory(xn.load("palindrome"), precision=8, modules=64).network
    runs["growing memory of palindrome"] = memory, "ab" * 32 + "ba" * 32, 200
    for name in ("chung_siegelmann", "carmantini"):
        runs[f"`{name}` of palindrome"] = xn.compile("palindrome", name).network, "ab" * 10 + "ba" * 10, 300
    for name, (network, word, count) in runs.items():
        work = partial(xn.run, word=word, max_steps=count)

        def first(arithmetic: AnyArithmetic, network: xn.Network = network, work: Any = work) -> None:
            work(replace(network), arithmetic=arithmetic)

        for how, by in (("a new network", first), ("again", partial(work, network))):
            ours, rationals = partial(by, arithmetic=xn.EXACT), partial(by, arithmetic=xn.RATIONAL)
            title = f"{count} steps of {name}, {how}, a step"
            yield Row(title, "1", ours, rationals, "plain rationals", count, count)


def words() -> Iterator[Row]:
    """Words whose letters change, by `run`; plain rationals take the first letters."""
    for name, word in (("palindrome", "ab" * 20_000), ("parity", "01" * 50_000)):
        network = xn.compile(name).network
        few = word[:400]
        ours = partial(xn.run, network, word, max_steps=len(word))
        rationals = partial(xn.run, network, few, xn.RATIONAL, max_steps=len(few))
        title = f"a word of {len(word):,} letters in `{name}`, a letter"
        yield Row(title, "1", ours, rationals, "plain rationals", len(word), len(few))


def dense() -> Iterator[Row]:
    """Networks without positional structure."""
    word = [0, 1, 1, 0, 1] * 60
    for activation in ("relu", "slu"):
        for size in (5, 30, 60):
            network = dense_networks.dense_network(size, "denominators <= 10", activation)
            bare = dense_networks.flint_integers(network)
            for _ in range(2):
                bare(word)
            name = f"dense {activation} network of {size} units, a step"
            run = partial(xn.run, network, "".join("ab"[i] for i in word), max_steps=len(word))
            rounds = 20  # what runs find out of each other's speed takes a few of them
            yield Row(name, "1.2", run, partial(bare, word), "bare fmpz_mat", len(word), len(word), rounds)


# --- floats


@njit
def plain_lanes(registers, following, ends, reads, weights, bias, symbols):  # type: ignore[no-untyped-def]
    """Read words side by side, `symbols[step, lane]`, into `registers[register, lane]`: state, then inputs."""
    size, width = following.shape
    zero, one = bias.dtype.type(0), bias.dtype.type(1)
    for step in range(len(symbols)):
        registers[size:] = 0
        for lane in range(width):
            registers[size + symbols[step, lane], lane] = 1
        for unit in range(size):
            total = following[unit]
            total[:] = bias[unit]
            for t in range(ends[unit], ends[unit + 1]):
                read, weight = registers[reads[t]], weights[t]
                for lane in range(width):
                    total[lane] += weight * read[lane]
            for lane in range(width):
                total[lane] = min(max(total[lane], zero), one)
        registers[:size] = following


@njit
def plain_steps(registers, following, ends, reads, weights, bias, count):  # type: ignore[no-untyped-def]
    """Take steps of one run under one input."""
    size = len(following)
    for _ in range(count):
        for unit in range(size):
            total = bias[unit]
            for t in range(ends[unit], ends[unit + 1]):
                total += weights[t] * registers[reads[t]]
            following[unit] = min(max(total, 0.0), 1.0)
        registers[:size] = following


def plain_rows(network: xn.Network, dtype: Any) -> tuple[Any, ...]:
    """Return the units of a network of one layer of clamped units as arrays: ends, reads, weights, bias."""
    (units,) = network.circuit.layers
    assert all((unit.activation.low, unit.activation.high) == (0, 1) for unit in units)
    ends = np.cumsum([0, *(len(unit.linear) for unit in units)])
    terms = [term for unit in units for term in unit.linear]
    reads, weights = np.array([i for i, _ in terms]), np.array([float(w) for _, w in terms], dtype)
    return ends, reads, weights, np.array([float(unit.bias) for unit in units], dtype)


def float_words() -> Iterator[Row]:
    """Words by the thousand through a compiled machine."""
    network, letters, many = xn.compile("palindrome").network, 63, 4096
    numbers = np.random.default_rng(0).integers(0, 2, (many, letters))
    words, symbols = Words(numbers.tolist()), np.ascontiguousarray(numbers.T)
    rows = plain_rows(network, np.float32)
    start = np.array([float(x) for x in network.initial_state], np.float32)

    def plain() -> None:
        for begin in range(0, many, LANES):
            registers = np.zeros((len(start) + network.circuit.input_size, LANES), np.float32)
            registers[: len(start)] = start[:, None]
            plain_lanes(registers, np.empty((len(start), LANES), np.float32), *rows, symbols[:, begin : begin + LANES])

    for name, goal in (("float32", "1"), ("p18e8", "2"), ("bfloat16", "2"), ("float8_e4m3", "2")):  # p18e8: 26 bits
        batch = WordBatch(network, format_of(name))
        ours = partial(batch.run, words, [0] * many)
        each = many * letters
        yield Row(f"words by the thousand in {name}, a letter", goal, ours, plain, "float32 lanes", each, each)


def float_run() -> Iterator[Row]:
    """One run of some thousand steps."""
    for name in ("anbn", "palindrome"):
        network, count = xn.compile(name).network, 4000
        word = "ab" * (count // 2)
        rows, size = plain_rows(network, np.float64), network.circuit.state_size

        def plain(rows: Any = rows, size: int = size, network: xn.Network = network, count: int = count) -> None:
            registers = np.zeros(size + network.circuit.input_size)
            registers[:size] = [float(x) for x in network.initial_state]
            plain_steps(registers, np.empty(size), *rows, count)

        ours = partial(xn.run, network, word, "float64", max_steps=count, record="end")
        yield Row(f"one float64 run of {name}, a step", "1 µs", ours, plain, "plain loop in numba", count, count)


# --- the first call


BYTECODE = tempfile.TemporaryDirectory()
"""Where processes have it: pip writes it when a package is installed, and a checkout may be without."""


def process(*arguments: str, cold: bool = False) -> Work:
    """Return a call in a process of its own, with an empty cache of kernels if it is `cold`."""

    def call() -> None:
        with tempfile.TemporaryDirectory() as folder:
            changed = {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": BYTECODE.name, "PYTHONDONTWRITEBYTECODE": ""}
            if cold:
                changed["NUMBA_CACHE_DIR"] = folder
            subprocess.run(
                [sys.executable, *arguments], env=os.environ | changed, check=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip

    return call


SMALL_KERNEL = "import numba; numba.njit(lambda n: sum(range(n)))(9)"


def first_calls() -> Iterator[Row]:
    """Processes: the commands of the README and a long run with an empty cache, and what is fastest with a full one."""
    lines = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("exactnn ")]
    for line in (*lines, "exactnn run bb5"):
        command = line.partition("#")[0].strip()
        ours, yardstick = process("-m", *shlex.split(command), cold=True), process("-c", SMALL_KERNEL)
        yield Row(f"`{command}`, first call", "3 s", ours, yardstick, "numba compiles a small loop", rounds=2)
    for name, goal, arguments in (
        ("`import exactnn`", "0.03 s", ("-c", "import exactnn")),
        ("`exactnn run bb4`, kernels on the disk", "0.3 s", ("-m", "exactnn", "run", "bb4")),
        ("`exactnn run bb5`, kernels on the disk", "0.8 s", ("-m", "exactnn", "run", "bb5")),
    ):
        process(*arguments)()
        yield Row(name, goal, process(*arguments), process("-c", "import numpy"), "import numpy")


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    "long runs": long_runs,
    "beaver": beaver,
    "tapes": tapes,
    "constructions": constructions,
    "short runs": short_runs,
    "exact words": words,
    "dense": dense,
    "words": float_words,
    "float run": float_run,
    "enormous numbers": enormous,
    "first calls": first_calls,
}


def shown(seconds: float) -> str:
    """Return a time in a fitting unit."""
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.2g} ns"


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(ROWS)))
@click.option("--rounds", default=5, show_default=True, help="The best of so many counts.")
def main(parts: tuple[str, ...], rounds: int) -> None:
    """Print the table of PARTS, or of all."""
    versions = ", ".join(f"{package} {version(package)}" for package in ("numba", "gmpy2", "numpy", "python-flint"))
    click.echo(f"Python {platform.python_version()}, {versions}\n")
    click.echo("| work | here | yardstick | takes | here / yardstick | aim |\n|---|---|---|---|---|---|")
    for part in parts or ROWS:
        for row in ROWS[part]():
            ours, yardstick = measured(row, rounds)
            cells = row.name, shown(ours), row.than, shown(yardstick), f"{ours / yardstick:.3g}", row.goal
            click.echo(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
