"""Where a rounded run leaves the real one, for networks whose real numbers are only known to lie between bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from gmpy2 import mpq

from exactnn.arithmetic import CERTIFIED, Certified, Enclosure, Format, Number, count_text, is_format
from exactnn.errors import OptionError, shown
from exactnn.networks import Network
from exactnn.outcome import Outcome
from exactnn.simulation import Run, Runnable, run

__all__ = ["CertifiedDivergence", "CertifiedValueDivergence", "certified_divergence"]

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
        return f"<CertifiedDivergence of {self.arithmetic}: wrong values {value}, same verdict {self.same_verdict}>"


def certified_divergence(
    network: Network | Runnable,
    word: str | Sequence[object],
    arithmetic: Format,
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
