"""Networks that read few sums of their state, as networks of these; and steps by the digits of several numbers."""

import random
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.linear_algebra import primes
from exactnn.networks import Activation, Circuit, Network
from exactnn.simulation.positional import whole_program
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.positional.unfolding import unfolded
from exactnn.simulation.positional.whole_program import WholeProgram
from tests.simulation.exact_networks import (
    KINDS,
    Pair,
    Trace,
    compare,
    fast,
    forever,
    hidden_sums,
    long_tape,
    modes,
    options,
    unit,
)

ONE, ZERO = mpq(1), mpq(0)
IDENTITY, RELU, SLU = Activation.IDENTITY, Activation.RELU, Activation.SLU
RANDOM = st.builds(random.Random, st.integers(0, 10**9))
FEW = settings(max_examples=8)


# --- y = Vx


@pytest.mark.parametrize("kind", [hidden_sums, KINDS["machines"], KINDS["equal_pairs"], KINDS["outside"]])
@FEW
@given(rng=RANDOM)
def test_the_projection_commutes_with_steps_and_outputs_are_the_same(kind, rng):
    pair = kind(rng)
    found = unfolded(pair.network)
    if found is None:
        return
    assert 4 * found.network.circuit.state_size <= pair.network.circuit.state_size
    full, other = Trace(pair, most_bits=5000), Trace(replace(pair, network=found.network), most_bits=10**9)
    for state, projected in zip(full.states, other.states, strict=False):
        assert found.project(state) == projected
        assert found.project(found.embed(projected)) == projected
        assert not found.is_full(projected)
    assert full.outputs == other.outputs[: len(full) + 1]


def test_hidden_sums_are_found():
    found = [unfolded(hidden_sums(random.Random(seed)).network) for seed in range(40)]
    assert sum(projection is not None for projection in found) > 30


@pytest.mark.parametrize("name", ["bb3", "anbn"])
def test_the_numbers_of_a_book_form_are_its_stacks_and_control_states(name):
    """For each stack one number for each symbol and for the bottom; states that are left before they are entered."""
    machine = xn.load(name)
    network = xn.siegelmann_sontag_book(machine).network
    smaller = unfolded(network).network
    stacks = 2 * (1 + len(machine.tape_symbols))
    assert stacks < smaller.circuit.state_size <= stacks + len(machine.states) + 3
    assert smaller.circuit.units == network.circuit.units + smaller.circuit.state_size


def rows_of(matrix):
    """Return a network of a row of units each of which reads the state like a row of a matrix."""
    size = len(matrix)
    layer = tuple(unit(f"u{i}", 0, [(j, w) for j, w in enumerate(row)], SLU) for i, row in enumerate(matrix))
    circuit = Circuit(state_size=size, input_size=1, layers=(layer,), next_state=tuple(range(size + 1, 2 * size + 1)))
    output = unit("y", 0, list(enumerate(matrix[0])), IDENTITY)
    state = tuple(mpq(1, i + 2) for i in range(size))
    return Network(circuit=circuit, initial_state=state, readout=(output,), alphabet=("a",))


def test_rows_that_depend_on_each_other_modulo_a_prime_only():
    prime = next(primes())
    same = [[ONE, *[mpq(1, 8)] * 7]] * 8
    other = [ONE + prime, *[mpq(1, 8)] * 7]
    assert unfolded(rows_of(same)).network.circuit.state_size == 1
    found = unfolded(rows_of([*same[:-1], other]))
    assert found.network.circuit.state_size == 2
    pair = Pair(rows_of([*same[:-1], other]), ((0, 5),))
    assert Trace(pair).outputs == Trace(replace(pair, network=found.network)).outputs


def test_components_that_hold_the_same_unit():
    """Two components of one number are the same unit after a step: it counts twice."""
    reader = unit("b", mpq(5, 3), [(3, mpq(2, 3)), (1, mpq(-8, 3))], RELU)
    circuit = Circuit(state_size=4, input_size=1, layers=((unit("a", 1, [], SLU), reader),), next_state=(6, 6, 5, 6))
    start = (mpq(1, 2), ONE, mpq(-9), mpq(-9))
    network = Network(circuit=circuit, initial_state=start, readout=(unit("y", 0, [], IDENTITY),), alphabet=("a",))
    assert unfolded(network).network.circuit.layers[1][0].linear == ((3, mpq(3, 4)),)
    compare(Trace(Pair(network, ((0, 10),))), fast(network), forever(lambda: 1))


def test_a_network_without_inputs():
    layer = (unit("a", -1, [(2, ONE)], Activation.HEAVISIDE),)
    circuit = Circuit(state_size=4, input_size=0, layers=(layer,), next_state=(4, 4, 4, 4))
    network = Network(circuit=circuit, initial_state=(ONE,) * 4, readout=(unit("y", 0, [], IDENTITY),))
    compare(Trace(Pair(network, (((), 5),))), fast(network), forever(lambda: 2))


def test_what_is_not_unfolded():
    row = [mpq(1, 8)] * 8
    network = rows_of([row] * 8)
    assert unfolded(network) is not None
    circuit = network.circuit
    for changed in (
        replace(circuit, next_state=(0, *circuit.next_state[1:])),  # a component stays as it is
        replace(circuit, next_state=(8, *circuit.next_state[1:])),  # an input is kept
        replace(circuit, layers=((*circuit.layers[0][:-1], unit("p", 0, [], SLU, [(8, 8, ONE)])),)),  # a product
    ):
        assert unfolded(replace(network, circuit=changed)) is None
    assert unfolded(rows_of([[mpq(1, next(primes())), *row[1:]]] * 8)) is None  # the prime that ranks are found with
    assert unfolded(rows_of([[mpq(10**40), *row[1:]]] * 8)).network.circuit.state_size == 1
    assert unfolded(rows_of([[mpq(i * j % 7, 5) for j in range(8)] for i in range(8)])) is None  # of rank 6


def test_a_readout_reads_the_numbers():
    network = rows_of([[mpq(1, 8)] * 8] * 8)
    several = tuple(unit(f"y{i}", 0, [(i, ONE)], IDENTITY) for i in range(2))
    assert unfolded(replace(network, readout=several, scalar_output=False)) is None  # three numbers are too many
    assert unfolded(replace(network, readout=several[:1])).network.circuit.state_size == 2


# --- whole steps


def direct_steps(executor):
    return modes(executor.engine)[0]["direct"]


@pytest.mark.mostly_slow(quick=1, slow=1)
@pytest.mark.parametrize(
    ("name", "word", "steps"),
    [("bb4", "", 200), ("palindrome", "abba" * 3, 300), ("anbn", "aaaaabbbbb", 200), ("bb2x4", "", 1000)],
)
def test_a_book_form_goes_by_whole_steps(name, word, steps):
    """Nearly all steps are direct, where sums of two stacks would send them to plain rationals."""
    network = xn.siegelmann_sontag_book(xn.load(name)).network
    trace = Trace(Pair(network, (*((symbol, 1) for symbol in network.inputs(word)), (network.eos, steps))))
    executor = fast(network, macro=False)
    patient(executor)
    compare(trace, executor, forever(lambda: 50))
    assert direct_steps(executor) > len(trace) * 0.8


def patient(executor):
    """Let new transitions be written however few steps they save."""
    executor.start()
    executor._modes._experience.patience = 1e9


@pytest.mark.slow
def test_bb5_in_book_form_halts_after_the_published_steps():
    network = xn.siegelmann_sontag_book(xn.load("bb5")).network
    for chosen in ({"macro": False}, {}):
        executor = ExactExecutor(network, **chosen)
        state, steps, outcome = executor.start(), 0, None
        while outcome is None:
            segment = executor.advance(state, network.eos, 10**9, until_decided=True)
            state, steps, outcome = segment.state, steps + segment.steps, segment.outcome
        assert steps == 47_176_870


def two_stacks(rng):
    """Return a network whose two inner units hold sums of two stacks, of which the last layer leaves one each."""
    base = rng.choice((2, 3, 4, 10))
    push, pop, digit = mpq(1, base), mpq(base), mpq(rng.randrange(base), base)
    first = (
        unit("both", 0, [(0, ONE), (1, push)], RELU),
        unit("other", 0, [(1, push)], RELU),
        unit("less", -digit * base, [(0, pop), (1, -ONE)], IDENTITY),
        unit("top", -ONE, [(0, mpq(2)), (1, ONE), (2, ONE)], rng.choice((SLU, RELU, Activation.HEAVISIDE))),
    )
    at = 3
    last = (
        unit("x", 0, [(at, ONE), (at + 1, -ONE)], SLU),
        unit("z", digit, [(at + 1, ONE)], IDENTITY),
    )
    size = 2
    circuit = Circuit(state_size=size, input_size=1, layers=(first, last), next_state=(at + 4, at + 5))
    output = unit("y", 0, [(0, ONE)], Activation.HEAVISIDE)
    start = tuple(mpq(rng.randrange(base**60), base**60) for _ in range(size))
    return Network(circuit=circuit, initial_state=start, readout=(output,), alphabet=("a",))


@given(rng=RANDOM)
def test_sums_of_two_stacks_that_cancel_in_a_later_layer(rng):
    trace = Trace(Pair(two_stacks(rng), ((0, 40),)))
    compare(trace, fast(trace.network, **options(rng)), forever(lambda: rng.choice((1, 3, 40))))


@pytest.mark.parametrize("base", [2, 3, 10])
def test_numbers_below_minus_one_leave_whole_steps(base):
    """x' = base * x, z' = z, by way of x + z: a number below 0 gets below -1 in a pattern that was seen before."""
    rng = random.Random(base)
    first = (unit("both", 0, [(0, ONE), (1, ONE)], IDENTITY), unit("x", 0, [(0, mpq(1, base))], IDENTITY))
    last = (unit("x'", 0, [(4, mpq(base**2))], IDENTITY), unit("z'", 0, [(3, ONE), (4, mpq(-base))], IDENTITY))
    circuit = Circuit(state_size=2, input_size=1, layers=(first, last), next_state=(5, 6))
    start = -mpq(rng.randrange(1, base**40), base**60), mpq(rng.randrange(base**40), base**40)
    network = Network(circuit=circuit, initial_state=start, readout=(unit("y", 0, [], IDENTITY),), alphabet=("a",))
    trace = Trace(Pair(network, ((0, 30),)))
    executor = fast(network)
    compare(trace, executor, forever(lambda: 3))
    steps, reasons = modes(executor.engine)
    assert trace.states[-1][0] < -1
    assert steps == {"direct": 30}, reasons


def test_numbers_far_below_minus_one_leave_the_machine_word():
    """x' = 2x + 1 for a unit beside which another one reads two numbers: digits of x would not fit a word."""
    first = (unit("x", 1, [(0, mpq(2))], IDENTITY), unit("z", -1, [(0, ONE), (1, mpq(1, 4))], SLU))
    circuit = Circuit(state_size=2, input_size=1, layers=(first,), next_state=(3, 4))
    for start in (-2, mpq(-3, 2), mpq(-5, 4)):
        initial = (mpq(start), mpq(1, 2**70))
        network = Network(
            circuit=circuit, initial_state=initial, readout=(unit("y", 0, [], IDENTITY),), alphabet=("a",)
        )
        compare(Trace(Pair(network, ((0, 80),))), fast(network), forever(lambda: 7))


@pytest.mark.parametrize("activation", [Activation.HEAVISIDE, SLU])
def test_numbers_that_are_compared_have_no_cases_without_end(activation):
    """A bit tells which of two numbers with the same digits at first is larger, where one digit differs each time."""
    rng = random.Random(2)
    big = mpq(2**6) if activation is SLU else ONE
    first = (unit("more", 0, [(0, big), (1, -big)], activation), *(unit(f"{i}", 0, [(i, ONE)], SLU) for i in range(2)))
    last = tuple(unit(f"{i}", 0, [(4 + i, mpq(2)), (3, -ONE)], SLU) for i in range(2))
    circuit = Circuit(state_size=2, input_size=1, layers=(first, last), next_state=(6, 7))
    start = tuple(mpq(rng.randrange(2**400), 2**400) for _ in range(2))
    network = Network(circuit=circuit, initial_state=start, readout=(unit("y", 0, [], IDENTITY),), alphabet=("a",))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(whole_program, "MOST_CASES", 5)
        executor = fast(network)
        patient(executor)
        compare(Trace(Pair(network, ((0, 300),))), executor, forever(lambda: 9))
    program = executor._modes._engines.direct.program
    assert bool(program._whole_nodes) == (activation is SLU)
    assert all(count <= 6 for count in program._cases.values())


def test_a_run_on_a_tape_of_long_random_content():
    rng = random.Random(1)
    construction = xn.siegelmann_sontag_book(xn.load("bb3"))
    network = replace(construction.network, initial_state=long_tape(rng, construction))
    assert max(x.denominator.bit_length() for x in network.initial_state) > 50
    compare(Trace(Pair(network, ((network.eos, 60),)), most_bits=10**6), fast(network), forever(lambda: 7))


def test_a_shadow_follows_layers_only():
    network = xn.siegelmann_sontag_book(xn.load("bb3")).network
    executor = fast(network, shadow=True)
    executor.advance(executor.start(), network.eos, 10, until_decided=False)
    assert not isinstance(executor._modes._engines.direct.program, WholeProgram)


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("part", range(2))
def test_ctrl_c_at_any_line_while_whole_steps_are_written(part):
    """Whoever goes on with the engine gets the same, whatever was half written.

    Each line is interrupted when it first has its turn.
    """
    network = unfolded(xn.siegelmann_sontag_book(xn.load("bb2")).network).network
    eos, steps = network.eos, 6
    plain = DirectEngine(network, radix_of(network))
    expected = plain.advance(plain.load(network.initial_state), eos, steps, until_decided=False)
    lines, first = 0, {}

    def counting(moment):
        """Raise KeyboardInterrupt at the line with this number of the module."""

        def trace(frame, event, _):
            nonlocal lines
            if not frame.f_code.co_filename.endswith("whole_program.py"):
                return None
            lines += event == "line"
            first.setdefault(frame.f_lineno, lines)
            if lines == moment:
                lines += 1
                raise KeyboardInterrupt
            return trace

        return trace

    def interrupted(moment):
        nonlocal lines
        lines = 0
        engine = DirectEngine(network, radix_of(network), patient=True)
        state = engine.load(network.initial_state)
        before = sys.gettrace()
        sys.settrace(counting(moment))
        try:
            with suppress(KeyboardInterrupt):
                engine.advance(state, eos, steps, until_decided=False)
        finally:
            sys.settrace(before)
        return engine, state

    interrupted(-1)
    assert lines > 300
    moments = sorted(set(first.values()))[part::2]
    assert len(moments) > 40
    for moment in moments:
        engine, state = interrupted(moment)
        found = engine.advance(state, eos, steps, until_decided=False)
        assert (found.steps, found.outputs) == (expected.steps, expected.outputs)
        assert engine.values(found.state) == plain.values(expected.state)
