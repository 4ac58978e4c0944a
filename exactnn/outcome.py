"""How a run ended, in words: shared by machines and networks.

What it is not: an error. Rejecting is a value, and "no" differs from "cannot tell".
"""

from enum import StrEnum

from exactnn.errors import ExactnnError

__all__ = ["Decided", "Outcome", "Verdict"]


class Verdict(StrEnum):
    """What a recogniser says of a word; it is true if it accepts. A run that did not decide has the verdict ``None``.

    None is false too, and means "not yet": where that is something else than "no", ask ``verdict is None`` first.

    >>> Verdict.ACCEPT == "accept", bool(Verdict.ACCEPT), bool(Verdict.REJECT)
    (True, True, False)
    """

    ACCEPT = "accept"
    REJECT = "reject"

    def __bool__(self) -> bool:
        return self is Verdict.ACCEPT


class Outcome(StrEnum):
    """How a run ended. Each outcome has a :attr:`sentence` and, where it is a decision, a :attr:`verdict`.

    >>> Outcome.STEP_LIMIT.sentence
    'The step limit was reached before a verdict: not yet, which is neither accept nor reject.'
    >>> Outcome.ACCEPTED.verdict
    <Verdict.ACCEPT: 'accept'>
    """

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    HALTED = "halted"
    COMPLETED = "completed"
    UNDECIDED = "undecided"
    OUT_OF_DOMAIN = "out of domain"
    STACK_FULL = "stack full"
    NON_HALTING = "proven non-halting"
    STEP_LIMIT = "step limit"
    TIME_LIMIT = "time limit"
    SIZE_LIMIT = "size limit"
    INTERRUPTED = "interrupted"
    DIGIT_LIMIT = "undecided at these digits"
    BIT_LIMIT = "undecided at these bits"

    @property
    def sentence(self) -> str:
        """One sentence for people."""
        return _SENTENCES[self]

    @property
    def cut_short(self) -> bool:
        """Whether a limit or Ctrl-C came before the end: with a larger limit the run would go on.

        >>> Outcome.TIME_LIMIT.cut_short, Outcome.NON_HALTING.cut_short
        (True, False)
        """
        return self in _CUT_SHORT

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that this outcome amounts to, or None."""
        return _VERDICTS.get(self)


class Decided:
    """A run with an `outcome`: it is true if it accepted, false if it rejected, and anything else is an error."""

    __slots__ = ()
    outcome: Outcome

    def __bool__(self) -> bool:
        """Return `accepted`; raises ExactnnError where the run did not decide."""
        if self.accepted is None:
            raise ExactnnError(
                f"a run with the outcome {str(self.outcome)!r} has no verdict, and is neither true nor false: ask for "
                "its `outcome`"
            )
        return self.accepted

    @property
    def verdict(self) -> Verdict | None:
        """Accept, reject, or None where the run did not decide."""
        return self.outcome.verdict

    @property
    def accepted(self) -> bool | None:
        """Whether the word was accepted: True or False, or None where the run did not decide."""
        verdict = self.verdict
        return None if verdict is None else verdict is Verdict.ACCEPT


_SENTENCES = {
    Outcome.ACCEPTED: "The word is accepted.",
    Outcome.REJECTED: "The word is rejected.",
    Outcome.HALTED: "The machine halted; it is not one that accepts or rejects.",
    Outcome.COMPLETED: "The whole word was read; this network gives outputs, not verdicts.",
    Outcome.UNDECIDED: "The output is not a number: neither accept nor reject can be read from it.",
    Outcome.OUT_OF_DOMAIN: "An input is beyond the bound that this network is right for; what came before it is here.",
    Outcome.STACK_FULL: "The stack was full and something was pushed: what came after may be wrong, give more depth.",
    Outcome.NON_HALTING: "The run never ends: a state came again before a verdict, or it is proven that none follows.",
    Outcome.STEP_LIMIT: "The step limit was reached before a verdict: not yet, which is neither accept nor reject.",
    Outcome.TIME_LIMIT: "The time limit was reached before a verdict: not yet, which is neither accept nor reject.",
    Outcome.SIZE_LIMIT: "The next numbers would be longer than may be, and there was no verdict before: not yet.",
    Outcome.DIGIT_LIMIT: "A comparison is not decided by the digits that may be read: neither accept nor reject.",
    Outcome.BIT_LIMIT: "An enclosure is too wide to tell at these bits: neither accept nor reject can be read from it.",
    Outcome.INTERRUPTED: "The run was interrupted; what was computed until then is here.",
}

_CUT_SHORT = {
    Outcome.STEP_LIMIT,
    Outcome.TIME_LIMIT,
    Outcome.SIZE_LIMIT,
    Outcome.INTERRUPTED,
    Outcome.DIGIT_LIMIT,
    Outcome.BIT_LIMIT,
}

_VERDICTS = {Outcome.ACCEPTED: Verdict.ACCEPT, Outcome.REJECTED: Verdict.REJECT}
