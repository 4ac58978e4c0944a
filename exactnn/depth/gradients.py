"""Gradients through time in floating point: where they become 0, stick or overflow, beside the exact ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import FloatFormat, FloatOperations, short_text
from exactnn.automata import word_text
from exactnn.depth.jacobian import Jacobians, jacobian
from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Vector
from exactnn.markup import Table, Tabular
from exactnn.matrices import is_sequence
from exactnn.networks import Network
from exactnn.options import entries, listed
from exactnn.simulation import Runnable, network_of

__all__ = ["BackwardPass", "GradientGrowth", "gradient_growth"]

ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardPass:
    """The gradient of the output with respect to the states of a run, from the last one back to the first.

    Parameters
    ----------
    word : tuple
    format : FloatFormat or None
        None for the exact one.
    largest : tuple of numbers
        The largest absolute value of the gradient after 0, 1, 2 ... steps back; rationals of the exact one, else floats
        or rationals, which are numbers of the format.
    """

    word: tuple[object, ...]
    format: FloatFormat | None
    largest: tuple[mpq | float, ...]

    @property
    def zero_from(self) -> int | None:
        """From how many steps back on the gradient is 0; None if it is not."""
        return self._last(lambda before, now: not now)

    @property
    def sticks_from(self) -> int | None:
        """From how many steps back on its size is the same number, not 0 and not infinite; None if it is not."""
        found = self._last(lambda before, now: bool(now) and isfinite(now) and before == now)
        return None if found is None else found - 1

    @property
    def overflows_at(self) -> int | None:
        """After how many steps back it is infinite or not a number first; None if it is not."""
        return next((step for step, size in enumerate(self.largest) if not isfinite(size)), None)

    def _last(self, holds: Callable[[mpq | float, mpq | float], bool]) -> int | None:
        """Return from which step on something holds of each step and the one before, to the end."""
        found = None
        for step in range(len(self.largest) - 1, 0, -1):
            if not holds(self.largest[step - 1], self.largest[step]):
                break
            found = step
        return found


class GradientGrowth(Tabular, tuple[BackwardPass, ...]):
    """Backward passes, the exact one of each word before those in formats."""

    __slots__ = ()

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: where each gradient becomes 0, sticks or overflows."""
        rows = tuple(
            (
                word_text(tuple(map(str, one.word)))[:24] if one.word else "",
                len(one.word),
                "exact" if one.format is None else str(one.format),
                one.zero_from,
                one.sticks_from,
                one.overflows_at,
                short_text(one.largest[-1]) if isinstance(one.largest[-1], mpq) else f"{one.largest[-1]:.6g}",
            )
            for one in self
        )
        heading = ("word", "symbols", "arithmetic", "0 from", "sticks from", "overflows at", "last size")
        return Table(title="gradient, steps back", heading=heading, rows=rows)

    def __repr__(self) -> str:
        return f"<GradientGrowth of {len(self)} backward passes>"


def gradient_growth(
    network: Network | Runnable,
    words: str | Sequence[object],
    formats: FloatFormat | Sequence[FloatFormat],
) -> GradientGrowth:
    """Return how the gradient of the output grows from step to step back, exactly and in formats.

    The forward pass is exact: what is shown is what the backward pass does. In a format the exact Jacobians and the
    readout are rounded to nearest once. Then the gradient g becomes J'g in each step: every product is rounded, and
    every sum, from the first number of the state to the last.

    Parameters
    ----------
    network : Network or Construction
        With one output; its units have activations that map rationals to rationals.
    words : word or sequence of words
        A text or a sequence of vectors is one word.
    formats : FloatFormat or sequence of them

    Raises
    ------
    OptionError
        If there are several outputs, no formats, one rounds at random, or a unit is at a kink.
    UnsupportedArithmeticError
        If a unit is smooth.

    Notes
    -----
    With one number in the state and the Jacobian w, 0 < w < 1, a gradient that is rounded to nearest is never less than
    k times the smallest number, if w k rounds to k: it sticks there, and does not vanish.

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
    chosen = [formats] if isinstance(formats, FloatFormat) else listed("formats", formats, "FloatFormats", least=1)
    for format in chosen:
        if not isinstance(format, FloatFormat) or format.rounds_at_random:
            raise OptionError(f"formats has {shown(format)}: give FloatFormats that do not round at random")
    found = []
    for word in _words(core, words):
        steps = jacobian(core, word)
        found.append(_exact(core, word, steps))
        found += [_rounded(core, word, steps, format) for format in chosen]
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
    if unit.bilinear:
        raise OptionError(f"the output of {network.name} has products: its gradient depends on the state")
    slope = [ZERO] * network.circuit.state_size
    for register, weight in unit.linear:
        slope[register] += weight
    return tuple(slope)


def _exact(network: Network, word: tuple[object, ...], steps: Jacobians) -> BackwardPass:
    gradient = list(_readout(network))
    sizes: list[mpq | float] = [max(map(abs, gradient), default=ZERO)]
    for matrix in reversed(steps.matrices):
        columns = zip(*matrix, strict=True)
        gradient = [sum((x * y for x, y in zip(column, gradient, strict=True)), ZERO) for column in columns]
        sizes.append(max(map(abs, gradient), default=ZERO))
    return BackwardPass(word=word, format=None, largest=tuple(sizes))


def _rounded(network: Network, word: tuple[object, ...], steps: Jacobians, format: FloatFormat) -> BackwardPass:
    compute = FloatOperations(format)
    known: dict[mpq, mpq | float] = {}

    def number(value: mpq) -> mpq | float:
        if value not in known:
            known[value] = format.parameters.rounded(value)
        return known[value]

    gradient = [number(x) for x in _readout(network)]
    sizes = [_size(gradient)]
    for matrix in reversed(steps.matrices):
        following = []
        for column in zip(*matrix, strict=True):
            first, *others = (compute.multiply(number(x), y) for x, y in zip(column, gradient, strict=True))
            for term in others:
                first = compute.add(first, term)
            following.append(first)
        gradient = following
        sizes.append(_size(gradient))
    return BackwardPass(word=word, format=format, largest=tuple(sizes))


def _size(gradient: Sequence[mpq | float]) -> mpq | float:
    """Return the largest absolute value; infinite or not a number if one is."""
    odd = [x for x in gradient if not isfinite(x)]
    return max((-x if x < 0 else x for x in odd or gradient), default=ZERO)
