"""How far do trained networks really count, and where do floating-point formats leave them?

The networks of `train_counting.py`, LSTMs and GRUs that learned a^n b^n (n <= 100) and a^n b^n c^n (n <= 50). A
trained network has float32 weights, which are rational numbers, and sigmoid and tanh, which give none: the network
itself is what the equations say in real numbers. Its verdicts are proven by interval arithmetic
(`exactnn.CERTIFIED`): bits are added until an enclosure of the output does not contain the threshold. They are
compared with the verdicts of the same network in float64, float32, float16, bfloat16 and the two float8 formats, with
every operation rounded, activations too.

A network is right at n if it accepts the word of the language and rejects every other word a^n b^m, m <= n + 5, or
a^n b^m c^k, m = n - 2, ..., n + 2 and k <= m + 2. The table says up to which n it is right without a gap, the first
words that are wrong, and where a format first differs from the network itself.

    python benchmarks/counting_study.py benchmarks/trained
    python benchmarks/counting_study.py benchmarks/trained --store FOLDER --plot docs/pictures/counters.svg
    python benchmarks/counting_study.py benchmarks/trained --long-plot docs/pictures/counters_long.svg

With a store it may be stopped at any time and goes on.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from counting_training import LANGUAGES, NEAR, Language
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

import exactnn as xn
from exactnn.arithmetic import Interval
from exactnn.errors import CheckpointError, ExactnnError
from exactnn.files import write_file
from exactnn.outcome import Outcome
from exactnn.plots import plot_counters
from exactnn.simulation.executor import Executor, State, advance_by
from exactnn.simulation.executors import executor_for
from exactnn.simulation.intervals import IntervalExecutor

FORMATS = (xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E4M3, xn.FLOAT8_E5M2)
BITS = (53, 106, 212, 424, 848, 1696)
"""Of the interval runs, one after the other, until everything is decided."""
PRECISIONS = range(2, 25)
MORE = 5
"""Symbols that a last block of two has more than the first."""
STRETCH = 2
"""Words are up to so many times as long as the training words."""

LONG = {"anbn": 1000, "anbncn": 100}
"""The n of the words on which the lecture slides show activations."""

Verdicts = dict[str, list[bool | None]]
"""By the blocks before the last, such as "3" or "3,2": the verdicts with 0, 1, ... symbols in the last block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The verdicts of a network in one arithmetic, by n, and the bits that were needed."""

    network: str
    arithmetic: str
    verdicts: dict[int, Verdicts]
    bits: int | None = None


def verdict(executor: Executor, output: Any) -> bool | None:
    """Return whether an output accepts; None if an enclosure does not tell."""
    outcome = executor.network.decision.outcome(output)
    return {Outcome.ACCEPTED: True, Outcome.REJECTED: False}.get(outcome)


def last_block(executor: Executor, state: State, symbol: int, longest: int) -> list[bool | None]:
    """Return the verdicts after 0, 1, ..., `longest` more of the last symbol."""
    segment = advance_by(executor, state, symbol, longest)
    outputs = [executor.output(state)]
    for output, times in segment.outputs:
        outputs += [output] * times
    return [verdict(executor, output) for output in outputs]


def verdicts_at(executor: Executor, state: State, n: int, symbols: int) -> Verdicts:
    """Return the verdicts on all words that are looked at for n; `state` is that after a^n."""
    if symbols == 2:
        return {str(n): last_block(executor, state, 1, n + MORE)}
    found = {}
    for m in range(1, n + NEAR + 1):
        state = advance_by(executor, state, 1, 1).state
        if m >= n - NEAR:
            found[f"{n},{m}"] = last_block(executor, state, 2, m + NEAR)
    return found


def executor_in(network: xn.Network, arithmetic: Any) -> Executor:
    """Return the executor of floats or of intervals."""
    if isinstance(arithmetic, Interval):
        return IntervalExecutor(network, arithmetic)
    return executor_for(network, arithmetic)


def verdicts_of(network: xn.Network, arithmetic: Any, first: int, last: int) -> Iterator[Verdicts]:
    """Yield the verdicts on all words of n = first, ..., last."""
    executor = executor_in(network, arithmetic)
    state = advance_by(executor, executor.start(), 0, first - 1).state
    for n in range(first, last + 1):
        state = advance_by(executor, state, 0, 1).state
        yield verdicts_at(executor, state, n, len(network.alphabet or ()))


def certified(network: xn.Network, longest: int) -> Iterator[tuple[Verdicts, int]]:
    """Yield proven verdicts for n = 1, ..., and the bits that they took: those of the last n, or more."""
    bits = iter(BITS)
    at = next(bits)
    runs = verdicts_of(network, Interval(bits=at), 1, longest)
    for n in range(1, longest + 1):
        found = next(runs)
        while any(known is None for row in found.values() for known in row):
            following = next(bits, None)
            if following is None:
                break
            at = following
            runs = verdicts_of(network, Interval(bits=at), n, longest)
            found = next(runs)
        yield found, at


def member(key: str, last: int) -> bool:
    """Return whether blocks and a last one of so many symbols make a word of the language."""
    return {int(count) for count in key.split(",")} == {last}


def wrong_at(found: Verdicts) -> list[str]:
    """Return the words with a wrong verdict, as numbers of symbols."""
    return [f"{key},{k}" for key, row in found.items() for k, known in enumerate(row) if known is not member(key, k)]


def differing_at(one: Verdicts, other: Verdicts) -> list[str]:
    """Return the words on which two runs differ."""
    return [
        f"{key},{k}"
        for key, row in one.items()
        for k, pair in enumerate(zip(row, other[key], strict=True))
        if pair[0] is not pair[1]
    ]


def right_up_to(verdicts: dict[int, Verdicts]) -> int:
    """Return the largest n such that 1, ..., n are right."""
    return next((n - 1 for n, found in sorted(verdicts.items()) if wrong_at(found)), max(verdicts))


def first_right(network: xn.Network, arithmetic: Any, longest: int) -> int:
    """Return the largest n such that 1, ..., n are right, looking no further than the first that is not."""
    for n, found in enumerate(verdicts_of(network, arithmetic, 1, longest), 1):
        if wrong_at(found):
            return n - 1
    return longest


def by_precision(path: Path, longest: int, advance: Any) -> dict[int, int]:
    """Return up to which n each precision is right, of formats with the exponents of float32."""
    network = xn.load_safetensors(path)
    found = {}
    for precision in PRECISIONS:
        found[precision] = first_right(network, xn.FloatFormat(precision=precision, exponent_bits=8), longest)
        advance(1)
    return found


def shown_word(language: Language, blocks: str) -> str:
    """Return a word as powers: a^3 b^4."""
    return " ".join(f"{symbol}^{count}" for symbol, count in zip(language.alphabet, blocks.split(","), strict=True))


def examined(path: Path, arithmetic: Any, longest: int, store: Path | None, advance: Any) -> Found:
    """Return the verdicts of the network in a file, from the store if they are there."""
    kept = None if store is None else store / f"{path.stem}_{arithmetic}_{longest}.json"
    if kept is not None and kept.exists():
        data = json.loads(kept.read_text())
        advance(longest)
        verdicts = {int(n): found for n, found in data["verdicts"].items()}
        return Found(network=path.stem, arithmetic=str(arithmetic), verdicts=verdicts, bits=data["bits"])
    network = xn.load_safetensors(path)
    verdicts, bits = {}, None
    if arithmetic is xn.CERTIFIED:
        for n, (found, bits) in enumerate(certified(network, longest), 1):  # noqa: B007  (the bits of the last one)
            verdicts[n] = found
            advance(1)
    else:
        for n, found in enumerate(verdicts_of(network, arithmetic, 1, longest), 1):
            verdicts[n] = found
            advance(1)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"verdicts": verdicts, "bits": bits}).encode("ascii")
        write_file(kept, content, error=CheckpointError)
    return Found(network=path.stem, arithmetic=str(arithmetic), verdicts=verdicts, bits=bits)


def rows(found: Sequence[Found], language: Language) -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for each arithmetic; the first one is the network itself."""
    true = found[0].verdicts
    words = sum(len(row) for each in true.values() for row in each.values())
    for each in found:
        right = right_up_to(each.verdicts)
        first = [] if right == max(true) else wrong_at(each.verdicts[right + 1])
        wrong = sum(len(wrong_at(at)) for at in each.verdicts.values())
        apart = [word for n, at in sorted(each.verdicts.items()) for word in differing_at(at, true[n])]
        yield (
            each.network,
            f"certified, {each.bits} bits" if each.bits else each.arithmetic,
            f"{right}" if first else f">= {right}",
            ", ".join(shown_word(language, blocks) for blocks in first[:2]) or "-",
            f"{wrong:,} of {words:,}",
            "-" if each is found[0] else (shown_word(language, apart[0]) if apart else "nowhere"),
            "-" if each is found[0] else f"{len(apart):,}",
        )


def trajectories(paths: Iterable[Path], lengths: Mapping[str, int] | None = None) -> list[xn.Trajectory]:
    """Return the states of the networks on a word of the language, in intervals: by default the longest of training."""
    found = []
    for path in paths:
        language = LANGUAGES[path.stem.partition("_")[0]]
        network = xn.load_safetensors(path)
        word = language.word(language.longest if lengths is None else lengths[language.name])
        found.append(xn.trajectory(network, word, xn.CERTIFIED, components=counters_of(network)))
    return found


def counters_of(network: xn.Network) -> str:
    """Return what the names of the components begin with that may count: cells, or else the hidden state."""
    return "c" if "c[0]" in network.circuit.state_names else "h"


def print_tables(found: dict[str, list[Found]]) -> None:
    """Print all rows."""
    titles = ("network", "arithmetic", "right up to n", "first wrong words", "wrong", "first apart", "apart")
    table = Table(*titles)
    for name, each in found.items():
        for row in rows(each, LANGUAGES[name.partition("_")[0]]):
            table.add_row(*row)
    Console(width=180).print(table)


@click.command(help=__doc__.partition("\n\n")[0])
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--network", "names", multiple=True, help="Only these, such as anbn_lstm.")
@click.option("--longest", type=click.IntRange(min=2), help="Largest n; twice that of training by default.")
@click.option("--store", type=click.Path(file_okay=False, path_type=Path), help="A folder that keeps what is found.")
@click.option("--precisions", is_flag=True, help="Run every precision from 2 to 24 bits too.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the counters there.")
@click.option(
    "--long-plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the counters on a^1000 b^1000 and a^100 b^100 c^100 there, and do nothing else.",
)
def main(
    folder: Path,
    names: tuple[str, ...],
    longest: int | None,
    store: Path | None,
    precisions: bool,
    plot: Path | None,
    long_plot: Path | None,
) -> None:
    paths = [path for path in sorted(folder.glob("*.safetensors")) if not names or path.stem in names]
    if not paths:
        raise click.ClickException(f"{folder} has no such networks: train them with train_counting.py --out")
    if long_plot:
        plot_counters(trajectories(paths, LONG), path=long_plot, one_scale=False)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    found: dict[str, list[Found]] = {}
    swept: dict[str, dict[int, int]] = {}
    try:
        with Progress(*columns, console=Console(stderr=True)) as progress:
            for path in paths:
                last = longest or STRETCH * LANGUAGES[path.stem.partition("_")[0]].longest
                for arithmetic in (xn.CERTIFIED, *FORMATS):
                    task = progress.add_task(f"{path.stem}, {arithmetic}", total=last)
                    each = examined(path, arithmetic, last, store, lambda n, task=task: progress.advance(task, n))
                    found.setdefault(path.stem, []).append(each)
                if precisions:
                    task = progress.add_task(f"{path.stem}, precisions", total=len(PRECISIONS))
                    swept[path.stem] = by_precision(path, last, lambda n, task=task: progress.advance(task, n))
    except ExactnnError as error:
        raise click.ClickException(str(error)) from None
    print_tables(found)
    for name, each in swept.items():
        click.echo(f"{name}, right up to n by bits: " + ", ".join(f"{p}: {n}" for p, n in each.items()))
    if plot:
        plot_counters(trajectories(paths), path=plot)


if __name__ == "__main__":
    main()
