"""What does a layer add when networks are trained? Linear, ReLU and second-order networks on five tasks.

A word is 16 steps of 5 numbers x_t, independent and normal. The output y_t is compared at every step where it is
defined, entry by entry:

    copy               x_{t-8}
    power              x_{t-1}^2
    temporal product   x_t x_{t-1}
    tracked product    x_1 x_2 ... x_t
    parity             (-1)^(ones so far); here inputs are fair bits, 0 or 1

Layer l reads h_{l-1}(t), where h_0(t) = x_t, and the readout is C h_L(t) + c:

    linear   h_l(t) = A h_l(t-1) + B h_{l-1}(t) + b
    ReLU     h_l(t) = relu(A h_l(t-1) + B h_{l-1}(t) + b)
    2RNN     h_l(t)_i = sum_jk A_ijk h_l(t-1)_j h_{l-1}(t)_k + (U h_l(t-1) + V h_{l-1}(t) + b)_i

All layers of a network have as many units as bring its parameters nearest to 4,000. Initial states are parameters too.

The error is the sum of squared errors over all words, steps and entries, divided by that of the mean, which so has 1.
Training minimises it on each batch. A network succeeds if it is below 0.01 on 1,000 fresh words; of parity all signs
must be right as well. One with an error above 10, or one that is not finite, has diverged; it counts in medians.

Tracked products have variance 1 at every step, and tails so heavy that 5 of 1,000 words have a third of the sum of
squares, while half of the entries at step 16 are below 0.0001. So the error says little of a typical word. Two more
numbers are given of all tasks, medians over words: the error of a word by itself, and its error at the last step alone.
The first is mostly about early steps, where products are large; only the second shows whether a product is tracked to
the end. Success means the error above, for all tasks alike.

What must be so, but for chance: affine networks have error 1 on powers and temporal products, and 255/256 or more on
tracked products and parity, of which they can know the first step only. One layer of a 2RNN is affine in each x_t, so
it has error 1 on powers. A copy needs 40 numbers after step 8; fewer units in all cannot hold them smoothly.

Adam, a rate that falls linearly to 0, gradients clipped to norm 1 for each network; one that is not finite counts as 0.
Batches are fresh words, the same for all models and rates of a seed. The rate is the one with the lowest median error
on 1,000 validation words, for each task, model and depth. Recurrent matrices begin orthogonal, other weights uniform by
Glorot, biases and states 0, A of a 2RNN normal with deviation 0.1 / sqrt(units x inputs). In short trials more (0.3 and
1) left many 2RNNs of three layers not finite; ReLU networks that began with the identity, or sqrt(2) times orthogonal,
copied with errors of 0.6 to 0.7, and were no better at powers and parity. Weights are float32.

    python benchmarks/depth_learning.py --store FOLDER --plot depth_learning.svg
    python benchmarks/depth_learning.py --quick

The second is small, and learns little. With a store it may be stopped; the same command goes on to the same numbers.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from learning_plots import DASHES
from long_work import StoppedError, trained
from recurrent_training import imported, load_progress, one_thread, save_progress
from rich.console import Console
from rich.table import Column, Table

from exactnn.campaigns import Unit
from exactnn.errors import ExactnnError
from exactnn.plots.looks import GREY, LINES
from exactnn.plots.picture_file import check_picture_file, new_figure, save_picture

ENTRIES, STEPS, DELAY = 5, 16, 8
MODELS = ("linear", "ReLU", "2RNN")
FIRST, MEAN = {"copy": DELAY, "power": 1, "temporal product": 1, "tracked product": 0, "parity": 0}, {"power": 1.0}
"""By task: how many steps have no target, and the mean of targets where it is not 0."""
SMALL, EVERY = 0.1, 250
"""The deviation that A of a 2RNN begins with, but for the root, and updates between two files of progress."""
SUCCESS, DIVERGED, LOW = 0.01, 10, 1e-6
"""Errors: of success, of divergence, and the lowest in the picture."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the numbers of a run depend on, besides task, model and layers."""

    seed: int
    seeds: int
    updates: int
    budget: int
    words: int = 32
    rates: tuple[float, ...] = (0.01, 0.003)
    test: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What networks of one task, model and depth reached with the rate that was chosen: arrays (seeds,)."""

    task: str
    model: str
    layers: int
    units: int
    parameters: int
    rate: float
    error: Array
    word: Array
    last: Array
    wrong: Array
    skipped: Array

    def counts(self) -> tuple[int, int, int]:
        """Return how many succeeded, how many diverged, and how many updates were left out."""
        succeeded = (self.error < SUCCESS) & ((self.wrong == 0) | (self.task != "parity"))
        return int(succeeded.sum()), int((~(self.error <= DIVERGED)).sum()), int(self.skipped.sum())


ARRAYS = ("error", "word", "last", "wrong", "skipped")


def shapes(model: str, units: int, layers: int, sizes: tuple[int, int] = (ENTRIES, ENTRIES)) -> list[tuple[int, ...]]:
    """Return the shapes of the parameters: A (of a 2RNN with U), B, b, h(0) of each layer, and C, c.

    Inputs and outputs have these `sizes`.
    """
    found: list[tuple[int, ...]] = []
    for layer in range(layers):
        inputs = units if layer else sizes[0]
        recurrent = (units, units * (inputs + 1)) if model == "2RNN" else (units, units)
        found += [recurrent, (units, inputs), (units,), (units,)]
    return [*found, (sizes[1], units), (sizes[1],)]


def width(model: str, layers: int, budget: int, sizes: tuple[int, int] = (ENTRIES, ENTRIES)) -> int:
    """Return the number of units that brings the parameters nearest to the budget."""

    def away(units: int) -> int:
        return abs(sum(map(math.prod, shapes(model, units, layers, sizes))) - budget)

    return min(range(1, budget), key=away)


def start(
    model: str, units: int, layers: int, key: Sequence[int], sizes: tuple[int, int] = (ENTRIES, ENTRIES)
) -> Array:
    """Return the parameters that one network begins with, in a row."""
    rng, parts = np.random.default_rng([*key, layers, units]), []
    for index, shape in enumerate(shapes(model, units, layers, sizes)):
        if len(shape) == 1:
            parts.append(np.zeros(shape))
        elif index % 4 or index == 4 * layers:  # B or C
            bound = math.sqrt(6 / sum(shape))
            parts.append(rng.uniform(-bound, bound, shape))
        else:
            q, r = np.linalg.qr(rng.standard_normal((units, units)))
            inputs = shape[1] // units - 1  # none but for a 2RNN
            second = SMALL / math.sqrt(units * max(inputs, 1)) * rng.standard_normal((units, units, inputs))
            parts.append(np.concatenate([second, (q * np.sign(np.diag(r)))[:, :, None]], -1))
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def draw(task: str, count: tuple[int, int], key: Sequence[int]) -> tuple[Any, Any]:
    """Return inputs (seeds, steps, entries, words), and targets of the steps that have one."""
    x = np.random.default_rng(key).standard_normal((count[0], STEPS, ENTRIES, count[1]), dtype=np.float32)
    if task == "parity":
        x = (x > 0).astype(np.float32)
    before = np.roll(x, 1, axis=1)
    y = {
        "copy": lambda: np.roll(x, DELAY, axis=1),
        "power": lambda: before**2,
        "temporal product": lambda: x * before,
        "tracked product": lambda: np.cumprod(x, axis=1),
        "parity": lambda: 1 - 2 * (np.cumsum(x, axis=1) % 2),
    }[task]()
    tensor = imported("torch").from_numpy
    return tensor(x), tensor(y[:, FIRST[task] :].copy())


def outputs(model: str, flat: Any, all_shapes: Sequence[tuple[int, ...]], x: Any) -> Any:
    """Return the outputs (networks, steps, entries, words) of networks with parameters (networks, parameters)."""
    torch = imported("torch")
    pieces = flat.split([math.prod(shape) for shape in all_shapes], 1)
    *layers, C, c = (piece.view(-1, *shape) for piece, shape in zip(pieces, all_shapes, strict=True))
    below = x.unbind(1)
    for A, B, b, h in zip(*(layers[i::4] for i in range(4)), strict=True):
        state, above = h[:, :, None].expand(-1, -1, x.shape[-1]), []
        one = x.new_ones(len(x), 1, x.shape[-1])
        for read in below:
            known = torch.baddbmm(b[:, :, None], B, read)
            if model == "2RNN":
                state = (state[:, :, None] * torch.cat([read, one], 1)[:, None]).flatten(1, 2)
            state = torch.baddbmm(known, A, state)
            if model == "ReLU":
                state = torch.relu(state)
            above.append(state)
        below = above
    return torch.stack([torch.baddbmm(c[:, :, None], C, read) for read in below], 1)


class Networks:
    """The networks of one task, model and depth: of all rates, and for each of them of all seeds."""

    def __init__(self, task: str, model: str, layers: int, settings: Settings) -> None:
        torch = imported("torch")
        self.task, self.model, self.settings = task, model, settings
        self.units = width(model, layers, settings.budget)
        self.shapes = shapes(model, self.units, layers)
        begin = np.stack([start(model, self.units, layers, (settings.seed, 0, i)) for i in range(settings.seeds)])
        self.flat = torch.from_numpy(np.tile(begin, (len(settings.rates), 1)))
        self.rates = torch.tensor(settings.rates).repeat_interleave(settings.seeds)[:, None]
        self.first, self.second = torch.zeros_like(self.flat), torch.zeros_like(self.flat)
        self.done, self.skipped = torch.tensor(0), torch.zeros(len(self.flat))

    def arrays(self) -> dict[str, Array]:
        """Return all that a file of progress has to keep; the arrays are those in use."""
        return {name: getattr(self, name).numpy() for name in ("flat", "first", "second", "skipped", "done")}

    def learn(self) -> None:
        """Take one step of Adam, on words of its own for each seed."""
        torch, settings = imported("torch"), self.settings
        done = int(self.done)
        drawn = draw(self.task, (settings.seeds, settings.words), (settings.seed, 1, done))
        x, y = (each.repeat(len(settings.rates), 1, 1, 1) for each in drawn)
        flat = self.flat.detach().requires_grad_()
        found = outputs(self.model, flat, self.shapes, x)[:, FIRST[self.task] :]
        squares = (y - MEAN.get(self.task, 0.0)).square().sum((1, 2, 3))
        ((found - y).square().sum((1, 2, 3)) / squares).sum().backward()
        norm = flat.grad.double().norm(dim=1, keepdim=True)
        finite = norm.isfinite()
        gradient = torch.where(finite, flat.grad, 0.0) * torch.where(finite, 1 / norm.clamp(min=1), 0.0).float()
        self.done += 1
        self.skipped += ~finite[:, 0]
        self.first.lerp_(gradient, 0.1)
        self.second.lerp_(gradient.square(), 0.001)
        mean, root = self.first / (1 - 0.9 ** (done + 1)), (self.second / (1 - 0.999 ** (done + 1))).sqrt()
        self.flat -= self.rates * (1 - done / settings.updates) * mean / (root + 1e-8)

    def measured(self, which: int) -> dict[str, Array]:
        """Return the errors on fresh words of one kind: arrays (rates, seeds)."""
        torch = imported("torch")
        x, y = draw(self.task, (1, self.settings.test), (self.settings.seed, which))
        with torch.no_grad():
            found = outputs(self.model, self.flat, self.shapes, x.expand(len(self.flat), -1, -1, -1))
        found, y = found[:, FIRST[self.task] :].double(), y.double()
        errors, squares = (found - y).square().sum(2), (y - MEAN.get(self.task, 0.0)).square().sum(2)
        results = {  # the second and third are medians over words; wrong are words with any wrong sign
            "error": errors.sum((1, 2)) / squares.sum((1, 2)),
            "word": (errors.sum(1) / squares.sum(1)).median(-1).values,
            "last": (errors[:, -1] / squares[:, -1]).median(-1).values,
            "wrong": (~(found * y > 0)).flatten(1, 2).any(1).sum(-1).double(),
        }
        return {name: each.numpy().reshape(len(self.settings.rates), -1) for name, each in results.items()}


def train(
    task: str, model: str, layers: int, settings: Settings, store: Path | None, advance: Callable[[int], object]
) -> Outcome:
    """Train networks of one task, model and depth, or go on with them; `advance` is told the updates that are done."""
    path = None if store is None else store / f"{task.replace(' ', '_')}_{model.lower()}_{layers}.npz"
    described = asdict(settings) | {"task": task, "model": model, "layers": layers, "small": SMALL}
    networks = Networks(task, model, layers, settings)
    progress = load_progress(path, described) if path else None
    if progress:
        for name, array in networks.arrays().items():
            array[...] = progress[name]
        advance(int(networks.done))
    while networks.done < settings.updates:
        networks.learn()
        advance(1)
        if path and (networks.done % EVERY == 0 or networks.done == settings.updates):
            save_progress(path, described, networks.arrays())
    chosen = int(np.argmin([of_all(errors)[0] for errors in networks.measured(2)["error"]]))
    results = networks.measured(3) | {"skipped": networks.skipped.numpy().reshape(len(settings.rates), -1)}
    return Outcome(
        task=task, model=model, layers=layers, units=networks.units, parameters=networks.flat.shape[1],
        rate=settings.rates[chosen], **{name: each[chosen] for name, each in results.items()},
    )  # fmt: skip


@dataclass(frozen=True)
class Training(Unit):
    """Networks of one task, model and depth: all rates and seeds."""

    task: str
    model: str
    layers: int
    seed: int
    seeds: int
    updates: int
    budget: int
    words: int
    rates: tuple[float, ...]
    test: int

    def run(self, subject: str | None) -> dict[str, Any]:
        one_thread()
        names = ("seed", "seeds", "updates", "budget", "words", "rates", "test")
        settings = Settings(**{name: getattr(self, name) for name in names})
        store = None if subject is None else Path(subject)
        found = train(self.task, self.model, self.layers, settings, store, lambda n: None)
        sizes = {name: getattr(found, name) for name in ("units", "parameters", "rate")}
        return sizes | {name: getattr(found, name).tolist() for name in ARRAYS}

    def outcome(self, row: dict[str, Any]) -> Outcome:
        arrays = {name: np.array(row[name]) for name in ARRAYS}
        return Outcome(task=self.task, model=self.model, layers=self.layers, **(row | arrays))


def of_all(values: Array) -> tuple[float, float, float]:
    """Return median, best and worst; NaN counts as infinite."""
    values = np.nan_to_num(values, nan=np.inf)
    return float(np.median(values)), float(values.min()), float(values.max())


def print_tables(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Print a table for each task; the last column has updates without a finite gradient."""
    names = ("model", "layers", "units", "parameters", "rate", "median", "best", "worst", "words", "last step")
    columns = [Column(name, justify="right") for name in (*names, "succeeded", "diverged", "left out")]
    for task in FIRST:
        table = Table(*(each.copy() for each in columns), title=f"{task}: normalised error")
        for each in (each for each in outcomes if each.task == task):
            sizes = map(str, (each.layers, each.units, each.parameters, each.rate))
            errors = (*of_all(each.error), of_all(each.word)[0], of_all(each.last)[0])
            table.add_row(each.model, *sizes, *(f"{error:.2g}" for error in errors), *map(str, each.counts()))
        console.print(table)


def draw_errors(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw errors against layers, a panel for each task: medians, and bars from the best seed to the worst."""
    figure = new_figure(2.3 * len(FIRST) + 0.5, 3.4)
    panels = figure.subplots(1, len(FIRST), sharex=True, sharey=True)
    for axes, task in zip(panels, FIRST, strict=True):
        for index, (model, (colour, marker)) in enumerate(zip(MODELS, LINES, strict=False)):
            rows = [each for each in outcomes if (each.task, each.model) == (task, model)]
            middle, best, worst = np.clip([of_all(each.error) for each in rows], LOW, DIVERGED).T
            places = np.array([each.layers for each in rows]) + 0.12 * (index - 1)
            axes.errorbar(
                places, middle, yerr=[middle - best, worst - middle], color=colour, marker=marker, ms=5, lw=1.6,
                capsize=2, elinewidth=1, ls=DASHES[index], label=f"{model}: median, best to worst",
            )  # fmt: skip
            if task == "tracked product":
                words = np.clip([of_all(each.word)[0] for each in rows], LOW, DIVERGED)
                axes.plot(places, words, marker, color=colour, mfc="white", ms=4.5, label=f"{model}: median of words")
        axes.axhline(SUCCESS, color=GREY, lw=1, label="success is below")
        axes.set(title=task, xlabel="layers", xticks=sorted({each.layers for each in outcomes}))
        axes.grid(True, axis="y", color="0.88", lw=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    labels = ["≤ 10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1", "≥ 10"]
    panels[0].set(yscale="log", ylim=(LOW / 1.6, DIVERGED * 1.6), ylabel="normalised error")
    panels[0].set_yticks(10.0 ** np.arange(-6, 2), labels)
    panels[0].minorticks_off()
    drawn = panels[list(FIRST).index("tracked product")].get_legend_handles_labels()
    figure.legend(*drawn, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    save_picture(figure, path)


@click.command(help=__doc__.partition("\n\n")[0])
@click.option("--quick", is_flag=True, help="Two seeds, small networks of one and two layers, 100 updates.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="Keep progress there.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="Draw the errors: .png, .svg or .pdf.")
def main(quick: bool, seed: int, store: Path | None, jobs: int, picture: Path | None) -> None:
    notes, depths = Console(stderr=True), (1, 2) if quick else (1, 2, 3, 4)
    seeds, updates, budget = (2, 100, 400) if quick else (10, 3000, 4000)
    settings = Settings(seed=seed, seeds=seeds, updates=updates, budget=budget)
    try:
        if picture:
            check_picture_file(picture)
        torch = one_thread()
        known = asdict(settings)
        work = [Training(task, model, depth, **known) for task in FIRST for model in MODELS for depth in depths]
        outcomes = [unit.outcome(row) for unit, row in zip(work, trained(work, store, jobs), strict=True)]
        if picture:
            draw_errors(outcomes, picture)
        console = Console(width=170)
        console.print(f"torch {torch.__version__}, numpy {np.__version__}, {settings}")
        print_tables(console, outcomes)
    except StoppedError:
        sys.exit(130)
    except ExactnnError as error:
        notes.print(f"error: {error}", markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()
