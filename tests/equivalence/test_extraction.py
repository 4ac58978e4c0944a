"""What is extracted is what the reference executor, word by word, says; and nothing is missing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from gmpy2 import mpq
from recognisers import (
    FORMATS,
    changed_basis,
    label_of,
    plain_label,
    plain_states,
    random_dfa,
    random_recogniser,
    seeded,
    words_up_to,
)

from exactnn import compile, load, run, zoo
from exactnn.arithmetic import EXACT, FLOAT8_E4M3, FLOAT16, FLOAT32, NAMED_FORMATS, RATIONAL, FixedPoint, FloatFormat
from exactnn.automata import DFA, MooreMachine
from exactnn.constructions import minsky
from exactnn.equivalence import (
    check_extraction,
    distinguishing_word,
    extract_state_machine,
    extraction,
    minimal,
    minimal_table,
    state_bound,
    table_of,
)
from exactnn.equivalence.spaces.choice import integer_words, is_clipped_integer
from exactnn.errors import OptionError, UnsupportedArithmeticError
from exactnn.networks import (
    ACTIVATIONS,
    PIECEWISE_LINEAR,
    QRNN,
    Activation,
    Circuit,
    Decision,
    Kind,
    Network,
    Protocol,
    SimpleRNN,
    Unit,
)
from exactnn.outcome import Outcome

MOST = 1000


def check(network, arithmetic, *, length=3):
    """Compare an extraction with all that plain Python finds; return whether it was small enough for that."""
    expected = plain_states(network, arithmetic, MOST)
    if expected is None:
        return False
    found = extract_state_machine(network, arithmetic, max_states=10 * MOST)
    assert found.states == len(expected)
    assert found.bound is None or found.states <= found.bound
    if not found.complete:
        return False
    checked = check_extraction(found.certificate)
    assert (checked.states, checked.eos_states) == (found.states, found.eos_states)
    for automaton in (found.automaton, found.minimal):
        for word in words_up_to(network.input_symbols, length):
            label = plain_label(network, arithmetic, word)
            assert label is None or label_of(automaton, word) == label
    return True


@pytest.mark.mostly_slow(quick=2, slow=3)
@pytest.mark.parametrize("format", [*FORMATS[:5], *FORMATS[5::2], FORMATS[-1]], ids=str)
def test_networks_at_random(format):
    complete = 0
    for n in range(14):
        complete += check(random_recogniser(seeded(format, n)), format)
    assert complete >= 4


@pytest.mark.parametrize("protocol", tuple(Protocol))
def test_exact_networks_at_random(protocol):
    """Most have no end of states; those of integers with clipped units have."""
    rng = seeded(protocol)
    clipped = (Activation.SLU, Activation.HEAVISIDE)
    kinds = [
        {"denominators": (1,), "activations": clipped},
        {"activations": (Activation.HEAVISIDE,)},
        {"second_order": 0, "activations": PIECEWISE_LINEAR},
    ]
    complete = sum(check(random_recogniser(rng, protocol, **kind), EXACT) for kind in kinds for _ in range(8))
    assert complete >= 10


# --- from a DFA and back


DFAS = [entry.name for entry in zoo() if isinstance(load(entry.name), DFA)]


def formats_of_minsky():
    """The arithmetics in which zeros and ones, and sums of them down to -2, are exact."""
    return [EXACT, *NAMED_FORMATS.values(), FixedPoint(integer_bits=3, fraction_bits=0), FORMATS[5]]


@pytest.mark.mostly_slow(quick=2, slow=4)
@pytest.mark.parametrize("name", DFAS)
def test_the_zoo_comes_back(name):
    dfa = load(name)
    for arithmetic in formats_of_minsky():
        found = extract_state_machine(compile(dfa), arithmetic)
        assert found.complete
        assert distinguishing_word(found.automaton, dfa) is None
        assert minimal_table(found.table)._fields()[0] == minimal_table(table_of(dfa))._fields()[0]
        assert len(found.minimal.states) == len(minimal(dfa).states)


@pytest.mark.parametrize("batch", range(5))
def test_random_automata_come_back(batch):
    rng = seeded("dfas", batch)
    for n in range(4):
        dfa = random_dfa(rng, rng.choice((1, 2, 5, 20, 60, 200 if n == 0 else 30)), rng.choice(("a", "ab", "abc")))
        arithmetic = rng.choice(formats_of_minsky())
        found = extract_state_machine(minsky(dfa), arithmetic)
        assert found.complete
        assert found.states <= 1 + len(dfa.states) * len(dfa.input_symbols)
        assert distinguishing_word(found.automaton, dfa) is None
        assert len(found.minimal.states) == len(minimal(dfa).states)


@pytest.mark.mostly_slow(quick=2, slow=2)
@pytest.mark.parametrize(
    ("entries", "arithmetic"),
    [((-1, 0, 1), FloatFormat(precision=53, exponent_bits=10)),
     ((-1, 0, 1), FixedPoint(integer_bits=40, fraction_bits=0)),
     ((-1, 0, 1), EXACT), ((mpq(-1, 3), 0, mpq(2, 5)), RATIONAL)],
    ids=["float", "fixed", "integers", "rationals"],
)  # fmt: skip
def test_a_change_of_basis_changes_nothing(entries, arithmetic):
    """The states are no longer one-hot, but as many."""
    for n in range(4):
        rng = seeded("basis", n)
        dfa = random_dfa(rng, rng.randint(1, 6))
        network = minsky(dfa).network
        other = changed_basis(network, rng, [mpq(entry) for entry in entries])
        found = extract_state_machine(other, arithmetic)
        assert found.complete
        assert found.states == extract_state_machine(network, EXACT).states
        assert distinguishing_word(found.automaton, dfa) is None
        assert len(found.minimal.states) == len(minimal(dfa).states)


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("part", range(3))
def test_dense_networks_in_fixed_point(part):
    for n in range(part, 12, 3):
        rng = seeded("dense", n)
        size = rng.randint(2, 4)

        def weights(rows, columns, rng=rng):
            return [[mpq(rng.randint(-12, 12), 8) for _ in range(columns)] for _ in range(rows)]

        network = replace(
            SimpleRNN(
                V=weights(size, size), W=weights(size, 2), b=weights(1, size)[0], s=[0] * size,
                readout_weight=weights(1, size)[0], readout_bias="-1/4", activation="slu", alphabet="ab",
            ),
            decision=Decision(protocol=Protocol.END_OF_WORD),
        )  # fmt: skip
        assert check(network, FixedPoint(integer_bits=5, fraction_bits=4), length=5)


# --- bounds


def test_integer_networks_stay_within_the_bound():
    """Theorem 4.5: 2^d' states of zeros and ones, and one more for another initial state. Both are attained."""
    attained = set()
    for n in range(600):
        rng = seeded("integers", n)
        size = rng.randint(1, 3)
        network = SimpleRNN(
            V=[[rng.randint(-2, 2) for _ in range(size)] for _ in range(size)],
            W=[[rng.randint(-2, 2) for _ in range(3)] for _ in range(size)],
            b=[rng.randint(-1, 1) for _ in range(size)],
            s=[rng.choice((0, 1, 1, 2, -3)) for _ in range(size)],
            readout_weight=[1] * size, activation="slu", alphabet="abc",
        )  # fmt: skip
        assert is_clipped_integer(network)
        found = extract_state_machine(network, EXACT)
        outside = any(x not in (0, 1) for x in network.initial_state)
        assert found.complete
        assert found.bound == 2**size + outside
        assert found.states <= found.bound
        assert found.states == len(plain_states(network, RATIONAL, 100))
        attained |= {(size, outside)} if found.states == found.bound else set()
    assert {(1, False), (1, True), (2, False), (2, True)} <= attained


def test_the_example_of_the_erratum_has_three_states():
    network = SimpleRNN(V=[[1]], W=[[0]], b=[-1], s=[2], readout_weight=[1], activation="slu", alphabet="a")
    found = extract_state_machine(network, EXACT)
    assert (found.states, found.bound, 2**network.neurons) == (3, 3, 2)
    assert [found.values(state) for state in range(3)] == [(2,), (1,), (0,)]
    assert {type(x) for state in range(3) for x in found.values(state)} == {type(mpq())}  # exact ones are no floats


def test_integers_that_are_not_clipped_have_no_bound():
    counts = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="relu", alphabet="a")
    assert state_bound(counts, EXACT) is None
    found = extract_state_machine(counts, EXACT, max_states=50)
    assert not found.complete
    assert found.automaton is None
    assert found.states == 50
    assert "50 states" in found.reason


@pytest.mark.parametrize("activation", tuple(ACTIVATIONS.values()), ids=str)
@pytest.mark.parametrize(
    "format",
    [FloatFormat(precision=3, exponent_bits=3), FloatFormat(precision=3, exponent_bits=3, subnormals=False),
     FloatFormat(precision=4, exponent_bits=3, specials="nan"),
     FloatFormat(precision=2, exponent_bits=2, specials="none"),
     FixedPoint(integer_bits=2, fraction_bits=3), FixedPoint(integer_bits=2, fraction_bits=3, signed=False)],
    ids=str,
)  # fmt: skip
def test_the_bound_counts_the_numbers_that_an_activation_gives(format, activation):
    """Every number of the format is a state of its own, if the weights lead everywhere."""
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=str(activation), alphabet="a")
    low, high = activation.low, activation.high
    if activation.kind is Kind.JUMP:
        expected = 2 + (0 not in (low, high))  # the start is one more
    elif isinstance(format, FixedPoint):
        numbers = [mpq(word, 8) for word in range(format.lowest_word, format.largest_word + 1)]
        expected = sum((low is None or x >= low) and (high is None or x <= high) for x in numbers)
    else:
        up, positive, x = replace(format, rounding="up", overflow=None, name=""), [], mpq(0)
        while x < format.largest:
            x = mpq(up.rounded(x + format.smallest / 4)) if x else format.smallest
            positive.append(x)
        nan, infinity = format.specials != "none", format.specials == "ieee"
        above = infinity + len(positive) if high is None else sum(x <= high for x in positive)
        below = infinity + len(positive) if low is None else sum(x <= -low for x in positive)
        zeros = 2 if low is None or low < 0 else 1
        expected = above + below + zeros + nan
    assert state_bound(network, format) == expected


@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=str)
def test_no_unit_gives_more_numbers_than_the_bound(activation, signed, overflow):
    """Where numbers wrap, values beyond the largest one may be any."""
    format = FixedPoint(integer_bits=2, fraction_bits=6, signed=signed, overflow=overflow)
    network = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=activation)
    numbers = [mpq(word, 64) for word in range(format.lowest_word, format.largest_word + 1)]
    assert len({0, *run(network, [[x] for x in numbers], format).outputs}) <= state_bound(network, format)


@pytest.mark.parametrize("arithmetic", [EXACT, FLOAT16, FixedPoint(integer_bits=4, fraction_bits=0)], ids=str)
@pytest.mark.parametrize(
    ("activation", "start", "states"),
    [(Activation(name="bipolar", kind="jump", low=-1, high=1), 0, 3),
     (Activation(name="bipolar", kind="jump", low=-1, high=1), -1, 2),
     (Activation(name="clip", low=2, high=3), 0, 3),
     (Activation(name="clip", low=2, high=3), 1, 3),
     (Activation(name="clip", low=2, high=3), 3, 2)],
)  # fmt: skip
def test_a_start_that_no_unit_gives_is_one_more(arithmetic, activation, start, states):
    """Also 0 and 1 are none of its numbers where a unit's bounds leave them out."""
    network = SimpleRNN(
        V=[[0]], W=[[5, -5]], b=[0], s=[start], readout_weight=[1], activation=activation, alphabet="ab"
    )
    found = extract_state_machine(network, arithmetic)
    assert found.complete
    assert found.states == states <= state_bound(network, arithmetic)
    if arithmetic is EXACT:
        assert found.bound == states


def test_vectors_may_have_any_number():
    """What a network keeps of them counts as any number of the format, and in exact arithmetic there is no bound."""
    keeps = {"W": {g: [[1, 0]] for g in "zf"}, "b": {g: [0] for g in "zf"}, "window": 2, "pooling": "f"}
    network = QRNN(**keeps, gate="slu", candidate="slu", readout_weight=[1])
    assert state_bound(network, FLOAT8_E4M3) == 255**2  # 126 numbers of each sign, two zeros and NaN
    clips = {"V": [[0]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [1], "activation": "slu"}
    assert state_bound(SimpleRNN(**clips), EXACT) is None
    assert state_bound(SimpleRNN(**clips, alphabet="a"), EXACT) == 2


def test_integers_that_outgrow_machine_words():
    """It doubles a number 40 times, and then begins again: words hold it at first, and all is as if they did not."""
    beyond = Unit(name="beyond", bias=mpq(-39), linear=((1, mpq(1)),), activation=Activation.HEAVISIDE)
    again = mpq(-1)
    rises = Unit(name="x", bias=mpq(1), linear=((0, mpq(2)), (4, again)), bilinear=((0, 4, mpq(-2)),))
    counts = Unit(name="n", bias=mpq(1), linear=((1, mpq(1)), (4, again)), bilinear=((1, 4, mpq(-1)),))
    network = Network(
        circuit=Circuit(state_size=2, input_size=2, layers=((beyond,), (rises, counts)), next_state=(5, 6)),
        initial_state=(mpq(0), mpq(0)),
        readout=(Unit(name="out", bias=mpq(-5), linear=((0, mpq(1)),)),),
        alphabet=("a", "b"),
        decision=Decision(protocol=Protocol.OUTPUTS),
    )
    assert integer_words(network) is not None
    plain = plain_states(network, RATIONAL, 1000)
    found = extract_state_machine(network, EXACT)
    assert found.complete
    assert found.states == len(plain) == 41
    assert {found.values(state) for state in range(41)} == plain
    assert list(found.table.label_names) == [str(2**n - 1 - 5) for n in range(41)]
    assert check_extraction(found.certificate).states == 41


# --- limits


def shift_register(bits):
    """A network whose state in fixed point is the last so many symbols."""
    network = SimpleRNN(
        V=[["1/2"]], W=[["0", "1/2"]], b=[0], s=[0], readout_weight=[1], readout_bias="-1/2", alphabet="ab"
    )
    network = replace(network, decision=Decision(protocol=Protocol.END_OF_WORD))
    return network, FixedPoint(integer_bits=2, fraction_bits=bits, rounding="down")


def test_a_search_that_was_stopped_goes_on():
    network, format = shift_register(12)
    found = extract_state_machine(network, format, max_states=1000)
    steps = 0
    while not found.complete:
        assert found.automaton is None
        assert found.minimal is None
        assert found.expanded < found.states
        with pytest.raises(OptionError, match="incomplete"):
            _ = found.certificate
        frontier = found.frontier(3)
        assert 1 <= len(frontier) <= 3
        steps += 1
        found = found.resumed(max_states=1000 * (steps + 1))
    whole = extract_state_machine(network, format)
    assert found.table == whole.table
    assert found.states == 4096
    assert steps == 4
    assert np.array_equal(found.table.transitions, whole.table.transitions)


@pytest.mark.parametrize("most", range(1, 12))
def test_the_frontier_of_a_search_that_a_limit_stopped_within_a_level(most):
    doubles = SimpleRNN(V=[[2]], W=[[0, 1]], b=[0], s=[1], readout_weight=[1], alphabet="ab")
    found = extract_state_machine(doubles, max_states=most)
    assert not found.complete
    words = found.frontier()
    assert words
    for i, word in enumerate(words):
        value = 1
        for symbol in word:
            value = 2 * value + (symbol == "b")
        assert found.values(found.expanded + i) == (value,)


def test_the_frontier_has_words_that_lead_there():
    network, format = shift_register(10)
    found = extract_state_machine(network, format, max_states=300)
    executor = extract_state_machine(network, format)
    for i, word in enumerate(found.frontier(20)):
        state = 0
        for symbol in word:
            state = int(executor.table.transitions[state, "ab".index(symbol)])
        assert executor.values(state) == found.values(found.expanded + i)
        assert len(word) == 8


def test_eos_steps_beyond_the_limit_are_told():
    """Reading one symbol leaves a number that EOS counts down for long: the states of the word are few."""
    halts = Network(
        circuit=Circuit(
            state_size=1, input_size=2, next_state=(3,),
            layers=((Unit(name="n", bias=mpq(0), linear=((0, mpq(1)), (1, mpq(-500)), (2, mpq(1)))),),),
        ),
        initial_state=(mpq(0),),
        readout=(Unit(name="out", bias=mpq(0), linear=((0, mpq(1)),)),),
        alphabet=("a", "EOS"),
        decision=Decision(protocol=Protocol.EOS_HALT, threshold=mpq(1000)),
    )  # fmt: skip
    q = FixedPoint(integer_bits=12, fraction_bits=0)
    found = extract_state_machine(halts, q, max_states=100)
    assert not found.complete
    assert found.states == 6
    assert found.expanded == 6
    found = found.resumed(max_states=10_000)
    assert found.complete
    assert set(found.table.label_names) == {Outcome.HALTED, Outcome.REJECTED}
    assert check_extraction(found.certificate).eos_states == found.eos_states


@pytest.mark.parametrize(
    ("arithmetic", "activation", "states", "reason"),
    [
        (EXACT, "slu", 2, ""),
        (EXACT, "relu", 60, "the limit of 60 states was reached"),
        (RATIONAL, "relu", 60, "the limit of 60 states was reached"),
        (FLOAT16, "relu", 2049, ""),
    ],
)
def test_a_network_that_may_have_no_end_of_states_has_a_limit(monkeypatch, arithmetic, activation, states, reason):
    """A counter of letters: clipped it has two states, and in float16 2049 + 1 is 2048 again."""
    counter = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a", activation=activation)
    monkeypatch.setattr(extraction, "MOST_EXACT_STATES", 60)
    found = extract_state_machine(counter, arithmetic)
    assert (found.states, found.reason) == (states, reason)
    assert extract_state_machine(counter, arithmetic, max_states=70).states == (70 if states > 2 else 2)


def test_time_memory_and_interruption(monkeypatch):
    network, format = shift_register(14)
    assert "seconds" in extract_state_machine(network, format, max_seconds=0).reason
    assert "bytes" in extract_state_machine(network, format, max_bytes=1).reason

    def interrupt(expanded, found):
        if expanded > 1000:
            raise KeyboardInterrupt

    found = extract_state_machine(network, format, progress=interrupt)
    assert found.reason == "it was interrupted"
    assert 1000 < found.expanded < 2**14
    assert found.resumed().complete


# --- wrong input


@pytest.mark.parametrize(
    ("options", "message"),
    [({"max_states": 0}, "max_states=0"), ({"max_states": 1.5}, "max_states=1.5"),
     ({"max_states": 2**31}, "from 1 to 1073741824"),
     ({"max_seconds": -1}, "max_seconds=-1"), ({"max_seconds": float("nan")}, "max_seconds=nan"),
     ({"max_bytes": "1"}, "max_bytes='1'")],
)  # fmt: skip
def test_limits_that_are_none(options, message):
    with pytest.raises(OptionError, match=message):
        extract_state_machine(compile(load("parity")), FLOAT16, **options)


def test_what_is_no_automaton():
    vectors = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="vectors"):
        extract_state_machine(vectors, FLOAT16)
    for arithmetic in (
        replace(FLOAT16, rounding="stochastic"),
        FixedPoint(integer_bits=4, fraction_bits=2, rounding="stochastic"),
    ):
        with pytest.raises(UnsupportedArithmeticError, match="at random"):
            extract_state_machine(compile(load("parity")), arithmetic)
    found = extract_state_machine(compile(load("parity")), FLOAT32)
    with pytest.raises(OptionError, match="from 0 to 4"):
        found.values(5)


def test_outputs_make_a_moore_machine():
    network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a")
    network = replace(network, decision=Decision(protocol=Protocol.OUTPUTS))
    found = extract_state_machine(network, FloatFormat(precision=3, exponent_bits=4))
    assert isinstance(found.automaton, MooreMachine)
    outputs, x = [], Fraction(0)
    for _ in range(found.states):
        outputs.append(x)
        x = Fraction(float(FloatFormat(precision=3, exponent_bits=4).nearest(mpq(x) / 2 + 1)))
    assert [Fraction(found.automaton.outputs[q]) for q in found.automaton.states] == outputs
