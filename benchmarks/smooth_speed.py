"""Nanoseconds per sigmoid, tanh and exp in the compiled loops: ``python -m benchmarks.smooth_speed``.

Arguments are normal with a standard deviation of 3, rounded to the format; the best of five passes over them.
"""

import time

import numpy as np
from numba import njit

from exactnn.arithmetic import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from exactnn.simulation import smooth_kernels as kernels
from exactnn.simulation.rounded import plain

CODES = {"sigmoid": 4, "tanh": 5, "exp": 7}
COUNT = 100_000


@njit
def native(code, numbers, results):
    for i in range(len(numbers)):
        results[i] = kernels.smooth_native(code, numbers[i])


@njit
def rounded(code, numbers, results, format):
    for i in range(len(numbers)):
        results[i] = kernels.smooth_rounded(code, numbers[i], 0.5, format)


def nanoseconds(loop, code, numbers, *more):
    results = np.empty_like(numbers)
    loop(code, numbers[:1], results, *more)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        loop(code, numbers, results, *more)
        times.append(time.perf_counter() - begin)
    return 1e9 * min(times) / len(numbers)


def main():
    numbers = np.random.default_rng(0).normal(0, 3, COUNT)
    for name, code in CODES.items():
        for format, dtype in ((FLOAT64, np.float64), (FLOAT32, np.float32)):
            print(f"{name} in {format}: {nanoseconds(native, code, numbers.astype(dtype)):.0f} ns")
        for format in (FLOAT16, BFLOAT16):
            of_format = np.array([format.nearest(x) for x in numbers])
            print(f"{name} in {format}: {nanoseconds(rounded, code, of_format, plain(format, True)):.0f} ns")


if __name__ == "__main__":
    main()
