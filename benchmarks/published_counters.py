"""The counters that Weiss, Goldberg and Yahav published: how far do they count, proven, and in which formats?

Their repository (github.com/tech-srl/counting_dimensions) has an LSTM and a GRU of 10 units for a^n b^n and for a^n b^n
c^n, trained on positive words with n < 100 and n < 50. They predict the next symbol: a word is accepted if each of its
symbols, and the end after it, has a probability above 0.01 by the softmax of three or four outputs, after all that
stands before it.

Its GRU computes the reset gate and does not use it (in `GRUCell.gate_vecs` the product with the gate is assigned to a
name that nothing reads): the cell is h = z h + (1 - z) tanh(b + V h + W x). That is what those weights were trained
as, and what is run here.

    git clone https://github.com/tech-srl/counting_dimensions FOLDER
    python benchmarks/published_counters.py FOLDER/trained_rnns
    python benchmarks/published_counters.py FOLDER/trained_rnns --long-plot docs/pictures/counters_published.svg

Weights are read as text, as the float32 that they were, and nothing of the repository is run.
"""

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import click
import gmpy2
import numpy as np
from counting_study import BITS, FORMATS, LONG, MORE, counters_of, executor_in, shown_word
from counting_training import LANGUAGES, NEAR, Language
from gmpy2 import mpq
from rich.console import Console
from rich.table import Table

import exactnn as xn
from exactnn.arithmetic import Enclosure, Interval
from exactnn.networks import GRULayer, LSTMLayer, StackedRNN
from exactnn.networks.cell import Registers, StepUnits, complements, rows
from exactnn.networks.squashing import Squashing
from exactnn.plots import plot_counters
from exactnn.simulation.executor import Executor, State

RARE = mpq(1, 100)
"""The least probability that a symbol must be above."""
HEADER = re.compile(r"#(Lookup)?Parameter# \S+ \{([0-9,]+)\} ")
LONGEST = 300

Array = np.ndarray[Any, Any]


class UngatedGRULayer(GRULayer):
    """A layer of GRU cells whose reset gate is not used."""

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units."""

        def net(name: str) -> Any:
            return rows(f"{name}{number}", self.b[name], sums=[(own, self.V[name]), (below, self.W[name])])

        made = step.squashed({"z": (net("z"), Squashing.named(self.gate))})
        made |= step.squashed({"n": (net("n"), Squashing.named(self.candidate))})
        rest = step.add(complements(f"1-z{number}", made["z"]))
        zero = (mpq(0),) * self.hidden_size
        return tuple(step.add(rows(f"h{number}", zero, products=[(rest, made["n"]), (made["z"], own)])))


def parameters(path: Path) -> list[Array]:
    """Return the parameters of a DyNet text file, in its order: float32, columns one after the other."""
    found, shape = [], ()
    for line in path.read_text().splitlines():
        header = HEADER.match(line)
        if header:
            shape = tuple(map(int, header[2].split(",")))
        else:
            found.append(np.array(line.split(), dtype=np.float32).reshape(shape, order="F"))
    return found


def published(folder: Path, language: Language, cell: str) -> tuple[xn.Network, list[tuple[mpq, ...]]]:
    """Return a network, whose outputs are one for each symbol and the end, and the vectors of the symbols."""
    weight, bias, *parts, vectors = parameters(folder / f"{language.name}_{cell}.data")
    gates = ("i", "f", "o", "g") if cell == "LSTM" else ("z", "r", "n")
    each = {
        what: {gate: parts[3 * k + place].tolist() for k, gate in enumerate(gates)}
        for place, what in enumerate(("W", "V", "b"))
    }
    h, *c = parts[3 * len(gates) :]
    start = np.clip(h, -1, 1).tolist()
    if cell == "LSTM":
        layer: Any = LSTMLayer(**each, h=start, c=c[0].tolist())
    else:
        layer = UngatedGRULayer(**each, h=start)
    name = f"{cell} published for {language.name}"
    network = StackedRNN([layer], readout_weight=weight.tolist(), readout_bias=bias.tolist(), name=name)
    return network, [tuple(map(mpq, vector)) for vector in vectors.T.tolist()]


def trajectory(folder: Path, language: Language, cell: str) -> xn.Trajectory:
    """Return the states of a network on the long word of a language, in intervals."""
    network, vectors = published(folder, language, cell)
    word = [vectors[language.alphabet.index(symbol)] for symbol in language.word(LONG[language.name])]
    return xn.trajectory(network, word, xn.CERTIFIED, components=counters_of(network))


def probable(output: Sequence[Any], place: int) -> bool | None:
    """Return whether the softmax is above `RARE` at a place: whether the sum of exp(other - this) is below 99."""
    if any(isinstance(each, float) and not isfinite(each) for each in output):
        return False
    own = _enclosed(output[place])
    low = high = mpq(0)
    for other in map(_enclosed, (*output[:place], *output[place + 1 :])):
        low += _exponential(other.low - own.high, gmpy2.RoundDown)
        high += _exponential(other.high - own.low, gmpy2.RoundUp)
    bound = 1 / RARE - 1
    return True if high < bound else False if low >= bound else None


def _enclosed(value: Any) -> Enclosure:
    return value if isinstance(value, Enclosure) else Enclosure(low=value, high=value)


def _exponential(x: mpq, rounding: int) -> mpq:
    with gmpy2.context(precision=200, round=rounding):
        return mpq(gmpy2.exp(gmpy2.mpfr(x)))


class Reader:
    """A published network in one arithmetic, which reads symbols and remembers whether all were probable."""

    def __init__(self, network: xn.Network, vectors: list[tuple[mpq, ...]], arithmetic: Any) -> None:
        self.executor: Executor = executor_in(network, arithmetic)
        self._vectors, self._end = vectors, len(vectors) - 1

    def start(self) -> tuple[State, bool | None]:
        """Return the state before the first symbol."""
        return self.executor.start(), True

    def read(self, at: tuple[State, bool | None], symbol: int) -> tuple[State, bool | None]:
        """Return the state after one more symbol."""
        state, fine = at
        if fine:
            fine = probable(self.executor.output(state), symbol)
        return self.executor.advance(state, self._vectors[symbol], 1, until_decided=False).state, fine

    def accepts(self, at: tuple[State, bool | None]) -> bool | None:
        """Return the verdict on what has been read; None if enclosures do not tell."""
        return probable(self.executor.output(at[0]), self._end) if at[1] else at[1]


def first_wrong(reader: Reader, symbols: int, first: int, last: int) -> Iterator[tuple[int, list[str], bool]]:
    """Yield n, its words with a wrong verdict, and whether everything was decided."""
    at = reader.start()
    for _ in range(first - 1):
        at = reader.read(at, 0)
    for n in range(first, last + 1):
        at = reader.read(at, 0)
        wrong, decided = [], True
        for counts, verdict in _verdicts(reader, at, n, symbols):
            decided &= verdict is not None
            if verdict is not (set(counts) == {n}):
                wrong.append(",".join(map(str, counts)))
        yield n, wrong, decided


def _verdicts(reader: Reader, at: Any, n: int, symbols: int) -> Iterator[tuple[tuple[int, ...], bool | None]]:
    b = at
    for m in range(1, n + 1 + (MORE if symbols == 2 else NEAR)):
        b = reader.read(b, 1)
        if symbols == 2:
            yield (n, m), reader.accepts(b)
        elif m >= n - NEAR:
            c = b
            for k in range(1, m + NEAR + 1):
                c = reader.read(c, 2)
                yield (n, m, k), reader.accepts(c)


def right_up_to(
    network: xn.Network, vectors: Any, arithmetic: Any, first: int, longest: int
) -> tuple[int, list[str], int | None]:
    """Return up to which n, from `first` on, a network is right, the words that are wrong then, and the bits needed."""
    symbols = len(vectors) - 1
    if arithmetic is not xn.CERTIFIED:
        for n, wrong, _ in first_wrong(Reader(network, vectors, arithmetic), symbols, first, longest):
            if wrong:
                return n - 1, wrong, None
        return longest, [], None
    for bits in BITS:
        for n, wrong, decided in first_wrong(Reader(network, vectors, Interval(bits=bits)), symbols, first, longest):
            if not decided:
                first = n
                break
            if wrong:
                return n - 1, wrong, bits
        else:
            return longest, [], bits
    return first - 1, ["undecided"], BITS[-1]


@click.command(help=__doc__.partition("\n\n")[0])
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--first", type=click.IntRange(min=1), default=1, show_default=True, help="Smallest n.")
@click.option("--longest", type=click.IntRange(min=1), default=LONGEST, show_default=True, help="Largest n.")
@click.option("--language", "languages", type=click.Choice(list(LANGUAGES)), multiple=True, default=list(LANGUAGES))
@click.option("--cell", "cells", type=click.Choice(["LSTM", "GRU"]), multiple=True, default=["LSTM", "GRU"])
@click.option(
    "--long-plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the counters on a^1000 b^1000 and a^100 b^100 c^100 there, and do nothing else.",
)
def main(
    folder: Path,
    first: int,
    longest: int,
    languages: tuple[str, ...],
    cells: tuple[str, ...],
    long_plot: Path | None,
) -> None:
    console = Console(width=140)
    if long_plot:
        runs = [trajectory(folder, LANGUAGES[name], cell) for name in languages for cell in cells]
        plot_counters(runs, path=long_plot, one_scale=False)
        return
    for name in languages:
        for cell in cells:
            table = Table("network", "arithmetic", "right up to n", "first wrong words")
            network, vectors = published(folder, LANGUAGES[name], cell)
            with console.status(network.name):
                for arithmetic in (xn.CERTIFIED, *FORMATS):
                    n, wrong, bits = right_up_to(network, vectors, arithmetic, first, longest)
                    shown = f"certified, {bits} bits" if bits else str(arithmetic)
                    words = ", ".join(shown_word(LANGUAGES[name], word) for word in wrong[:2])
                    table.add_row(network.name, shown, f"{n}" if wrong else f">= {n}", words or "-")
            console.print(table)


if __name__ == "__main__":
    main()
