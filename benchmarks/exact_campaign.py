"""Random networks and words through the fast exact executor and the rational reference, every bit compared.

Networks of every kind of `tests/simulation/exact_networks.py`: inside the class that runs on machine words, on its
border, outside, compiled from random machines, on long random tapes. Each pair is run in slices of random length, under
random options, and every output, the state after every slice and every verdict are compared. That is done twice, since
blocks of steps are written when their steps are known already. Pair `n` of a seed is the same in every run; what
differs is saved as a network file and printed with seed, number and options.

    python benchmarks/exact_campaign.py --pairs 100000 --seed 0 [--first 0] [--jobs 2] [--store FILE] [--seconds 1200]

With --blocks all pairs are run in direct mode only, in blocks of steps from the start, for more steps and in longer
slices.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from long_work import Work, work_options

from exactnn.campaigns import Campaign, Unit
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
BLOCK_SLICES = (1, 6, 15, 16, 17, 20, 31, 100, 2000)

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


@dataclass(frozen=True)
class Pairs(Unit):
    """Some pairs of a seed; the networks of those that differ are saved in a folder."""

    seed: int
    first: int
    count: int
    blocks: bool
    folder: str

    @property
    def identity(self) -> dict[str, Any]:
        return {name: value for name, value in super().identity.items() if name != "folder"}

    def run(self, subject: object) -> dict[str, Any]:
        tally = Tally()
        for number in range(self.first, self.first + self.count):
            tally.add(one_pair(self.seed, number, Path(self.folder), self.blocks))
        return {"kinds": tally.kinds, "differences": tally.differences}


def added(pairs: Iterable[tuple[Pairs, dict[str, Any]]]) -> Tally:
    """Return what all units have together."""
    tally = Tally()
    for _, row in pairs:
        tally.add(Tally({name: Counter(counts) for name, counts in row["kinds"].items()}, row["differences"]))
    return tally


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
@click.option("--folder", default=Path("differences"), type=click.Path(path_type=Path), show_default=True)
@click.option("--blocks", is_flag=True, help="Direct mode only, in blocks of steps from the start.")
@work_options
def main(pairs: int, seed: int, first: int, folder: Path, blocks: bool, work: Work) -> None:
    """Compare random networks in both exact arithmetics."""
    console, began = Console(width=max(Console().width, 130)), time.perf_counter()
    starts = range(first, first + pairs, CHUNK)
    units = [Pairs(seed, start, min(CHUNK, first + pairs - start), blocks, str(folder)) for start in starts]
    tally = work.run(Campaign(units, added), "chunks of pairs").result
    for line in tally.differences:
        console.print(line, style="red", highlight=False, soft_wrap=True)
    console.print(report(tally))
    console.print(summary(tally, seed, first, time.perf_counter() - began), soft_wrap=True)
    sys.exit(bool(tally.differences))


if __name__ == "__main__":
    main()
