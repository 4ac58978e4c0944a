"""Random runs of every cell in intervals against MPFR with 300 bits: 10,000 steps of each, through both libraries.

python benchmarks/interval_campaign.py [STEPS]
"""

import random
import sys
import time
from pathlib import Path

from exactnn.arithmetic import Interval
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


def main(steps):
    with_flint, least = interval_rows._flint, interval_rows.LEAST_DENSE
    for cell in (SimpleRNN, LSTM, GRU, QRNN, DoublingLSTM):
        for library in ("MPFR", "Arb"):
            interval_rows._flint = with_flint if library == "Arb" else lambda: None
            interval_rows.LEAST_DENSE = 0 if library == "Arb" else least
            rng, began, values = random.Random(1), time.process_time(), 0
            for _ in range(steps // LENGTH):
                network, word = random_cell(cell, rng)
                bits = rng.choice((8, 24, 53, 64, 128))
                result = run(network, word, arithmetic=Interval(bits=bits), record="all")
                for enclosures, numbers in zip(
                    result.trace, states_by_mpfr(network, network.inputs(word)), strict=True
                ):
                    for enclosure, number in zip(enclosures, numbers, strict=True):
                        assert holds(enclosure, number), (network, word, bits)
                        values += 1
            print(f"{cell.__name__} by {library}: {steps} steps, {values} values, {time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main(*[int(steps) for steps in sys.argv[1:]] or [10_000])
