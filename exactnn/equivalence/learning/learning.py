"""Learning an automaton of a network by queries: L* and KV as AALpy has them, with an oracle of one kind or another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice, product
from typing import Any, Protocol

from exactnn.arithmetic import EXACT, AnyArithmetic, Arithmetic, arithmetic_of
from exactnn.automata import Transitions
from exactnn.equivalence.learning.learned_automaton import (
    Hypothesis,
    LearnedAutomaton,
    LearningEnd,
    LimitReached,
    Word,
    automaton_of,
    minimal,
)
from exactnn.equivalence.learning.membership import Membership
from exactnn.equivalence.learning.oracles import AbstractionOracle, EveryState, Partition, RandomWords
from exactnn.errors import MissingExtraError, OptionError, SizeLimitError, shown
from exactnn.interrupts import Uninterrupted, loaded
from exactnn.networks import AnyNetwork, Network, network_of
from exactnn.networks import Protocol as Acceptance
from exactnn.options import choice, entries, time_limit, whole_number
from exactnn.outcome import Outcome

__all__ = ["ORACLES", "learn_automaton"]

ORACLES = ("abstraction", "states", "random words")

EXAMPLES = 1000
"""Most of the shortest words that are asked before an abstraction is explored."""

ALGORITHMS = ("L*", "KV")


class Oracle(Protocol):
    """Answers equivalence queries."""

    @property
    def end(self) -> LearningEnd:
        """What it means that there is no counterexample."""

    def find(self, hypothesis: Hypothesis) -> Word | None:
        """Return a counterexample, or None."""


def learn_automaton(
    network: AnyNetwork,
    *,
    arithmetic: AnyArithmetic = EXACT,
    algorithm: str = "L*",
    oracle: str = "abstraction",
    examples: Iterable[str | Sequence[str]] | None = None,
    max_states: int | None = 1000,
    max_queries: int | None = 20_000,
    max_seconds: float | None = None,
    max_eos_steps: int = 10_000,
    first_dimensions: int = 10,
    sample_size: int = 1000,
    sample_length: int = 30,
    seed: int = 0,
) -> LearnedAutomaton:
    """Learn an automaton that does what `network` does, by asking it for words.

    Parameters
    ----------
    network : Network or Construction
        With an alphabet and a protocol with verdicts.
    arithmetic : Arithmetic
        The number system in which the network runs.
    algorithm : "L*" or "KV"
        Angluin's [1]_ with counterexamples processed as by Rivest and Schapire [2]_, or Kearns and Vazirani's [3]_.
        Both find the minimal automaton if the oracle misses no counterexample; KV asks fewer words and compares more
        hypotheses.
    oracle : "abstraction", "states" or "random words"
        Where counterexamples come from. "abstraction": clusters of states, refined where they conflict [4]_. "states":
        every state that the network can reach, which proves the result if they are finitely many. "random words": a
        sample for each hypothesis. Words that were asked before are compared first, always.
    examples : words, optional
        Words that are asked before anything else, and so are certainly right in the result. An abstraction needs some
        that show different outcomes: by default the shortest words are asked for it, 1000 or half of `max_queries`.
    max_states : int or None
        End with the first hypothesis that has more states.
    max_queries : int or None
        End before more than so many different words are asked.
    max_seconds : float or None
    max_eos_steps : int
        EOS steps after a word until its outcome is "step limit", if the network reads EOS. Such a word is not in the
        language of the automaton, but its state is told apart from those of rejected words.
    first_dimensions : int
        The first refinement of an abstraction splits along so many dimensions at once.
    sample_size, sample_length : int
        How many random words are asked for a hypothesis, and how long they are at most.
    seed : int
        Of the random words.

    Raises
    ------
    OptionError
        If the network reads vectors or gives no verdicts, or an option is out of range.
    WordError
        If an example does not fit the alphabet.
    UnsupportedArithmeticError
        If the arithmetic cannot run this network.
    MissingExtraError
        If AALpy is not installed, which has the two algorithms.

    Notes
    -----
    Every word that was asked has the right outcome in the result, unless a limit was reached or Ctrl-C pressed. Beyond
    them only the end "proven" says something. A network whose language is not regular has no automaton: learning ends
    at a limit then, or with an oracle that missed the next counterexample.

    References
    ----------
    .. [1] D. Angluin, "Learning regular sets from queries and counterexamples", Information and Computation 75, 1987.
    .. [2] R. L. Rivest and R. E. Schapire, "Inference of finite automata using homing sequences", Information and
       Computation 103, 1993.
    .. [3] M. J. Kearns and U. V. Vazirani, *An Introduction to Computational Learning Theory*, 1994, chapter 8.
    .. [4] G. Weiss, Y. Goldberg and E. Yahav, "Extracting automata from recurrent neural networks using queries and
       counterexamples", ICML 2018, arXiv:1711.09576.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> odd = SimpleRNN(V=[[1]], W=[[1, 0]], b=[0], s=[0], readout_weight=[1], alphabet="ab", activation="heaviside")
    >>> learned = learn_automaton(odd, oracle="states")
    >>> learned, learned.automaton.transitions["q0"]
    (<learned by L*: 2 states, proven, 5 membership queries>, {'a': 'q1', 'b': 'q0'})
    """
    arithmetic = arithmetic_of(arithmetic)
    core = _checked(network)
    choice("algorithm", algorithm, ALGORITHMS)
    choice("oracle", oracle, ORACLES)
    max_states, max_queries = (
        None if number is None else whole_number(name, number, 1, otherwise="None for no limit")
        for name, number in (("max_states", max_states), ("max_queries", max_queries))
    )
    max_eos_steps = whole_number("max_eos_steps", max_eos_steps, 1)
    first_dimensions = whole_number("first_dimensions", first_dimensions, 1)
    sample_size = whole_number("sample_size", sample_size, 1)
    sample_length, seed = whole_number("sample_length", sample_length), whole_number("seed", seed)
    most = EXAMPLES if max_queries is None else min(EXAMPLES, max_queries // 2)
    words = _examples(core, examples, most if oracle == "abstraction" else 0)
    began = time.perf_counter()
    deadline = began + time_limit(max_seconds)
    require_aalpy()
    membership = Membership(core, arithmetic, max_eos_steps=max_eos_steps, max_queries=max_queries, deadline=deadline)
    guide: Oracle
    if oracle == "random words":
        guide = RandomWords(membership, words=sample_size, longest=sample_length, seed=seed)
    else:
        finest = oracle == "states"
        guide = AbstractionOracle(membership, EveryState() if finest else Partition(first_dimensions=first_dimensions))
    teacher = _Teacher(membership, guide, max_states)
    end = teacher.teach(algorithm, words)
    return teacher.result(end, algorithm=algorithm, oracle=oracle, arithmetic=arithmetic, began=began)


class _Teacher:
    """Asks the oracle, and keeps the hypotheses that it was given."""

    def __init__(self, membership: Membership, oracle: Oracle, max_states: int | None) -> None:
        self._membership, self._oracle, self._max_states = membership, oracle, max_states
        self._last: Hypothesis | None = None
        self._sizes: list[int] = []
        self._counterexamples: list[Word] = []

    def teach(self, algorithm: str, examples: Iterable[Word]) -> LearningEnd:
        """Run the learner; return why it ended."""
        try:
            for word in examples:
                self._membership.ask(word)
            run_learner(algorithm, self._membership.symbols, self._membership.ask, self._find)
        except LimitReached as limit:
            return limit.end
        except SizeLimitError:
            return LearningEnd.SIZE_LIMIT
        except KeyboardInterrupt:
            return LearningEnd.INTERRUPTED
        return self._oracle.end

    def _find(self, hypothesis: Hypothesis) -> Word | None:
        self._last = hypothesis
        self._sizes.append(len(hypothesis))
        if self._max_states is not None and len(hypothesis) > self._max_states:
            raise LimitReached(LearningEnd.STATE_LIMIT)
        word = self._membership.contradiction(hypothesis)
        if word is None:
            word = self._oracle.find(hypothesis)
        if word is not None:
            self._counterexamples.append(word)
        return word

    def result(
        self, end: LearningEnd, *, algorithm: str, oracle: str, arithmetic: Arithmetic, began: float
    ) -> LearnedAutomaton:
        """Return the last hypothesis as the result."""
        membership, last = self._membership, self._last
        symbols = membership.network.input_symbols or ()
        automaton = None if last is None else automaton_of(last, symbols, f"{membership.network.name}, learned")
        named = () if last is None or automaton is None else zip(automaton.states, last.outcomes, strict=True)
        return LearnedAutomaton(
            automaton=automaton,
            outcomes=Transitions(dict(named)),
            end=end,
            refuted=last is not None and membership.contradiction(last) is not None,
            algorithm=algorithm,
            oracle=oracle,
            arithmetic=arithmetic,
            membership_queries=membership.queries,
            hypotheses=tuple(self._sizes),
            counterexamples=tuple(tuple(symbols[a] for a in word) for word in self._counterexamples),
            clusters=getattr(self._oracle, "clusters", None),
            steps=membership.steps,
            engine=membership.executor.engine,
            seconds=time.perf_counter() - began,
        )


def _checked(network: object) -> Network:
    core = network_of(network)
    if core.alphabet is None:
        raise OptionError(f"{core.name} reads vectors of numbers: only words of symbols can be asked")
    if core.decision.protocol is Acceptance.OUTPUTS:
        raise OptionError(f"{core.name} gives outputs and no verdicts: as_acceptor gives it some")
    return core


def _examples(network: Network, given: Iterable[str | Sequence[str]] | None, most: int) -> Iterable[Word]:
    """Return the words that are asked first, as numbers of input symbols."""
    symbols = network.input_symbols or ()
    if given is None:
        lengths = count() if symbols else range(1)
        return islice((word for n in lengths for word in product(range(len(symbols)), repeat=n)), most)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise OptionError(f"examples={shown(given)}: give a collection of words")
    words = entries("examples", given)
    assert network.alphabet is not None
    number = {network.alphabet.index(symbol): n for n, symbol in enumerate(symbols)}
    return [tuple(number[index] for index in network.inputs(word) if isinstance(index, int)) for word in words]


def require_aalpy() -> None:
    """Raise MissingExtraError if AALpy is not installed."""
    try:
        loaded("aalpy")
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
    with Uninterrupted("loading AALpy"):
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
