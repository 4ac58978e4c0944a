"""Which of several outputs is the largest, proven by enclosures: what a network that chooses says, without rounding."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactnn.arithmetic import CERTIFIED, Certified, Enclosure, counted
from exactnn.errors import OptionError, shown
from exactnn.networks import Network
from exactnn.outcome import Outcome
from exactnn.simulation import Output, Runnable, network_of, run

__all__ = ["CertifiedArgmax", "certified_argmax"]


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
    network: Network | Runnable,
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
