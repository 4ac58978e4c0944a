"""Sound that a voice activity detector takes for speech, made from nothing, and the features that it hears.

Syllables: pulses of a voice, 90 to 180 a second, through three resonances of one of five English vowels (frequencies of
Peterson and Barney 1952, men), each followed by a short hiss; two to six of them, then a pause; faint noise over
everything. It is not speech.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

RATE, CHUNK, CONTEXT = 16000, 512, 64
"""Samples a second, in a step of the detector, and before them that it hears again."""
VOWELS = {
    "a": (730, 1090, 2440),
    "e": (530, 1840, 2480),
    "i": (270, 2290, 3010),
    "o": (570, 840, 2410),
    "u": (300, 870, 2240),
}
WIDTHS = (80, 90, 120)
STRIDES = {1: 1, 2: 2, 3: 2, 4: 1}
"""Of the convolutions after the Fourier transform, by number."""

Array = np.ndarray[Any, Any]


def speech_like(seconds: float, seed: int) -> Array:
    """Return samples, float32."""
    rng = np.random.default_rng(seed)
    length = int(seconds * RATE)
    pieces: list[Array] = []
    while sum(map(len, pieces)) < length:
        for _ in range(rng.integers(2, 7)):
            pieces += [_syllable(rng), 0.03 * rng.standard_normal(int(RATE * rng.uniform(0.02, 0.08)))]
        pieces.append(np.zeros(int(RATE * rng.uniform(0.2, 0.8))))
    samples = np.concatenate(pieces)[:length] + 0.002 * rng.standard_normal(length)
    return samples.astype(np.float32)


def _syllable(rng: np.random.Generator) -> Array:
    resonances = VOWELS[str(rng.choice(list(VOWELS)))]
    n = int(RATE * rng.uniform(0.1, 0.3))
    pitch = rng.uniform(90, 180) * (1 + 0.1 * np.sin(np.linspace(0, 3, n)))
    sound = np.diff(np.floor(np.cumsum(pitch) / RATE), prepend=0) + 0.003 * rng.standard_normal(n)
    for frequency, width in zip(resonances, WIDTHS, strict=True):
        sound = _resonance(sound, frequency, width)
    edge = np.minimum(np.arange(n), np.arange(n)[::-1]) / (0.03 * RATE)
    return sound * np.minimum(1, edge) * rng.uniform(0.1, 0.6) / np.abs(sound).max()


def _resonance(sound: Array, frequency: float, width: float) -> Array:
    """Return the sound after a filter with two poles."""
    radius = np.exp(-np.pi * width / RATE)
    one, two = 2 * radius * np.cos(2 * np.pi * frequency / RATE), -radius * radius
    before, last, filtered = 0.0, 0.0, np.empty_like(sound)
    for t, sample in enumerate(((1 - one - two) * sound).tolist()):
        before, last = last, sample + one * last + two * before
        filtered[t] = last
    return filtered


def features(samples: Array, arrays: Mapping[str, Array]) -> Iterator[Array]:
    """Yield the features of each chunk (128,), computed in float64 and rounded to float32.

    The encoder of silero-vad 6.2.3: short Fourier transforms as a convolution, magnitudes, four convolutions with ReLU.
    """
    weights = {name: each.astype(np.float64) for name, each in arrays.items()}
    heard = np.concatenate([np.zeros(CONTEXT), samples.astype(np.float64)])
    for start in range(0, len(samples) - CHUNK + 1, CHUNK):
        chunk = np.pad(heard[start : start + CONTEXT + CHUNK], (0, CONTEXT), mode="reflect")
        parts = _convolution(chunk[None], weights["stft_conv.weight"], None, 128, 0)
        half = len(parts) // 2
        x = np.sqrt(parts[:half] ** 2 + parts[half:] ** 2)
        for number, stride in STRIDES.items():
            name = f"conv{number}"
            x = np.maximum(0, _convolution(x, weights[f"{name}.weight"], weights[f"{name}.bias"], stride, 1))
        yield x[:, 0].astype(np.float32)


def _convolution(x: Array, weight: Array, bias: Array | None, stride: int, padding: int) -> Array:
    """Return the convolution of channels (in, length) with weights (out, in, width)."""
    padded = np.pad(x, ((0, 0), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2], axis=1)[:, ::stride]
    sums = np.einsum("oiw,itw->ot", weight, windows)
    return sums if bias is None else sums + bias[:, None]
