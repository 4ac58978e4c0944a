"""Learning: what is proven is right, what is regular is found, and what is not is never certified."""

import sys
from importlib.util import find_spec

import pytest
from automata_to_learn import accepts, all_words, balanced, containing, is_minimal_form, random_dfa
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dfas, networks

import exactnn as xn
from exactnn import LearningEnd, Outcome, learn_automaton
from exactnn.equivalence import ORACLES, minimal
from exactnn.equivalence.learning.membership import Membership
from exactnn.errors import MissingExtraError, NetworkError, OptionError, UnsupportedArithmeticError, WordError
from exactnn.networks import Protocol

pytestmark = pytest.mark.skipif(find_spec("aalpy") is None, reason="needs aalpy")

ALGORITHMS = ("L*", "KV")
NARROW = ("cycle-navigation-checked", "dyck-2-3", "modular-arithmetic-checked")
"""Of these random words are hardly ever a member: what was learned may be too small, and is not certified then."""
AUTOMATA = [entry.name for entry in xn.zoo() if isinstance(xn.load(entry.name), xn.DFA)]


def minimal_states(machine):
    return minimal(xn.load(machine)).states


def network(machine):
    return xn.compile(xn.load(machine) if isinstance(machine, str) else machine).network


def three_as():
    """Accept words with at least three a's. A memory of all b's, fading, makes the reachable states infinitely many."""
    return xn.SimpleRNN(
        V=[[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, "1/2"]],
        W=[[1, 0], [1, 0], [1, 0], [0, "1/2"]],
        b=[0, -1, -1, 0],
        s=[0, 0, 0, 0],
        readout_weight=[0, 0, 1, 0],
        activation="slu",
        alphabet="ab",
    )


@pytest.mark.mostly_slow(quick=15, slow=8)
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("machine", AUTOMATA)
def test_automata_of_the_zoo_are_learned_exactly(machine, algorithm, oracle):
    learned = learn_automaton(network(machine), algorithm=algorithm, oracle=oracle)
    if machine == "word-problem-a5" and oracle == "abstraction":  # an abstraction may end too early, and says so
        assert not learned.certified
        assert len(learned.automaton.states) <= 60
        return
    if machine in NARROW and oracle != "states" and len(learned.automaton.states) < len(minimal_states(machine)):
        assert not learned.certified
        return
    assert is_minimal_form(learned.automaton, xn.load(machine))
    assert learned.certified or oracle != "states"
    assert learned.certified is (learned.end is LearningEnd.PROVEN) is (learned.not_certified == "")
    assert not learned.refuted
    assert learned.hypotheses[-1] == len(learned.automaton.states)
    assert learned.rounds == learned.equivalence_queries == len(learned.counterexamples) + 1


def test_the_zoo_has_automata():
    assert len(AUTOMATA) >= 10


@pytest.mark.mostly_slow(quick=3, slow=3)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("states", [5, 10, 15, 20])
def test_random_automata_are_learned_exactly(states, algorithm):
    for seed in range(4):
        dfa = random_dfa(states, "ab" if seed % 2 else "abc", f"{states} {seed}")
        learned = learn_automaton(network(dfa), algorithm=algorithm, oracle="states")
        assert learned.certified
        assert is_minimal_form(learned.automaton, dfa)
        assert is_minimal_form(learn_automaton(network(dfa), algorithm=algorithm).automaton, dfa)


@settings(max_examples=40)
@given(dfas(max_states=8), st.sampled_from(ALGORITHMS), st.sampled_from(ORACLES), st.data())
def test_what_is_proven_is_right(dfa, algorithm, oracle, data):
    """Also without the words that usually come first, where an abstraction often ends too early."""
    examples = data.draw(st.sampled_from(([], all_words(dfa.input_symbols, 2))))
    options = {"first_dimensions": data.draw(st.sampled_from((1, 10))), "sample_size": 5, "examples": examples}
    learned = learn_automaton(network(dfa), algorithm=algorithm, oracle=oracle, **options)
    if learned.certified:
        assert is_minimal_form(learned.automaton, dfa)
    else:
        assert learned.end in (LearningEnd.EXPLORED, LearningEnd.SAMPLED)
        assert "Nothing is certified" in learned.not_certified
    assert learned.certified or oracle != "states"
    assert all(accepts(learned.automaton, word) == accepts(dfa, word) for word in examples)
    assert all(accepts(learned.automaton, word) == accepts(dfa, word) for word in learned.counterexamples)


@settings(max_examples=60)
@given(
    networks(protocols=(Protocol.END_OF_WORD, Protocol.EOS_VERDICT, Protocol.EOS_HALT)),
    st.sampled_from((xn.EXACT, xn.RATIONAL, xn.FLOAT64, xn.FixedPoint(integer_bits=12, fraction_bits=3))),
    st.sampled_from(ALGORITHMS),
    st.sampled_from(("abstraction", "states")),
)
def test_what_is_proven_of_any_network_is_right(net, arithmetic, algorithm, oracle):
    """Whatever its verdicts and its numbers are: every outcome is that of a run with so many EOS steps."""
    if net.alphabet is None:
        return
    options = {"examples": [], "max_queries": 300, "max_eos_steps": 6}
    learned = learn_automaton(net, arithmetic=arithmetic, algorithm=algorithm, oracle=oracle, **options)
    if learned.certified:
        for word in all_words(net.input_symbols, 4):
            state = learned.automaton.initial_state
            for symbol in word:
                state = learned.automaton.transitions[state][symbol]
            run = xn.run(net, word, arithmetic=arithmetic, max_steps=len(word) + 6)
            proven = run.outcome is xn.Outcome.NON_HALTING  # within the limit, which is all that learning asks for
        assert learned.outcomes[state] is (xn.Outcome.STEP_LIMIT if proven else run.outcome)


@pytest.mark.parametrize(
    ("arithmetic", "bits"),
    [(xn.FLOAT16, 11), (xn.FixedPoint(integer_bits=3, fraction_bits=8), 8)],
    ids=["float16", "fixed point"],
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_counter_in_few_bits_is_a_finite_automaton(arithmetic, bits, algorithm):
    """With p bits it counts to p: p + 1 states before the first b, p after it, and one that rejects for ever."""
    counter = xn.fractional_counter()
    learned = learn_automaton(counter, arithmetic=arithmetic, algorithm=algorithm, oracle="states")
    assert learned.certified
    assert len(learned.automaton.states) == 2 * bits + 2
    words = [*all_words("ab", 7), *("a" * i + "b" * j for i in range(16) for j in range(16))]
    for word in words:
        assert accepts(learned.automaton, word) == (xn.run(counter, word, arithmetic=arithmetic).verdict == "accept")
    wrong = [n for n in range(16) if not accepts(learned.automaton, "a" * n + "b" * n)]
    assert wrong == list(range(bits + 1, 16))
    assert all(xn.run(counter, "a" * n + "b" * n).verdict == "accept" for n in wrong)


@pytest.mark.mostly_slow(quick=4, slow=4)
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("machine", ["palindrome", "anbn"])
def test_a_language_that_is_not_regular_is_never_certified(machine, algorithm, oracle):
    learned = learn_automaton(network(machine), algorithm=algorithm, oracle=oracle, max_queries=800)
    assert not learned.certified
    assert learned.end in (LearningEnd.QUERY_LIMIT, LearningEnd.SAMPLED)
    assert learned.end is LearningEnd.QUERY_LIMIT or oracle == "random words"
    assert learned.membership_queries <= 800
    assert learned.not_certified
    assert learned.engine
    automaton = learned.automaton
    # Two powers of a lead to the same state, and so with the same ending to the same verdict: one of them is wrong.
    met, power, state = {}, 0, automaton.initial_state
    while state not in met:
        met[state] = power
        state, power = automaton.transitions[state]["a"], power + 1
    ending = {"palindrome": "b" + "a" * power, "anbn": "b" * power}[machine]
    first, second = "a" * met[state] + ending, "a" * power + ending
    assert accepts(automaton, first) == accepts(automaton, second)
    assert xn.run(network(machine), first).verdict == "reject"
    assert xn.run(network(machine), second).verdict == "accept"


def test_states_that_cannot_be_enumerated():
    """The states that can be reached are infinitely many, those of the language four."""
    by_states = learn_automaton(three_as(), oracle="states", max_queries=500)
    assert by_states.end is LearningEnd.QUERY_LIMIT
    by_abstraction = learn_automaton(three_as(), max_queries=5000)
    assert by_abstraction.end is LearningEnd.EXPLORED
    assert by_abstraction.clusters < 100
    assert len(by_abstraction.automaton.states) == 4
    for word in all_words("ab", 8):
        assert accepts(by_abstraction.automaton, word) == (word.count("a") >= 3)


def test_an_abstraction_finds_what_a_sample_misses():
    """Parentheses that are nested six deep are rare among letters."""
    dfa = balanced(6, "abcdefgh")
    sampled = learn_automaton(network(dfa), oracle="random words")
    assert sampled.end is LearningEnd.SAMPLED
    assert len(sampled.automaton.states) < 8
    assert not sampled.certified
    found = learn_automaton(network(dfa))
    assert is_minimal_form(found.automaton, dfa)
    assert any(word.count("(") > 5 for word in found.counterexamples)


def test_a_sample_finds_what_an_abstraction_misses():
    """No word of up to nine symbols has the keyword: every state is taken for one, and all words for rejected."""
    dfa = containing("abbabaababba", "ab")
    missed = learn_automaton(network(dfa))
    assert (missed.end, missed.clusters, len(missed.automaton.states)) == (LearningEnd.EXPLORED, 1, 1)
    assert not missed.certified
    assert "took different states of the network for one" in missed.not_certified
    assert is_minimal_form(learn_automaton(network(dfa), oracle="random words").automaton, dfa)
    assert is_minimal_form(learn_automaton(network(dfa), examples=["abbabaababba"]).automaton, dfa)
    assert learn_automaton(network(dfa), oracle="states").certified


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_verdict_is_an_outcome_of_its_own(algorithm):
    """After ten EOS steps the longer words have no verdict yet: they are not accepted, and not rejected either."""
    net = network("palindrome")
    learned = learn_automaton(net, algorithm=algorithm, max_eos_steps=10, max_queries=4000)
    assert set(learned.outcomes.values()) == {Outcome.ACCEPTED, Outcome.REJECTED, Outcome.STEP_LIMIT}
    assert not learned.refuted
    for word in all_words("ab", 6):
        state = learned.automaton.initial_state
        for symbol in word:
            state = learned.automaton.transitions[state][symbol]
        outcome = xn.run(net, word, max_steps=len(word) + 10).outcome
        assert learned.outcomes[state] is outcome
        assert (state in learned.automaton.final_states) == (outcome is Outcome.ACCEPTED)


def test_halting_is_accepting():
    learned = learn_automaton(network("bb4"))
    assert learned.certified
    assert dict(learned.outcomes) == {"q0": Outcome.HALTED}
    assert learned.automaton.final_states == ("q0",)
    hurried = learn_automaton(network("bb4"), max_eos_steps=50, algorithm="KV")
    assert hurried.certified
    assert dict(hurried.outcomes) == {"q0": Outcome.STEP_LIMIT}
    assert hurried.automaton.final_states == ()


@pytest.mark.parametrize("oracle", ["abstraction", "states"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_not_a_number_is_an_outcome_of_its_own(algorithm, oracle):
    """Two units grow to infinity, and their difference is NaN for ever."""
    net = xn.SimpleRNN(
        V=[[4096, 0], [0, 4096]], W=[[1, 0], [1, 0]], b=[0, 0], s=[0, 0], readout_weight=[1, -1], alphabet="ab",
    )  # fmt: skip
    learned = learn_automaton(net, arithmetic=xn.FLOAT16, algorithm=algorithm, oracle=oracle, max_queries=5000)
    assert set(learned.outcomes.values()) == {Outcome.REJECTED, Outcome.UNDECIDED}
    assert learned.automaton.final_states == ()
    assert learned.certified or oracle == "abstraction"


def test_examples_leave_half_of_the_queries():
    learned = learn_automaton(network("parity"), max_queries=20)
    assert 10 <= learned.membership_queries <= 20
    assert is_minimal_form(learned.automaton, xn.load("parity"))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_states_with_the_same_numbers_may_go_different_ways(algorithm):
    """The second unit is whether 1 + 1/8 was rounded up, which depends on how many operations there were before."""
    coin = xn.SimpleRNN(
        V=[[0, 0], ["1/8", 0]], W=[[0], [-1]], b=[1, 1], s=[1, 0], readout_weight=[0, 1],
        activation="heaviside", alphabet="a",
    )  # fmt: skip
    stochastic = xn.FloatFormat(precision=3, exponent_bits=5, rounding=xn.Rounding.STOCHASTIC)
    by_abstraction = learn_automaton(coin, arithmetic=stochastic, algorithm=algorithm, examples=all_words("a", 12))
    assert by_abstraction.end is LearningEnd.INSEPARABLE
    assert not by_abstraction.certified
    by_states = learn_automaton(coin, arithmetic=stochastic, algorithm=algorithm, oracle="states", max_queries=99)
    assert by_states.end is LearningEnd.QUERY_LIMIT  # the number of operations is part of the state


def test_limits():
    net = network("palindrome")
    few = learn_automaton(net, oracle="states", max_states=20)
    assert few.end is LearningEnd.STATE_LIMIT
    assert len(few.automaton.states) == few.hypotheses[-1] > 20 >= max(few.hypotheses[:-1])
    none = learn_automaton(net, max_seconds=1e-9)
    assert (none.end, none.automaton, none.hypotheses, none.membership_queries) == (LearningEnd.TIME_LIMIT, None, (), 0)
    assert "no automaton" in repr(none)
    short = learn_automaton(net, oracle="states", max_seconds=0.5, max_queries=None, max_states=None)
    assert short.end is LearningEnd.TIME_LIMIT


def test_a_wrong_automaton_is_called_wrong():
    """The last counterexample came when no more questions were allowed."""
    dfa = random_dfa(20, "ab", 1)
    ends = [learn_automaton(network(dfa), oracle="states", max_queries=most) for most in range(5, 60)]
    refuted = [learned for learned in ends if learned.refuted]
    assert refuted
    for learned in refuted:
        assert learned.not_certified.endswith("it is wrong.")
        word = learned.counterexamples[-1]
        assert accepts(learned.automaton, word) != accepts(dfa, word)


def test_ctrl_c_gives_what_was_learned(monkeypatch):
    answer = Membership.outcome

    def interrupted(self, prefix):
        if self.queries == 100:
            raise KeyboardInterrupt
        return answer(self, prefix)

    monkeypatch.setattr(Membership, "outcome", interrupted)
    learned = learn_automaton(network(random_dfa(20, "ab", 1)), oracle="states")
    assert learned.end is LearningEnd.INTERRUPTED
    assert learned.automaton is not None
    assert learned.membership_queries == 100


def test_the_same_call_gives_the_same(capsys):
    def learned():
        result = learn_automaton(network(random_dfa(12, "ab", 3)), oracle="random words", sample_size=50, seed=7)
        return result.automaton, result.membership_queries, result.counterexamples, result.steps

    assert learned() == learned()
    assert capsys.readouterr() == ("", "")


def test_every_end_has_a_sentence():
    assert all(end.sentence.endswith(".") for end in LearningEnd)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "L"}, "algorithm='L': give one of 'L*', 'KV'"),
        ({"oracle": ["states"]}, "oracle=['states']: give one of 'abstraction', 'states', 'random words'"),
        ({"max_states": 0}, "max_states=0: give a whole number of at least 1, or None for no limit"),
        ({"max_queries": 1.5}, "max_queries=1.5: give a whole number of at least 1, or None for no limit"),
        ({"max_eos_steps": None}, "max_eos_steps=None: give a whole number of at least 1"),
        ({"first_dimensions": True}, "first_dimensions=True: give a whole number of at least 1"),
        ({"sample_size": "9"}, "sample_size='9': give a whole number of at least 1"),
        ({"sample_length": -1}, "sample_length=-1: give a whole number of at least 0"),
        ({"seed": None}, "seed=None: give a whole number of at least 0"),
        ({"max_seconds": -1}, "max_seconds=-1: give a number of seconds of at least 0, or None for no limit"),
        (
            {"max_seconds": float("nan")},
            "max_seconds=nan: give a number of seconds of at least 0, or None for no limit",
        ),
        ({"examples": "ab"}, "examples='ab': give a collection of words"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(OptionError) as error:
        learn_automaton(network("parity"), **options)
    assert str(error.value) == message


def test_networks_that_cannot_be_asked():
    vectors = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="simple RNN reads vectors of numbers: only words of symbols can be asked"):
        learn_automaton(vectors)
    outputs = xn.SimpleRNN(V=[[1]], W=[[1, 2]], b=[0], s=[0], readout_weight=[[1]], alphabet="ab")
    with pytest.raises(OptionError, match="simple RNN gives outputs and no verdicts"):
        learn_automaton(outputs)
    with pytest.raises(NetworkError, match="is no network"):
        learn_automaton(3)
    with pytest.raises(WordError, match="'2'"):
        learn_automaton(network("parity"), examples=["012"])
    with pytest.raises(UnsupportedArithmeticError, match="'flot' is unknown: did you mean 'float'"):
        learn_automaton(network("parity"), arithmetic="flot")


def test_without_aalpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "aalpy", None)
    with pytest.raises(MissingExtraError, match=r'learning needs AALpy: pip install "exactnn\[learning\]"'):
        learn_automaton(network("parity"))
