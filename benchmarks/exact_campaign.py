"""Random networks and words through the fast exact executor and the rational reference, every bit compared.

Networks of every kind of `tests/simulation/exact_networks.py`: inside the class that runs on machine words, on its
border, outside, compiled from random machines, on long random tapes. Each pair is run in slices of random length, under
random options, and every output, the state after every slice and every verdict are compared. That is done twice, since
blocks of steps are written when their steps are known already. Pair `n` of a seed is the same in every run; what
differs is saved as a network file and printed with seed, number and options.

    python benchmarks/exact_campaign.py --pairs 100000 --seed 0 [--first 0] [--jobs 1] [--seconds 1200] [--folder DIR]

With --blocks all pairs are run in direct mode only, in blocks of steps from the start, for more steps and in longer
slices.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from exactnn.networks import save_network
from tests.simulation.exact_networks import KINDS, Trace, compare, fast, forever, modes, options

CHUNK = 50
"""Pairs that are counted together."""
STEPS = (5, 10, 20, 30, 60)
LONG_STEPS = 2000
LONG_SHARE = 0.01
SLICES = (1, 1, 2, 5, 20, 100, 2000)
BLOCKS = {"macro": False, "block_pace": 0, "warm_up": 0}
BLOCK_STEPS = (30, 60, 200)
BLOCK_SLICES = (1, 6, 7, 8, 11, 20, 100, 2000)

Kinds = dict[str, Counter[str]]


@dataclass
class Tally:
    """What some pairs gave: kind -> counts of pairs, differences and steps by mode; descriptions of the differences."""

    kinds: Kinds = field(default_factory=lambda: {name: Counter() for name in KINDS})
    differences: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        for name, counts in other.kinds.items():
            self.kinds[name].update(counts)
        self.differences += other.differences

    @property
    def total(self) -> Counter[str]:
        return sum(self.kinds.values(), Counter())


def one_pair(seed: int, number: int, folder: Path, blocks: bool) -> Tally:
    """Compare pair `number` of a seed."""
    rng = random.Random(f"{seed} {number}")
    name = rng.choice(list(KINDS))
    steps = LONG_STEPS if rng.random() < LONG_SHARE else rng.choice(BLOCK_STEPS if blocks else STEPS)
    pair, chosen, until_decided = KINDS[name](rng, steps=steps), options(rng), rng.random() < 0.6
    chosen |= BLOCKS if blocks else {}
    slices = BLOCK_SLICES if blocks else SLICES
    executor = fast(pair.network, **chosen)
    tally = Tally()
    try:
        trace = Trace(pair)
        for _ in range(2):
            compare(trace, executor, forever(lambda: rng.choice(slices)), until_decided=until_decided)
        tally.kinds[name]["compared steps"] = 2 * len(trace)
    except Exception as difference:  # whatever goes wrong in an engine is a difference
        tally.kinds[name]["differences"] = 1
        path = folder / f"seed-{seed}-pair-{number}.json"
        folder.mkdir(parents=True, exist_ok=True)
        save_network(pair.network, path)
        what = f"{type(difference).__name__}: {str(difference)[:300]}"
        command = f"--seed {seed} --first {number} --pairs 1{' --blocks' if blocks else ''}"
        tally.differences.append(
            f"{command} ({name}, {chosen}, until decided: {until_decided}): {what}\n"
            f"  network {path}, word {str(pair.word)[:300]}, {executor.engine}"
        )
    tally.kinds[name].update(modes(executor.engine)[0])
    tally.kinds[name]["pairs"] = 1
    return tally


def chunk(seed: int, first: int, count: int, folder: Path, blocks: bool) -> Tally:
    """Compare some pairs."""
    tally = Tally()
    for number in range(first, first + count):
        tally.add(one_pair(seed, number, folder, blocks))
    return tally


def tallies(seed: int, first: int, pairs: int, jobs: int, folder: Path, blocks: bool) -> Iterator[tuple[int, Tally]]:
    """Yield (number of pairs, tally) of one chunk after another."""
    chunks = [(start, min(CHUNK, first + pairs - start)) for start in range(first, first + pairs, CHUNK)]
    if jobs == 1:
        for start, count in chunks:
            yield count, chunk(seed, start, count, folder, blocks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        starts, counts = zip(*chunks, strict=True)
        results = pool.map(chunk, [seed] * len(chunks), starts, counts, [folder] * len(chunks), [blocks] * len(chunks))
        yield from zip(counts, results, strict=True)


def report(tally: Tally) -> Table:
    """Return the counts by kind."""
    columns = [
        "pairs",
        "differences",
        "compared steps",
        *sorted(set(tally.total) - {"pairs", "differences", "compared steps"}),
    ]
    table = Table("kind", *columns)
    for name, counts in (*tally.kinds.items(), ("together", tally.total)):
        table.add_row(name, *(f"{counts[column]:,}" for column in columns))
    return table


def summary(tally: Tally, seed: int, first: int, seconds: float) -> str:
    """Return the line to be recorded."""
    total = tally.total
    shares = ", ".join(
        f"{100 * steps / max(1, sum(modes_of(total).values())):.0f}% {how}"
        for how, steps in modes_of(total).most_common()
    )
    return (
        f"seed {seed} from pair {first}: {total['pairs']:,} pairs, {total['compared steps']:,} steps compared, "
        f"{total['differences']:,} differences; steps {shares}; {seconds / 60:.1f} minutes"
    )


def modes_of(total: Counter[str]) -> Counter[str]:
    """Return the steps by mode."""
    return Counter({how: n for how, n in total.items() if how not in ("pairs", "differences", "compared steps")})


@click.command()
@click.option("--pairs", default=100_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--first", default=0, show_default=True, help="Number of the first pair.")
@click.option("--jobs", default=1, show_default=True)
@click.option("--seconds", default=None, type=float, help="Stop after about this time.")
@click.option("--folder", default=Path("differences"), type=click.Path(path_type=Path), show_default=True)
@click.option("--blocks", is_flag=True, help="Direct mode only, in blocks of steps from the start.")
def main(pairs: int, seed: int, first: int, jobs: int, seconds: float | None, folder: Path, blocks: bool) -> None:
    """Compare random networks in both exact arithmetics."""
    console, tally, began = Console(width=max(Console().width, 130)), Tally(), time.perf_counter()
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("pairs", total=pairs)
        for count, part in tallies(seed, first, pairs, jobs, folder, blocks):
            for line in part.differences:
                progress.console.print(line, style="red", highlight=False, soft_wrap=True)
            tally.add(part)
            progress.advance(bar, count)
            if seconds is not None and time.perf_counter() - began > seconds:
                break
    console.print(report(tally))
    console.print(summary(tally, seed, first, time.perf_counter() - began), soft_wrap=True)
    sys.exit(bool(tally.differences))


if __name__ == "__main__":
    main()
