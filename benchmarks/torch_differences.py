"""How many units of one random step torch and a float run give differently: the tables of docs/float_semantics.md.

Run from the root of the repository, with torch: ``python -m benchmarks.torch_differences``. With ``orders`` as an
argument it says instead for which sizes torch sums from the first product to the last, which takes minutes.
"""

import sys

import torch

from exactnn import FLOAT32, FLOAT64
from tests.precision.test_against_torch import (
    FORMATS,
    in_torch_order,
    one_step,
    random_rnn,
    simple_rnn,
    sums_in_order,
)

SIZES = [(2, 1), (4, 1), (5, 1), (8, 1), (16, 1), (64, 1), (64, 16), (256, 1)]


def differences(size, batch, format):
    """Return the shares of units in which torch differs from ours, from ours in its order, and from itself alone."""
    counts, units = [0, 0, 0], 0
    for seed in range(max(1, 200 // size // batch)):
        rnn = random_rnn((3, size), format, seed)
        h, x = (torch.randn(1, batch, n, dtype=FORMATS[format]) for n in (size, 3))
        with torch.no_grad():
            together = rnn(x, h)[1][0].tolist()
            alone = [rnn(x[:, i : i + 1], h[:, i : i + 1])[1][0, 0].tolist() for i in range(min(batch, 4))]
        for i, single in enumerate(alone):
            state, vector = h[0, i].tolist(), x[0, i].tolist()
            runs = [one_step(net, state, vector, format) for net in (simple_rnn(rnn), in_torch_order(rnn))]
            for k, run in enumerate([*runs, single]):
                counts[k] += sum(ours != theirs for ours, theirs in zip(run, together[i], strict=True))
            units += size
    return [f"{count / units:.0%}" for count in counts]


def main():
    print("torch", torch.__version__, torch.backends.cpu.get_cpu_capability())
    for format in (FLOAT32, FLOAT64):
        if "orders" in sys.argv:
            for batch in (1, 8, 16, 32):
                rounded = [n for n in range(2, 13) if sums_in_order(n, format, batch=batch)]
                sizes = (*range(2, 17), 20, 24, 28, 32, 48)
                fused = [n for n in sizes if sums_in_order(n, format, batch=batch, fused=True)]
                print(format, "batch", batch, "rounded, first to last:", rounded, "fused:", fused)
            continue
        for size, batch in SIZES:
            ours, ordered, alone = differences(size, batch, format)
            print(f"{format} size {size} batch {batch}: ours {ours}, in torch's order {ordered}, torch alone {alone}")


if __name__ == "__main__":
    main()
