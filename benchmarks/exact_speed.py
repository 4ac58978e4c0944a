"""Speed of the exact executor: whole runs, the cost of a step as the tape grows, other forms, runs too long to step.

Contenders run in one process and in turn, best of several rounds as far as time allows; what counts is the ratio.
"direct" is the exact executor step by step, "macro" with runs of steps at once, "induction" with rules that it proves.

* `beaver`: BB(5), 47,176,870 steps in the real-time network, against float64 and against direct simulation of the
  machine (`turing_simulator.py`). Checked: halting step, state, 4098 cells that are not blank.
* `tape`: a step of a network whose machine rewrites a random word for ever, by the length of the word, against the
  rational reference, integers over a common power of two, a dense matrix of python-flint (left out where that is not
  installed) and direct simulation. Checked: all agree on short words.
* `forms`: the book form and long words, against the rational reference, whose time is taken for as many steps as fit
  in a short while. Checked: verdicts, and states where the reference stopped.
* `long`: machines with published counts of up to 10^36534 steps (`published_runs.py`), each in a process of its own,
  with its peak memory. Checked: halting step. A run is given up after a while.

    python benchmarks/exact_speed.py [beaver] [tape] [forms] [long] [--quick]

Without a part it measures all. --quick takes small cases and few rounds, to see whether it works.
"""

import platform
import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection

import click
from gmpy2 import mpq, mpz
from other_exact_steppers import RationalMatrix, ScaledIntegers, flint
from published_runs import PUBLISHED_RUNS, PublishedRun
from rich.console import Console
from rich.table import Table
from turing_simulator import LOOPS, Simulator

import exactnn as xn
from exactnn.machine_files.bbchallenge import read_bbchallenge
from exactnn.networks import EOS, Network
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, advance_by, executor_for
from exactnn.simulation.executor import State
from exactnn.simulation.positional.executor import ExactExecutor

WITHOUT_END = 1 << 62
"""More steps than are ever done in one piece."""


def exact_executor(network: Network, *, macro: bool = True, induction: bool = True) -> Executor:
    """Return the executor that is measured; nothing else here knows how its modes are switched."""
    return ExactExecutor(network, warm_up=0, macro=macro, induction=induction)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured."""

    rounds: int
    """Best of so many."""
    round_seconds: float
    """A contender gets another round while all of its rounds took less than this."""
    step_seconds: float
    """Steps are repeated until they take this long."""
    beaver: str
    lengths: tuple[int, ...]
    """Of the random words on the tape."""
    words: tuple[int, ...]
    """Lengths of the palindromes."""
    forms_steps: int
    """Steps of a machine in book form that would run for too long."""
    published: int
    """How many of the published runs."""
    run_seconds: float
    """A long run is given up after about this time."""


FULL = Effort(
    rounds=5,
    round_seconds=30,
    step_seconds=0.2,
    beaver="bb5",
    lengths=(10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000),
    words=(200, 2000),
    forms_steps=10_000_000,
    published=len(PUBLISHED_RUNS),
    run_seconds=120,
)
QUICK = Effort(
    rounds=2,
    round_seconds=1,
    step_seconds=0.01,
    beaver="bb4",
    lengths=(10, 100, 1000),
    words=(20,),
    forms_steps=1000,
    published=3,
    run_seconds=1,
)

BEAVERS = {"bb5": (47_176_870, 4098), "bb4": (107, 13)}
"""Steps, cells that are not blank."""


def in_turn(contenders: dict[str, Callable[[], object]], effort: Effort) -> dict[str, float]:
    """Return the shortest time of each contender in seconds, the rounds of all interleaved."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(effort.rounds):
        for name, work in contenders.items():
            if sum(times[name]) < effort.round_seconds:
                times[name].append(seconds_of(work))
    return {name: min(of_name) for name, of_name in times.items()}


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@dataclass(frozen=True, slots=True)
class End:
    """Where a network is after a run."""

    steps: int
    outcome: Outcome | None
    state: State


def pieces(limit: int, piece: int) -> Iterator[int]:
    """Yield numbers of at most `piece` that add up to `limit`."""
    while limit > 0:
        yield min(piece, limit)
        limit -= piece


def whole_run(
    executor: Executor, network: Network, word: Sequence[str] = (), limit: int = WITHOUT_END, piece: int = WITHOUT_END
) -> End:
    """Read `word`, then EOS until a verdict or the limit; at most `piece` steps at once."""
    assert network.alphabet is not None
    state, steps = executor.start(), 0
    for symbol, group in groupby(network.inputs(word)):
        count = min(sum(1 for _ in group), limit - steps)
        if not count:
            break
        state = advance_by(executor, state, symbol, count).state
        steps += count
    while steps < limit:
        count = min(piece, limit - steps)
        segment = executor.advance(state, network.alphabet.index(EOS), count, until_decided=True)
        state, steps = segment.state, steps + segment.steps
        if segment.outcome is not None:
            return End(steps, segment.outcome, state)
    return End(steps, None, state)


def float_run(executor: Executor, symbol: int, steps: int) -> None:
    """Take so many steps whatever comes out: a float run may leave the truth, and its steps cost the same."""
    state = executor.start()
    for count in pieces(steps, 1 << 20):
        state = advance_by(executor, state, symbol, count).state


# --- beaver


def check_beaver(construction: xn.Construction, executor: Executor, steps: int, nonblank: int) -> None:
    """Raise AssertionError unless the run halts when and as it should."""
    end = whole_run(executor, construction.network)
    configuration = construction.decode(executor.values(end.state))
    assert isinstance(configuration, xn.TapeConfiguration)
    machine = construction.machine
    assert isinstance(machine, xn.TuringMachine)
    written = sum(a != machine.blank_symbol for a in configuration.tape)
    found = (end.steps, end.outcome, configuration.state, written)
    assert found == (steps, Outcome.HALTED, machine.halt_state, nonblank), found


def beaver(effort: Effort) -> Table:
    """Measure whole runs of a busy beaver."""
    steps, nonblank = BEAVERS[effort.beaver]
    construction = xn.siegelmann_sontag(xn.load(effort.beaver))
    network = construction.network
    machine = construction.machine
    assert network.alphabet is not None
    assert isinstance(machine, xn.TuringMachine)
    modes = {
        "direct": exact_executor(network, macro=False, induction=False),
        "macro": exact_executor(network, induction=False),
        "induction": exact_executor(network),
    }
    contenders: dict[str, Callable[[], object]] = {}
    for name, executor in modes.items():
        check_beaver(construction, executor, steps, nonblank)
        contenders[f"exact, {name}"] = partial(whole_run, executor, network)
    rounded = executor_for(network, xn.FLOAT64)
    float_run(rounded, network.alphabet.index(EOS), 1)
    contenders["float64"] = partial(float_run, rounded, network.alphabet.index(EOS), steps)
    for loop in LOOPS:
        simulator = Simulator(machine, loop)
        end = simulator.run()
        assert (end.halted, end.steps, end.nonblank) == (True, steps, nonblank), end
        contenders[f"simulator, {loop}"] = simulator.run
    return beaver_table(effort.beaver, steps, in_turn(contenders, effort))


def beaver_table(name: str, steps: int, seconds: dict[str, float]) -> Table:
    """Return the figures of whole runs as a table."""
    table = Table(title=f"{name}, {steps:,} steps, real-time network")
    for column in ("contender", "seconds", "ns/step", "exact direct / it", "it / simulator (table)"):
        table.add_column(column, justify="right")
    for contender, time_ in seconds.items():
        ratios = (seconds["exact, direct"] / time_, time_ / seconds["simulator, table"])
        table.add_row(contender, f"{time_:.4f}", f"{time_ / steps * 1e9:.2f}", *(f"{r:.3g}" for r in ratios))
    return table


# --- tape


def scrambler() -> xn.TuringMachine:
    """Return a machine that sweeps over its word and back for ever and rewrites every cell.

    A sweep writes the sum of the cell and a carry. The cell and the carry determine the next carry, and a sweep begins
    with the same one, so that every sweep maps the words of a length one to one: a random word stays random. The next
    carry is the cell on the way right, and on the way left not (cell and carry), so that the maps are no mere sums.
    """
    rules: dict[str, dict[str, tuple[str, str, str]]] = {}
    for direction, back in (("R", "L"), ("L", "R")):
        for carry in (0, 1):
            row = {"_": (f"{back}1", "_", back)}
            for cell in (0, 1):
                following = cell if direction == "R" else 1 - (cell & carry)
                row[str(cell)] = (f"{direction}{following}", str(cell ^ carry), direction)
            rules[f"{direction}{carry}"] = row
    return xn.TuringMachine(
        states=rules,
        input_symbols=(),
        tape_symbols=("_", "0", "1"),
        transitions=rules,
        initial_state="R1",
        blank_symbol="_",
        tape="two_way_infinite",
        name="scrambler",
    )


def random_tape(cells: int) -> xn.TapeConfiguration:
    """Return the scrambler on its way right in the middle of a random word."""
    rng = random.Random(cells)
    word = [rng.choice("01") for _ in range(cells)]
    half = cells // 2
    return xn.TapeConfiguration(
        state="R1", left=tuple(word[:half]), scanned=word[half], right=tuple(word[half + 1 :])
    )  # fmt: skip


class Steppers:
    """The scrambler's network on a tape, and whoever can step it from there: each a function of the number of steps."""

    def __init__(
        self, construction: xn.Construction, configuration: xn.TapeConfiguration, simulators: dict[str, Simulator]
    ) -> None:
        self.construction = construction
        state = tuple(mpq(value) for value in construction.encode(configuration))
        network = replace(construction.network, initial_state=state)
        assert network.alphabet is not None
        symbol = network.alphabet.index(EOS)
        self.executors = {
            "exact": exact_executor(network, macro=False, induction=False),
            "rational": executor_for(network, xn.RATIONAL),
        }
        self.steps: dict[str, Callable[[int], object]] = {}
        for name, executor in self.executors.items():
            self.steps[name] = partial(advanced, executor, executor.start(), symbol)
        self.others = {"integers": ScaledIntegers(network)}
        if flint is not None:
            self.others["flint"] = RationalMatrix(network)
        for name, other in self.others.items():
            self.steps[name] = partial(other.advance, state, symbol)
        for loop, simulator in simulators.items():
            self.steps[loop] = partial(simulator.advance, simulator.start(configuration))

    def check(self, steps: int) -> None:
        """Raise AssertionError unless all are in the same state after so many steps."""
        ends = {name: step(steps) for name, step in self.steps.items()}
        expected = self.executors["rational"].values(ends["rational"])
        assert self.executors["exact"].values(ends["exact"]) == expected
        assert all(ends[name] == expected for name in self.others), self.others
        configuration = self.construction.decode(expected)
        assert all(ends[loop].configuration == configuration for loop in LOOPS), str(configuration)


def advanced(executor: Executor, state: State, symbol: int, count: int) -> State:
    """Return the state after `count` steps."""
    return advance_by(executor, state, symbol, count).state


def affordable(step: Callable[[int], object], effort: Effort, most: int = WITHOUT_END) -> int:
    """Return how many steps take about the time that they should, but not more than there are."""
    count = 1
    while count < most and (taken := seconds_of(partial(step, count))) < effort.step_seconds:
        count = max(2 * count, int(count * min(16, 0.8 * effort.step_seconds / taken)))
    return min(count, most)


def tape(effort: Effort) -> Table:
    """Measure a step by the length of the tape."""
    construction = xn.siegelmann_sontag(scrambler())
    simulators = {loop: Simulator(scrambler(), loop) for loop in LOOPS}
    figures: dict[int, dict[str, float]] = {}
    for cells in effort.lengths:
        steppers = Steppers(construction, random_tape(cells), simulators)
        if cells <= 100:
            steppers.check(20 * cells)
        counts = {name: affordable(step, effort) for name, step in steppers.steps.items()}
        seconds = in_turn({name: partial(step, counts[name]) for name, step in steppers.steps.items()}, effort)
        figures[cells] = {name: seconds[name] / counts[name] for name in seconds}
    title = f"A step by the length of a random word, ns; {construction.network.neurons} neurons"
    return tape_table(title, figures, counts["exact"])


def tape_table(title: str, figures: dict[int, dict[str, float]], count: int) -> Table:
    """Return the figures of a step as a table."""
    table = Table(title=f"{title}; exact direct in runs of {count:,} steps at the longest")
    first = figures[min(figures)]
    ratios = ("exact / exact at first", "rational / exact", "exact / table")
    for column in ("cells", *first, *ratios):
        table.add_column(column, justify="right")
    for cells, of in figures.items():
        shown = [of["exact"] / first["exact"], of["rational"] / of["exact"], of["exact"] / of["table"]]
        table.add_row(f"{cells:,}", *(f"{of[name] * 1e9:,.2f}" for name in first), *(f"{r:.3g}" for r in shown))
    return table


# --- forms


def palindrome(length: int) -> str:
    """Return a random palindrome."""
    rng = random.Random(length)
    half = "".join(rng.choice("ab") for _ in range(length // 2))
    return half + half[::-1]


def form_cases(effort: Effort) -> Iterator[tuple[str, xn.Construction, str, int]]:
    """Yield name, construction, word, most steps."""
    yield "bb5, book", xn.siegelmann_sontag_book(xn.load("bb5")), "", effort.forms_steps
    machine = xn.load("palindrome")
    for length in effort.words:
        word = palindrome(length)
        assert set(word) <= set(machine.input_symbols), machine.input_symbols
        yield f"palindrome, {length} letters", xn.siegelmann_sontag(machine), word, WITHOUT_END
        yield f"palindrome, {length} letters, book", xn.siegelmann_sontag_book(machine), word, WITHOUT_END


def forms(effort: Effort) -> Table:
    """Measure whole runs of other forms and words."""
    table = Table(title="Other forms, whole runs; the reference for its first steps")
    for column in (
        "network", "neurons", "weights", "steps", "direct s", "macro s", "direct ns/step",
        "rational steps", "rational ns/step", "rational / direct",
    ):  # fmt: skip
        table.add_column(column, justify="right")
    for name, construction, word, limit in form_cases(effort):
        table.add_row(name, *form_row(construction.network, word, limit, effort))
    return table


def form_row(network: Network, word: str, limit: int, effort: Effort) -> list[str]:
    """Return the figures of one network."""
    direct = exact_executor(network, macro=False, induction=False)
    macro = exact_executor(network)
    rational = executor_for(network, xn.RATIONAL)
    end = whole_run(direct, network, word, limit)
    assert end.outcome is (Outcome.ACCEPTED if word else None), end.outcome
    other = whole_run(macro, network, word, limit)
    assert (other.steps, other.outcome) == (end.steps, end.outcome), other
    few = affordable(lambda count: whole_run(rational, network, word, count), effort, end.steps)
    expected = whole_run(rational, network, word, few).state
    assert direct.values(whole_run(direct, network, word, few).state) == expected
    seconds = in_turn(
        {
            "direct": partial(whole_run, direct, network, word, limit),
            "macro": partial(whole_run, macro, network, word, limit),
            "rational": partial(whole_run, rational, network, word, few),
        },
        effort,
    )
    step, reference = seconds["direct"] / end.steps, seconds["rational"] / few
    figures = [f"{network.neurons:,}", f"{network.circuit.weights:,}", f"{end.steps:,}"]
    figures += [f"{seconds['direct']:.4f}", f"{seconds['macro']:.4f}", f"{step * 1e9:,.1f}"]
    return [*figures, f"{few:,}", f"{reference * 1e9:,.0f}", f"{reference / step:.3g}"]


# --- long


@dataclass(frozen=True, slots=True)
class LongRun:
    """What a long run gave: seconds and MiB, the latter before it and at most."""

    steps: int
    halted: bool
    seconds: float
    before: float
    peak: float


def long_run(text: str, induction: bool, seconds: float) -> LongRun:
    """Run a machine's network until it halts or the time is over, more steps at once each time."""
    network = xn.siegelmann_sontag(read_bbchallenge(text)).network
    assert network.alphabet is not None
    executor = exact_executor(network, induction=induction)
    state, steps, piece = executor.start(), 0, 1 << 10
    before = peak_memory()
    began = time.perf_counter()
    outcome = None
    while outcome is None and time.perf_counter() - began < seconds:
        segment = executor.advance(state, network.alphabet.index(EOS), piece, until_decided=True)
        state, outcome, steps = segment.state, segment.outcome, steps + segment.steps
        piece = piece**2 if induction else 2 * piece
    return LongRun(steps, outcome is Outcome.HALTED, time.perf_counter() - began, before, peak_memory())


def peak_memory() -> float:
    """Return the largest memory of this process so far in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if platform.system() == "Darwin" else 1 << 10)


def long_cases(effort: Effort) -> Iterator[tuple[PublishedRun, bool]]:
    """Yield runs and whether with induction; without it only those that have a chance."""
    for run in PUBLISHED_RUNS[: effort.published]:
        if not run.steps.length and len(run.steps.leading) <= 18:
            yield run, False
        yield run, True


def report(answer: Connection, text: str, induction: bool, seconds: float) -> None:
    """Send what :func:`long_run` gives."""
    answer.send(long_run(text, induction, seconds))


def alone(run: PublishedRun, induction: bool, seconds: float) -> LongRun | None:
    """Return what :func:`long_run` gives in a process of its own; None if it had to be stopped."""
    processes = get_context("spawn")
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=report, args=(theirs, run.text, induction, seconds))
    process.start()
    theirs.close()
    found = None
    if ours.poll(2 * seconds + 30):
        try:
            found = ours.recv()
        except EOFError:
            found = None
    process.kill()
    process.join()
    return found


def long_row(run: PublishedRun, found: LongRun | None) -> list[str]:
    """Return the figures of a long run after checking them."""
    if found is None:
        return ["stopped", *4 * "-"]
    assert not found.halted or run.steps.fits(found.steps), (run.text, found.steps)
    steps = f"{found.steps:,}" if found.steps < 10**20 else f"{mpz(found.steps).num_digits():,} digits"
    figures = [f"{found.seconds:.3f}", f"{found.before:.0f}", f"{found.peak:.0f}"]
    return ["yes" if found.halted else "given up", steps, *figures]


def long(effort: Effort) -> Table:
    """Measure runs that nobody steps through."""
    table = Table(title=f"Published runs, at most {effort.run_seconds:.0f} s each")
    for column in ("machine", "published steps", "mode", "halted", "steps done", "seconds", "MiB before", "MiB peak"):
        table.add_column(column, justify="right")
    for run, induction in long_cases(effort):
        found = alone(run, induction, effort.run_seconds)
        table.add_row(run.text, str(run.steps), "induction" if induction else "macro", *long_row(run, found))
    return table


PARTS: dict[str, Callable[[Effort], Table]] = {"beaver": beaver, "tape": tape, "forms": forms, "long": long}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="Small cases, few rounds.")
def main(parts: tuple[str, ...], quick: bool) -> None:
    """Print the tables of PARTS, or all."""
    console = Console(width=180)
    versions = ", ".join(f"{package} {version(package)}" for package in ("numba", "gmpy2", "numpy"))
    flint_version = f"python-flint {flint.__version__}" if flint is not None else "no python-flint"
    engine = exact_executor(xn.siegelmann_sontag(xn.load("bb2")).network).engine
    console.print(f"Python {platform.python_version()}, {versions}, {flint_version}; exact executor: {engine}")
    for part in parts or PARTS:
        console.print(PARTS[part](QUICK if quick else FULL))


if __name__ == "__main__":
    main()
