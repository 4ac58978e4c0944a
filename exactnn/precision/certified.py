"""What is proven of networks whose numbers are enclosed: the largest output, and the first divergence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from gmpy2 import mpq

from exactnn.arithmetic import (
    CERTIFIED,
    AnyFormat,
    Certified,
    Enclosure,
    Format,
    Number,
    count_text,
    counted,
    format_of,
    is_format,
)
from exactnn.errors import OptionError, shown
from exactnn.networks import AnyNetwork, network_of
from exactnn.outcome import Outcome
from exactnn.simulation import Output, Run, run

__all__ = [
    "CertifiedArgmax",
    "CertifiedDivergence",
    "CertifiedValueDivergence",
    "certified_argmax",
    "certified_divergence",
]


# --- Which of several outputs is the largest, proven by enclosures: what a network that chooses says, without rounding.


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedArgmax:
    """The index of the largest output after each step.

    Parameters
    ----------
    indices : tuple of (int or None)
        Entry t-1 is that of step t: from 0 on, the first one if several are the largest. None where the enclosures
        did not tell with the most bits, as they never do where unknown numbers are equal.
    bits : tuple of (int or None)
        How many bits of the enclosures the index took, of those that were tried.
    arithmetic : Certified
        It says which were tried.
    outcome : Outcome
        "completed" if the whole word was read and every index is certain, else what ended it.
    """

    indices: tuple[int | None, ...]
    bits: tuple[int | None, ...]
    arithmetic: Certified
    outcome: Outcome

    @property
    def last(self) -> int | None:
        """The index after the last step; None if it is not certain, or there is no step."""
        return self.indices[-1] if self.indices else None

    @property
    def most_bits(self) -> int | None:
        """The bits that all indices took together; None if one is not certain."""
        known = [bits for bits in self.bits if bits is not None]
        return max(known, default=0) if len(known) == len(self.bits) else None

    def __repr__(self) -> str:
        certain = sum(index is not None for index in self.indices)
        return (
            f"<CertifiedArgmax: {counted(certain, 'index', 'indices')} of {counted(len(self.indices), 'step')} certain>"
        )


def certified_argmax(
    network: AnyNetwork,
    word: str | Sequence[object],
    *,
    arithmetic: Certified = CERTIFIED,
    max_steps: int | None = None,
) -> CertifiedArgmax:
    """Return which output of `network` is the largest after each step on `word`, certainly.

    The word is run in interval arithmetic with more and more bits, until every step's index is certain. Whatever a
    rounded run gives, the network with exact parameters and real numbers gives this.

    Parameters
    ----------
    network : Network or Construction
        With several readouts.
    word : str or sequence
    arithmetic : Certified
        How many bits are tried; its `width` plays no part.
    max_steps : int, optional
        Read at most this many symbols.

    Raises
    ------
    OptionError
        If the network has a scalar output or none, or the arithmetic is another.
    WordError
        If the word does not fit the alphabet or the input size.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> smooth = SimpleRNN(
    ...     V=[[1, 0], [0, 1]], W=[[1], [2]], b=[0, 0], s=[0, 0], readout_weight=[[1, 0], [0, 1]], activation="tanh"
    ... )
    >>> found = certified_argmax(smooth, [[1], [-2]])
    >>> found.indices, found.most_bits
    ((1, 0), 64)
    """
    core = network_of(network)
    if not isinstance(arithmetic, Certified):
        raise OptionError(f"arithmetic={shown(arithmetic)}: give exactnn.CERTIFIED or another exactnn.Certified")
    if core.scalar_output or not core.readout:
        raise OptionError(f"{core.name} has no outputs to choose from: give a network with several readouts")
    indices: list[int | None] = []
    bits: list[int | None] = []
    for interval in arithmetic.intervals:
        result = run(core, word, arithmetic=interval, max_steps=max_steps)
        more = len(result.outputs) - len(indices)
        indices, bits = indices + [None] * more, bits + [None] * more
        for step, output in enumerate(result.outputs):
            if indices[step] is None and (index := _largest(output)) is not None:
                indices[step], bits[step] = index, interval.bits
        undecided = result.outcome is Outcome.BIT_LIMIT or None in indices
        if result.outcome is Outcome.INTERRUPTED or not undecided:
            break
    outcome = Outcome.BIT_LIMIT if None in indices and result.outcome is Outcome.COMPLETED else result.outcome
    return CertifiedArgmax(indices=tuple(indices), bits=tuple(bits), arithmetic=arithmetic, outcome=outcome)


def _largest(output: Output) -> int | None:
    """Return the index of the largest of several outputs, the first one of equals; None if the enclosures overlap."""
    assert isinstance(output, tuple)
    entries = [entry for entry in output if isinstance(entry, Enclosure)]
    lows = [entry.low for entry in entries]
    best = lows.index(max(lows))
    low = lows[best]
    beaten = all(entry.high < low for entry in entries[:best]) and all(
        entry.high <= low for entry in entries[best + 1 :]
    )
    return best if beaten else None


# --- Where a rounded run leaves the real one, for networks whose real numbers are only known to lie between bounds.

SILENT = (Outcome.STEP_LIMIT, Outcome.NON_HALTING)
"""Outcomes of a run that has said nothing in the steps that are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedValueDivergence:
    """The first step at which a neuron's value is certainly wrong: it is outside of an enclosure of the real one."""

    step: int
    neuron: str
    enclosure: Enclosure
    computed: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedDivergence:
    """A rounded run of a network on a word beside a certified one.

    Parameters
    ----------
    arithmetic : Format
    certified : Run
        In interval arithmetic, with all of its states; `certified.bits` says with how many bits it was decided.
    computed : Run
        In the format, with as many steps at most; where the real network is proven never to give a verdict, with as
        many as `max_steps` allows.
    value : CertifiedValueDivergence or None
        The first value that is certainly wrong. None where all lie in their enclosures: they may be right.
    """

    arithmetic: Format
    certified: Run
    computed: Run
    value: CertifiedValueDivergence | None

    @property
    def same_verdict(self) -> bool | None:
        """Whether the format says what the network with real numbers says, at the same step.

        None if the enclosures do not tell what that is, or the network gives outputs only, or Ctrl-C ended a run. None
        also where the real network is proven never to give a verdict, and of the format it is only known that it gave
        none so far.
        """
        mine, theirs = self.certified, self.computed
        if mine.outcome in (Outcome.BIT_LIMIT, Outcome.COMPLETED):
            return None
        if {Outcome.INTERRUPTED, Outcome.SIZE_LIMIT} & {mine.outcome, theirs.outcome}:
            return None
        if mine.outcome is Outcome.NON_HALTING and theirs.outcome is Outcome.STEP_LIMIT:
            return None
        if mine.outcome in SILENT:
            return theirs.outcome in SILENT
        return (mine.outcome, mine.steps) == (theirs.outcome, theirs.steps)

    def __repr__(self) -> str:
        value = "none" if self.value is None else f"from step {count_text(self.value.step)}"
        verdict = {None: "verdicts not compared", True: "same verdict", False: "another verdict"}[self.same_verdict]
        return f"<CertifiedDivergence of {self.arithmetic}: wrong values {value}, {verdict}>"


def certified_divergence(
    network: AnyNetwork,
    word: str | Sequence[object],
    arithmetic: AnyFormat,
    *,
    reference: Certified = CERTIFIED,
    max_steps: int | None = None,
) -> CertifiedDivergence:
    """Return where `arithmetic` certainly leaves the real run of `network` on `word`, whatever its activations are.

    For piecewise linear networks :func:`first_divergence` compares with the exact run itself.

    Parameters
    ----------
    network : Network or Construction
    arithmetic : FloatFormat or FixedPoint
    reference : Certified
        How many bits are tried.
    max_steps : int, optional

    Raises
    ------
    OptionError
        If the reference is another arithmetic, or `arithmetic` is none that rounds.
    WordError, UnsupportedArithmeticError
        As :func:`exactnn.run`.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT32
    >>> from exactnn.networks import SimpleRNN
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> found = certified_divergence(thirds, [1, 0, 0], FLOAT32)
    >>> found.value.step, found.value.neuron, found.value.computed
    (2, 'h[0]', 0.3333333432674408)
    """
    arithmetic = format_of(arithmetic, "arithmetic")
    if not isinstance(reference, Certified):
        raise OptionError(f"reference={shown(reference)}: give exactnn.CERTIFIED or another exactnn.Certified")
    if not is_format(arithmetic):
        raise OptionError(f"arithmetic={shown(arithmetic)} does not round: give a FloatFormat or a FixedPoint")
    certified = run(network, word, arithmetic=reference, max_steps=max_steps, record="all")
    # A proof that there is never a verdict ends the certified run early, and says nothing of when the format gives one.
    endless = certified.outcome is Outcome.NON_HALTING and max_steps is not None
    limit = max_steps if endless else certified.steps
    computed = run(network, word, arithmetic=arithmetic, max_steps=limit, record="all")
    return CertifiedDivergence(
        arithmetic=arithmetic, certified=certified, computed=computed, value=_first_wrong_value(certified, computed)
    )


def _first_wrong_value(certified: Run, computed: Run) -> CertifiedValueDivergence | None:
    for step, (enclosures, numbers) in enumerate(zip(certified.trace, computed.trace, strict=False)):
        for name, enclosure, number in zip(certified.trace.names, enclosures, numbers, strict=True):
            assert isinstance(enclosure, Enclosure)
            assert isinstance(number, float) or type(number) is mpq
            endless = isinstance(number, float) and not isfinite(number)
            if endless or not enclosure.contains(number):
                return CertifiedValueDivergence(step=step, neuron=name, enclosure=enclosure, computed=number)
    return None
