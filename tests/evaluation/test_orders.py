"""Orders of evaluation: over the rationals all the same; in formats each its own, with the known shortest words."""

import random
from fractions import Fraction

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import NetworkError, OptionError, UnsupportedArithmeticError
from exactnn.evaluation import affine_steps, order_of, ordered, run_in_order, runs, witness
from exactnn.evaluation.compiled_order import can_compile

ORDERS = [xn.STEP, xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(1), xn.chunkwise(3), xn.chunkwise(16)]
SCANS = {"kogge-stone": xn.KOGGE_STONE, "blelloch": xn.BLELLOCH, "chunkwise(4)": xn.chunkwise(4)}


def decays(a, alphabet="+-", inputs=(1, -1)):
    return xn.DiagonalSSM(a=[a], B=[list(inputs)], readout_weight=[1], alphabet=alphabet)


NUMBERS = st.fractions(-2, 2, max_denominator=8)


@st.composite
def recurrences(draw):
    n, d = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    matrix = st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n)
    parts = {"s": draw(st.lists(NUMBERS, min_size=n, max_size=n)), "readout_weight": [1] * n}
    if draw(st.booleans()):
        return xn.SelectiveSSM(a=draw(matrix), b=draw(matrix), **parts)
    tensor = draw(st.lists(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n),
                           min_size=n, max_size=n))  # fmt: skip
    return xn.LinearRecurrence(A=tensor, V=draw(matrix), **parts)


@given(network=recurrences(), data=st.data())
def test_over_the_rationals_all_orders_are_equal(network, data):
    d = network.circuit.input_size
    word = data.draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), max_size=9))
    reference = xn.run(network, word, xn.RATIONAL, record="all")
    for order in ORDERS:
        found = run_in_order(network, word, order, xn.EXACT, record=True)
        assert found.trace == reference.trace
        assert found.outputs == reference.outputs


@pytest.mark.slow
@given(network=recurrences(), data=st.data())
def test_step_by_pairs_is_the_executor(network, data):
    """Where the input is one-hot, the circuit's own order and that of the pairs are the same, bit for bit."""
    d = network.circuit.input_size
    word = [tuple(int(i == k) for i in range(d)) for k in data.draw(st.lists(st.integers(0, d - 1), max_size=9))]
    for format in (xn.BFLOAT16, xn.FLOAT8_E4M3, xn.FixedPoint(integer_bits=8, fraction_bits=4)):
        by_pairs, by_circuit = run_in_order(network, word, xn.STEP, format), xn.run(network, word, format)
        assert list(map(repr, by_pairs.outputs)) == list(map(repr, by_circuit.outputs))  # a NaN is no other NaN


@given(word=st.text("ab", max_size=24), chunk=st.sampled_from([1, 4, 16]))
def test_delta_rule_over_the_rationals(word, chunk):
    net = xn.word_problem("S3")
    for order in (xn.chunkwise(chunk), xn.BLELLOCH):
        found = run_in_order(net, word, order, xn.EXACT)
        assert net.decode(found.final_state) == net.decode(xn.run(net, word, xn.RATIONAL).final_state)


@given(word=st.text("+-", max_size=20), order=st.sampled_from(list(SCANS)), chunk=st.integers(1, 8))
def test_against_numpy_in_float16_and_float32(word, order, chunk):
    """The textbook's loops, in numpy scalars."""
    a = Fraction(9, 10)
    for kind, format in ((np.float16, xn.FLOAT16), (np.float32, xn.FLOAT32)):
        weight = kind(format.nearest(mpq(9, 10)))
        inputs = [kind(1 if c == "+" else -1) for c in word]
        expected = PLAIN[order](weight, inputs, kind)
        found = run_in_order(decays(a), word, SCANS[order], format)
        assert [float(x) for x in expected] == list(found.outputs)


def combine(late, early):
    return late[0] * early[0], late[0] * early[1] + late[1]


def plain_kogge_stone(a, inputs, kind):
    pairs, distance = [(a, b) for b in inputs], 1
    while distance < len(pairs):
        pairs = [combine(p, pairs[i - distance]) if i >= distance else p for i, p in enumerate(pairs)]
        distance *= 2
    return [b for _, b in pairs]


def plain_blelloch(a, inputs, kind):
    size = 1
    while size < len(inputs):
        size *= 2
    neutral = (kind(1), kind(0))
    tree = [(a, b) for b in inputs] + [neutral] * (size - len(inputs))
    distance = 1
    while distance < size:
        for i in range(2 * distance - 1, size, 2 * distance):
            tree[i] = combine(tree[i], tree[i - distance])
        distance *= 2
    tree[-1] = neutral
    while distance > 1:
        distance //= 2
        for i in range(2 * distance - 1, size, 2 * distance):
            left = tree[i - distance]
            tree[i - distance] = tree[i]
            tree[i] = combine(left, tree[i])
    return [a * tree[t][1] + b for t, b in enumerate(inputs)]


def plain_chunks(a, inputs, kind):
    found, before = [], kind(0)
    for start in range(0, len(inputs), 4):
        pair = None
        for b in inputs[start : start + 4]:
            pair = (a, b) if pair is None else combine((a, b), pair)
            found.append(pair[0] * before + pair[1])
        before = found[-1]
    return found


PLAIN = {"kogge-stone": plain_kogge_stone, "blelloch": plain_blelloch, "chunkwise(4)": plain_chunks}

WITNESSES = [
    ("kogge-stone", xn.FLOAT8_E5M2, "+--+", (0, 1 / 8)),
    ("kogge-stone", xn.FLOAT8_E4M3, "+++---+", (1 / 16, -1 / 16)),
    ("kogge-stone", xn.BFLOAT16, "---+++-", (0, 1 / 256)),
    ("blelloch", xn.FLOAT8_E5M2, 5, None),
    ("blelloch", xn.FLOAT8_E4M3, "+---+-+", None),
    ("blelloch", xn.BFLOAT16, "--+--+-+", (1 / 256, 0)),
    ("chunkwise(4)", xn.FLOAT8_E5M2, 6, None),
    ("chunkwise(4)", xn.FLOAT8_E4M3, 7, None),
    ("chunkwise(4)", xn.BFLOAT16, "---+++-", (0, 1 / 512)),
]


@pytest.mark.parametrize(("order", "format", "word", "outputs"), WITNESSES)
def test_shortest_words_that_differ(order, format, word, outputs):
    found = xn.order_witness(decays("3/4"), xn.STEP, order, format, max_length=8)
    assert found.length == len(found.word) == (word if isinstance(word, int) else len(word))
    assert isinstance(word, int) or "".join(found.word) == word
    assert outputs is None or found.outputs == outputs


@pytest.mark.parametrize("order", SCANS)
def test_no_word_where_numbers_are_signs_or_halves(order):
    assert not xn.order_witness(xn.parity_unit(), xn.STEP, order, xn.FLOAT8_E5M2, max_length=9)
    halves = decays("1/2", "01", (0, 1))
    assert not xn.order_witness(halves, xn.STEP, order, xn.BFLOAT16, max_length=9)


@pytest.mark.parametrize(
    ("order", "p3", "p4", "p8"),
    [("step", 9, 17, 257), ("kogge-stone", 13, 25, 385), ("blelloch", 25, 49, 769), ("chunkwise(16)", 9, 41, 521),
     ("chunkwise(64)", 9, 17, 545)],
)  # fmt: skip
def test_first_counts_that_are_wrong(order, p3, p4, p8):
    """More a than b, on a^i b^(i-1): the first i that is decided wrongly."""
    more_a = decays(1, "ab")
    for format, least in ((xn.FLOAT8_E5M2, p3), (xn.FLOAT8_E4M3, p4), (xn.BFLOAT16, p8)):
        for i in range(1, least + 1) if least < 60 else (least // 2, least - 1, least):
            right = bool(run_in_order(more_a, "a" * i + "b" * (i - 1), order, format).verdict)
            assert right == (i < least), (format, i)


def test_run_with_an_order():
    net, word = decays(1, "ab"), "a" * 257 + "b" * 256
    assert not xn.run(net, word, xn.BFLOAT16, order=xn.STEP).verdict
    assert xn.run(net, word, xn.BFLOAT16, order="blelloch").verdict
    assert "BLELLOCH" in xn.run(net, word, xn.BFLOAT16, order=xn.BLELLOCH).engine


def test_what_has_no_order():
    with pytest.raises(NetworkError, match=r"unit .* has the activation relu: only networks that are linear"):
        xn.run("parity", "01", order=xn.BLELLOCH)
    with pytest.raises(NetworkError, match="reads EOS"):
        xn.run("anbn", "ab", order=xn.BLELLOCH)
    with pytest.raises(UnsupportedArithmeticError, match="rounds at random"):
        run_in_order(decays(1), "+", xn.BLELLOCH, xn.FloatFormat(precision=8, exponent_bits=8, rounding="stochastic"))
    for wrong in ("scan", "step)", "blelloch()", "chunkwise(0)", "chunkwise(4", "chunkwise(4))", "chunkwise", 3, None):
        with pytest.raises(OptionError, match=r"order=.*give exactnn\.STEP"):
            order_of(wrong)
    assert [order_of(name) for name in (" Kogge-Stone ", "chunkwise(04)")] == [xn.KOGGE_STONE, xn.chunkwise(4)]


def test_orders_that_there_are_not():
    for name, chunk, message in (
        ("scan", 0, "name='scan': give one of 'STEP'"), (3, 0, "name=3"), ("chunkwise", 0, "chunk=0"),
        ("chunkwise", "x", "chunk='x'"), ("STEP", 5, "STEP with chunk=5: only 'chunkwise' has chunks"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=message):
            xn.EvaluationOrder(name, chunk)
    assert xn.EvaluationOrder("chunkwise", 4) == xn.chunkwise(4)


def test_without_symbols_there_is_one_word():
    """However long words may be, at most."""
    found = xn.order_witness(decays(1, "", ()), xn.STEP, xn.BLELLOCH, xn.BFLOAT16, max_length=10**12)
    assert (found.word, found.length) == (None, 10**12)


@pytest.mark.by_hand
def test_thousands_of_recurrences():
    rng = random.Random(28)

    def number():
        return Fraction(rng.randint(-8, 8), rng.randint(1, 8))

    for _ in range(2500):
        n = rng.randint(1, 2)
        net = xn.SelectiveSSM(
            a=[[number(), number()] for _ in range(n)], b=[[number(), number()] for _ in range(n)],
            s=[number() for _ in range(n)], readout_weight=[1] * n, alphabet="ab",
        )  # fmt: skip
        word = rng.choices("ab", k=rng.randint(0, 9))
        first, *others = ([*run_in_order(net, word, order, xn.EXACT).outputs] for order in ORDERS)
        assert all(other == first for other in others)


FORMATS = [
    xn.FLOAT64, xn.FLOAT32, xn.BFLOAT16, xn.FLOAT8_E4M3, xn.FLOAT8_E5M2,
    xn.FloatFormat(precision=6, exponent_bits=4, rounding="up"),
    xn.FloatFormat(precision=40, exponent_bits=6, rounding="down", subnormals=False),
]  # fmt: skip


@given(network=recurrences(), data=st.data())
def test_the_compiled_loop_is_the_definition(network, data):
    """Every state and output, bit for bit; a number that is not there is no rounded 0, nor is its product."""
    d = network.circuit.input_size
    word = data.draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=1, max_size=11))
    format, order = data.draw(st.sampled_from(FORMATS)), data.draw(st.sampled_from(ORDERS))
    assert can_compile(format, affine_steps(network, word))
    plain = run_in_order(network, word, order, format, record=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "PLAIN", 0)
        compiled = run_in_order(network, word, order, format, record=True)
    assert list(map(repr, plain.trace.states)) == list(map(repr, compiled.trace.states))
    assert list(map(repr, plain.outputs)) == list(map(repr, compiled.outputs))


@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_the_compiled_loop_on_long_words(order):
    word = "".join(random.Random(2).choices("+-", k=700))
    for network in (decays("9/10"), xn.DiagonalSSM(a=["9/10", ("4/5", "3/5")], B=[[1, -1]] * 3,
                                                   readout_weight=[1, 2, 3], alphabet="+-")):  # fmt: skip
        found = run_in_order(network, word, order, xn.BFLOAT16, record=True)
        recurrence = ordered.Recurrence.of(network, xn.BFLOAT16)
        states = ordered.states_in_order(recurrence, recurrence.steps(word), order)
        assert found.trace.states == tuple(map(recurrence.values, states))
        assert found.outputs[-1] == recurrence.output(states[-1])


@pytest.mark.parametrize("order", SCANS)
def test_witnesses_are_those_of_the_definition(order, monkeypatch):
    monkeypatch.setattr(witness, "PLAIN", 0)
    found = xn.order_witness(decays("3/4"), xn.STEP, order, xn.BFLOAT16, max_length=8)
    monkeypatch.setattr(witness, "can_compile", lambda arithmetic, steps: False)
    assert xn.order_witness(decays("3/4"), xn.STEP, order, xn.BFLOAT16, max_length=8) == found


def test_sums_of_composites_go_from_the_first_column_to_the_last():
    """A product whose entries came about in another order: 3 numbers, the first reads the third and the second."""
    A = [[0, "1/3", "1/3"], [0, 0, "1/5"], ["1/7", 0, 0]]
    net = xn.LinearRecurrence(A=[[[x] for x in row] for row in A], s=[1, 2, 3], readout_weight=[1, 1, 1], alphabet="a")
    recurrence = ordered.Recurrence.of(net, xn.BFLOAT16)
    (step,) = recurrence.steps("a")
    twice = recurrence.combined(step, step)
    assert all(list(row) == sorted(row) for row in twice[0])
    assert all(list(row) == sorted(row) for row in recurrence.combined(twice, step)[0])


def test_a_recurrence_without_a_matrix():
    """All entries are 0, so that nothing is multiplied."""
    net = xn.SelectiveSSM(a=[[0, 0]], b=[[1, -1]], readout_weight=[1], alphabet="+-")
    word = "+-+" * 100
    assert run_in_order(net, word, xn.BLELLOCH, xn.FLOAT16).outputs == xn.run(net, word, xn.FLOAT16).outputs
