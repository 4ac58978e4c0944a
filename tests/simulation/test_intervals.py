"""Runs in interval arithmetic: every enclosure has the exact value in it, and what is said of it is so."""

import json
import random
from dataclasses import replace
from itertools import product

import gmpy2
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn import compile as compile_machine
from exactnn import load
from exactnn.arithmetic import (
    CERTIFIED,
    EXACT,
    RATIONAL,
    Certified,
    DirectedRounding,
    Enclosure,
    FixedPoint,
    Interval,
    exact_dyadic,
    lazy_real,
)
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.errors import CheckpointError, OptionError, UnsupportedArithmeticError
from exactnn.networks import (
    EOS,
    GRU,
    LSTM,
    Activation,
    Circuit,
    Decision,
    Network,
    Protocol,
    RealNetwork,
    SimpleRNN,
    Unit,
)
from exactnn.outcome import Outcome
from exactnn.precision import first_divergence
from exactnn.simulation import IntervalExecutor, executor_for, interval_rows, run
from exactnn.simulation.cycle import Recurring
from tests.plain_mpfr import holds, piecewise_linear, states_by_mpfr
from tests.strategies import networks_and_words

BITS = st.sampled_from((2, 5, 24, 53, 64, 200))
TANH = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh")


def contained(enclosures, numbers):
    return all(x.contains(y) for x, y in zip(enclosures, numbers, strict=True))


def of(output):
    return output if isinstance(output, tuple) else (output,)


@given(networks_and_words(), BITS, st.integers(0, 3))
def test_enclosures_contain_the_rational_run(pair, bits, more):
    network, word = pair
    network = piecewise_linear(network)
    limit = len(word) + more
    enclosed = run(network, word, arithmetic=Interval(bits=bits), record="all", max_steps=limit)
    exact = run(network, word, arithmetic=RATIONAL, record="all", max_steps=limit)
    assert enclosed.bits == bits
    for enclosures, numbers in zip(enclosed.trace, exact.trace, strict=False):
        assert contained(enclosures, numbers)
    for enclosures, numbers in zip(enclosed.outputs, exact.outputs, strict=False):
        assert contained(of(enclosures), of(numbers))
    assert contained(of(enclosed.initial_output), of(exact.initial_output))
    if enclosed.outcome is not Outcome.BIT_LIMIT and exact.outcome is not Outcome.NON_HALTING:
        assert (enclosed.outcome, enclosed.steps) == (exact.outcome, exact.steps)
    values = {type(x) for state in enclosed.trace for x in state}
    assert values <= {Enclosure}


@given(networks_and_words(), BITS)
def test_enclosures_contain_the_real_run(pair, bits):
    network, word = pair
    states = states_by_mpfr(network, network.inputs(word))
    enclosed = run(network, word, arithmetic=Interval(bits=bits), record="all", max_steps=len(word))
    for enclosures, numbers in zip(enclosed.trace, states, strict=True):
        assert all(holds(x, y) for x, y in zip(enclosures, numbers, strict=True))


QUARTERS = st.builds(mpq, st.integers(-9, 9), st.sampled_from((1, 2, 4)))


@pytest.mark.needs_torch
@given(networks_and_words(weights=QUARTERS, max_size=3))
def test_many_bits_make_exact_runs_exact(pair):
    """Dyadic weights of a few bits, two steps: nothing is rounded."""
    network, word = pair
    network = piecewise_linear(network)
    enclosed = run(network, word, arithmetic=Interval(bits=100_000), max_steps=2, record="all")
    exact = run(network, word, arithmetic=RATIONAL, max_steps=2, record="all")
    assert [tuple(x.low for x in state) for state in enclosed.trace] == list(exact.trace)
    assert not any(x.width for state in enclosed.trace for x in state)
    assert enclosed.outcome is exact.outcome or network.decision.threshold.denominator == 3


def test_a_sum_is_rounded_once():
    """A thousand terms: as narrow as two numbers of so many bits."""
    weights = [[mpq(1, n + 3) for n in range(1000)]]
    network = SimpleRNN(V=[[0]], W=weights, b=[0], s=[0], readout_weight=[1], activation="identity")
    (output,) = run(network, [[mpq(n % 7 - 3, 8) for n in range(1000)]], arithmetic=Interval(bits=40)).outputs
    assert output.width <= max(abs(output.low), abs(output.high)) * mpq(2) ** (1 - 40)


def unit_network(activation, bias, *, terms=(), start=0, protocol=Protocol.OUTPUTS, products=()):
    unit = Unit(name="u", bias=bias, linear=terms, bilinear=products, activation=activation)
    return Network(
        circuit=Circuit(state_size=1, input_size=1, layers=((unit,),), next_state=(2,)),
        initial_state=(mpq(start),),
        readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
        alphabet=(EOS,) if protocol.reads_eos else ("a",),
        decision=Decision(protocol=protocol),
    )


def test_a_step_of_an_enclosure_around_its_jump_is_0_to_1():
    """1/3 is not known with 8 bits, so that neither is the sign of x - 1/3."""
    step = unit_network(Activation.HEAVISIDE, mpq(-1, 3), terms=((0, mpq(1)),), start=mpq(1, 3))
    assert run(step, "a", arithmetic=Interval(bits=8)).outputs[:] == [Enclosure(low=0, high=1)]
    assert run(step, "a", arithmetic=EXACT).outputs[:] == [0]


def test_what_depends_on_itself_widens():
    """1 - x * x / x is not a circuit, but x - x is: its enclosure has the width of two."""
    copy = Unit(name="copy", bias=mpq(0), linear=((0, mpq(1)),))
    difference = Unit(name="difference", bias=mpq(0), linear=((2, mpq(1)), (0, mpq(-1))))
    network = Network(
        circuit=Circuit(state_size=1, input_size=1, layers=((copy,), (difference,)), next_state=(3,)),
        initial_state=(mpq(1, 3),),
        readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
        alphabet=("a",),
    )
    (output,) = run(network, "a", arithmetic=Interval(bits=20)).outputs
    assert 0 < output.width <= mpq(1, 2**18)
    assert output.contains(0)


def test_the_square_of_a_register_is_not_below_0():
    network = unit_network(Activation.IDENTITY, mpq(0), products=((0, 0, mpq(1)),), start=mpq(1, 3))
    executor = IntervalExecutor(network, Interval(bits=20))
    state = executor.unpack(["-0x1..0x2"])
    assert executor.values(executor.step(state, 0)) == (Enclosure(low=0, high=4),)


@pytest.fixture(params=["Arb", "MPFR"])
def library(request, monkeypatch):
    """Every dense layer through one library or the other, however small it is."""
    if request.param == "Arb":
        pytest.importorskip("flint")
        monkeypatch.setattr(interval_rows, "LEAST_DENSE", 0)
    else:
        monkeypatch.setattr(interval_rows, "_flint", lambda: None)
    return request.param


LITTLE = mpq(1, 2**60)
WAYS = {
    "a weight": {"bias": 1, "terms": ((0, LITTLE),)},
    "two weights": {"bias": 0, "terms": ((0, LITTLE), (2, 1))},
    "a weight of a third": {"bias": 1, "terms": ((0, LITTLE / 3),)},
    "a bias": {"bias": 1 + LITTLE},
    "a bias and a weight": {"bias": LITTLE, "terms": ((0, 1),)},
    "a square": {"bias": 1, "products": ((0, 0, LITTLE),)},
    "a product": {"bias": 1, "products": ((0, 2, LITTLE),)},
    "an input": {"bias": LITTLE, "terms": ((3, 1),)},
    "an input and a weight": {"bias": 0, "terms": ((3, 1), (0, LITTLE))},
    "a small denominator": {"bias": 1 + 1 / (3 * mpq(2) ** 60)},
    "a large denominator": {"bias": 1 + 1 / mpq(2**22 - 1)},
    "a larger denominator": {"bias": mpq(2**22, 2**22 + 1)},
    "an input near 1": {"bias": 0, "terms": ((4, 1),)},
}
"""Ways to compute a number that is nearly 1, but not quite: what is rounded the wrong way to 22 bits leaves it out."""


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("way", WAYS)
def test_every_operation_rounds_outward(library, way, sign):
    """With 2 bits, and 20 more within a sum; the second state component is 1, and so are two inputs."""
    for slight in (1, -1):
        options = {"terms": (), "products": (), **WAYS[way]}

        def turned(value, slight=slight):
            whole = round(value)
            return sign * (whole + slight * (value - whole))

        unit = Unit(
            name="u",
            bias=turned(mpq(options["bias"])),
            linear=tuple((r, turned(mpq(w))) for r, w in options["terms"]),
            bilinear=tuple((r, s, turned(w)) for r, s, w in options["products"]),
        )
        network = Network(
            circuit=Circuit(state_size=3, input_size=2, layers=((unit,),), next_state=(5, 1, 2)),
            initial_state=(mpq(1), mpq(1), mpq(1)),
            readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
        )
        word = [[1, 1 + slight * LITTLE]]
        (exact,) = run(network, word, arithmetic=RATIONAL).outputs
        (enclosed,) = run(network, word, arithmetic=Interval(bits=2)).outputs
        assert abs(exact) != 1
        assert abs(abs(exact) - 1) <= mpq(1, 2**21)
        assert enclosed.contains(exact), way


@pytest.mark.parametrize("bits", [2, 20])
def test_sums_are_enclosed_whatever_the_bounds_are(library, bits):
    """Bounds of 60 bits, such as no state has, and sums of 22: every rounding is seen."""
    rng = random.Random(bits)
    rounding = DirectedRounding(bits)
    for _ in range(200):
        size = rng.randint(1, 3)
        rows = [[(r, mpq(rng.choice((-3, -1, 1, 2)))) for r in range(size)] for _ in range(2)]
        middles = [mpq(rng.randint(-2, 2)) for _ in range(size)]
        widths = [mpq(rng.randint(0, 3), 2**60) for _ in range(size)]
        lows, highs = (
            [x - w for x, w in zip(middles, widths, strict=True)],
            list(map(sum, zip(middles, widths, strict=True))),
        )
        bounds = list(map(exact_dyadic, lows)), list(map(exact_dyadic, highs))
        found = interval_rows.rows_of(rows).sums(*bounds, rounding)
        for row, bounds in zip(rows, found, strict=True):
            ends = [sum(w * (highs if (w > 0) is up else lows)[r] for r, w in row) for up in (False, True)]
            assert mpq(bounds[0]) <= ends[0] <= ends[1] <= mpq(bounds[1])


def test_an_overflow_is_no_error():
    squares = unit_network(Activation.IDENTITY, mpq(0), products=((0, 0, mpq(1)),), start=4)
    result = run(squares, "a" * 30, arithmetic=Interval(bits=20))
    assert (result.outcome, result.steps) == (Outcome.BIT_LIMIT, 18)
    assert result.outputs[-1].low == mpq(4) ** (2**18)
    shrinks = run(unit_network(Activation.IDENTITY, mpq(0), products=((0, 0, mpq(1)),), start="1/3"), "a" * 30,
                  arithmetic=Interval(bits=20))  # fmt: skip
    assert shrinks.outcome is Outcome.COMPLETED
    assert shrinks.outputs[-1].low == 0 < shrinks.outputs[-1].high


@pytest.mark.parametrize("context", [gmpy2.ieee(16), gmpy2.context(precision=2, round=gmpy2.RoundUp)])
def test_the_context_of_the_caller_plays_no_part(context):
    word = [["1/1000"], [-70000], ["1/3"]]
    expected = run(TANH, word, arithmetic=Interval(bits=64)).outputs[:]
    with context:
        assert run(TANH, word, arithmetic=Interval(bits=64)).outputs[:] == expected


def random_cell(cell, seed, n=3, d=2):
    """An LSTM or a GRU with random weights, and vectors for it."""
    rng = random.Random(seed)
    gates = "ifgo" if cell is LSTM else "rzn"

    def matrix(height, width):
        return [[rng.uniform(-2, 2) for _ in range(width)] for _ in range(height)]

    options = {"reset": rng.choice(("after", "before"))} if cell is GRU else {}
    network = cell(
        V={gate: matrix(n, n) for gate in gates},
        W={gate: matrix(n, d) for gate in gates},
        b={gate: matrix(1, n)[0] for gate in gates},
        readout_weight=matrix(1, n)[0],
        **options,
    )
    return network, [[rng.uniform(-3, 3) for _ in range(d)] for _ in range(20)]


def check_random_steps(cell, seeds, bits):
    for seed in seeds:
        network, word = random_cell(cell, seed)
        states = states_by_mpfr(network, network.inputs(word))
        enclosed = run(network, word, arithmetic=Interval(bits=bits), record="all")
        for enclosures, numbers in zip(enclosed.trace, states, strict=True):
            assert all(holds(x, y) for x, y in zip(enclosures, numbers, strict=True))


@pytest.mark.parametrize("bits", [24, 53, 64, 128])
@pytest.mark.parametrize("cell", [LSTM, GRU])
def test_gated_cells_are_enclosed(cell, bits):
    check_random_steps(cell, range(5), bits)


@pytest.mark.parametrize("bits", [2, 64, 128])
def test_both_libraries_enclose_the_real_run(library, bits):
    for cell in (LSTM, GRU):
        network, _ = random_cell(cell, 7, n=8)
        assert (library in IntervalExecutor(network, Interval(bits=bits)).engine) is True
        check_random_steps(cell, range(3), bits)


@settings(max_examples=30)
@given(pair=networks_and_words(), bits=BITS)
def test_arb_encloses_the_rational_run(pair, bits):
    pytest.importorskip("flint")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interval_rows, "LEAST_DENSE", 0)
        test_enclosures_contain_the_rational_run.hypothesis.inner_test(pair, bits, 2)
        test_enclosures_contain_the_real_run.hypothesis.inner_test(pair, bits)


def test_arb_is_nearly_as_narrow_as_mpfr(monkeypatch):
    pytest.importorskip("flint")
    network, word = random_cell(LSTM, 3, n=40, d=5)
    arb = run(network, word[:0] + [[1] * 5] * 5, arithmetic=Interval(bits=64))
    assert "Arb" in arb.engine
    monkeypatch.setattr(interval_rows, "_flint", lambda: None)
    mpfr = run(network, [[1] * 5] * 5, arithmetic=Interval(bits=64))
    assert "Arb" not in mpfr.engine
    for x, y in zip(arb.outputs, mpfr.outputs, strict=True):
        assert max(x.low, y.low) <= min(x.high, y.high)
        assert x.width <= 8 * y.width


@pytest.mark.needs_torch
def test_torch_lies_in_the_enclosures_but_for_its_own_roundings():
    """Of 20 steps: torch's float64 numbers are within 2^-40 of an enclosure of the exact run of its weights.

    A step is a few dozen operations on numbers of size at most 40, each with an error of 2^-53 of that, and the weights
    of at most 1/sqrt(n) neither grow errors by more than a factor of 2 in a step on average: 2^-40 leaves room.
    """
    import torch

    torch.manual_seed(1)
    n, d = 5, 3
    with torch.no_grad():
        for cell in (LSTM, GRU):
            layer = (torch.nn.LSTM if cell is LSTM else torch.nn.GRU)(d, n).double()
            gates = "ifgo" if cell is LSTM else "rzn"
            parts = {name: value.chunk(len(gates)) for name, value in layer.named_parameters()}

            def per_gate(name, parts=parts, gates=gates):
                return {gate: part.tolist() for gate, part in zip(gates, parts[name], strict=True)}

            first, second = per_gate("bias_ih_l0"), per_gate("bias_hh_l0")
            options = {}
            if cell is GRU:
                options["recurrent_bias"] = second.pop("n")
            bias = {
                gate: [exact_sum(x, y) for x, y in zip(first[gate], second[gate], strict=True)] if gate in second else
                first[gate]
                for gate in gates
            }  # fmt: skip
            network = cell(
                V=per_gate("weight_hh_l0"), W=per_gate("weight_ih_l0"), b=bias, readout_weight=[1] * n, **options
            )
            word = torch.randn(20, 1, d, dtype=torch.float64)
            outputs, _ = layer(word)
            enclosed = run(network, word[:, 0].tolist(), arithmetic=Interval(bits=64), record="all")
            bound = mpq(1, 2**40)
            for enclosures, numbers in zip(enclosed.trace.states[1:], outputs[:, 0].tolist(), strict=True):
                for enclosure, number in zip(enclosures[:n], numbers, strict=True):
                    assert enclosure.low - bound <= mpq(number) <= enclosure.high + bound


def exact_sum(x, y):
    return mpq(x) + mpq(y)


ZOO = [("parity", None, 31), ("palindrome", None, 15), ("anbn", None, 15), ("anbn", "siegelmann_sontag_book", 3)]
"""Machines, their construction, how many of the shortest words."""


@pytest.mark.parametrize(("name", "construction", "most"), ZOO)
def test_certified_verdicts_are_the_exact_ones(name, construction, most):
    compiled = compile_machine(load(name), construction=construction)
    words = ["".join(w) for n in range(5) for w in product(compiled.network.input_symbols, repeat=n)]
    for word in words[:most]:
        certified = run(compiled, word, arithmetic=CERTIFIED, max_steps=400)
        exact = run(compiled, word, arithmetic=EXACT, max_steps=400)
        assert (certified.outcome, certified.steps) == (exact.outcome, exact.steps), word
        assert certified.machine_steps == exact.machine_steps
        assert certified.bits in (64, 128, 256)
        assert "certified" in certified.engine


def test_bits_are_raised_until_the_verdict_is_certain():
    """The palindrome's tape has more digits than 4 bits hold."""
    compiled = siegelmann_sontag(load("palindrome"))
    few = run(compiled, "abba", arithmetic=Interval(bits=4), max_steps=400)
    assert (few.outcome, few.verdict, few.bits) == (Outcome.BIT_LIMIT, None, 4)
    raised = run(compiled, "abba", arithmetic=Certified(bits=4), max_steps=400)
    assert raised.outcome is Outcome.ACCEPTED
    assert raised.bits > 4
    assert str(raised.bits) in raised.engine
    assert raised.arithmetic == Certified(bits=4)
    limited = run(compiled, "abba", arithmetic=Certified(bits=4, most_bits=5), max_steps=400)
    assert (limited.outcome, limited.bits) == (Outcome.BIT_LIMIT, 5)
    assert "5" in limited._repr_html_()
    assert limited.outcome.sentence in limited._repr_html_()


@pytest.mark.parametrize(("start", "verdicts"), [("1/3", (None, "reject")), ("5/16", ("reject", "reject"))])
def test_a_verdict_is_given_where_it_is_certain(start, verdicts):
    """The output x - 1/3 with threshold 0, where x is 1/3 or is not: an enclosure of 1/3 has both signs."""
    keeps = unit_network(Activation.IDENTITY, mpq(0), terms=((0, mpq(1)),), start=start, protocol=Protocol.END_OF_WORD)
    readout = Unit(name="y", bias=mpq(-1, 3), linear=((0, mpq(1)),))
    network = replace(keeps, readout=(readout,))
    assert (run(network, "", arithmetic=CERTIFIED).verdict, run(network, "", arithmetic=EXACT).verdict) == verdicts


def test_outputs_are_refined_to_a_width():
    word = [[1]] * 20
    for width in ("1/1000", mpq(1, 2**100)):
        arithmetic = Certified(bits=8, width=width)
        result = run(TANH, word, arithmetic=arithmetic)
        assert result.outcome is Outcome.COMPLETED
        assert all(output.width <= arithmetic.width for output in result.outputs)
        if result.bits > 8:
            fewer = run(TANH, word, arithmetic=Interval(bits=result.bits // 2))
            assert any(output.width > arithmetic.width for output in fewer.outputs)
    limited = run(TANH, word, arithmetic=Certified(bits=8, most_bits=16))
    assert (limited.outcome, limited.bits) == (Outcome.BIT_LIMIT, 16)
    assert run(TANH, [], arithmetic=CERTIFIED).outcome is Outcome.COMPLETED


def test_outputs_up_to_a_limit_are_as_narrow():
    """A run that may take two steps of three says of those two what a whole run would."""
    whole = run(TANH, [[1]] * 2, arithmetic=Certified(bits=4))
    limited = run(TANH, [[1]] * 3, arithmetic=Certified(bits=4), max_steps=2)
    assert (limited.outcome, limited.bits, list(limited.outputs)) == (
        Outcome.STEP_LIMIT,
        whole.bits,
        list(whole.outputs),
    )
    few = run(TANH, [[1]] * 3, arithmetic=Certified(bits=4, most_bits=8), max_steps=2)
    assert (few.outcome, few.steps) == (Outcome.BIT_LIMIT, 2)


def test_enclosures_that_come_again_prove_nothing():
    """x' = x/3 + 1/3 from 0: its enclosures stand still in the end, and its numbers never do."""
    thirds = unit_network(Activation.IDENTITY, mpq(1, 3), terms=((0, mpq(1, 3)),), protocol=Protocol.EOS_VERDICT)
    network = replace(thirds, decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1)))
    result = run(network, "", arithmetic=Interval(bits=20), max_steps=300, record="all")
    assert result.trace[-1] == result.trace[-2]
    assert (result.outcome, result.steps, result.cycle) == (Outcome.STEP_LIMIT, 300, None)
    assert run(network, "", arithmetic=CERTIFIED, max_steps=300).outcome is Outcome.STEP_LIMIT


def test_numbers_that_come_again_are_a_cycle():
    flips = unit_network(Activation.IDENTITY, mpq(1), terms=((0, mpq(-1)),), protocol=Protocol.EOS_VERDICT)
    network = replace(flips, decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1)))
    assert isinstance(IntervalExecutor(network, Interval(bits=20)), Recurring)
    for arithmetic in (Interval(bits=20), CERTIFIED):
        result = run(network, "", arithmetic=arithmetic)
        assert (result.outcome, result.cycle.period) == (Outcome.NON_HALTING, 2)


def test_a_width_that_comes_later_ends_the_watch():
    """Known at the end of the word, and not any more after it: then nothing is compared."""
    network = unit_network(Activation.TANH, mpq(1), terms=((0, mpq(0)),), protocol=Protocol.EOS_VERDICT)
    network = replace(network, decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1)))
    result = run(network, "", arithmetic=Interval(bits=20), max_steps=50)
    assert (result.outcome, result.steps) == (Outcome.STEP_LIMIT, 50)


@given(pair=networks_and_words(), bits=BITS, cut=st.integers(0, 6))
@settings(max_examples=20)
def test_a_run_goes_on_from_its_checkpoint(tmp_path_factory, pair, bits, cut):
    network, word = pair
    arithmetic, limit = Interval(bits=bits), len(word) + 2
    file = tmp_path_factory.mktemp("runs") / "file.json"
    whole = run(network, word, arithmetic=arithmetic, record="all", max_steps=limit)
    run(network, word, arithmetic=arithmetic, record="all", max_steps=min(cut, limit), checkpoint=file)
    resumed = run(network, word, arithmetic=arithmetic, record="all", max_steps=limit, checkpoint=file)
    again = run(network, word, arithmetic=arithmetic, record="all", max_steps=limit, checkpoint=file)
    for result in (resumed, again):
        assert (result.outcome, result.steps) == (whole.outcome, whole.steps)
        assert result.outputs == whole.outputs
        assert result.trace == whole.trace
        assert result.final_state == whole.final_state


@pytest.mark.parametrize(
    "state", [["0x1..0x0"], ["0x1"], ["0x1..0x2..0x3"], ["0x1/0x3..0x1/0x2"], ["0x1..0x800001"], [], "0x1..0x2", [None]]
)
def test_states_that_no_run_has_written(state):
    executor = IntervalExecutor(TANH, Interval(bits=20))
    with pytest.raises(CheckpointError):
        executor.unpack(state)


def test_packed_states_are_json():
    executor = IntervalExecutor(TANH, Interval(bits=20))
    state = executor.step(executor.start(), (mpq(1, 3),))
    assert executor.unpack(json.loads(json.dumps(executor.pack(state)))) == state


def test_what_certified_runs_do_not_have(tmp_path):
    with pytest.raises(OptionError, match="checkpoint"):
        run(TANH, [], arithmetic=CERTIFIED, checkpoint=tmp_path / "file")
    for arithmetic in (CERTIFIED, Interval(bits=64)):
        with pytest.raises(OptionError, match="certif"):
            run(TANH, [], arithmetic=arithmetic, certify=True)
        with pytest.raises(UnsupportedArithmeticError, match="enclosures"):
            executor_for(TANH, arithmetic)
        real = RealNetwork(template=TANH, reals=((0, lazy_real(lambda place: 3)),))
        with pytest.raises(UnsupportedArithmeticError, match="enclosures"):
            run(real, [], arithmetic=arithmetic)
        with pytest.raises(UnsupportedArithmeticError, match="enclosures"):
            first_divergence(piecewise_linear(TANH), [], arithmetic)


def test_exact_arithmetic_names_what_encloses():
    with pytest.raises(UnsupportedArithmeticError, match="run it in 'certified', which encloses"):
        run(TANH, [[1]])


def test_other_runs_have_no_bits():
    compiled = minsky(load("parity"))
    for arithmetic in (EXACT, RATIONAL, FixedPoint(integer_bits=8, fraction_bits=8)):
        assert run(compiled, "01", arithmetic=arithmetic).bits is None


def test_long_words_stop_at_a_limit_and_print():
    result = run(TANH, [[1]] * 100, arithmetic=Interval(bits=53), max_steps=50)
    assert result.outcome is Outcome.STEP_LIMIT
    assert "[0." in repr(result.outputs)
    assert len(repr(result.outputs)) < 1000
    assert "interval53" in repr(result)
