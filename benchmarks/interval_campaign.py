"""Random runs of every cell in intervals against MPFR with 300 bits: 10,000 steps of each, through both libraries.

python benchmarks/interval_campaign.py [--steps 10000] [--jobs 2] [--store FILE]
"""

import random
import sys
from dataclasses import dataclass
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parent))

from long_work import work_options

from exactnn.arithmetic import Interval
from exactnn.campaigns import Campaign, Unit
from exactnn.networks import GRU, LSTM, QRNN, DoublingLSTM, SimpleRNN
from exactnn.simulation import interval_rows, run

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.plain_mpfr import holds, states_by_mpfr

LENGTH = 20
"""Steps of a run."""


def random_cell(cell, rng):
    """Return a cell of 1 to 5 neurons with weights of very different sizes, and a word."""
    n, d = rng.randint(1, 5), rng.randint(1, 3)
    size = 10 ** rng.uniform(-2, 1.5)

    def matrix(height, width):
        return [[rng.uniform(-size, size) for _ in range(width)] for _ in range(height)]

    def gated(gates, width=d):
        return {"W": {gate: matrix(n, width) for gate in gates}, "b": {gate: matrix(1, n)[0] for gate in gates}}

    def recurrent(gates):
        return {"V": {gate: matrix(n, n) for gate in gates}, **gated(gates)}

    window, pooling = rng.randint(1, 3), rng.choice(("f", "fo", "ifo"))
    options = {
        SimpleRNN: lambda: {
            "V": matrix(n, n),
            "W": matrix(n, d),
            "b": matrix(1, n)[0],
            "s": [0] * n,
            "activation": "tanh",
        },
        LSTM: lambda: recurrent("ifgo"),
        GRU: lambda: {**recurrent("rzn"), "reset": rng.choice(("after", "before"))},
        QRNN: lambda: {**gated("z" + pooling, window * d), "window": window, "pooling": pooling},
        DoublingLSTM: lambda: recurrent(("i", "f1", "f2", "g", "o")),
    }[cell]()  # fmt: skip
    network = cell(**options, readout_weight=matrix(1, n)[0])
    return network, [[rng.uniform(-3, 3) for _ in range(d)] for _ in range(LENGTH)]


CELLS = {cell.__name__: cell for cell in (SimpleRNN, LSTM, GRU, QRNN, DoublingLSTM)}
RUNS = 25
"""Runs of a unit."""


@dataclass(frozen=True)
class Runs(Unit):
    """Some random runs of a cell in intervals, by one library."""

    cell: str
    library: str
    chunk: int

    def run(self, subject):
        with_flint, least = interval_rows._flint, interval_rows.LEAST_DENSE
        interval_rows._flint = with_flint if self.library == "Arb" else lambda: None
        interval_rows.LEAST_DENSE = 0 if self.library == "Arb" else least
        rng, values = random.Random(f"1 {self.chunk}"), 0
        try:
            for _ in range(RUNS):
                values += self._one(rng)
        finally:
            interval_rows._flint, interval_rows.LEAST_DENSE = with_flint, least
        return {"values": values}

    def _one(self, rng):
        network, word = random_cell(CELLS[self.cell], rng)
        bits, values = rng.choice((8, 24, 53, 64, 128)), 0
        result = run(network, word, arithmetic=Interval(bits=bits), record="all")
        for enclosures, numbers in zip(result.trace, states_by_mpfr(network, network.inputs(word)), strict=True):
            for enclosure, number in zip(enclosures, numbers, strict=True):
                assert holds(enclosure, number), (network, word, bits)
                values += 1
        return values


@click.command()
@click.option("--steps", default=10_000, show_default=True, help="Of each cell, by each library.")
@work_options
def main(steps, work):
    """Compare intervals with MPFR."""
    chunks = range(-(-steps // (RUNS * LENGTH)))
    found = work.run(Campaign([Runs(c, b, n) for n in chunks for c in CELLS for b in ("MPFR", "Arb")], list), "runs")
    for cell in CELLS:
        for library in ("MPFR", "Arb"):
            rows = [row for unit, row in found.result if (unit.cell, unit.library) == (cell, library)]
            values = sum(row["values"] for row in rows)
            print(f"{cell} by {library}: {len(rows) * RUNS * LENGTH:,} steps, {values:,} values")
    sys.exit(bool(found.failed))


if __name__ == "__main__":
    main()
