"""Networks in fixed point: the compiled loops against the operations in rationals and against plain integers."""

import json
import random
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from every_executor import check_run
from gmpy2 import mpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plain_fixed import DETERMINISTIC, OVERFLOWS, Word, product, small_formats, total, words

from exactnn.arithmetic import FixedPoint, Rounding
from exactnn.constructions import compile, minsky, siegelmann_sontag, siegelmann_sontag_book
from exactnn.errors import CheckpointError, UnsupportedArithmeticError
from exactnn.machine_files import load
from exactnn.networks import Activation, Circuit, Decision, MultiLayerRNN, Network, Protocol, SimpleRNN, Unit
from exactnn.outcome import Outcome
from exactnn.simulation import executor_for, run
from exactnn.simulation.emulated import EmulatedFixedExecutor
from exactnn.simulation.fixed import FixedExecutor, can_compile, carriers_of
from exactnn.simulation.packed import pack_numbers
from tests.strategies import dfas, network_words, networks_and_words, rationals, turing_machines

MODES = tuple(Rounding)


def q(integer_bits, fraction_bits, **options):
    return FixedPoint(integer_bits=integer_bits, fraction_bits=fraction_bits, **options)


# --- formats and weights at random


@st.composite
def formats(draw, *, most=62, modes=MODES, accumulators=True):
    """Formats that have the number 1, with and without an accumulator."""
    signed = draw(st.integers(0, 4)) > 0
    word = draw(st.integers(2 + signed, most))
    fraction_bits = draw(st.integers(0, word - 1 - signed))
    options = {
        "rounding": st.sampled_from(modes),
        "overflow": st.sampled_from(OVERFLOWS),
        "seed": st.integers(0, 2**64 - 1),
    }
    accumulator = None
    if accumulators and draw(st.booleans()):
        inner = draw(st.integers(2, 64))
        inner_fraction = draw(st.sampled_from((min(inner, fraction_bits), min(inner, 2 * fraction_bits), inner // 2)))
        accumulator = q(inner - inner_fraction, inner_fraction, **{key: draw(value) for key, value in options.items()})
    return q(
        word - fraction_bits, fraction_bits, signed=signed, accumulator=accumulator,
        **{key: draw(value) for key, value in options.items()},
    )  # fmt: skip


def weights(format):
    """Numbers of a format, near ones and small rationals, all within the range."""
    low, high = format.lowest_word, format.largest_word
    any_word = st.one_of(st.integers(low, high), st.integers(max(low, -9), min(high, 9))).map(format.number)
    near = st.builds(lambda x, e: min(x + e / 3 * format.smallest, format.largest), any_word, rationals(largest=2))
    small = rationals().filter(lambda x: format.lowest <= x <= format.largest)
    return st.one_of(any_word, near, small).map(lambda x: max(format.lowest, x))


def exactly(value):
    """Return numbers such that equal means the same number of the same type; rationals may be longer than floats."""
    if isinstance(value, (tuple, list)):
        return tuple(map(exactly, value))
    return value.hex() if isinstance(value, float) else value


def same_steps(network, word, format):
    """Take every step of a word in both executors; return the last states."""
    assert can_compile(format)
    here, there = FixedExecutor(network, format), EmulatedFixedExecutor(network, format)
    mine, theirs = here.start(), there.start()
    assert exactly(here.values(mine)) == exactly(there.values(theirs))
    assert exactly(here.output(mine)) == exactly(there.output(theirs))
    for symbol, count in word:
        found = here.advance(mine, symbol, count, until_decided=False)
        expected = there.advance(theirs, symbol, count, until_decided=False)
        outputs = [output for output, repetitions in found.outputs for _ in range(repetitions)]
        assert exactly(outputs) == exactly([output for output, _ in expected.outputs])
        mine, theirs = found.state, expected.state
        assert exactly(here.values(mine)) == exactly(there.values(theirs))
        assert exactly(here.output(mine)) == exactly(there.output(theirs))
        assert here.pack(mine)["numbers"] == there.pack(theirs)["numbers"]
    stochastic = Rounding.STOCHASTIC in (format.rounding, (format.accumulator or format).rounding)
    assert mine.count == (theirs.count if stochastic else 0)
    return mine, theirs


def listed(network, word):
    return [(symbol, 1) for symbol in network.inputs(word)]


# --- all small formats


@pytest.mark.parametrize(
    "sizes", [range(1, 5), *(pytest.param([n], marks=pytest.mark.by_hand) for n in (5, 6))], ids=str
)
@pytest.mark.parametrize("signed", [True, False])
def test_all_biases_weights_and_inputs_of_small_formats(signed, sizes):
    """Every product and every sum of two numbers of up to 5 bits, and of some of 6, through the compiled loops."""
    for format in small_formats():
        if format.signed != signed or format.word_bits not in sizes:
            continue
        if format.word_bits == 6 and format.integer_bits not in (0, 3):
            continue
        numbers = np.array(words(format))
        pairs = [(j, k) for j in words(format) for k in words(format)]
        units = tuple(Unit(name="u", bias=format.number(j), linear=((len(pairs), format.number(k)),)) for j, k in pairs)
        network = Network(
            circuit=Circuit(state_size=len(pairs), input_size=1, layers=(units,),
                            next_state=tuple(range(len(pairs) + 1, 2 * len(pairs) + 1))),
            initial_state=(mpq(0),) * len(pairs), readout=(Unit(name="y", bias=mpq(0)),),
        )  # fmt: skip
        biases, factors = np.array(pairs).T
        for mode in DETERMINISTIC:
            for overflow in OVERFLOWS:
                chosen = replace(format, rounding=mode, overflow=overflow, name="")
                sums = np.array([[total(j, k, chosen) for k in words(format)] for j in words(format)])
                products = np.array([[product(j, k, chosen) for k in words(format)] for j in words(format)])
                executor = FixedExecutor(network, chosen)
                low = format.lowest_word
                for x in numbers.tolist():
                    given = (format.number(x),)
                    found = executor.advance(executor.start(), given, 1, until_decided=False).state.words
                    assert (found == sums[biases - low, products[factors - low, x - low] - low]).all()


# --- networks at random


@settings(max_examples=20)
@given(st.data(), formats())
def test_random_networks(data, format):
    network, word = data.draw(networks_and_words(weights=weights(format)))
    assume(can_compile(format))
    same_steps(network, listed(network, word), format)


@settings(max_examples=25)
@given(st.data(), formats(most=10, modes=DETERMINISTIC, accumulators=False))
def test_random_networks_by_plain_integers(data, format):
    network, word = data.draw(networks_and_words(weights=weights(format)))
    check(network, word, format)


def check(network, word, format):
    found = check_run(network, word, format, Word.nearest(format))
    assert found.engine.endswith("(numba)")


@st.composite
def dense_networks(draw, format):
    """Networks whose rows are long enough to be summed by columns, with one layer or two."""
    size = draw(st.integers(8, 9))
    row = st.lists(weights(format), min_size=size, max_size=size)
    matrix = st.lists(row, min_size=size, max_size=size)
    activation = draw(st.sampled_from(["relu", "slu", "heaviside", "identity"]))
    if draw(st.booleans()):
        return SimpleRNN(V=draw(matrix), W=draw(matrix), b=draw(row), s=draw(row), readout_weight=draw(row),
                         activation=activation)  # fmt: skip
    terms = st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), weights(format)), max_size=2)
    layers, available = [], size + 1
    for depth in range(2):
        layers.append(
            tuple(
                Unit(name=f"u{depth}.{i}", bias=draw(weights(format)), bilinear=tuple(draw(terms)),
                     linear=tuple((j, draw(weights(format))) for j in range(available)), activation=activation)
                for i in range(size)
            )
        )  # fmt: skip
        available += size
    return Network(
        circuit=Circuit(state_size=size, input_size=1, layers=tuple(layers),
                        next_state=tuple(range(available - size, available))),
        initial_state=tuple(draw(row)), readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
    )  # fmt: skip


@pytest.mark.slow
@settings(max_examples=10)
@given(st.data(), formats())
def test_dense_networks(data, format):
    network = data.draw(dense_networks(format))
    assume(can_compile(format))
    stochastic = Rounding.STOCHASTIC in (format.rounding, (format.accumulator or format).rounding)
    assert ("row" if stochastic else "column") in FixedExecutor(network, format).engine
    same_steps(network, listed(network, data.draw(network_words(network, max_size=4, entries=weights(format)))), format)


@pytest.mark.mostly_slow(quick=1, slow=2)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("overflow", OVERFLOWS)
@pytest.mark.parametrize("name", ["palindrome", "bb4", "anbn", "parity"])
def test_machines_of_the_zoo(name, overflow, mode):
    network = compile(load(name)).network
    rng = random.Random(f"{name} {overflow} {mode}")
    for fraction_bits in (rng.choice((2, 8)), rng.randint(3, 15)):
        inner = q(rng.randint(6, 20), rng.randint(0, 2 * fraction_bits), rounding=mode, overflow=overflow)
        for accumulator in (None, inner):
            format = q(rng.randint(8, 16), fraction_bits, rounding=mode, overflow=overflow, accumulator=accumulator)
            word = network.inputs("".join(rng.choice("ab") for _ in range(6)) if name in ("palindrome", "anbn") else "")
            eos = [(network.alphabet.index("EOS"), 30)] if network.decision.protocol.reads_eos else []
            same_steps(network, [*((symbol, 1) for symbol in word), *eos], format)


@settings(max_examples=4)
@given(machine=turing_machines(max_states=2), format=formats(modes=DETERMINISTIC, accumulators=False), data=st.data())
@pytest.mark.parametrize("construction", [siegelmann_sontag, siegelmann_sontag_book])
def test_compiled_turing_machines(construction, machine, format, data):
    network = construction(machine).network
    word = data.draw(network_words(network, max_size=4))
    with suppress(UnsupportedArithmeticError):
        executor_for(network, format)
        same_verdict(network, word, format, 20)


def same_verdict(network, word, format, limit):
    found = run(network, word, arithmetic=format, max_steps=limit)
    there = EmulatedFixedExecutor(network, format)
    state = there.start()
    for symbol in network.inputs(word):
        state = there.advance(state, symbol, 1, until_decided=False).state
    eos = network.alphabet.index("EOS")
    most = found.eos_steps if found.cycle is not None else limit - len(word)
    rest = there.advance(state, eos, most, until_decided=True)
    assert (found.steps, found.final_state) == (len(word) + rest.steps, there.values(rest.state))
    assert found.outcome is (rest.outcome or without_verdict(found))


def without_verdict(found):
    """Return how a run without a verdict ends."""
    return Outcome.STEP_LIMIT if found.cycle is None else Outcome.NON_HALTING


@given(dfa=dfas(), data=st.data())
def test_compiled_automata_are_exact_in_few_bits(dfa, data):
    network = minsky(dfa).network
    word = data.draw(network_words(network))
    exact = run(network, word, record="all")
    found = run(network, word, arithmetic=q(8, 0), record="all")
    assert list(found.trace) == list(exact.trace)
    assert found.outcome is exact.outcome


# --- how a network is executed


NETWORK = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
SQUARES = Network(
    circuit=Circuit(state_size=1, input_size=1, layers=((Unit(name="x^2", bias=mpq(0), bilinear=((0, 1, mpq(1)),)),),),
                    next_state=(2,)),
    initial_state=(mpq(1),), readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
)  # fmt: skip

BORDERS = [
    (q(16, 16), "short", "short"),
    (q(16, 17), "long", "long"),
    (q(15, 16, signed=False), "short", "short"),
    (q(1, 31, signed=False), "long", "long"),
    (q(32, 32), "long", "long"),
    (q(1, 63), "long", "long"),
    (q(1, 64), None, None),
    (q(31, 32, signed=False), "long", "long"),
    (q(32, 32, signed=False), None, None),
    (q(1, 15, accumulator=q(17, 30)), "short", "short"),
    (q(1, 15, accumulator=q(18, 30)), "short", "short"),
    (q(1, 15, accumulator=q(19, 30)), "short", "long"),
    (q(1, 15, accumulator=q(34, 30)), "short", "long"),
    (q(1, 15, accumulator=q(35, 30)), None, None),
    (q(1, 31, accumulator=q(16, 48)), "short", "long"),
    (q(1, 31, accumulator=q(1, 62)), "short", "long"),
    (q(1, 31, accumulator=q(1, 63)), "long", "long"),
    (q(16, 16, accumulator=q(31, 32, signed=False)), "short", "long"),
    (q(16, 16, accumulator=q(32, 32, signed=False)), None, None),
    (q(4, 4, accumulator=q(2, 62)), "long", "long"),
    (q(8, 20, accumulator=q(60, 0)), "long", "long"),
    (q(8, 20, accumulator=q(44, 0)), "short", "long"),
    (q(8, 20, accumulator=q(16, 10)), "short", "short"),
    (q(4, 60, accumulator=q(64, 0)), "long", "long"),
    (q(0, 64, accumulator=q(64, 0)), None, None),
    (q(0, 63, accumulator=q(64, 0)), "long", "long"),
    (q(2, 62, accumulator=q(30, 3)), "long", "long"),
]
"""Formats, and the words that linear and second-order networks need in them; None where the loops do not compute."""


@pytest.mark.parametrize(("format", "linear", "products"), BORDERS, ids=str)
def test_formats_on_the_border_of_the_compiled_loops(format, linear, products):
    network = SimpleRNN(V=[["1/3"]], W=[["1/3"]], b=["1/5"], s=["1/3"], readout_weight=["1/3"], activation="identity")
    second = Unit(name="z", bias=mpq(0), bilinear=((0, 1, mpq(1, 3)),))
    squares = replace(SQUARES, circuit=replace(SQUARES.circuit, layers=((second,),)), initial_state=(mpq(1, 3),),
                      readout=network.readout)  # fmt: skip
    for chosen, words_needed in ((network, linear), (squares, products)):
        assert can_compile(format) == (words_needed is not None)
        executor = executor_for(chosen, format)
        assert type(executor) is (FixedExecutor if words_needed else EmulatedFixedExecutor)
        assert str(format) in executor.engine
        executor.advance(executor.start(), (mpq(1, 4),), 2, until_decided=False)
        if words_needed:
            assert carriers_of(format, second_order=chosen is squares)[0].long is (
                True if words_needed == "long" else None
            )
            same_steps(chosen, [((mpq(1, 4),), 3)], format)


@pytest.mark.mostly_slow(quick=2, slow=6)
@pytest.mark.parametrize("overflow", OVERFLOWS)
@pytest.mark.parametrize("mode", DETERMINISTIC)
def test_the_longest_words_and_products_of_the_compiled_loops(mode, overflow):
    """Sums of words of 64 bits, products of 2**62 and of 2**126, and shifts of as many bits, at their ends."""
    rng = random.Random(f"{mode} {overflow}")
    options = {"rounding": mode, "overflow": overflow}
    for format, linear, _ in BORDERS:
        if linear is None:
            continue
        inner = format.accumulator and replace(format.accumulator, **options, name="")
        format = replace(format, **options, accumulator=inner, name="")
        ends = [format.lowest, format.largest, format.lowest + format.smallest, mpq(0), format.smallest]

        def weight(format=format, ends=ends):
            return rng.choice([*ends, format.number(rng.randint(format.lowest_word, format.largest_word))])

        for _ in range(8):
            units = tuple(
                Unit(name="u", bias=weight(), linear=tuple((i, weight()) for i in range(4)),
                     bilinear=((rng.randrange(4), rng.randrange(4), weight()),) if rng.random() < 0.5 else ())
                for _ in range(3)
            )  # fmt: skip
            network = Network(
                circuit=Circuit(state_size=3, input_size=1, layers=(units,), next_state=(4, 5, 6)),
                initial_state=(weight(), weight(), weight()), readout=(replace(units[0], linear=(), bilinear=()),),
            )  # fmt: skip
            same_steps(network, [((weight(),), 2) for _ in range(3)], format)


@pytest.mark.parametrize("bits_of_word", [33, 53, 54, 55, 64, 65, 100])
def test_numbers_are_floats_as_long_as_floats_hold_them(bits_of_word):
    format = q(8, bits_of_word - 8)
    network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    found = run(network, [1, 0, 0], arithmetic=format, record="all")
    assert found.engine == f"{format}, {'row-sparse (numba)' if bits_of_word <= 64 else 'in rationals'}"
    third = format.rounded(mpq(1, 3))
    assert found.outputs[1] == third
    assert {type(x) for state in found.trace for x in state} == {float if bits_of_word <= 54 else mpq}


def test_two_layers():
    network = MultiLayerRNN(V=[[["1/2"]], [["-1/4"]]], W=[[[1]], [["3/2"]]], b=[[0], ["1/8"]], s=[[0], [1]],
                            readout_weight=[1])  # fmt: skip
    check(network, [1, 0, -1, 2, 0], q(3, 4))
    same_steps(network, listed(network, [1, 0, -1, 2, 0]), q(3, 4, accumulator=q(6, 8, overflow="wrap")))


# --- overflow


def sums(terms, format):
    """Return ReLU and identity of a sum of numbers, which are the states of a network, in a format."""
    size = len(terms)
    rows = tuple(
        Unit(name=str(activation), bias=mpq(0), linear=tuple((i, mpq(1)) for i in range(size)), activation=activation)
        for activation in (Activation.RELU, Activation.IDENTITY)
    )
    network = Network(
        circuit=Circuit(state_size=size, input_size=0, layers=(rows,), next_state=(size, size + 1, *[0] * (size - 2))),
        initial_state=tuple(map(mpq, terms)), readout=(Unit(name="y", bias=mpq(0)),),
    )  # fmt: skip
    same_steps(network, [((), 1)], format)
    return run(network, [()], arithmetic=format).final_state[:2]


def test_a_sum_that_wraps_around_is_negative_and_relu_makes_it_zero():
    assert sums([6, 5], q(4, 0, overflow="wrap")) == (0, -5)
    assert sums([6, 5], q(4, 0)) == (7, 7)


def test_a_sum_that_comes_back_into_range_is_right_if_it_wraps_and_wrong_if_it_saturates():
    assert sums([6, 5, -7], q(4, 0, overflow="wrap")) == (4, 4)
    assert sums([6, 5, -7], q(4, 0)) == (0, 0)
    assert sums([6, 5, -7], q(4, 0, accumulator=q(5, 0))) == (4, 4)


def test_an_accumulator_with_all_bits_of_a_product_rounds_once():
    network = SimpleRNN(V=[[0, 0], [0, 0]], W=[["3/8", "3/8"], [0, 0]], b=[0, 0], s=[0, 0], readout_weight=[1, 0])
    word = [("1/8", "3/8")]
    assert run(network, word, arithmetic=q(2, 3, rounding="down")).outputs[0] == mpq(1, 8)
    wide = q(2, 3, rounding="down", accumulator=q(4, 6))
    assert run(network, word, arithmetic=wide).outputs[0] == mpq(1, 8)
    even = [run(network, word, arithmetic=q(2, 3, accumulator=inner)).outputs[0] for inner in (None, q(4, 6))]
    assert even == [mpq(1, 8), mpq(1, 4)]


# --- numbers beyond the range


@pytest.mark.parametrize(
    ("options", "format", "words"),
    [
        (
            {"V": [[9]]},
            q(4, 8),
            ["weight of 'h[0]' in unit 'h[0]' is 9", "q4.8", "from -8 to 2047/256", "integer_bits=5 at least"],
        ),
        ({"V": [[-9]]}, q(4, 8), ["is -9", "integer_bits=5 at least"]),
        ({"W": [[8]]}, q(4, 0), ["weight of 'input[0]'", "integer_bits=5 at least"]),
        ({"b": ["100"]}, q(4, 8), ["bias of unit 'h[0]' is 100", "integer_bits=8 at least"]),
        ({"b": ["-1/100"]}, q(4, 8, signed=False), ["bias", "signed format"]),
        ({"s": ["255/256"]}, q(1, 7), ["start value of 'h[0]'", "integer_bits=2 at least"]),
        ({"readout_weight": [1]}, q(1, 15), ["'h[0]' in unit 'output'", "integer_bits=2 at least"]),
        ({"alphabet": "ab", "W": [["1/2", "1/2"]]}, q(1, 15), ["stands for a symbol", "integer_bits=2 at least"]),
        ({"activation": "heaviside"}, q(1, 15), ["heaviside", "integer_bits=2 at least"]),
        ({"activation": "heaviside"}, q(0, 80, signed=False), ["heaviside", "integer_bits=1 at least"]),
    ],
    ids=str,
)
def test_a_parameter_beyond_the_range_is_refused(options, format, words):
    usual = {"V": [[0]], "W": [["1/2"]], "b": [0], "s": [0], "readout_weight": ["1/2"]}
    network = SimpleRNN(**{**usual, **options})
    for make in (lambda: executor_for(network, format), lambda: EmulatedFixedExecutor(network, format)):
        with pytest.raises(UnsupportedArithmeticError) as error:
            make()
        for text in words:
            assert text in str(error.value)


def test_of_several_numbers_beyond_the_range_the_one_that_needs_most_bits_is_named():
    network = SimpleRNN(V=[[9]], W=[[-16]], b=[16], s=[10], readout_weight=[-12])
    with pytest.raises(UnsupportedArithmeticError, match=r"bias of unit 'h\[0\]' is 16, .* integer_bits=6 at least"):
        executor_for(network, q(4, 4))
    executor_for(network, q(6, 4))


def test_a_second_order_weight_beyond_the_range_is_refused():
    unit = Unit(name="u", bias=mpq(0), bilinear=((0, 1, mpq(10)),))
    network = replace(SQUARES, circuit=replace(SQUARES.circuit, layers=((unit,),)))
    with pytest.raises(UnsupportedArithmeticError, match=r"weight of 'u' times 'input\[0\]' in unit 'u' is 10"):
        executor_for(network, q(4, 4))


@pytest.mark.parametrize("format", [q(4, 8), q(4, 40), q(4, 80)], ids=str)
def test_an_input_beyond_the_range_is_refused(format):
    with pytest.raises(UnsupportedArithmeticError, match=r"an input is 9, .* integer_bits=5 at least"):
        run(NETWORK, [1, 9], arithmetic=format)
    assert run(NETWORK, [1, -8], arithmetic=format).outputs[:] == [1, 0]


def test_the_integer_bits_that_the_message_names_are_the_least_that_do():
    for value in (mpq(9), mpq(-9), mpq(8), mpq(-8), mpq(255, 32), mpq(-257, 32), mpq(16), mpq(100, 7)):
        network = SimpleRNN(V=[[0]], W=[[0]], b=[value], s=[0], readout_weight=[1])
        for bits_named in range(2, 7):
            try:
                executor_for(network, q(bits_named, 4))
                break
            except UnsupportedArithmeticError as error:
                named = int(str(error).partition("integer_bits=")[2].partition(" ")[0])
        assert named == bits_named


# --- verdicts


THRESHOLDS = (mpq(0), mpq(1, 3), mpq(2, 3), mpq(1), mpq(-1, 3), mpq(1, 10**30), mpq(10) ** 30, mpq(6), mpq(-9))


@pytest.mark.parametrize("threshold", THRESHOLDS, ids=str)
@pytest.mark.parametrize("protocol", [Protocol.EOS_VERDICT, Protocol.EOS_HALT, Protocol.END_OF_WORD])
def test_a_run_ends_with_the_same_verdict_at_the_same_step(threshold, protocol):
    formats = (q(4, 4), q(4, 0, overflow="wrap"), q(5, 11, rounding="down"), q(4, 3, rounding="stochastic", seed=5))
    for format in formats:
        for factor in (mpq(5, 4), mpq(-3, 2), mpq(9, 8), mpq(1, 2), mpq(3)):
            grows = SimpleRNN(V=[[factor]], W=[[0, 0]], b=[0], s=[mpq(1, 7)], readout_weight=[1], activation="identity")
            eos = ("a", "EOS") if protocol.reads_eos else ("a", "b")
            network = replace(grows, alphabet=eos, decision=Decision(protocol=protocol, threshold=threshold))
            found = run(network, "aaa", arithmetic=format, max_steps=40)
            there = EmulatedFixedExecutor(network, format)
            state = there.advance(there.start(), 0, 3, until_decided=False).state
            if not protocol.reads_eos:
                assert found.outcome is network.decision.outcome(there.output(state))
                continue
            rest = there.advance(state, 1, 37 if found.cycle is None else found.eos_steps, until_decided=True)
            assert found.steps == 3 + rest.steps
            assert found.outcome is (rest.outcome or without_verdict(found))


def test_a_verdict_of_the_palindrome_machine():
    net = compile(load("palindrome"))
    for word, verdict in (("abba", "accept"), ("abab", "reject")):
        assert run(net, word, arithmetic=q(8, 20)).verdict == verdict


# --- stochastic rounding


def test_the_mean_of_runs_with_stochastic_rounding_is_right():
    network = SimpleRNN(V=[[1]], W=[["1/4"]], b=[0], s=[1], readout_weight=[1], activation="identity")
    word = [mpq(1, 4)] * 60  # each adds 1/16, a quarter of the format's smallest number
    ends = [run(network, word, arithmetic=q(4, 2, rounding="stochastic", seed=n)).outputs[-1] for n in range(300)]
    assert abs(sum(ends) / 300 - 4.75) < 0.1
    assert run(network, word, arithmetic=q(4, 2)).outputs[-1] == 1
    again = run(network, word, arithmetic=q(4, 2, rounding="stochastic", seed=7))
    assert again.outputs[-1] == ends[7]


@pytest.mark.parametrize("slices", [(12,), (1,) * 12, (5, 1, 6)], ids=str)
def test_slices_take_the_same_random_numbers(slices):
    format = q(3, 4, rounding="stochastic", seed=9, accumulator=q(4, 6, rounding="stochastic", seed=1))
    network = SimpleRNN(V=[["7/8", "1/3"], ["-1/3", "1/2"]], W=[[1], ["1/5"]], b=[0, "1/9"], s=[0, 1],
                        readout_weight=[1, "1/3"])  # fmt: skip
    executor = FixedExecutor(network, format)
    whole = executor.advance(executor.start(), (mpq(1, 3),), 12, until_decided=False)
    state, outputs = executor.start(), []
    for count in slices:
        segment = executor.advance(state, (mpq(1, 3),), count, until_decided=False)
        state = segment.state
        outputs += [output for output, repetitions in segment.outputs for _ in range(repetitions)]
    assert outputs == [output for output, repetitions in whole.outputs for _ in range(repetitions)]
    assert executor.pack(state) == executor.pack(whole.state)
    same_steps(network, [((mpq(1, 3),), 12)], format)


# --- checkpoints


@pytest.mark.parametrize("format", [q(8, 8), q(3, 4, rounding="stochastic"), q(20, 30), q(20, 40), q(20, 60)], ids=str)
def test_a_run_goes_on_from_a_checkpoint_bit_for_bit(format, tmp_path):
    network = SimpleRNN(V=[["7/8"]], W=[["1/3", "1/4", "1/5"]], b=["-1/9"], s=["1/3"], readout_weight=[1],
                        activation="identity", alphabet=("a", "b", "EOS"))  # fmt: skip
    network = replace(network, decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(7)))
    whole = run(network, "abbab", arithmetic=format, max_steps=40, record="all")
    file = tmp_path / "run"
    for limit in (0, 3, 17, 40):
        part = run(network, "abbab", arithmetic=format, max_steps=limit, record="all", checkpoint=file)
    assert list(part.trace) == list(whole.trace)
    assert part.outputs[:] == whole.outputs[:]
    assert [type(x) for x in part.outputs] == [type(x) for x in whole.outputs]
    with pytest.raises(CheckpointError, match="another arithmetic"):
        run(network, "abbab", arithmetic=replace(format, overflow="wrap"), record="all", checkpoint=file)


def packed(numbers, operations="0x0"):
    return {"numbers": list(numbers), "operations": operations}


@pytest.mark.parametrize("kind", [FixedExecutor, EmulatedFixedExecutor])
@pytest.mark.parametrize(
    "data",
    [
        None, [], "0x0", ["0x0"], {}, {"numbers": ["0x0"]}, {"operations": "0x0"}, packed([]), packed(["0x0"] * 2),
        {**packed(["0x0"]), "more": 1}, packed(["0x0"], 0), packed(["0x0"], "-0x1"), packed(["0x0"], None),
        packed(["0"]), packed([0]), packed(["0x0.0p+0"]), packed(["inf"]), packed(["0x8"]), packed(["-0x81/0x10"]),
        packed(["0x1/0x20"]), packed(["0x1/0x3"]),
    ],
    ids=str,
)  # fmt: skip
def test_what_pack_cannot_have_written_is_refused(kind, data):
    executor = kind(NETWORK, q(4, 4))
    for ends in (["-0x8"], ["0x7f/0x10"]):
        back = executor.unpack(json.loads(json.dumps(packed(ends))))
        assert executor.pack(back) == packed(ends)
        assert pack_numbers(tuple(map(mpq, executor.values(back)))) == ends
    with pytest.raises(CheckpointError):
        executor.unpack(data)


def test_a_packed_state_after_more_operations_than_there_can_be():
    with pytest.raises(CheckpointError, match="more than there can have been"):
        FixedExecutor(NETWORK, q(4, 4)).unpack(packed(["0x0"], hex(2**64)))
