"""How outputs become verdicts: the acceptance protocol of a network."""

from dataclasses import dataclass
from enum import StrEnum

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, LazyNumber, exact
from exactnn.errors import NetworkError, shown
from exactnn.outcome import Outcome

__all__ = ["EOS", "Decision", "Protocol"]

EOS = "EOS"
"""The end-of-sequence symbol: fed again and again after the word, for the intermediate steps."""


class Protocol(StrEnum):
    """When and how a network says yes or no.

    ``OUTPUTS``: it does not; it gives outputs. ``END_OF_WORD``: after the last symbol, accept if the output
    is above the threshold, else reject. ``EOS_VERDICT``: after the word come EOS symbols; the output stays
    near 0 until the verdict, above the threshold for accept, below its negative for reject (Siegelmann and
    Sontag 1995: 0, then 1 or -1). ``EOS_HALT``: likewise, but a high
    output only says that the machine halted.
    """

    OUTPUTS = "outputs"
    END_OF_WORD = "end of word"
    EOS_VERDICT = "EOS verdict"
    EOS_HALT = "EOS halt"

    @classmethod
    def named(cls, name: object) -> "Protocol":
        """Return the protocol called `name`; raises NetworkError for any other value."""
        if isinstance(name, str) and name in list(cls):
            return cls(name)
        raise NetworkError(f"protocol {shown(name)} is unknown: choose one of {', '.join(cls)}")

    @property
    def reads_eos(self) -> bool:
        """Whether EOS symbols follow the word."""
        return self in (Protocol.EOS_VERDICT, Protocol.EOS_HALT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A protocol with its threshold.

    Compiled networks output exactly 0, 1 or -1 and use the threshold 1/2, so that in a rounding arithmetic
    an output that is merely not zero does not count as a verdict.

    Examples
    --------
    >>> decision = Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1, 2))
    >>> decision.outcome(mpq(0)), decision.outcome(mpq(-1))
    (None, <Outcome.REJECTED: 'rejected'>)
    """

    protocol: Protocol
    threshold: mpq = mpq(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "protocol", Protocol.named(self.protocol))
        object.__setattr__(self, "threshold", exact(self.threshold))

    def outcome(self, output: mpq | float | LazyNumber | Enclosure) -> Outcome | None:
        """Return what `output` says, or None for "not yet"; NaN is neither above nor below the threshold.

        An enclosure says what all of its numbers say; where they differ, it is "undecided at these bits".
        """
        if isinstance(output, Enclosure):
            return self._enclosed_outcome(output)
        above = output > self.threshold
        if self.protocol is Protocol.END_OF_WORD:
            if output != output:
                return Outcome.UNDECIDED
            return Outcome.ACCEPTED if above else Outcome.REJECTED
        if self.protocol.reads_eos and above:
            return Outcome.HALTED if self.protocol is Protocol.EOS_HALT else Outcome.ACCEPTED
        if self.protocol.reads_eos and output < -self.threshold:
            return Outcome.REJECTED
        return None

    def _enclosed_outcome(self, output: Enclosure) -> Outcome | None:
        low, high = self.outcome(output.low), self.outcome(output.high)
        return low if low is high else Outcome.BIT_LIMIT  # outcomes are ordered as outputs are: so it is between them
