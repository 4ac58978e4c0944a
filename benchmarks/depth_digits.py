"""What does a layer add on real data? Linear, ReLU and second-order networks on handwritten digits, row by row.

Which data sets the paper on depth uses is not known here: its abstract is all that could be read. These are the 1,797
digits that scikit-learn ships (8 rows of 8 pixels, 0 to 16, divided by 16): a word has 8 steps, and the class is read
after the last one. Networks, their sizes, their first weights and Adam are those of `depth_learning.py`; the loss is
the cross-entropy. 1,197 digits are trained on, 300 choose the rate, and 300 are tested; each seed has its own split.

    python benchmarks/depth_digits.py
    python benchmarks/depth_digits.py --quick

The second takes some seconds, and learns little.
"""

from typing import Any

import click
import numpy as np
from depth_learning import MODELS, outputs, shapes, start, width
from recurrent_training import imported, one_thread
from rich.console import Console
from rich.progress import track
from rich.table import Table

SIZES = (8, 10)
"""Pixels of a row, and classes."""
TRAIN, CHOOSE = 1197, 300
BATCH = 64
RATES = (0.01, 0.003)


def split(seeds: int) -> tuple[Any, Any]:
    """Return the digits in an order for each seed: rows (seeds, 8, 8, digits), and classes (seeds, digits)."""
    torch = imported("torch")
    found = imported("sklearn.datasets").load_digits()
    rows = (found.images / 16).astype(np.float32).transpose(1, 2, 0)
    orders = [np.random.default_rng([7, seed]).permutation(rows.shape[-1]) for seed in range(seeds)]
    x = np.stack([rows[:, :, order] for order in orders])
    return torch.from_numpy(x), torch.from_numpy(np.stack([found.target[order] for order in orders]))


def train(model: str, layers: int, seeds: int, updates: int, budget: int) -> tuple[int, int, Any, Any]:
    """Return units, parameters, and the shares of wrong answers (rates, seeds) on what chooses and what tests."""
    torch = imported("torch")
    units = width(model, layers, budget, SIZES)
    all_shapes = shapes(model, units, layers, SIZES)
    begin = np.stack([start(model, units, layers, (0, 0, seed), SIZES) for seed in range(seeds)])
    flat = torch.from_numpy(np.tile(begin, (len(RATES), 1)))
    rates = torch.tensor(RATES).repeat_interleave(seeds)[:, None]
    first, second = torch.zeros_like(flat), torch.zeros_like(flat)
    x, classes = split(seeds)
    rng = np.random.default_rng([3, layers])
    for done in range(updates):
        chosen = torch.from_numpy(rng.integers(0, TRAIN, BATCH))
        given, wanted = (each[..., chosen].repeat(len(RATES), *(1,) * (each.dim() - 1)) for each in (x, classes))
        parameters = flat.detach().requires_grad_()
        scores = outputs(model, parameters, all_shapes, given)[:, -1]
        loss = torch.nn.functional.cross_entropy(scores, wanted, reduction="none").mean(1).sum()
        (gradient,) = torch.autograd.grad(loss, parameters)
        norm = gradient.double().norm(dim=1, keepdim=True)
        finite = norm.isfinite()
        gradient = torch.where(finite, gradient, 0.0) * torch.where(finite, 1 / norm.clamp(min=1), 0.0).float()
        first.lerp_(gradient, 0.1)
        second.lerp_(gradient.square(), 0.001)
        mean, root = first / (1 - 0.9 ** (done + 1)), (second / (1 - 0.999 ** (done + 1))).sqrt()
        flat -= rates * (1 - done / updates) * mean / (root + 1e-8)
    with torch.no_grad():
        scores = outputs(model, flat, all_shapes, x.repeat(len(RATES), 1, 1, 1))[:, -1]
    right = (scores.argmax(1) == classes.repeat(len(RATES), 1)) & scores.isfinite().all(1)
    wrong = (~right).double().numpy().reshape(len(RATES), seeds, -1)
    return (
        units,
        flat.shape[1],
        *(part.mean(-1) for part in (wrong[..., TRAIN : TRAIN + CHOOSE], wrong[..., TRAIN + CHOOSE :])),
    )  # type: ignore[return-value]


@click.command(help=__doc__.partition("\n\n")[0])
@click.option("--quick", is_flag=True, help="Two seeds, small networks of one and two layers, 50 updates.")
def main(quick: bool) -> None:
    torch = one_thread()
    seeds, updates, budget, depths = (2, 50, 400, (1, 2)) if quick else (10, 3000, 4000, (1, 2, 3, 4))
    table = Table("model", "layers", "units", "parameters", "rate", "median", "best", "worst", title="wrong answers")
    cases = [(model, depth) for model in MODELS for depth in depths]
    for model, depth in track(cases, "training", console=Console(stderr=True)):
        units, parameters, choose, test = train(model, depth, seeds, updates, budget)
        rate = int(np.argmin(np.median(choose, axis=1)))
        shown = (np.median(test[rate]), test[rate].min(), test[rate].max())
        table.add_row(model, *map(str, (depth, units, parameters, RATES[rate])), *(f"{100 * x:.1f} %" for x in shown))
    console = Console(width=120)
    versions = f"torch {torch.__version__}, numpy {np.__version__}, scikit-learn {imported('sklearn').__version__}"
    console.print(f"{versions}, {seeds} seeds")
    console.print(table)


if __name__ == "__main__":
    main()
