"""Depth: the delay law both ways, flattening and poles, degrees of obstruction, Jacobians as finite differences."""

from dataclasses import replace
from itertools import pairwise, product
from math import comb, factorial
from random import Random

import pytest
from gmpy2 import mpq
from hypothesis import given

import exactnn as xn
from exactnn.errors import (
    ConstructionError,
    NetworkError,
    OptionError,
    SizeLimitError,
    WordError,
)
from exactnn.linear_algebra import polynomial_product, polynomial_sum
from exactnn.networks import Protocol
from exactnn.strategies import linear_rnns, networks


def impulses(network, length):
    """Return for each output and input the responses to a 1 and then zeros, without biases."""
    plain = xn.LinearRNN(layers=network.layers, readout=network.readout)
    width = len(network.layers[0][1][0])
    found = [[[] for _ in range(width)] for _ in network.readout]
    for i in range(width):
        word = [[int(i == j and not t) for j in range(width)] for t in range(length)]
        for output in xn.run(plain, word).outputs:
            values = output if isinstance(output, tuple) else (output,)
            for row, value in zip(found, values, strict=True):
                row[i].append(value)
    return found


@pytest.mark.parametrize(("n", "layers"), list(product(range(1, 6), range(1, 5))))
def test_the_delay_law_both_ways(n, layers):
    """All d <= n and p <= 20: what is realisable delays random words, and what is not is refused with the proof."""
    random = Random(1000 * n + layers)
    for d, p in product(range(1, n + 1), range(21)):
        realisable = p * d <= layers * (n - d)
        assert xn.delay_is_realisable(p, units=n, layers=layers, inputs=d) is realisable
        if not realisable:
            with pytest.raises(ConstructionError, match=rf"degree {layers} \({n} - {d}\) = {layers * (n - d)} "):
                xn.delay(p, units=n, layers=layers, inputs=d)
            continue
        network = xn.delay(p, units=n, layers=layers, inputs=d)
        assert all(len(a) == n for a, _ in network.layers)
        assert len(network.layers) == layers
        word = [[random.randint(-9, 9) for _ in range(d)] for _ in range(p + 4)]
        outputs = [y if isinstance(y, tuple) else (y,) for y in xn.run(network, word).outputs]
        assert [list(y) for y in outputs] == [[0] * d] * p + word[: len(word) - p]


@pytest.mark.parametrize(("n", "layers"), [(1, 1), (2, 1), (2, 3), (3, 2), (4, 3)])
def test_a_delay_is_its_power_of_z(n, layers):
    p = layers * (n - 1)
    network = xn.delay(p, units=n, layers=layers)
    function = network.transfer_function()
    assert (function.numerator, function.denominator) == ((0,) * p + (1,), (1,))
    assert function.degree == network.hankel_rank() == p + 1


@given(linear_rnns(square=True))
def test_the_determinant_has_no_larger_degree_than_the_law_says(network):
    """In lowest terms its numerator has degree L (n - d) at most; that of the delay by p steps is z^(p d)."""
    d, n, layers = len(network.readout), len(network.layers[0][0]), len(network.layers)
    entries = network.transfer_function()
    if d == 1:
        determinant = entries
    else:
        (a, b), (c, e) = entries
        one = polynomial_product(a.numerator, e.numerator), polynomial_product(a.denominator, e.denominator)
        two = polynomial_product(b.numerator, c.numerator), polynomial_product(b.denominator, c.denominator)
        above = polynomial_sum(polynomial_product(one[0], two[1]), polynomial_product(two[0], one[1]), mpq(-1))
        determinant = xn.RationalFunction.reduced(above, polynomial_product(one[1], two[1]))
    assert len(determinant.numerator) - 1 <= layers * (n - d)


@pytest.mark.parametrize(("n", "layers", "d"), [(2, 1, 1), (3, 2, 1), (3, 2, 2), (4, 1, 2), (3, 4, 2)])
def test_the_delay_attains_that_degree(n, layers, d):
    """So the bound of the law is no smaller than it could be."""
    p = layers * (n - d) // d
    entries = xn.delay(p, units=n, layers=layers, inputs=d).transfer_function()
    diagonal = [entries] if d == 1 else [entries[i][i] for i in range(d)]
    assert sum(len(entry.numerator) - 1 for entry in diagonal) == p * d > (layers * (n - d)) - d


@given(linear_rnns())
def test_flattened_is_the_same_network(network):
    flat = network.flattened()
    width = len(network.layers[0][1][0])
    word = [[(3 * t + 5 * i) % 7 - 3 for i in range(width)] for t in range(4)]
    deep, wide = (xn.run(net, word, record="all") for net in (network, flat))
    assert deep.outputs == wide.outputs
    assert list(deep.trace) == list(wide.trace)
    assert network.hankel_rank() == flat.hankel_rank() <= network.units


@given(linear_rnns())
def test_the_transfer_function_is_the_series_of_the_responses(network):
    function = network.transfer_function()
    rows = ((function,),) if isinstance(function, xn.RationalFunction) else function
    for found, expected in zip(rows, impulses(network, 6), strict=True):
        for one, series in zip(found, expected, strict=True):
            assert list(one.series(6)) == series
            assert one.denominator[0] == 1
    if len(rows) == 1 == len(rows[0]):
        assert rows[0][0].degree == network.hankel_rank()


@pytest.mark.parametrize("layers", range(1, 6))
@pytest.mark.parametrize("n", [1, 2])
def test_a_cascade_with_all_poles_apart_attains_the_rank(n, layers):
    """H(n, L) is in H(nL, 1), and L + 1 layers do more than L, for n = 1 too: ranks 2, 3, 4, 5 of L + 1 = 2 to 5."""
    poles = iter(mpq(1, k) for k in range(2, 20))
    pairs = []
    for layer in range(layers):
        a = [[next(poles) if i == j else 0 for j in range(n)] for i in range(n)]
        pairs.append((a, [[1] * (n if layer else 1)] * n))
    network = xn.LinearRNN(layers=pairs, readout=[1] * n)
    assert network.hankel_rank() == n * layers
    assert network.transfer_function().degree == n * layers


def test_parameters_by_depth():
    for p in range(1, 30):
        found = xn.depth_parameters(p)
        assert found.rows[0] == (p + 1, 1, p * p + 4 * p + 3, p * p + 5 * p + 4)
        assert found.rows[-1] == (2, p, 8 * p, 10 * p)
        for units, layers, parameters, _ in found.rows:
            network = xn.delay(p, units=units, layers=layers)
            entries = sum(len(m) * len(m[0]) for pair in network.layers for m in pair) + units
            assert parameters == entries
            assert not xn.delay_is_realisable(p, units=units - 1, layers=layers) if units > 1 else True
    cheaper = [p for p in range(1, 12) if 8 * p < p * p + 4 * p + 3]
    assert cheaper[0] == 4
    with_biases = [p for p in range(1, 12) if 10 * p < p * p + 5 * p + 4]
    assert with_biases[0] == 5
    cheapest = {p: xn.depth_parameters(p).cheapest for p in (1, 2, 3, 4, 8, 16, 32, 64)}
    assert {p: row[2] for p, row in cheapest.items()} == {1: 8, 2: 15, 3: 24, 4: 32, 8: 64, 16: 128, 32: 256, 64: 512}
    assert (cheapest[1][:2], cheapest[2][:2], cheapest[64][:2]) == ((2, 1), (3, 1), (2, 64))
    assert xn.depth_parameters(3).as_table().rows


def test_where_the_activation_is():
    """Before the recurrence or after it: two different networks, each as its equation says."""
    a, b, word = [["1/2"]], [[-1]], [[1], [-2], [3], [1]]

    def relu(x):
        return max(x, mpq(0))

    states = {"post-activation": [mpq(0)] * 2, "pre-activation": [mpq(0)] * 2}
    for recurrent, h in states.items():
        network = xn.LinearRNN(layers=[(a, b), (a, b)], readout=[1], activation="relu", recurrent=recurrent)
        assert not network.is_linear
        for (x,), output in zip(word, xn.run(network, word).outputs, strict=True):
            if recurrent == "post-activation":
                h[0] = relu(h[0] / 2 - x)
                h[1] = relu(h[1] / 2 - h[0])
                assert output == h[1]
            else:
                h[0] = h[0] / 2 - x
                h[1] = h[1] / 2 - relu(h[0])
                assert output == relu(h[1])
        with pytest.raises(NetworkError, match="not linear"):
            network.flattened()
        last = xn.run(network, word).final_state
        assert network.decode(last) == ((h[0],), (h[1],))


@given(linear_rnns(max_outputs=1).filter(lambda net: len(net.layers[0][1][0]) == 2 and net.network.scalar_output))
def test_affine_networks_have_no_second_difference(linear):
    network = linear.network
    found = xn.affine_obstruction(replace(network, alphabet=("a", "b")))
    assert found.is_affine
    values = [xn.run(network, [[a == "a", a == "b"] for a in word]).outputs[-1] for word in ("aa", "ab", "ba", "bb")]
    assert found.values == tuple(values)
    assert values[0] - values[1] - values[2] + values[3] == 0


def test_relus_that_stay_on_one_side_are_affine():
    """With a small weight no unit changes sides on words of two symbols; with a large one the second one does."""
    layers = [
        xn.SimpleRNNLayer(V=[[1]], W=[[1, 2]], b=[0], s=[0], activation="identity"),
        xn.SimpleRNNLayer(V=[[0]], W=[[1]], b=["-2"], s=[0], activation="relu"),
        xn.SimpleRNNLayer(V=[[0]], W=[[1]], b=["-1"], s=[0], activation="relu"),
    ]
    one_side = xn.affine_obstruction(xn.StackedRNN(layers[:2], readout_weight=[1], alphabet="ab"))
    assert (one_side.values, one_side.is_affine, one_side.sources) == ((0, 1, 1, 2), True, ())
    both_sides = xn.affine_obstruction(xn.StackedRNN(layers, readout_weight=[1], alphabet="ab"))
    assert (both_sides.values, both_sides.difference) == ((0, 0, 0, 1), 1)
    assert both_sides.sources == (layers_units(layers)[2],)


def layers_units(layers):
    return [layer[0].name for layer in xn.StackedRNN(layers, readout_weight=[1]).circuit.layers]


@given(networks(protocols=[Protocol.OUTPUTS]).filter(lambda net: len(net.alphabet or ()) > 1 and net.scalar_output))
def test_a_second_difference_has_a_source(network):
    """Any circuit: a difference of the output comes from a unit, and a unit that is a source is no affine one."""
    found = xn.affine_obstruction(network)
    assert found.sources or found.is_affine
    units = [*(unit for layer in network.circuit.layers for unit in layer), *network.readout]
    plain = {unit.name for unit in units if not unit.bilinear and unit.activation == xn.Activation.IDENTITY}
    assert not plain & set(found.sources)


def test_parity_is_not_affine():
    parity = xn.SecondOrderRNN(A=[[[1, -1]]], s=[1], readout_weight=[1], alphabet="ab")
    found = xn.affine_obstruction(parity)
    assert (found.values, found.difference, found.is_affine) == ((1, -1, -1, 1), 4, False)
    assert "no network that is affine" in str(found.as_table().rows)
    compiled = xn.affine_obstruction(xn.compile(xn.load("sign-of-parity")))
    assert compiled.difference == 4
    for given_, message in (({"symbols": "aa"}, "two different"), ({"symbols": "a"}, "two different")):
        with pytest.raises(OptionError, match=message):
            xn.affine_obstruction(parity, **given_)
    with pytest.raises(WordError):
        xn.affine_obstruction(parity, symbols="xy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: xn.delay(-1, units=2, layers=1), "p=-1"),
        (lambda: xn.delay(1, units=0, layers=1), "units=0"),
        (lambda: xn.delay(1, units=1, layers=1, inputs=2), "give at least 2 units"),
        (lambda: xn.delay(10**4, units=10**4 + 1, layers=1), "more than 10,000,000 weights"),
        (lambda: xn.delay_is_realisable(1.5, units=2, layers=1), "p=1.5"),
        (lambda: xn.depth_parameters(0), "p=0"),
    ],
)
def test_wrong_delays_are_refused(call, message):
    with pytest.raises(ConstructionError, match=message):
        call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layers": []}, "layers is empty"),
        ({"layers": [([[1]], [[1]], [[1]])]}, "give the pair"),
        ({"layers": [([[1, 2]], [[1]])]}, "2 entries"),
        ({"layers": [([[1]], [[1]]), ([[1]], [[1, 1]])]}, "2 entries"),
        ({"readout": [1, 1]}, "readout"),
        ({"biases": []}, "give one for each"),
        ({"recurrent": "both"}, "pre-activation"),
        ({"layers": [([], [])]}, "is empty"),
    ],
)
def test_wrong_layers_are_refused(options, message):
    with pytest.raises(NetworkError, match=message):
        xn.LinearRNN(**({"layers": [([[1]], [[1]])], "readout": [1]} | options))


def second_order_stack(layers):
    layer = xn.SecondOrderRNNLayer(A=[[[1]]], s=[1])
    return xn.StackedRNN([layer] * layers, readout_weight=[1])


@pytest.mark.parametrize(("layers", "steps"), [*product(range(1, 5), range(1, 5)), (1, 5), (2, 5), (3, 5), (4, 5)])
def test_degrees_of_second_order_layers(layers, steps):
    """binom(t + L - 1, L), and binom(t + L - 2, L - 1) in the first input alone; t = 5 gives 5, 15, 35, 70."""
    network = second_order_stack(layers)
    found = xn.polynomial_degree(network, steps)
    assert (found.degree, found.bound, found.is_exact) == (comb(steps + layers - 1, layers),) * 2 + (True,)
    alone = xn.polynomial_degree(network, steps, input=1)
    assert (alone.degree, alone.is_exact) == (comb(steps + layers - 2, layers - 1), True)


@pytest.mark.parametrize(("layers", "steps"), [(1, 4), (2, 2), (2, 3), (3, 2)])
def test_degrees_are_those_of_finite_differences(layers, steps):
    """Along the line of the witness the difference of that order is degree! times the leading coefficient."""
    network = second_order_stack(layers)
    found = xn.polynomial_degree(network, steps)
    values = []
    for s in range(found.degree + 2):
        word = [
            [x + s * y for x, y in zip(b, d, strict=True)] for b, d in zip(found.base, found.direction, strict=True)
        ]
        values.append(xn.run(network, word, arithmetic=xn.RATIONAL).outputs[-1])
    differences = values
    for _ in range(found.degree):
        differences = [y - x for x, y in pairwise(differences)]
    assert set(differences) == {found.leading * factorial(found.degree)}


def test_random_second_order_layers_reach_no_more_and_often_less():
    """Two layers of two units after two steps: degree 3 is the most, and with weights -1, 0, 1 there are all below."""
    random, degrees = Random(2), set()
    for _ in range(60):
        layers = []
        for width in (1, 2):
            tensor = [[[random.choice((-1, 0, 1)) for _ in range(width)] for _ in range(2)] for _ in range(2)]
            direct = [[random.choice((-1, 0, 1)) for _ in range(width)] for _ in range(2)]
            layers.append(xn.SecondOrderRNNLayer(A=tensor, V=direct, s=[random.choice((0, 1)) for _ in range(2)]))
        found = xn.polynomial_degree(xn.StackedRNN(layers, readout_weight=[1, 1]), 2)
        assert found.degree <= found.bound <= comb(2 + 2 - 1, 2)
        degrees.add(found.degree)
    assert degrees == {-1, 1, 2, 3}  # -1 is that of the output 0


def test_five_units_have_the_parity_of_every_word():
    """Though the exclusive or is no monotone function of a sum: its second difference is not 0."""
    transitions = {"even": {"a": "even", "b": "odd"}, "odd": {"a": "odd", "b": "even"}}
    parity = xn.DFA(
        states=["even", "odd"], input_symbols="ab", transitions=transitions, initial_state="even", final_states=["odd"]
    )
    construction = xn.minsky(parity)
    assert construction.network.neurons == 5
    for length in range(8):
        for word in product("ab", repeat=length):
            assert (xn.run(construction, word).verdict is xn.Verdict.ACCEPT) is bool(word.count("b") % 2)
    one_step = {(h, x): h ^ x for h, x in product((0, 1), repeat=2)}
    assert one_step[0, 0] - one_step[0, 1] - one_step[1, 0] + one_step[1, 1] == -2


def test_degrees_below_the_bound_are_said_to_be_that():
    nothing = xn.StackedRNN([xn.SecondOrderRNNLayer(A=[[[1], [-1]], [[1], [-1]]], s=[1, 1])], readout_weight=[1, 1])
    found = xn.polynomial_degree(nothing, 2)
    assert (found.degree, found.bound, found.is_exact) == (-1, 2, False)
    assert "at least -1, at most 2" in str(found.as_table().rows)
    assert xn.polynomial_degree(second_order_stack(1), 0).degree == 0
    affine = xn.LinearRNN(layers=[([["1/2"]], [[1]])] * 3, readout=[1])
    assert xn.polynomial_degree(affine, 3).degree == 1
    for call, error, message in (
        (lambda: xn.polynomial_degree(xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1]), 2),
         OptionError, "activation relu"),
        (lambda: xn.polynomial_degree(second_order_stack(4), 30), SizeLimitError, "above 1,000"),
        (lambda: xn.polynomial_degree(affine, 3, input=4), OptionError, "input=4"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("seed", range(12))
def test_a_deep_transition_folds_into_a_simple_rnn(seed):
    """Lemma 4.4: the same outputs at every length, in as many steps a symbol as the step has layers."""
    random = Random(seed)

    def matrix(height, width):
        return [[mpq(random.randint(-4, 4), random.randint(1, 3)) for _ in range(width)] for _ in range(height)]

    depth, n, m = 1 + seed % 3, 2, 3
    widths = [m] * (depth - 1) + [n]
    network = xn.DeepTransitionRNN(
        V=matrix(widths[0], n), W=matrix(widths[0], 2), b=matrix(1, widths[0])[0], s=matrix(1, n)[0],
        transitions=[(matrix(size, below), matrix(1, size)[0]) for below, size in pairwise(widths)],
        readout_weight=matrix(1, n)[0], alphabet="ab",
    )  # fmt: skip
    folded = xn.fold_network(network)
    for word in ("", "a", "ba", "abba", "aabbab"):
        one = xn.run(network, word)
        other = xn.run(folded.network, folded.pad(word))
        last = one.outputs[-1] if word else one.initial_output
        assert (other.outputs[-1] if len(other.outputs) else other.initial_output) == last
        assert len(folded.pad(word)) == depth * len(word)


def test_a_linear_rnn_is_taken_wherever_a_network_is():
    network = xn.LinearRNN(layers=[([["1/3"]], [[1]]), ([["1/2", 0], [1, 0]], [[1], [0]])], readout=[1, 1])
    word = [[1], [0], [2]]
    exact = xn.run(network, word)
    assert network.decode(exact.final_state) == (exact.final_state[:1], exact.final_state[1:])
    assert exact.machine_steps == 3
    found = xn.first_divergence(network, word, xn.FLOAT16)
    assert found.value.step == 2
    assert xn.collapse(network, [word], [xn.FLOAT16, xn.FLOAT64])
    assert xn.error_growth(network, word, [xn.FLOAT32]).formats
