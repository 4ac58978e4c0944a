"""L* and KV as the library AALpy has them, with a network as their system under learning.

AALpy learns Moore machines here: the output of a state is the outcome of the words that lead there.
"""

from collections.abc import Callable
from typing import Any

from exactnn.equivalence.hypothesis import Hypothesis, Word, minimal
from exactnn.errors import MissingExtraError
from exactnn.outcome import Outcome

__all__ = ["ALGORITHMS", "require_aalpy", "run_learner"]

ALGORITHMS = ("L*", "KV")


def require_aalpy() -> None:
    """Raise MissingExtraError if AALpy is not installed."""
    try:
        import aalpy  # noqa: F401
    except ImportError:
        raise MissingExtraError('learning needs AALpy: pip install "exactnn[learning]"') from None


def run_learner(
    algorithm: str,
    symbols: int,
    ask: Callable[[Word], Outcome],
    find: Callable[[Hypothesis], Word | None],
) -> None:
    """Learn until `find` finds no counterexample, or an exception of `ask` or `find` ends it.

    Parameters
    ----------
    algorithm : "L*" or "KV"
        Angluin's with an observation table, or Kearns and Vazirani's with a classification tree; counterexamples are
        processed as by Rivest and Schapire, by one suffix that binary search finds.
    symbols : int
        The size of the alphabet.
    ask : function
        A membership query.
    find : function
        An equivalence query: returns a counterexample or None. It keeps the hypotheses that it was given.
    """
    from aalpy import SUL, Oracle, run_KV, run_Lstar

    class System(SUL):  # type: ignore[misc]
        def query(self, word: Word) -> list[Outcome]:
            # Of the outcomes of all prefixes, which a Moore machine would give, only the last is read here.
            return [ask(word)]

        def pre(self) -> None:
            raise NotImplementedError("whole words are asked")

        post = step = pre

    class Equivalence(Oracle):  # type: ignore[misc]
        def find_cex(self, hypothesis: Any) -> Word | None:
            return find(_hypothesis(hypothesis, symbols))

    system, alphabet = System(), list(range(symbols))
    options = {"automaton_type": "moore", "cex_processing": "rs", "cache_and_non_det_check": False, "print_level": 0}
    if algorithm == "L*":
        run_Lstar(alphabet, system, Equivalence(alphabet, system), all_prefixes_in_obs_table=False, **options)
    else:
        run_KV(alphabet, system, Equivalence(alphabet, system), **options)


def _hypothesis(machine: Any, symbols: int) -> Hypothesis:
    """Return the minimal hypothesis of a Moore machine of AALpy."""
    number = {id(state): n for n, state in enumerate(machine.states)}
    rows = [[number[id(state.transitions[symbol])] for symbol in range(symbols)] for state in machine.states]
    return minimal(rows, [state.output for state in machine.states], number[id(machine.initial_state)])
