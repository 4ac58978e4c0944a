"""Runs of networks with real start states: against plain rationals, with limits, and what is refused."""

from itertools import cycle

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import (
    BFLOAT16,
    EXACT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    FixedPoint,
    FloatFormat,
    LazyNumber,
    lazy_real,
)
from exactnn.equivalence import collapse_witness, equivalent, state_bound
from exactnn.errors import (
    CheckpointError,
    ExactnnError,
    NetworkError,
    NumberError,
    OptionError,
    UnsupportedArithmeticError,
    WordError,
)
from exactnn.networks import (
    Circuit,
    Decision,
    Network,
    Protocol,
    RealNetwork,
    SimpleRNN,
    Unit,
    network_of,
    save_network,
)
from exactnn.outcome import Outcome
from exactnn.precision import first_divergence, required_bits
from exactnn.simulation import LazilyRefinedExecutor, rounded_start, run
from tests.strategies import networks_and_words

HALF = mpq(1, 2)


def unit(name, bias, linear, activation="identity", bilinear=()):
    return Unit(name=name, bias=mpq(bias), linear=tuple(linear), bilinear=bilinear, activation=activation)


def one_number(*units, output=((0, 1),), next_state=None, **options):
    """A network with one state component (register 0), one input (1) and these units (2, ...), a layer each."""
    circuit = Circuit(
        state_size=1,
        input_size=1,
        layers=tuple((u,) for u in units),
        next_state=(next_state or 1 + len(units),),
    )
    return Network(circuit=circuit, initial_state=(0,), readout=(unit("output", 0, output),), **options)


def with_start(network, source, base=10):
    return RealNetwork(template=network, reals=((0, lazy_real(source, base=base)),))


KEEPS = one_number(unit("x", 0, [(0, 1)]))
LESS_A_THIRD = one_number(unit("x", mpq(-1, 3), [(0, 1)], "relu"))


def as_rational(value):
    """Return a number whose stream ends as the rational that it is."""
    if not isinstance(value, LazyNumber):
        return value
    low, high = value.enclosure(20)
    assert low == high
    return low


@given(networks_and_words(), st.data())
def test_reals_with_finitely_many_digits_are_rationals(pair, data):
    """The same as the reference in plain rationals, in every number of every step."""
    network, word = pair
    base = data.draw(st.integers(2, 5))
    most = 2 if network.neurons else 0
    places = data.draw(st.lists(st.integers(0, max(0, network.neurons - 1)), unique=True, max_size=most))
    digits = st.lists(st.integers(0, base - 1), max_size=6)
    reals = tuple((place, lazy_real(data.draw(digits), base=base)) for place in places)
    real = RealNetwork(template=network, reals=reals)
    steps = len(word) + 3
    try:
        lazy = run(real, word, record="all", max_steps=steps)
    except UnsupportedArithmeticError:
        assert any(unit.bilinear for layer in (*network.circuit.layers, network.readout) for unit in layer)
        return
    plain = run(real.truncated(6), word, arithmetic=RATIONAL, record="all", max_steps=steps)
    for state, expected in zip(lazy.trace, plain.trace, strict=False):
        assert tuple(map(as_rational, state)) == expected
    if plain.outcome is Outcome.NON_HALTING:
        assert lazy.outcome is Outcome.STEP_LIMIT
        return
    assert lazy.outcome is plain.outcome
    assert lazy.steps == plain.steps
    outputs = [out if isinstance(out, tuple) else (out,) for out in lazy.outputs[:]]
    expected = [out if isinstance(out, tuple) else (out,) for out in plain.outputs[:]]
    assert [tuple(map(as_rational, out)) for out in outputs] == expected
    assert lazy.digits <= sum(real.stream.drawn for _, real in reals)


def test_the_digits_of_a_number_come_out():
    pattern = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0]
    both = Circuit(state_size=2, input_size=1, layers=(
        (unit("digit", -1, [(0, 2)], "heaviside"),), (unit("x", 0, [(0, 2), (3, -1)]),)
    ), next_state=(4, 3))  # fmt: skip
    shows = Network(circuit=both, initial_state=(0, 0), readout=(unit("output", 0, [(1, 1)]),))
    result = run(with_start(shows, cycle(pattern), base=2), [0] * 25)
    assert result.outputs[:] == [pattern[i % 10] for i in range(25)]
    assert 25 <= result.digits <= 28
    assert result.engine == "lazily refined reals"
    assert "of the real start state" in result._repr_html_()


def test_affine_steps_need_no_digits():
    doubles = one_number(unit("x", -3, [(0, 2), (1, 1)]))
    result = run(with_start(doubles, lambda k: 1 / 0), [mpq(1, 7)] * 40, record="all")
    assert result.digits == 0
    assert result.outcome is Outcome.COMPLETED
    assert isinstance(result.final_state[0], LazyNumber)
    assert "LazyNumber from" in repr(result.final_state[0])


@pytest.mark.parametrize("most", [0, 1, 30])
def test_a_tie_is_undecided_at_any_number_of_digits(most):
    """ReLU(x - 1/3) with x = 0.333... is 0, but no digits say on which side x is."""
    result = run(with_start(LESS_A_THIRD, cycle([3])), [0, 0], max_digits=most)
    assert result.outcome is Outcome.DIGIT_LIMIT
    assert str(result.outcome) == "undecided at these digits"
    assert result.verdict is None
    assert (result.steps, result.digits) == (0, most)


def test_what_comes_before_an_undecided_step_is_kept():
    """x - 1/6 twice: the second test is the tie."""
    network = one_number(unit("x", mpq(-1, 6), [(0, 1)], "relu"))
    result = run(with_start(network, cycle([3])), [0] * 9, max_digits=20, record="all")
    assert result.outcome is Outcome.DIGIT_LIMIT
    assert result.steps == 1
    assert len(result.outputs[:]) == 1
    assert len(result.trace) == 2


def test_an_output_that_ties_with_the_threshold_is_undecided():
    accepts = one_number(unit("x", 0, [(0, 1)]), decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(1, 3)))
    assert run(with_start(accepts, cycle([3])), [0], max_digits=9).outcome is Outcome.DIGIT_LIMIT
    for digits, outcome in (([3, 4], Outcome.ACCEPTED), ([3, 2], Outcome.REJECTED), ([2], Outcome.REJECTED)):
        result = run(with_start(accepts, cycle(digits)), [0])
        assert result.outcome is outcome
        assert result.digits == len(digits)


@pytest.mark.parametrize("digits", range(5))
def test_the_limit_is_the_number_that_decides(digits):
    source = [3] * digits + [4]
    assert run(with_start(LESS_A_THIRD, cycle(source)), [0], max_digits=digits).outcome is Outcome.DIGIT_LIMIT
    result = run(with_start(LESS_A_THIRD, cycle(source)), [0], max_digits=digits + 1)
    assert (result.outcome, result.digits) == (Outcome.COMPLETED, digits + 1)


def test_ctrl_c_while_a_digit_is_computed():
    def source():
        yield 3
        raise KeyboardInterrupt

    result = run(with_start(LESS_A_THIRD, source()), [0])
    assert result.outcome is Outcome.INTERRUPTED
    assert result.engine == "lazily refined reals; waiting for digit 1 of the real"
    assert result.digits == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [([3, 10], "digit 1 of the real is 10"), ([3, "3"], "digit 1"), (lambda k: 3 // (1 - k), "ZeroDivisionError")],
)
def test_wrong_sources_are_named(source, message):
    with pytest.raises(NumberError, match=message):
        run(with_start(LESS_A_THIRD, source), [0])


def formats():
    return st.one_of(
        st.builds(FloatFormat, precision=st.integers(2, 60), exponent_bits=st.integers(4, 11)),
        st.builds(FixedPoint, integer_bits=st.integers(3, 8), fraction_bits=st.integers(0, 20)),
    )


@given(formats(), st.integers(2, 10), st.data())
def test_a_start_state_is_rounded_correctly(format, base, data):
    digits = data.draw(st.lists(st.integers(0, base - 1), max_size=30))
    constant = mpq(data.draw(st.integers(-8, 8)), 4)
    template = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[constant], readout_weight=[1])
    found = rounded_start(with_start(template, digits, base), format).initial_state[0]
    exact = constant + sum(mpq(digit, base ** (i + 1)) for i, digit in enumerate(digits))
    assert found == format.parameters.rounded(exact)


@pytest.mark.parametrize("arithmetic", [FLOAT64, FLOAT16, BFLOAT16, FixedPoint(integer_bits=4, fraction_bits=8)])
def test_another_arithmetic_runs_what_it_can_hold(arithmetic):
    real = with_start(KEEPS, cycle([3]))
    result = run(real, [0, 0], arithmetic=arithmetic, record="all")
    assert result.digits is None
    assert [state[0] for state in result.trace] == [arithmetic.rounded(mpq(1, 3))] * 3
    assert result.network is real


def test_a_middle_between_two_numbers_is_not_rounded():
    """1/2 + 2^-11 + 2^-12, the last as 0 and then 1 for ever: any number below it goes down, and it goes up to even."""
    source = [1, *[0] * 9, 1, 0]
    with pytest.raises(UnsupportedArithmeticError, match="do not tell which number of it is nearest"):
        run(with_start(KEEPS, lambda k: source[k] if k < 12 else 1, base=2), [0], arithmetic=FLOAT16)


def test_both_exact_arithmetics_refine():
    for arithmetic in (EXACT, RATIONAL):
        assert run(with_start(LESS_A_THIRD, cycle([3, 4])), [0], arithmetic=arithmetic).digits == 2


def test_what_is_refused(tmp_path):
    real = with_start(KEEPS, cycle([3]))
    with pytest.raises(OptionError, match=r"checkpoint=.*not with a real start state"):
        run(real, [0], checkpoint=tmp_path / "file")
    with pytest.raises(OptionError, match="certify=True: not with a real start state"):
        run(real, [0], certify=True)
    with pytest.raises(OptionError, match="rational start state, which has no digits"):
        run(KEEPS, [0], max_digits=5)
    for wrong in (-1, 1.5, True, "3"):
        with pytest.raises(OptionError, match="max_digits="):
            run(real, [0], max_digits=wrong)
    with pytest.raises(OptionError, match="max_digits=3 with float16: the reals are rounded"):
        run(real, [0], arithmetic=FLOAT16, max_digits=3)
    with pytest.raises(UnsupportedArithmeticError, match=r"is unknown|no executor"):
        run(real, [0], arithmetic="decimal")
    with pytest.raises(WordError):
        run(real, "ab")
    with pytest.raises(CheckpointError):
        LazilyRefinedExecutor(real).pack(())
    with pytest.raises(CheckpointError):
        LazilyRefinedExecutor(real).unpack([])


def test_nothing_else_takes_it_for_a_rational_network():
    real = with_start(KEEPS, cycle([3]))
    with pytest.raises(NetworkError, match=r"has a real start state, which only exactnn\.run refines"):
        network_of(real)
    with pytest.raises(NetworkError, match="has a real start state"):
        first_divergence(real, [0], FLOAT16)


def test_products_of_two_reals_are_refused():
    squares = one_number(unit("x", 0, [], "identity", bilinear=((0, 0, mpq(1)),)))
    with pytest.raises(UnsupportedArithmeticError, match="multiplies two lazily refined reals"):
        run(with_start(squares, cycle([3])), [0])
    scaled = one_number(unit("x", 0, [], "identity", bilinear=((0, 1, mpq(1)),)))
    result = run(with_start(scaled, [2, 5]), [mpq(2), mpq(3)])
    assert as_rational(result.final_state[0]) == mpq(3, 2)


@pytest.mark.parametrize("places", [[1], [-1], ["x"], [0, 0]])
def test_reals_stand_at_places_of_the_state(places):
    with pytest.raises(NetworkError):
        RealNetwork(template=KEEPS, reals=tuple((place, lazy_real([])) for place in places))


@pytest.mark.parametrize("reals", [((True, lazy_real([])),), ((0, "0.5"),), ((0,),), 5, [(0, lazy_real([]))]])
def test_reals_are_pairs_of_a_place_and_a_real(reals):
    with pytest.raises(NetworkError):
        RealNetwork(template=KEEPS, reals=reals)


def test_the_template_is_a_network():
    with pytest.raises(NetworkError, match="give a Network"):
        RealNetwork(template="net", reals=())


@pytest.mark.parametrize(
    "use",
    [
        required_bits,
        lambda net: required_bits(run(net, [0], max_digits=5, record="all")),
        lambda net: equivalent(net, net),
        lambda net: equivalent((net, FLOAT32), (net, FLOAT32)),
        lambda net: collapse_witness(net, FLOAT32),
        lambda net: state_bound(net, FLOAT32),
        lambda net: save_network(net, "never-written"),
    ],
)
def test_who_needs_a_rational_network_says_so(use):
    net = with_start(KEEPS, cycle([3]))
    with pytest.raises(ExactnnError, match=r"has a real start state.*\.truncated\(digits\)"):
        use(net)


def test_digits_do_not_depend_on_what_an_earlier_run_has_read():
    """0.5, whose end decides that it is not above 1/2: with too few digits it stays open, whoever has seen it."""
    above = SimpleRNN(V=[[1]], W=[[0]], b=["-1/2"], s=[0], readout_weight=[1], activation="heaviside")
    real = RealNetwork(template=above, reals=((0, lazy_real([5])),))
    before = run(real, [0], max_digits=1)
    whole = run(real, [0])
    assert (before.outcome, whole.digits) == (Outcome.DIGIT_LIMIT, 2)
    for network in (real, RealNetwork(template=above, reals=((0, lazy_real([5])),))):
        assert run(network, [0], max_digits=1).outcome is Outcome.DIGIT_LIMIT
        again = run(network, [0], max_digits=2)
        assert (again.outcome, again.digits, again.outputs[-1]) == (whole.outcome, 2, 0)
