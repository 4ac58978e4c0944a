"""Processor seconds a step of random LSTM networks in interval arithmetic, with python-flint and without.

python benchmarks/interval_speed.py [HIDDEN_SIZE ...]
python benchmarks/interval_speed.py check [STEPS]

The second one is `check_format` of 256 hidden units on a word of 1,000 steps, in six formats.
"""

import random
import sys
import time

from gmpy2 import mpq

from exactnn.arithmetic import Interval
from exactnn.networks import LSTM
from exactnn.precision import check_format
from exactnn.simulation import IntervalExecutor, interval_rows

STEPS = 5
BITS = (64, 128)
SIZES = (128, 256)
FORMATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3", "float8_e5m2")


def random_lstm(size, inputs=64, seed=1, steps=STEPS):
    """Return an LSTM with weights like those of a trained one: float32 numbers of at most 1/sqrt(size)."""
    rng = random.Random(seed)

    def matrix(height, width):
        return [
            [mpq(int(rng.uniform(-1, 1) * 2**24), 2**24) / int(size**0.5) for _ in range(width)] for _ in range(height)
        ]

    return LSTM(
        V={gate: matrix(size, size) for gate in "ifgo"},
        W={gate: matrix(size, inputs) for gate in "ifgo"},
        b={gate: matrix(1, size)[0] for gate in "ifgo"},
        readout_weight=matrix(1, size)[0],
    ), [tuple(mpq(rng.randint(-64, 64), 64) for _ in range(inputs)) for _ in range(steps)]


def seconds_a_step(network, word, bits):
    """Return the engine, the best time of a step, and the width of the last output."""
    executor = IntervalExecutor(network, Interval(bits=bits))
    state, best = executor.start(), float("inf")
    for vector in word:
        began = time.process_time()
        state = executor.step(state, vector)
        best = min(best, time.process_time() - began)
    return executor.engine, best, float(executor.output(state).width)


def main(sizes):
    with_flint = interval_rows._flint
    for size in sizes:
        network, word = random_lstm(size)
        for flint in (with_flint, lambda: None):
            interval_rows._flint = flint
            for bits in BITS:
                engine, seconds, width = seconds_a_step(network, word, bits)
                print(f"{network.circuit.weights:>8} weights  {engine:<28} {seconds:8.3f} s a step, width {width:.1e}")


def check(steps):
    network, word = random_lstm(SIZES[-1], steps=steps)
    began = time.perf_counter()
    report = check_format(network, [word], FORMATS, decision="threshold")
    print(f"{network.circuit.weights} weights, {steps} steps: {time.perf_counter() - began:.1f} s")
    for name in FORMATS:
        print(f"{name}: {report.sentence(name)}, {report.worst(name).absolute:.3g} at most")


if __name__ == "__main__" and sys.argv[1:2] == ["check"]:
    check(int((*sys.argv[2:], 1000)[0]))
elif __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or SIZES)
