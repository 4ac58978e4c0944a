"""What is decided about two systems is what comparing word by word finds."""

from dataclasses import replace
from itertools import product

import pytest
from gmpy2 import mpq
from hypothesis import assume, given, settings
from recognisers import FORMATS, plain_label, random_dfa, random_recogniser, seeded, words_up_to
from strategies import counter_machines

from exactnn import compile, load
from exactnn.arithmetic import BFLOAT16, EXACT, FLOAT8_E4M3, FLOAT16, FLOAT32, FixedPoint, FloatFormat
from exactnn.automata import DFA, CounterMachine, MooreMachine, interpret
from exactnn.constructions import minsky
from exactnn.equivalence import collapse_witness, distinguishing_word, equivalent, extract_state_machine
from exactnn.errors import MachineFileError, OptionError, UnsupportedArithmeticError
from exactnn.networks import Activation, Decision, Protocol, SimpleRNN, save_network
from exactnn.outcome import Outcome
from exactnn.simulation import run

LENGTH = 4


def first_difference(network, other, word_length=LENGTH):
    """Return the length of the shortest word up to a length on which two (network, arithmetic) differ; None if none."""
    for word in words_up_to(network[0].input_symbols, word_length):
        if plain_label(*network, word) != plain_label(*other, word):
            return len(word)
    return None


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("format", FORMATS[:14:2], ids=str)
def test_networks_at_random(format):
    decided = 0
    for n in range(8):
        rng = seeded("pairs", format, n)
        one = random_recogniser(rng, rng.choice((Protocol.END_OF_WORD, Protocol.EOS_VERDICT)))
        unit = one.readout[0]
        other = replace(one, readout=(replace(unit, bias=unit.bias + rng.choice((0, mpq(1, 4), mpq(-1, 2)))),))
        found = equivalent((one, format), (other, format), max_states=20_000)
        decided += found.equal is not None
        expected = first_difference((one, format), (other, format), 3)
        if found.equal is False:
            assert plain_label(one, format, found.witness) == found.labels[0]
            assert plain_label(other, format, found.witness) == found.labels[1]
            assert found.labels[0] != found.labels[1]
            assert found.bound == len(found.witness) - 1
            assert expected == len(found.witness) or (expected is None and len(found.witness) > 3)
        else:
            assert expected is None
            assert found.bound is None or found.equal is None
    assert decided >= 5


@settings(max_examples=60)
@given(counter_machines(), counter_machines())
def test_pairs_of_counter_machines(one, other):
    """Words that lead to the same state and counters are one state; a witness is as short as one of all words."""
    assume(set(one.input_symbols) == set(other.input_symbols))
    found = equivalent(one, other, max_length=LENGTH)
    words = words_up_to(one.input_symbols, LENGTH)
    expected = next((len(word) for word in words if bool(interpret(one, word)) != bool(interpret(other, word))), None)
    assert expected == (None if found.witness is None else len(found.witness))
    if found.witness is not None:
        assert found.labels == (interpret(one, found.witness).outcome, interpret(other, found.witness).outcome)
        assert found.bound == len(found.witness) - 1


def test_many_words_lead_to_the_same_counters():
    """Three symbols and words of 49: word by word they would be 3^49."""
    rule = {"a": {".": ("q", (1,))}, "b": {".": ("q", (-1,))}, "c": {".": ("q", (0,))}}
    table = {"q": {symbol: {(0,): rules["."], (1,): rules["."]} for symbol, rules in rule.items()}}
    counter = CounterMachine(
        states="q", input_symbols="abc", counters=1, initial_state="q", acceptance=[("q", (0,))], transitions=table
    )
    found = equivalent(counter, (counter, FLOAT8_E4M3), by="acceptance")
    assert found.equal is False
    assert interpret(counter, found.witness).accepted != run(compile(counter), found.witness, FLOAT8_E4M3).accepted
    assert (found.bound, found.pairs < 20_000) == (len(found.witness) - 1, True)
    again = equivalent(counter, counter, max_length=60)
    assert (again.equal, again.bound, again.pairs < 200) == (None, 60, True)


def test_pairs_of_automata():
    for n in range(60):
        rng = seeded("automata", n)
        one, other = random_dfa(rng, rng.randint(1, 6)), random_dfa(rng, rng.randint(1, 6), "ba")
        found = equivalent(one, other)
        witness = distinguishing_word(one, other)
        assert found.equal is (witness is None)
        assert (found.witness is None) == (witness is None)
        if witness is not None:
            assert len(found.witness) == len(witness)
            assert [interpret(dfa, found.witness).outcome for dfa in (one, other)] == list(found.labels)


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("part", range(3))
def test_every_kind_against_every_kind(part):
    """A DFA, its network exactly, in a format and with integers, its minimal automaton, and what it is not."""
    for n in range(part, 6, 3):
        rng = seeded("kinds", n)
        dfa = random_dfa(rng, rng.randint(2, 7))
        net = minsky(dfa)
        same = [dfa, net, net.network, (net, FLOAT8_E4M3), (net, FixedPoint(integer_bits=3, fraction_bits=0)),
                extract_state_machine(net, FLOAT16).minimal]  # fmt: skip
        other = DFA(
            states=dfa.states, input_symbols=dfa.input_symbols, transitions=dfa.transitions,
            initial_state=dfa.initial_state, final_states=[q for q in dfa.states if q not in dfa.final_states],
        )  # fmt: skip
        for a in same:
            for b in same:
                found = equivalent(a, b)
                assert (found.equal, found.witness, found.bound, found.reason) == (True, None, None, "")
            found = equivalent(a, minsky(other))
            assert (found.equal, found.witness, found.bound) == (False, (), -1)


def test_an_automaton_whose_initial_state_is_not_the_first():
    dfa = DFA(states="pq", input_symbols="a", transitions={"p": {"a": "p"}, "q": {"a": "p"}}, initial_state="q",
              final_states="q")  # fmt: skip
    assert equivalent(dfa, minsky(dfa)).equal
    assert equivalent(minsky(dfa), dfa).equal


# --- machines


@pytest.mark.parametrize("format", [FLOAT8_E4M3, BFLOAT16, FLOAT16, FLOAT32], ids=str)
def test_the_palindrome_network_collapses_at_its_length(format):
    """First wrong at length p/3, rounded up, from 6 bits on: the base is 8."""
    net = compile(load("palindrome"))
    found = collapse_witness(net, format)
    assert found.equal is False
    if format.precision >= 6:
        assert len(found.witness) == -(-format.precision // 3)
    truth = interpret(load("palindrome"), found.witness).outcome
    assert found.labels[0] == truth
    assert found.labels[1] == plain_label(net.network, format, found.witness, 20_000)
    if format is not FLOAT32:
        for word in words_up_to("ab", found.bound):
            assert plain_label(net.network, format, word, 20_000) == interpret(load("palindrome"), word).outcome


def test_a_machine_agrees_with_its_network_as_far_as_one_looks():
    machine = load("palindrome")
    found = equivalent(machine, compile(machine), max_length=6)
    assert (found.equal, found.witness, found.bound) == (None, None, 6)
    assert "6 symbols" in found.reason
    assert found.pairs == 2**7 - 1


def test_machines_that_do_not_halt_in_time():
    found = equivalent(load("bb5"), load("bb2"), max_steps=1000)
    assert found.equal is None  # bb5 does not halt within 1000 moves
    assert found.bound == -1
    assert "the empty word" in found.reason


def test_words_that_are_not_known_are_the_reason_before_longer_ones():
    """Longer words might tell the two apart, but none can settle that they are equal."""
    machine = load("palindrome")
    found = equivalent(machine, compile(machine), max_length=3, max_steps=3)
    assert (found.equal, found.bound) == (None, 0)
    assert found.reason == "what is said of 'a' is not known within the limits"


def test_what_is_not_known_does_not_hide_a_difference():
    """Words that do not halt within the limit are passed over; the witness is one, but perhaps not a shortest."""
    machine = load("palindrome")
    net = compile(machine)
    found = equivalent(machine, (net, FLOAT8_E4M3), max_steps=6)
    assert found.equal is False
    assert interpret(machine, found.witness).outcome == found.labels[0]


@pytest.mark.parametrize("max_length", [None, 0, 1])
def test_without_symbols_the_empty_word_is_all(max_length):
    lone = {"states": ["q"], "input_symbols": [], "transitions": {"q": {}}, "initial_state": "q"}
    accepts, rejects = DFA(**lone, final_states=["q"]), DFA(**lone, final_states=[])
    assert equivalent(accepts, accepts, max_length=max_length).equal is True
    found = equivalent(accepts, rejects, max_length=max_length)
    assert (found.equal, found.witness, found.bound) == (False, (), -1)


@pytest.mark.parametrize("by", ["outcome", "acceptance"])
def test_a_moore_machine_may_say_outcomes_as_text(by):
    one = {"states": ["q"], "input_symbols": "a", "transitions": {"q": {"a": "q"}}, "initial_state": "q"}
    accepts, rejects = DFA(**one, final_states=["q"]), DFA(**one, final_states=[])
    says = MooreMachine(**one, outputs={"q": "accepted"})
    assert equivalent(says, accepts, by=by).equal is True
    assert equivalent(says, rejects, by=by).equal is False


def test_a_witness_beyond_what_is_not_known_has_a_smaller_bound():
    network = random_recogniser(seeded("un", 201), Protocol.EOS_VERDICT)
    found = equivalent(network, (network, FLOAT8_E4M3), max_length=5, max_steps=1)
    assert (found.equal, found.witness, found.bound) == (False, ("b", "a"), -1)


def test_by_acceptance_never_halting_is_rejecting():
    net = compile(load("palindrome"))
    strict, loose = (equivalent(net, (net, BFLOAT16), by=by) for by in ("outcome", "acceptance"))
    assert strict.labels == (Outcome.ACCEPTED, Outcome.NON_HALTING)
    assert Outcome.ACCEPTED in loose.labels
    never = replace(net.network, decision=replace(net.network.decision, threshold=mpq(5)))
    nothing = DFA(states="q", input_symbols="ab", transitions={"q": {"a": "q", "b": "q"}}, initial_state="q",
                  final_states=())  # fmt: skip
    assert equivalent((never, FLOAT16), nothing, by="acceptance").equal is True
    assert equivalent((never, FLOAT16), nothing).labels == (Outcome.NON_HALTING, Outcome.REJECTED)


def test_integer_networks_are_decided():
    for n in range(40):
        rng = seeded("integers", n)
        one = random_recogniser(rng, Protocol.END_OF_WORD, denominators=(1,), activations=(Activation.SLU,))
        other = replace(one, initial_state=tuple(reversed(one.initial_state)))
        found = equivalent(one, other)
        assert found.equal is not None
        expected = first_difference((one, EXACT), (other, EXACT))
        assert expected == (len(found.witness) if found.witness and len(found.witness) <= LENGTH else expected)


# --- limits and wrong input


def test_limits_leave_it_undecided():
    net = SimpleRNN(V=[["1/2"]], W=[["0", "1/2"]], b=[0], s=[0], readout_weight=[1], alphabet="ab")
    q = FixedPoint(integer_bits=2, fraction_bits=14, rounding="down")
    found = equivalent((net, q), (net, replace(q, fraction_bits=13)), max_states=500)
    assert found.equal is None
    assert found.reason == "the limit of states (max_states) was reached"
    assert found.bound == 8  # 2 + 4 + ... + 2^8 states, and not all of the next 2^9
    assert "seconds" in equivalent((net, q), (net, q), max_seconds=0).reason
    assert equivalent((net, q), (net, q)).equal is True

    def interrupt(length, pairs):
        if length > 5:
            raise KeyboardInterrupt

    found = equivalent((net, q), (net, q), progress=interrupt)
    assert (found.equal, found.reason) == (None, "it was interrupted")


@pytest.mark.parametrize(
    ("b", "options", "message"),
    [(3, {}, "cannot be compared"), (None, {}, "cannot be compared"), ((3, FLOAT16), {}, "cannot be compared"),
     (load("parity"), {"by": "length"}, "by='length'"), (load("parity"), {"max_length": -1}, "max_length=-1"),
     (load("parity"), {"max_steps": 1.5}, "max_steps=1.5"), (load("divisible-by-3"), {"max_states": 0}, "max_states=0"),
     (SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1]), {}, "vectors"),
     (random_dfa(seeded(0), 3, "xy"), {}, "symbol")],
)  # fmt: skip
def test_wrong_input(b, options, message):
    with pytest.raises(OptionError, match=message):
        equivalent(load("parity"), b, **options)


def test_random_rounding_is_no_automaton():
    with pytest.raises(UnsupportedArithmeticError, match="at random"):
        collapse_witness(compile(load("parity")), replace(FLOAT16, rounding="stochastic"))


def test_a_network_that_never_collapses():
    found = collapse_witness(compile(load("parity")), FloatFormat(precision=2, exponent_bits=3))
    assert (found.equal, found.witness, found.bound) == (True, None, None)


def smooth_recogniser(activation="sigmoid"):
    """Accept where the state, which forgets slowly, is above a half: in a short format it stands still."""
    network = SimpleRNN(
        V=[["9/10"]], W=[["-1/4", "1/5"]], b=["1/20"], s=[0], readout_weight=[1], activation=activation, alphabet="ab"
    )
    return replace(network, decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(13, 20)))


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_the_shortest_wrong_word_of_a_smooth_network(activation):
    network = smooth_recogniser(activation)
    format = FloatFormat(precision=4, exponent_bits=4)
    found = collapse_witness(network, format, max_length=6)
    wrong = [
        word
        for length in range(7)
        for word in map("".join, product("ab", repeat=length))
        if run(network, word, "certified").verdict is not run(network, word, format).verdict
    ]
    assert found.equal is (False if wrong else None)
    if wrong:
        assert "".join(found.witness) == wrong[0]
        assert found.bound == len(wrong[0]) - 1
        assert found.labels == tuple(run(network, wrong[0], a).outcome for a in ("certified", format))
    assert equivalent((network, "certified"), (network, "float64"), max_length=4).witness is None
    alone = equivalent(network, (network, format), max_length=6)
    assert (alone.witness, alone.labels, alone.bound) == (found.witness, found.labels, found.bound)


def test_outputs_of_smooth_networks_have_no_witness():
    outputs = smooth_recogniser().giving_outputs()
    with pytest.raises(OptionError, match=r"gives no verdicts .*exactnn\.check_format"):
        collapse_witness(outputs, FLOAT16)
    with pytest.raises(OptionError, match="enclosures"):
        equivalent((outputs, "certified"), (outputs, FLOAT16), by="value")


def same(found, expected):
    return (found.equal, found.witness, found.labels, found.bound) == (
        expected.equal, expected.witness, expected.labels, expected.bound
    )  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"by": "value"}, {"by": "acceptance"}], ids=str)
def test_names_are_the_machines_that_they_name(options):
    for name in ("parity", "divisible-by-3"):
        machine = load(name)
        assert same(equivalent(name, "parity", **options), equivalent(machine, load("parity"), **options))
        assert same(equivalent(name, "parity@float8_e4m3"), equivalent(machine, (compile("parity"), FLOAT8_E4M3)))


def test_names_of_weighted_automata_are_compared_by_value():
    assert equivalent("counting", "counting").equal is True
    assert equivalent("counting@exact", load("counting")).equal is True


def test_a_name_with_an_arithmetic_is_a_pair():
    expected = equivalent("palindrome", ("palindrome", BFLOAT16))
    assert expected.witness == ("a",) * 3
    assert same(equivalent("palindrome", "palindrome@bf16"), expected)
    assert same(equivalent("palindrome@exact", "palindrome@p8e8"), expected)


def test_a_file_with_the_sign_in_its_name_is_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_network(compile("parity"), "parity@float16.json")
    save_network(compile("parity"), "parity.json")
    assert equivalent("parity@float16.json", "parity@float16").equal is True
    assert equivalent("parity.json@float16", "parity.json").equal is True


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("parity@flaot16", OptionError, "the arithmetic after @ 'flaot16' is unknown: did you mean 'float16'"),
        ("parity@", OptionError, "the arithmetic after @ '' is unknown"),
        ("parit@float16", MachineFileError, "did you mean parity"),
        ("parit", MachineFileError, "did you mean parity"),
    ],
)
def test_names_that_mean_nothing(name, error, message):
    for pair in ((name, "parity"), ("parity", name)):
        with pytest.raises(error, match=message):
            equivalent(*pair)


def test_outputs_and_verdicts_are_not_compared():
    outputs = SimpleRNN(V=[[1]], W=[[0, 1]], b=[0], s=[0], readout_weight=[[1], [-1]], alphabet="01")
    for one, other in (("parity", outputs), ((outputs, "float16"), compile(load("parity")))):
        for by in ("outcome", "acceptance"):
            with pytest.raises(OptionError, match=r"gives outputs.*as_acceptor\(network, number\)"):
                equivalent(one, other, by=by)
    assert equivalent(outputs, (outputs, "float16"), max_length=3).witness is None
