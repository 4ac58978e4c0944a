"""Gradients through time in floating point: where they become 0, stick or overflow, beside the exact ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import (
    CERTIFIED,
    AnyFormats,
    DirectedRounding,
    Enclosure,
    FloatFormat,
    checked_formats,
    counted,
    exact_cell,
    is_finite,
    short_text,
)
from exactnn.automata import word_cell, word_text
from exactnn.depth.slopes import AtKinks, Numbers, Rounded, Slope, StepSlopes, exact_numbers, slopes_along
from exactnn.errors import BitLimitError, OptionError
from exactnn.files import Data
from exactnn.linear_algebra import Vector
from exactnn.markup import Table, Tabular
from exactnn.matrices import is_sequence
from exactnn.networks import Activation, AnyNetwork, Network, network_of
from exactnn.options import entries
from exactnn.simulation.smooth_units import has_smooth_units

__all__ = ["BackwardPass", "GradientGrowth", "Size", "gradient_growth"]

ZERO = mpq(0)

Size = mpq | float | Enclosure
"""How large a gradient is: exactly, in a format, or in bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardPass:
    """The gradient of the output with respect to the states of a run, from the last one back to the first.

    Parameters
    ----------
    word : tuple
    format : FloatFormat or None
        None for the exact one.
    largest : tuple of numbers
        The largest absolute value of the gradient after 0, 1, 2 ... steps back. Of the exact one rationals, or an
        Enclosure where units are smooth; else floats or rationals, which are numbers of the format.
    """

    word: tuple[object, ...]
    format: FloatFormat | None
    largest: tuple[Size, ...]

    @property
    def zero_from(self) -> int | None:
        """From how many steps back on the gradient is 0; None if it is not."""
        steps = len(self.largest)
        while steps and not self.largest[steps - 1]:  # an enclosure is never 0: that would be a number
            steps -= 1
        return steps if steps < len(self.largest) else None

    @property
    def sticks_from(self) -> int | None:
        """From how many steps back on its size is the same number, not 0 and not infinite; None if it is not."""
        last, steps = self.largest[-1], len(self.largest)
        while (
            steps and is_finite(last) and last and not isinstance(last, Enclosure) and self.largest[steps - 1] == last
        ):
            steps -= 1
        return steps if steps < len(self.largest) - 1 else None

    @property
    def overflows_at(self) -> int | None:
        """After how many steps back it is infinite or not a number first; None if it is not."""
        return next((step for step, size in enumerate(self.largest) if not is_finite(size)), None)


class GradientGrowth(Data, Tabular, tuple[BackwardPass, ...]):
    """Backward passes, the exact one of each word before those in formats."""

    __slots__ = ()

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each step back of each pass."""
        return [
            {
                "word": word_cell(one.word),
                "arithmetic": "exact" if one.format is None else str(one.format),
                "steps_back": steps,
                "largest": exact_cell(size),
            }
            for one in self
            for steps, size in enumerate(one.largest)
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: where each gradient becomes 0, sticks or overflows."""
        rows = tuple(
            (
                word_text(tuple(map(_symbol_text, one.word)))[:24] if one.word else "",
                len(one.word),
                "exact" if one.format is None else str(one.format),
                one.zero_from,
                one.sticks_from,
                one.overflows_at,
                _text(one.largest[-1]),
            )
            for one in self
        )
        heading = ("word", "symbols", "arithmetic", "0 from", "sticks from", "overflows at", "last size")
        return Table(title="gradient, steps back", heading=heading, rows=rows)

    def __repr__(self) -> str:
        return f"<GradientGrowth of {counted(len(self), 'backward pass', 'backward passes')}>"


def _symbol_text(symbol: object) -> str:
    return f"({', '.join(map(str, symbol))})" if isinstance(symbol, tuple) else str(symbol)


def _text(size: Size) -> str:
    return f"{size:.6g}" if isinstance(size, float) else str(size) if isinstance(size, Enclosure) else short_text(size)


def gradient_growth(
    network: AnyNetwork,
    words: str | Sequence[object],
    formats: AnyFormats,
    *,
    at_kinks: AtKinks = None,
) -> GradientGrowth:
    """Return how the gradient of the output grows from step to step back, exactly and in formats.

    The forward pass is exact: what is shown is what the backward pass does, which goes through each step from its last
    layer to its first, as automatic differentiation does. In a format every weight and every derivative of an
    activation is rounded to nearest once; then every product is rounded, and every sum. What a unit passes on to a
    number that it reads is added to what that has from the units before in the layer, and from the layers above.

    Parameters
    ----------
    network : Network or Construction
        With one output. Of one with smooth units the exact gradient is enclosed, by as many bits as are needed.
    words : word or sequence of words
        A text or a sequence of vectors is one word.
    formats : FloatFormat or sequence of them
    at_kinks : 0 or 1, optional
        The slope that a unit is given at a kink, as automatic differentiation does: torch takes 0 of ReLU and hardtanh,
        1 of clamp. A jump has the slope 0 then. By default a kink is refused.

    Raises
    ------
    OptionError
        If there are several outputs, no formats, one rounds at random, or a unit is at a kink.
    BitLimitError
        If bounds of 4,096 bits of a smooth network do not tell how a slope is rounded.

    Notes
    -----
    With one number in the state and the Jacobian w, 0 < w < 1, a gradient that is rounded to nearest is never less than
    k times the smallest number, if w k rounds to k: it sticks there, and does not vanish (:func:`gradient_limits`).

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16, FLOAT32
    >>> from exactnn.networks import SimpleRNN
    >>> decay = SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    >>> exact, half, single = gradient_growth(decay, [[0]] * 1000, [FLOAT16, FLOAT32])
    >>> half.sticks_from, single.sticks_from, single.largest[-1] == 4 * FLOAT32.smallest
    (142, 964, True)
    """
    core = network_of(network)
    if not core.scalar_output:
        raise OptionError(f"{core.name} has several outputs: give a network with one")
    readout = _readout(core)
    chosen = checked_formats(formats)
    found: list[BackwardPass] = []
    for word in _words(core, words):
        found += _passes(core, word, readout, chosen, at_kinks)
    return GradientGrowth(found)


def _words(network: Network, words: str | Sequence[object]) -> list[tuple[object, ...]]:
    """Return the words that are meant; a text is one, and a sequence of vectors is."""
    given: list[Any] = [words] if isinstance(words, str) else entries("words", words)
    if network.input_symbols is None:
        deeper = (x for word in given if is_sequence(word) for x in entries("words", word))
        given = given if any(map(is_sequence, deeper)) else [given]
    return [tuple(network.written(network.inputs(word))) for word in given]


def _readout(network: Network) -> Vector:
    """Return the derivatives of the output with respect to the last state, which are its weights."""
    (unit,) = network.readout
    if unit.bilinear or unit.activation != Activation.IDENTITY:
        raise OptionError(f"the output of {network.name} is no weighted sum of the state: give readout weights")
    slope = [ZERO] * network.circuit.state_size
    for register, weight in unit.linear:
        slope[register] += weight
    return tuple(slope)


def _passes(
    network: Network,
    word: tuple[object, ...],
    readout: Vector,
    formats: Sequence[FloatFormat],
    at_kinks: AtKinks,
) -> list[BackwardPass]:
    """Return the backward passes of one word: first the exact one, then one for each format."""
    if not has_smooth_units(network):
        return _passes_at(network, word, readout, formats, None, at_kinks)
    *fewer, most = (interval.bits for interval in CERTIFIED.intervals)
    for bits in fewer:  # until it is clear how each slope is rounded
        try:
            return _passes_at(network, word, readout, formats, bits, at_kinks)
        except BitLimitError:
            continue
    return _passes_at(network, word, readout, formats, most, at_kinks)


def _passes_at(
    network: Network,
    word: tuple[object, ...],
    readout: Vector,
    formats: Sequence[FloatFormat],
    bits: int | None,
    at_kinks: AtKinks,
) -> list[BackwardPass]:
    """Return the passes with rational slopes, or with bounds of so many bits."""
    slopes, exactly = slopes_along(network, word, bits, at_kinks), exact_numbers(bits)
    with DirectedRounding.wide():
        exact_sizes = [
            _largest(tuple(map(exactly.slope, gradient))) for gradient in _backward(network, readout, slopes, exactly)
        ]
    found = [BackwardPass(word=word, format=None, largest=tuple(exact_sizes))]
    for format in formats:
        sizes = tuple(map(_size, _backward(network, readout, slopes, Rounded(format))))
        found.append(BackwardPass(word=word, format=format, largest=sizes))
    return found


def _backward(
    network: Network, readout: Vector, slopes: Sequence[StepSlopes], numbers: Numbers
) -> Iterator[Sequence[Any]]:
    """Yield the derivatives of the output with respect to the last state, the one before, and so on to the first.

    Of each register the sum so far is kept, None for nothing: what it is a summand of has been gone through before it.
    """
    circuit = network.circuit
    size = circuit.state_size
    nothing = numbers.number(ZERO)
    gradient: list[Any] = [numbers.number(x) for x in readout]
    yield gradient
    for step in reversed(slopes):
        totals: list[Any] = [None] * (size + circuit.input_size + circuit.units)
        for register, x in zip(circuit.next_state, gradient, strict=True):
            _add_to(totals, register, x, numbers)
        first = len(totals)
        for layer in reversed(step):
            first -= len(layer)
            for place, (factor, terms) in enumerate(layer, first):
                if totals[place] is None or not factor:
                    continue
                passed = totals[place] if factor == 1 else numbers.multiply(numbers.number(factor), totals[place])
                for register, slope in terms:
                    if slope:
                        _add_to(totals, register, numbers.multiply(numbers.number(slope), passed), numbers)
        gradient = [nothing if x is None else x for x in totals[:size]]
        yield gradient


def _add_to(totals: list[Any], register: int, summand: Any, numbers: Numbers) -> None:
    known = totals[register]
    totals[register] = summand if known is None else numbers.add(known, summand)


def _largest(gradient: Sequence[Slope]) -> Slope:
    """Return the largest absolute value; its bounds, if a number is enclosed."""
    lows, highs = [ZERO], [ZERO]
    for x in gradient:
        low, high = x if isinstance(x, Enclosure) else (x, x)
        lows.append(max(ZERO, low, -high))
        highs.append(max(abs(low), abs(high)))
    low, high = max(lows), max(highs)
    return low if low == high else Enclosure(low=low, high=high)


def _size(gradient: Sequence[mpq | float]) -> mpq | float:
    """Return the largest absolute value; infinite or not a number if one is."""
    odd = [x for x in gradient if not is_finite(x)]
    sizes: list[Any] = [abs(x) for x in odd or gradient]
    return max(sizes, default=ZERO)
