"""ReLU networks of one size, trained side by side: outputs, losses and gradients by backpropagation through time.

What networks of a size do at one time step is the same for all of them, so a vector register takes one number of
`LANES` networks. Nothing is padded: there is a loop for each size, compiled when it is first asked for. Lanes never
meet, so that a network gets the same bits whatever runs in the others. Gradients are those of the whole sequence,
nothing is truncated (`tests/benchmarks/` compares them with those of torch).

The network is h_t = max(0, W h_{t-1} + F x_t + b), y_t = C h_t + c, with h_{-1} = 0. Arrays have lanes last: x is
(sequences, steps, inputs, lanes), W is (units, units, lanes) and so on. `number` is float32 or float64.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit

LANES = 16
CHUNK = 8
"""Time steps whose contributions to a gradient are summed up before it is written."""


@cache
def forward_kernel(units: int, inputs: int, outputs: int) -> Callable[..., None]:
    """Return ``forward(x, y, W, F, b, C, c, states, errors)`` of one sequence, which fills `states` and `errors`."""

    @njit(fastmath={"contract"}, error_model="numpy", nogil=True)
    def forward(x, y, W, F, b, C, c, states, errors):  # type: ignore[no-untyped-def]
        zero = W.dtype.type(0)
        for t in range(x.shape[0]):
            for i in range(units):
                for lane in range(LANES):
                    total = b[i, lane]
                    for k in range(inputs):
                        total += F[i, k, lane] * x[t, k, lane]
                    for j in range(units):
                        total += W[i, j, lane] * states[t, j, lane]
                    states[t + 1, i, lane] = total if total > zero else zero
            for m in range(outputs):
                for lane in range(LANES):
                    error = c[m, lane] - y[t, m, lane]
                    for j in range(units):
                        error += C[m, j, lane] * states[t + 1, j, lane]
                    errors[t, m, lane] = error

    return forward  # type: ignore[no-any-return]


@cache
def squared_errors_kernel(units: int, inputs: int, outputs: int) -> Callable[..., None]:
    """Return ``squared_errors(x, y, rows, W, F, b, C, c, sums)``, which adds to `sums` (lanes, float64)."""
    forward = forward_kernel(units, inputs, outputs)

    @njit(error_model="numpy", nogil=True)
    def squared_errors(x, y, rows, W, F, b, C, c, sums):  # type: ignore[no-untyped-def]
        steps = x.shape[1]
        states = np.zeros((steps + 1, units, LANES), W.dtype)
        errors = np.empty((steps, outputs, LANES), W.dtype)
        for row in rows:
            forward(x[row], y[row], W, F, b, C, c, states, errors)
            for t in range(steps):
                for m in range(outputs):
                    for lane in range(LANES):
                        sums[lane] += np.float64(errors[t, m, lane]) * errors[t, m, lane]

    return squared_errors  # type: ignore[no-any-return]


@cache
def gradient_kernel(units: int, inputs: int, outputs: int) -> Callable[..., None]:
    """Return ``gradients(x, y, rows, W, F, b, C, c, dW, dF, db, dC, dc)``, of half the sum of squared errors.

    It adds to what is in the last six; the number of steps is a multiple of `CHUNK`.
    """
    forward = forward_kernel(units, inputs, outputs)

    @njit(fastmath={"contract"}, error_model="numpy", nogil=True)
    def add_up(x, states, errors, deltas, dW, dF, db, dC, dc):  # type: ignore[no-untyped-def]
        for i in range(units):
            for j in range(units):
                for lane in range(LANES):
                    total = dW[i, j, lane]
                    for r in range(CHUNK):
                        total += deltas[r, i, lane] * states[r, j, lane]
                    dW[i, j, lane] = total
            for k in range(inputs):
                for lane in range(LANES):
                    total = dF[i, k, lane]
                    for r in range(CHUNK):
                        total += deltas[r, i, lane] * x[r, k, lane]
                    dF[i, k, lane] = total
            for lane in range(LANES):
                total = db[i, lane]
                for r in range(CHUNK):
                    total += deltas[r, i, lane]
                db[i, lane] = total
            for m in range(outputs):
                for lane in range(LANES):
                    total = dC[m, i, lane]
                    for r in range(CHUNK):
                        total += errors[r, m, lane] * states[r + 1, i, lane]
                    dC[m, i, lane] = total
        for m in range(outputs):
            for lane in range(LANES):
                total = dc[m, lane]
                for r in range(CHUNK):
                    total += errors[r, m, lane]
                dc[m, lane] = total

    @njit(fastmath={"contract"}, error_model="numpy", nogil=True)
    def back(W, C, states, errors, deltas, passed):  # type: ignore[no-untyped-def]
        zero = W.dtype.type(0)
        for reverse in range(CHUNK):
            r = CHUNK - 1 - reverse
            for i in range(units):
                for lane in range(LANES):
                    total = passed[i, lane]
                    for m in range(outputs):
                        total += C[m, i, lane] * errors[r, m, lane]
                    deltas[r, i, lane] = total if states[r + 1, i, lane] > zero else zero
            for j in range(units):
                for lane in range(LANES):
                    total = zero
                    for i in range(units):
                        total += W[i, j, lane] * deltas[r, i, lane]
                    passed[j, lane] = total

    @njit(error_model="numpy", nogil=True)
    def gradients(x, y, rows, W, F, b, C, c, dW, dF, db, dC, dc):  # type: ignore[no-untyped-def]
        steps = x.shape[1]
        states = np.zeros((steps + 1, units, LANES), W.dtype)
        errors = np.empty((steps, outputs, LANES), W.dtype)
        deltas = np.empty((CHUNK, units, LANES), W.dtype)
        passed = np.empty((units, LANES), W.dtype)
        for row in rows:
            forward(x[row], y[row], W, F, b, C, c, states, errors)
            passed[:] = 0
            for first in range(steps - CHUNK, -1, -CHUNK):
                chunk, here = errors[first : first + CHUNK], states[first : first + CHUNK + 1]
                back(W, C, here, chunk, deltas, passed)
                add_up(x[row, first : first + CHUNK], here, chunk, deltas, dW, dF, db, dC, dc)

    return gradients  # type: ignore[no-any-return]


@cache
def system_kernel() -> Callable[..., Any]:
    """Return ``simulate(x, W, F, b, C, c)``: outputs without noise, and how often each state is on.

    One network, many sequences, which are last here: x is (steps, inputs, sequences).
    """

    @njit(error_model="numpy", nogil=True)
    def simulate(x, W, F, b, C, c):  # type: ignore[no-untyped-def]
        steps, inputs, sequences = x.shape
        units, outputs = W.shape[0], C.shape[0]
        state, following = np.zeros((2, units, sequences))
        y = np.empty((steps, outputs, sequences))
        on = np.zeros(units)
        for t in range(steps):
            for i in range(units):
                following[i, :] = b[i]
                for k in range(inputs):
                    for s in range(sequences):
                        following[i, s] += F[i, k] * x[t, k, s]
                for j in range(units):
                    for s in range(sequences):
                        following[i, s] += W[i, j] * state[j, s]
            for i in range(units):
                count = 0
                for s in range(sequences):
                    state[i, s] = max(following[i, s], 0.0)
                    count += following[i, s] > 0
                on[i] += count
            for m in range(outputs):
                y[t, m, :] = c[m]
                for j in range(units):
                    for s in range(sequences):
                        y[t, m, s] += C[m, j] * state[j, s]
        return y, on / (steps * sequences)

    return simulate  # type: ignore[no-any-return]
