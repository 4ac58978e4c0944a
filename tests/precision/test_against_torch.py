"""Float runs beside torch.nn.RNN: bit for bit where no order of a sum matters or it is the same, else within a bound.

torch computes ``relu((W_hh h + b_hh) + (W_ih x + b_ih))``; the two products are those of the BLAS library, which sums
in an order of its own, and fuses or not, depending on the processor, on the sizes, and on the row. `sums_in_order`
finds out what it does here, so that nothing is claimed of a machine that nobody has seen.
"""

import warnings
from fractions import Fraction
from itertools import permutations

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn import (
    FLOAT32,
    FLOAT64,
    RATIONAL,
    Activation,
    FloatFormat,
    SimpleRNN,
    compile,
    load,
    required_bits,
    run,
    siegelmann_sontag,
)
from exactnn.networks import Circuit, Network, Unit
from tests.plain_circuit import bits, fraction

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch

FORMATS = {FLOAT32: torch.float32, FLOAT64: torch.float64}
both_formats = pytest.mark.parametrize("format", FORMATS, ids=str)


def torch_rnn(network_or_sizes, format):
    """Return a torch.nn.RNN of these sizes (input, hidden), or with the weights of a simple RNN: b_hh = b, b_ih = 0."""
    if isinstance(network_or_sizes, tuple):
        return torch.nn.RNN(*network_or_sizes, nonlinearity="relu", dtype=FORMATS[format])
    circuit = network_or_sizes.circuit
    (units,) = circuit.layers
    assert all(unit.activation == Activation.RELU and not unit.bilinear for unit in units)
    rnn = torch_rnn((circuit.input_size, circuit.state_size), format)
    dense = torch.zeros(circuit.state_size, circuit.state_size + circuit.input_size, dtype=torch.float64)
    for j, unit in enumerate(units):
        for register, weight in unit.linear:
            dense[j, register] = format.nearest(weight)
    set_weights(
        rnn,
        W_hh=dense[:, : circuit.state_size],
        W_ih=dense[:, circuit.state_size :],
        b_hh=torch.tensor([format.nearest(unit.bias) for unit in units], dtype=torch.float64),
        b_ih=torch.zeros(circuit.state_size),
    )
    return rnn


def set_weights(rnn, *, W_hh, W_ih, b_hh, b_ih):
    with torch.no_grad():
        rnn.weight_hh_l0.copy_(W_hh)
        rnn.weight_ih_l0.copy_(W_ih)
        rnn.bias_hh_l0.copy_(b_hh)
        rnn.bias_ih_l0.copy_(b_ih)


def simple_rnn(rnn):
    """Return the network of the library's own with torch's weights, its two biases added exactly."""
    return SimpleRNN(
        V=rnn.weight_hh_l0.tolist(),
        W=rnn.weight_ih_l0.tolist(),
        b=[mpq(a) + mpq(b) for a, b in zip(rnn.bias_hh_l0.tolist(), rnn.bias_ih_l0.tolist(), strict=True)],
        s=[0] * rnn.hidden_size,
        readout_weight=[0] * rnn.hidden_size,
    )


def in_torch_order(rnn, *, bias_first=False):
    """Return torch's equations as a circuit that sums as they are written: ((W_hh h) + b_hh) + ((W_ih x) + b_ih).

    With `bias_first` both products begin with their bias.
    """
    size, width = rnn.hidden_size, rnn.input_size
    first = size + width
    weights = [*rnn.weight_hh_l0.tolist(), *rnn.weight_ih_l0.tolist()]
    biases = [mpq(b) for b in (*rnn.bias_hh_l0.tolist(), *rnn.bias_ih_l0.tolist())]
    registers = [range(size)] * size + [range(size, first)] * size
    dots = [
        Unit(name="dot", bias=b if bias_first else mpq(0), linear=tuple(zip(read, map(mpq, row), strict=True)))
        for read, row, b in zip(registers, weights, biases, strict=True)
    ]
    sums = [
        Unit(name="sum", bias=mpq(0) if bias_first else b, linear=((first + i, mpq(1)),)) for i, b in enumerate(biases)
    ]
    second = first + 2 * size
    h = [
        Unit(
            name=f"h[{j}]",
            bias=mpq(0),
            linear=((second + j, mpq(1)), (second + size + j, mpq(1))),
            activation=Activation.RELU,
        )
        for j in range(size)
    ]
    third = second + 2 * size
    circuit = Circuit(
        state_size=size,
        input_size=width,
        layers=(tuple(dots), tuple(sums), tuple(h)),
        next_state=tuple(range(third, third + size)),
    )
    readout = (Unit(name="output", bias=mpq(0)),)
    return Network(circuit=circuit, initial_state=(mpq(0),) * size, readout=readout)


def torch_states(rnn, inputs, start=None):
    """Return the state after every step; each step is a call of its own, with a batch of one."""
    h = torch.zeros(1, rnn.hidden_size, dtype=rnn.weight_hh_l0.dtype) if start is None else start
    states = [h]
    with torch.no_grad():
        for x in inputs:
            _, h = rnn(torch.as_tensor(x, dtype=h.dtype).reshape(1, -1), h)
            states.append(h)
    return [tuple(state[0].tolist()) for state in states]


def our_states(network, inputs, format):
    return list(run(network, [list(x) for x in inputs], arithmetic=format, record="all").trace)


def one_hot(indices, width):
    return [[float(i == j) for j in range(width)] for i in indices]


def random_rnn(sizes, format, seed):
    torch.manual_seed(seed)
    rnn = torch_rnn(sizes, format)
    with torch.no_grad():
        for weights in rnn.parameters():
            weights.normal_(std=0.5)
    return rnn


def dots(row, column, format, batch, bias=0.0):
    """Return all that torch makes of one sum: in every row of a square matrix, for every copy of a batch."""
    rows = torch.tensor(row, dtype=FORMATS[format]).expand(len(row), -1).contiguous()
    columns = torch.tensor(column, dtype=FORMATS[format]).expand(batch, -1).contiguous()
    return set(
        torch.nn.functional.linear(columns, rows, torch.full([len(row)], bias, dtype=rows.dtype)).flatten().tolist()
    )


def huge_of(size, format):
    """Return a number that swallows `size` ones."""
    return 2.0 ** (format.precision + 2 + size.bit_length())


def begins_with_the_bias(size, format, *, batch):
    """Whether a bias M meets the product -M at once, so that the ones after it survive, or last, when they are gone."""
    huge = huge_of(size, format)
    survivors = dots([1.0] * size, placed(size, {0: -huge}, 1.0), format, batch, bias=huge)
    assert survivors in ({size - 1.0}, {0.0})
    return survivors != {0.0}


def placed(size, numbers, others):
    return [numbers.get(i, others) for i in range(size)]


def sums_in_order(size, format, *, batch=1, fused=False):
    """Whether torch sums `size` products from the first to the last, each rounded, or each fused.

    With M so large that M + 1 rounds to M, the sum of M, -M and ones is the number of ones that M never met: those
    after both. And a product that is rounded cancels with its rounded value, which comes before it; one that is
    fused does not.
    """
    huge, factor = huge_of(size, format), 1 + 2.0 ** -((format.precision + 1) // 2)
    square = format.nearest(mpq(factor) ** 2)
    for i, j in permutations(range(size), 2):
        column = placed(size, {i: huge, j: -huge}, 1.0)
        if dots([1.0] * size, column, format, batch) != {size - 1.0 - max(i, j)}:
            return False
        row, column = placed(size, {i: factor, j: -square}, 0.0), placed(size, {i: factor, j: 1.0}, 0.0)
        if (dots(row, column, format, batch) != {0.0}) != (fused and j < i):
            return False
    return True


@both_formats
@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (2, 2), (2, 3), (3, 4), (4, 4)])
def test_small_networks_in_torch_order_are_equal_bit_for_bit(sizes, format):
    """Any weights, any input: up to four numbers are summed in order by the BLAS libraries that we have seen."""
    if not all(sums_in_order(size, format) for size in sizes):
        pytest.skip(f"here torch sums {max(sizes)} products in another order than the first to the last, or fused")
    for seed in range(8):
        rnn = random_rnn(sizes, format, seed)
        inputs = torch.randn(25, sizes[0], dtype=FORMATS[format]).tolist()
        assert bits(our_states(in_torch_order(rnn), inputs, format)) == bits(torch_states(rnn, inputs))


@both_formats
def test_a_small_simple_rnn_without_biases_is_equal_bit_for_bit_on_one_hot_inputs(format):
    """Then both sum 0 + v1 h1 + ... + vn hn + w, in this order."""
    for size in (1, 2, 3, 4):
        if not sums_in_order(size, format):
            pytest.skip(f"here torch sums {size} products in another order than the first to the last, or fused")
        rnn = random_rnn((3, size), format, size)
        with torch.no_grad():
            rnn.bias_hh_l0.zero_()
            rnn.bias_ih_l0.zero_()
        inputs = one_hot([i * i % 3 for i in range(40)], 3)
        assert bits(our_states(simple_rnn(rnn), inputs, format)) == bits(torch_states(rnn, inputs))


@both_formats
@pytest.mark.parametrize("size", [12, 24, 32])
def test_a_batch_in_torch_is_a_fused_float_run_bit_for_bit(size, format):
    """Any weights, any input, where torch multiplies matrices by fused operations from the first to the last."""
    if not sums_in_order(size, format, batch=16, fused=True):
        pytest.skip(f"here torch sums {size} products in another order than the first to the last, or not fused")
    rnn = random_rnn((size, size), format, size)
    inputs = torch.randn(6, 16, size, dtype=FORMATS[format])
    h = torch.zeros(1, 16, size, dtype=FORMATS[format])
    states = [h[0].tolist()]
    with torch.no_grad():
        for x in inputs:
            _, h = rnn(x[None], h)
            states.append(h[0].tolist())
    fused = FloatFormat(precision=format.precision, exponent_bits=format.exponent_bits, fused=True)
    network = in_torch_order(rnn, bias_first=begins_with_the_bias(size, format, batch=16))
    for row in (0, 5, 15):
        ours = our_states(network, inputs[:, row].tolist(), fused)
        assert bits(ours) == bits([state[row] for state in states])


@both_formats
@given(size=st.integers(1, 48), seed=st.integers(0, 999), word=st.lists(st.integers(0, 3), max_size=30))
def test_one_power_of_two_per_row_is_equal_bit_for_bit_in_any_order(format, size, seed, word):
    """Then h' = relu(((v h) + b) + w) with an exact product: nothing to fuse, nothing to reorder, and yet rounded."""
    rnn = random_rnn((4, size), format, seed)
    order = torch.randperm(size)
    powers = torch.tensor([-0.5, 0.5, 1.0, 0.25], dtype=FORMATS[format])[torch.randint(4, (size, 1))]
    set_weights(
        rnn,
        W_hh=torch.eye(size)[order] * powers,
        W_ih=rnn.weight_ih_l0,
        b_hh=rnn.bias_hh_l0,
        b_ih=torch.zeros(size),
    )
    inputs = one_hot(word, 4)
    assert bits(our_states(simple_rnn(rnn), inputs, format)) == bits(torch_states(rnn, inputs))


def unit_of(numbers):
    """Return the largest power of two that divides dyadic numbers."""
    units = [Fraction(abs(x.numerator) & -abs(x.numerator), x.denominator) for x in numbers if x]
    return min(units, default=Fraction(1))


def order_free(network, state, x, format):
    """Whether every sum of some of the products is a number of the format, for each unit: then no order can matter."""
    registers = [*map(fraction, map(mpq, state)), *map(Fraction, x)]
    for unit in network.circuit.layers[0]:
        terms = [fraction(unit.bias), *(fraction(weight) * registers[r] for r, weight in unit.linear)]
        if sum(map(abs, terms)) > 2**format.precision * unit_of(terms):
            return False
    return True


EIGHTHS = st.integers(-12, 12).map(lambda k: k / 8)


@both_formats
@settings(max_examples=30)
@given(data=st.data(), size=st.integers(1, 24), batch=st.sampled_from([1, 8, 16]))
def test_sums_that_are_exact_in_any_order_are_equal_bit_for_bit(format, data, size, batch):
    """Any size and batch, fused or not: as long as no partial sum needs more bits than there are."""
    seed = data.draw(st.integers(0, 9999))
    generator = torch.Generator().manual_seed(seed)

    def eighths(*shape):
        return torch.randint(-12, 13, shape, generator=generator) / 8

    rnn = torch_rnn((3, size), format)
    set_weights(rnn, W_hh=eighths(size, size), W_ih=eighths(size, 3), b_hh=eighths(size), b_ih=torch.zeros(size))
    network = simple_rnn(rnn)
    inputs = [data.draw(st.lists(EIGHTHS, min_size=3, max_size=3)) for _ in range(8)]
    ours = our_states(network, inputs, format)
    h = torch.zeros(1, batch, size, dtype=FORMATS[format])
    assert order_free(network, ours[0], inputs[0], format)
    for t, x in enumerate(inputs):
        if not order_free(network, ours[t], x, format):
            break
        with torch.no_grad():
            _, h = rnn(torch.tensor(x, dtype=h.dtype).expand(1, batch, 3), h)
        assert {bits(row) for row in h[0].tolist()} == {bits(ours[t + 1])}


@both_formats
def test_compiled_automata_are_equal_bit_for_bit(format):
    network = compile(load("parity")).network
    rnn = torch_rnn(network, format)
    word = "0110100110010110" * 8
    states = list(run(network, word, arithmetic=format, record="all").trace)
    inputs = one_hot([network.alphabet.index(a) for a in word], len(network.alphabet))
    start = torch.tensor([[float(x) for x in network.initial_state]], dtype=FORMATS[format])
    assert bits(torch_states(rnn, inputs, start)) == bits(states)


@both_formats
def test_a_turing_machine_collapses_in_torch_too(format):
    """The palindrome machine inside torch.nn.RNN: exact while no order can matter, wrong once a state does not fit.

    In between the order decides: where this was written, torch's float64 lost a^17, which the library's own gets right.
    """
    network = siegelmann_sontag(load("palindrome"), activation="relu").network
    rnn = torch_rnn(network, format)
    start = torch.tensor([[float(x) for x in network.initial_state]], dtype=FORMATS[format])
    free, wrong = [], []
    for length in range(21):
        exact = run(network, "a" * length, arithmetic=RATIONAL, record="all")
        inputs = one_hot([0] * length + [network.alphabet.index("EOS")] * exact.eos_steps, len(network.alphabet))
        theirs = torch_states(rnn, inputs, start)
        if all(order_free(network, state, x, format) for state, x in zip(exact.trace, inputs, strict=False)):
            free.append(length)
            assert theirs == list(exact.trace)
        most = required_bits(exact).most
        if most is None or most > format.precision:
            wrong.append(length)
            assert theirs != list(exact.trace)
    assert free == list(range(len(free)))
    assert (free[-1], wrong[0]) == ((6, 8) if format is FLOAT32 else (15, 18))


def gamma(terms, format):
    """Return how far a sum of so many rounded products is off, in any order, relative to the sum of their sizes."""
    return (1 + fraction(format.unit_roundoff)) ** (terms + 1) - 1


@both_formats
@pytest.mark.parametrize("size", [5, 16, 64])
@pytest.mark.parametrize("batch", [1, 16])
def test_otherwise_both_are_within_the_rounding_bound_of_the_exact_step(format, size, batch):
    """|computed - exact| <= ((1 + u)^(n+1) - 1) (sum of |w x|), n terms with the biases; u = 2^-p. No exceptions."""
    for seed in range(3):
        rnn = random_rnn((3, size), format, seed)
        h = torch.randn(1, batch, size, dtype=FORMATS[format])
        x = torch.randn(1, batch, 3, dtype=FORMATS[format])
        with torch.no_grad():
            theirs = rnn(x, h)[1][0].tolist()
        network = in_torch_order(rnn)
        for row in range(0, batch, 5):
            ours = one_step(simple_rnn(rnn), h[0, row].tolist(), x[0, row].tolist(), format)
            ordered = one_step(network, h[0, row].tolist(), x[0, row].tolist(), format)
            for j, (exact, sizes, terms) in enumerate(exact_step(rnn, h[0, row].tolist(), x[0, row].tolist())):
                for computed in (theirs[row][j], ours[j], ordered[j]):
                    assert abs(Fraction(computed) - exact) <= gamma(terms, format) * sizes


def one_step(network, h, x, format):
    """Return the state after one step from h."""
    begun = Network(circuit=network.circuit, initial_state=tuple(map(mpq, h)), readout=network.readout)
    return run(begun, [x], arithmetic=format).final_state


def exact_step(rnn, h, x):
    """Yield for each unit its exact value, the sum of the sizes of its terms, and their number."""
    registers = list(map(Fraction, [*h, *x, 1.0, 1.0]))
    rows = torch.cat(
        [rnn.weight_hh_l0, rnn.weight_ih_l0, rnn.bias_hh_l0[:, None], rnn.bias_ih_l0[:, None]], dim=1
    ).tolist()
    for row in rows:
        terms = [Fraction(w) * r for w, r in zip(row, registers, strict=True)]
        yield max(Fraction(0), sum(terms)), sum(map(abs, terms)), len(terms)
