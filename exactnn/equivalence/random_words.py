"""An equivalence oracle that asks a sample of random words."""

from random import Random

from exactnn.equivalence.hypothesis import Hypothesis, Word
from exactnn.equivalence.learning_end import LearningEnd
from exactnn.equivalence.membership import Membership

__all__ = ["RandomWords"]


class RandomWords:
    """For each hypothesis a new sample: lengths uniform from 0 to `longest`, symbols uniform and independent.

    A sample proves nothing, however large it is: words that it hardly ever has, as those of a long keyword, are missed.

    Parameters
    ----------
    membership : Membership
    words : int
        Size of a sample.
    longest : int
    seed : int
    """

    end = LearningEnd.SAMPLED

    def __init__(self, membership: Membership, *, words: int, longest: int, seed: int) -> None:
        self._membership = membership
        self._words, self._longest = words, longest
        self._random = Random(seed)

    def find(self, hypothesis: Hypothesis) -> Word | None:
        """Return the first word of a sample that is a counterexample, or None."""
        choice, symbols = self._random.choices, range(self._membership.symbols)
        for _ in range(self._words):
            length = self._random.randint(0, self._longest) if symbols else 0
            word = tuple(choice(symbols, k=length))
            if self._membership.ask(word) is not hypothesis.outcome(word):
                return word
        return None
