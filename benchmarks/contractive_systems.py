"""The synthetic data of arXiv 1910.13672: outputs of random contractive ReLU networks that vary slowly, with noise.

The system of a realisation is h_t = max(0, W h_{t-1} + F x_t + b), y_t = C h_t + c + noise, with 4 states, 2 inputs
and 2 outputs, W = I - eps A'A / ||A||^2 with eps = 0.01, and A, F, C, c and the inputs Gaussian. The biases b begin
Gaussian and are adjusted until each state is on (greater than 0) for 60 % of the time. The noise is Gaussian with the
variance mean(y^2) 10^(-SNR/10), where the mean is over sequences, steps and outputs.

What the poster does not say is taken from the script of its authors (github.com/melikaemami/URNN,
`urnn_synth_test.py`): 2 inputs, 2 outputs, the bias c of the outputs, 700 sequences to train and 300 to test, how
biases are adjusted, and noise relative to the mean square rather than the variance. There W is I - 0.01 A'A without
the norm, which forgets faster, in some directions within 10 steps; here the poster is followed unless `scaled` is
false. Every realisation has a seed of its own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from recurrent_kernels import LANES, system_kernel

from exactnn.errors import OptionError

STATES, INPUTS, OUTPUTS = 4, 2, 2
EPSILON = 0.01
ON, CLOSE = 0.6, 0.002
CALIBRATION = 128
"""Sequences that biases are adjusted with."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A contractive network, whose biases are adjusted."""

    W: Array
    F: Array
    b: Array
    C: Array
    c: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Sequences of realisations, as the kernels take them, and what R^2 is computed from.

    Attributes
    ----------
    x, y : (groups, sequences, steps, inputs or outputs, LANES) float32
        Realisation r is in lane r % LANES of group r // LANES; lanes beyond the last one have the first ones again.
    noise, power, variation : (realisations,) float64
        Of the test sequences, sums over steps and outputs: the squares of the noise, which are the squared errors of
        the true system; the squares of y; and the squares of y less its mean, taken for each output.
    """

    x: Array
    y: Array
    noise: Array
    power: Array
    variation: Array


def random_system(seed: int, realisation: int, steps: int, *, scaled: bool = True) -> System:
    """Return the system of a realisation, with adjusted biases.

    Raises
    ------
    OptionError
        If no biases are found.
    """
    rng = np.random.default_rng([seed, realisation, 0])
    A = rng.standard_normal((STATES, STATES))
    W = np.eye(STATES) - EPSILON * A.T @ A / (np.linalg.norm(A, 2) ** 2 if scaled else 1)
    F, b = rng.standard_normal((STATES, INPUTS)), rng.standard_normal(STATES)
    C, c = rng.standard_normal((OUTPUTS, STATES)), rng.standard_normal(OUTPUTS)
    x = rng.standard_normal((steps, INPUTS, CALIBRATION))
    for _ in range(2000):
        on = system_kernel()(x, W, F, b, C, c)[1]
        if np.abs(on - ON).max() < CLOSE:
            return System(W=W, F=F, b=b, C=C, c=c)
        b = b - 0.1 * (on - ON)
    raise OptionError(f"realisation {realisation} of seed {seed}: no biases with states on for {ON:.0%} of the time")


def sequences(system: System, seed: int, realisation: int, count: int, steps: int, snr: float) -> tuple[Array, ...]:
    """Return inputs, outputs with noise, and the noise: (sequences, steps, 2); only its scale depends on SNR."""
    rng = np.random.default_rng([seed, realisation, 1])
    x = rng.standard_normal((steps, INPUTS, count))
    clean, _ = system_kernel()(x, system.W, system.F, system.b, system.C, system.c)
    noise = rng.standard_normal(clean.shape) * np.sqrt(np.mean(clean**2) * 10 ** (-snr / 10))
    return tuple(each.transpose(2, 0, 1) for each in (x, clean + noise, noise))


def make_data(
    *, seed: int, realisations: int, train: int, test: int, steps: int, snr: float, scaled: bool = True
) -> Data:
    """Return the data of the first realisations; the test sequences are the last ones."""
    groups = -(-realisations // LANES)
    x = np.empty((groups, train + test, steps, INPUTS, LANES), np.float32)
    y = np.empty((groups, train + test, steps, OUTPUTS, LANES), np.float32)
    sums = np.empty((3, realisations))
    for r in range(realisations):
        system = random_system(seed, r, steps, scaled=scaled)
        inputs, outputs, noise = sequences(system, seed, r, train + test, steps, snr)
        tested = outputs[train:]
        centred = tested - tested.mean((0, 1))
        sums[:, r] = [np.sum(noise[train:] ** 2), np.sum(tested**2), np.sum(centred**2)]
        for lane in range(r, groups * LANES, realisations):
            x[lane // LANES, ..., lane % LANES], y[lane // LANES, ..., lane % LANES] = inputs, outputs
    return Data(x=x, y=y, noise=sums[0], power=sums[1], variation=sums[2])
