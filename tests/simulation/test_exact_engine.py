"""The fast exact executor against the rational reference: every state, every output, every verdict, bit for bit."""

import json
import random
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.automata import configurations
from exactnn.constructions import minsky, siegelmann_sontag, siegelmann_sontag_book
from exactnn.errors import CheckpointError
from exactnn.machine_files import load
from exactnn.networks import EOS, Activation, Circuit, Network, Unit
from exactnn.simulation import advance_by
from exactnn.simulation.positional import direct
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.macro import Runner
from tests.simulation.exact_networks import (
    KINDS,
    LIMBS,
    Pair,
    Trace,
    compare,
    compiled,
    fast,
    forever,
    long_tape,
    machines,
    modes,
    options,
    unit,
)
from tests.strategies import networks_and_words

IDENTITY, SLU, HEAVISIDE = Activation.IDENTITY, Activation.SLU, Activation.HEAVISIDE
EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
EVERY_LIMB = pytest.mark.parametrize("limb", LIMBS)
FEW = settings(max_examples=8)
RANDOM = st.builds(random.Random, st.integers(0, 10**9))


def single_steps():
    return forever(lambda: 1)


def lengths(rng):
    """Lengths of slices: mostly short ones."""
    return forever(lambda: rng.choice((1, 2, 3, 7, 50)))


@pytest.mark.mostly_slow(quick=3, slow=4)
@EVERY_KIND
@given(rng=RANDOM)
def test_every_state_and_output(kind, rng):
    trace = Trace(kind(rng))
    compare(trace, fast(trace.network, **options(rng)), single_steps())
    compare(trace, fast(trace.network, **options(rng)), lengths(rng), until_decided=rng.random() < 0.5)


@given(networks_and_words(max_size=12), RANDOM)
def test_networks_of_any_kind(pair, rng):
    network, word = pair
    trace = Trace(Pair(network, tuple((symbol, 1) for symbol in network.inputs(word))))
    compare(trace, fast(network, **options(rng)), single_steps())
    compare(trace, fast(network, **options(rng)), forever(lambda: 100))


@pytest.mark.parametrize("construction", [siegelmann_sontag, siegelmann_sontag_book, minsky])
@FEW
@given(rng=RANDOM)
def test_a_run_ends_at_the_first_verdict(construction, rng):
    trace = Trace(machines(rng, steps=60, constructions=(construction,)))
    compare(trace, fast(trace.network, **options(rng)), lengths(rng), until_decided=True)


@pytest.mark.mostly_slow(quick=5, slow=3)
@EVERY_KIND
@FEW
@given(rng=RANDOM)
def test_later_steps_change_no_state(kind, rng):
    trace = Trace(kind(rng))
    executor = fast(trace.network, **options(rng))
    kept = compare(trace, executor, lengths(rng))
    compare(trace, executor, lengths(rng))
    for state, expected in kept:
        assert executor.values(state) == expected
    again = [following(executor, trace, step) for step in range(min(5, len(trace)))]
    assert again == trace.states[1:6]


def following(executor, trace, step):
    """Return the numbers one step after a state that other steps have been taken from already."""
    state = executor.start()
    for symbol in trace.inputs[:step]:
        state = executor.advance(state, symbol, 1, until_decided=False).state
    for symbol in trace.inputs[step : step + 3]:
        executor.advance(state, symbol, 5, until_decided=False)
    return executor.values(executor.advance(state, trace.inputs[step], 1, until_decided=False).state)


@pytest.mark.mostly_slow(quick=5, slow=3)
@EVERY_KIND
@FEW
@given(rng=RANDOM)
def test_a_packed_state_goes_on_as_if_nothing_had_happened(kind, rng):
    trace = Trace(kind(rng, steps=12))
    chosen, until_decided = options(rng), rng.random() < 0.7
    executor = fast(trace.network, **chosen)
    state = executor.start()
    for step, symbol in enumerate(trace.inputs):
        if rng.random() < 0.15:
            data = json.loads(json.dumps(executor.pack(state)))
            executor = fast(trace.network, **chosen)
            state = executor.unpack(data)
            assert executor.values(state) == trace.states[step]
        segment = executor.advance(state, symbol, 1, until_decided=until_decided)
        assert segment.outputs == [(trace.outputs[step + 1], 1)]
        state = segment.state
    assert executor.values(state) == trace.states[-1]


def bb2():
    return fast(siegelmann_sontag(load("bb2")).network)


@pytest.mark.parametrize("data", [None, 1, "1/2", [], {}, ["1/2"], {"numbers": []}, {"numbers": {}}])
def test_what_pack_cannot_have_written(data):
    with pytest.raises(CheckpointError):
        bb2().unpack(data)


@pytest.mark.parametrize("part", ["numbers", "left"])
@pytest.mark.parametrize("value", [None, -1, "x", ["1/2"], {}, {"limb": 1}, 0.5])
def test_a_packed_state_with_a_part_replaced(part, value):
    executor = fast(siegelmann_sontag(load("bb2")).network, warm_up=int(part == "left"))
    data = executor.pack(executor.start())
    executor.unpack(data)
    with pytest.raises(CheckpointError):
        executor.unpack({**data, part: value})


# --- names


def renamed(network):
    """Return the same network with one name for all units, and other symbols."""
    circuit = network.circuit
    layers = tuple(tuple(replace(u, name="halt") for u in units) for units in circuit.layers)
    names = {a: a if a == EOS else f"symbol {-i}" for i, a in enumerate(network.alphabet or ())}
    return replace(
        network,
        circuit=replace(circuit, layers=layers),
        readout=tuple(replace(u, name="") for u in network.readout),
        alphabet=None if network.alphabet is None else tuple(names.values()),
        name="another",
    )


@pytest.mark.mostly_slow(quick=5, slow=3)
@EVERY_KIND
@FEW
@given(rng=RANDOM)
def test_names_mean_nothing(kind, rng):
    pair = kind(rng)
    trace, other = Trace(pair), Trace(replace(pair, network=renamed(pair.network)))
    assert trace.states == other.states
    chosen, until_decided = options(rng), rng.random() < 0.5
    executors = [fast(t.network, **chosen) for t in (trace, other)]
    for executor in executors:
        compare(trace, executor, forever(lambda: 10), until_decided=until_decided)
    assert at_machine_speed(executors[0].engine) == at_machine_speed(executors[1].engine)


def at_machine_speed(engine):
    """Return what an engine says, without how it shared out the fast steps: that depends on the clock."""
    steps, reasons = modes(engine)
    return steps.total(), steps["in rationals"], reasons


# --- leaving the fast steps and coming back


@EVERY_LIMB
@pytest.mark.parametrize("base", [2, 3, 10])
def test_a_product_of_long_numbers_now_and_then(base, limb):
    network = multiplier(base)
    trace = Trace(Pair(network, ((0, 100), (1, 1), (0, 200), (1, 2), (0, 200))))
    assert sum(state[2] > 0 for state in trace.states) == 3
    executor = fast(network, limb_digits=limb)
    compare(trace, executor, forever(lambda: 30))
    steps, reasons = modes(executor.engine)
    assert sum(steps.values()) == len(trace) == 503
    assert steps["direct"] >= 250
    assert steps["in rationals"] >= 3
    assert reasons == {"two long numbers are multiplied": 1}


def multiplier(base):
    """Return a network that pushes on x, keeps y, and has x * y while it reads its second symbol."""
    one = mpq(1)
    first = (
        unit("x", mpq(1, base), [(0, mpq(1, base))], SLU),
        unit("y", 1, [(1, -one)], SLU),
        unit("gate", -1, [(0, one), (4, one)], SLU),
    )
    second = (unit("product", 0, [], SLU, [(7, 1, one)]),)
    circuit = Circuit(state_size=3, input_size=2, layers=(first, second), next_state=(5, 6, 8))
    start = (mpq(base**60 // 7, base**60), mpq(base**90 // 11, base**90), mpq(0))
    return Network(circuit=circuit, initial_state=start, readout=(unit("y", 0, [], SLU),), alphabet=("a", "b"))


def test_states_from_before_limbs_are_shortened():
    """A number that leaves the machine word: states in the longer limbs keep their numbers, and steps go on there."""
    doubled = unit("x", 0, [(0, mpq(2))], IDENTITY)
    circuit = Circuit(state_size=1, input_size=1, layers=((doubled,),), next_state=(2,))
    start = (mpq(2**300 // 3, 2**300),)
    network = Network(circuit=circuit, initial_state=start, readout=(unit("y", 0, [], SLU),), alphabet=("a",))
    trace, executor = Trace(Pair(network, ((0, 90),))), fast(network)
    kept = compare(trace, executor, forever(lambda: 5))
    assert modes(executor.engine)[1]
    for state, expected in kept:
        assert executor.values(state) == expected
        segment = executor.advance(state, 0, 1, until_decided=False)
        assert executor.values(segment.state) == (2 * expected[0],)


@EVERY_LIMB
def test_an_input_of_another_base(limb):
    """What is read replaces the state, so that 1/3 is there for one step only."""
    reads = unit("x", 0, [(2, mpq(1))], SLU)
    halves = unit("y", mpq(1, 2), [(0, mpq(1, 2))], SLU)
    circuit = Circuit(state_size=2, input_size=1, layers=((reads, halves),), next_state=(3, 4))
    network = Network(circuit=circuit, initial_state=(mpq(0), mpq(0)), readout=(unit("y", 0, [], SLU),))
    word = (((mpq(1, 2),), 100), ((mpq(1, 3),), 1), ((mpq(0),), 100), ((mpq(1),), 100))
    trace = Trace(Pair(network, word))
    executor = fast(network, limb_digits=limb)
    compare(trace, executor, forever(lambda: 30))
    steps, _ = modes(executor.engine)
    assert steps["direct"] > 200
    assert 0 < steps["in rationals"] < 100


def test_a_network_in_no_base_runs_in_rationals():
    thirds = Unit(name="x", bias=mpq(1, 10007), linear=((0, mpq(1, 10009)),), activation=SLU)
    circuit = Circuit(state_size=1, input_size=1, layers=((thirds,),), next_state=(2,))
    network = Network(circuit=circuit, initial_state=(mpq(1, 3),), readout=(thirds,), alphabet=("a",))
    trace = Trace(Pair(network, ((0, 30),)))
    executor = fast(network)
    compare(trace, executor, forever(lambda: 7))
    steps, reasons = modes(executor.engine)
    assert steps == {"in rationals": 30}
    assert reasons


def test_a_compiled_network_takes_no_step_in_rationals():
    for name in ("bb4", "sweeper", "palindrome"):
        network = siegelmann_sontag(load(name)).network
        executor = fast(network)
        advance_by(executor, executor.start(), network.alphabet.index(EOS), 2000)
        assert modes(executor.engine)[0]["in rationals"] == 0, name


# --- long runs

WAYS = {
    "direct": {"macro": False},
    "macro": {"macro_after": 500, "induction": False},
    "rules": {"macro_after": 500},
}


def ahead(executor, state, symbol, count):
    """Return the state after `count` steps, in which there must be no verdict."""
    while count:
        segment = executor.advance(state, symbol, count, until_decided=True)
        assert segment.outcome is None
        state, count = segment.state, count - segment.steps
    return state


STEPS = (20, 27, 1017, 4348, 14_348, 14_349, 40_000, 60_000)


@cache
def machine_path(name):
    """Return network step -> configuration of the machine itself after STEPS on an empty word."""
    machine = load(name)
    set_up, path = siegelmann_sontag(machine).set_up_steps(0), configurations(machine, "")
    moves = islice(path, max(STEPS) + 1 - set_up)
    return {move + set_up: configuration for move, configuration in enumerate(moves) if move + set_up in STEPS}


@pytest.mark.mostly_slow(quick=8, slow=4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("limb", [None, 1, 5])
@pytest.mark.parametrize("name", ["sweeper", "bb5", "bb2x4"])
def test_long_runs_agree_with_the_machine(name, limb, way):
    construction = siegelmann_sontag(load(name))
    executor = fast(construction.network, limb_digits=limb, **WAYS[way])
    eos = construction.network.alphabet.index(EOS)
    samples, last, state = {}, 0, executor.start()
    for step in STEPS:
        state = samples[step] = ahead(executor, state, eos, step - last)
        last = step
    for step, configuration in machine_path(name).items():
        assert construction.decode(executor.values(samples[step])) == configuration
    assert executor.values(ahead(executor, samples[27], eos, 990)) == executor.values(samples[1017])


def test_all_ways_to_take_steps_are_taken():
    construction = siegelmann_sontag(load("sweeper"))
    eos = construction.network.alphabet.index(EOS)
    for way, expected in (("direct", {"direct"}), ("macro", {"direct", "in macro steps"}), ("rules", {"by rules"})):
        executor = fast(construction.network, **WAYS[way])
        state = executor.start()
        for _ in range(20):
            state = ahead(executor, state, eos, 1000)
        assert set(modes(executor.engine)[0]) >= expected


@pytest.fixture
def collected(monkeypatch):
    """The number of nodes of each arena that was collected."""
    found = []
    compacted = Arena.compacted

    def counted(arena, *arguments):
        found.append(arena.top)
        return compacted(arena, *arguments)

    monkeypatch.setattr(Arena, "compacted", counted)
    return found


def test_states_live_on_while_tails_are_collected(collected, monkeypatch):
    """Arenas with so little room that they are collected again and again."""
    monkeypatch.setattr(direct, "SMALLEST_ARENA", 1)
    sweeper = siegelmann_sontag(load("sweeper"))
    network = replace(sweeper.network, initial_state=long_tape(random.Random(1), sweeper))
    trace = Trace(Pair(network, ((network.alphabet.index(EOS), 20_000),)))
    executor = fast(network, limb_digits=1, macro=False)
    for state, expected in compare(trace, executor, forever(lambda: 100)):
        assert executor.values(state) == expected
    assert len(trace) == 20_000
    assert len(collected) >= 4


@pytest.mark.parametrize("name", ["bb2x3", "bb2x4"])
def test_every_slice_takes_a_step(name, monkeypatch):
    monkeypatch.setattr(Runner, "_way", lambda runner, stacks: "rules")
    network = siegelmann_sontag(load(name)).network
    trace = Trace(Pair(network, ((network.alphabet.index(EOS), 60),)))
    compare(trace, fast(network, macro_after=1), forever(lambda: 3), until_decided=True)


@FEW
@given(RANDOM)
def test_long_tapes_are_decoded_rightly(rng):
    construction = compiled(siegelmann_sontag, rng.randrange(40))
    network = replace(construction.network, initial_state=long_tape(rng, construction))
    executor = fast(network, **options(rng))
    configuration = construction.decode(network.initial_state)
    assert construction.decode(executor.values(executor.start())) == configuration
    trace = Trace(Pair(network, ((network.alphabet.index(EOS), 500),)))
    compare(trace, executor, lengths(rng), until_decided=True)


@pytest.mark.parametrize("limb", [None, 5, 8])
def test_a_run_from_a_packed_state_in_macro_mode(limb):
    construction = siegelmann_sontag(load("sweeper"))
    eos = construction.network.alphabet.index(EOS)
    executor = fast(construction.network, limb_digits=limb, macro_after=100)
    state, other = executor.start(), executor.start()
    for _ in range(20):
        state = ahead(executor, state, eos, 1777)
        again = fast(construction.network, limb_digits=limb, macro_after=100)
        other = again.unpack(json.loads(json.dumps(executor.pack(other))))
        executor, other = again, ahead(again, other, eos, 1777)
        assert executor.values(other) == executor.values(state)
    assert modes(executor.engine)[0]["in macro steps"] + modes(executor.engine)[0]["by rules"] > 0


# --- numbers that come to the border after a long time


@EVERY_LIMB
@pytest.mark.parametrize("base", [2, 3, 10])
@pytest.mark.parametrize("deep", [1, 17, 60, 300])
def test_a_difference_far_behind_the_point(base, deep, limb):
    """The sign of x - y, and whether it is 0, when they differ in digit `deep` only or not at all."""
    x = mpq(base**deep // 3 * base + 1, base ** (deep + 1))
    tiny = mpq(1, base**deep)
    signs = []
    for y in (x, x - tiny, x + tiny):
        network = comparison(x, y)
        trace = Trace(Pair(network, ((0, 3),)))
        compare(trace, fast(network, limb_digits=limb), forever(lambda: 3))
        signs.append(trace.outputs[1])
    assert signs == [(0, 0), (1, 0), (0, 1)]


def comparison(x, y):
    """Return a network that keeps x and y, y by way of 1 - y, and says whether x > y and whether y > x."""
    one = mpq(1)
    complement = unit("1 - y", 1, [(1, -one)], SLU)
    units = (
        unit("x", 0, [(0, one)], SLU),
        unit("y", 1, [(5, -one)], SLU),
        unit("x > y", 0, [(0, one), (1, -one)], HEAVISIDE),
        unit("y > x", 0, [(1, one), (0, -one)], HEAVISIDE),
    )
    circuit = Circuit(state_size=4, input_size=1, layers=((complement,), units), next_state=(6, 7, 8, 9))
    outputs = (unit("greater", 0, [(2, one)], SLU), unit("less", 0, [(3, one)], SLU))
    start = (x, y, mpq(0), mpq(0))
    return Network(circuit=circuit, initial_state=start, readout=outputs, alphabet=("a",), scalar_output=False)


@EVERY_LIMB
@pytest.mark.parametrize("activation", [SLU, Activation.RELU, Activation.IDENTITY])
@pytest.mark.parametrize("base", [2, 3, 10])
def test_a_number_is_used_up_digit_by_digit(base, activation, limb):
    """Popped, 1 - base**-k is 0 in the end; base**-k is 1, and then cut off or not."""
    digits = 150
    tiny = mpq(1, base**digits)
    pops = unit("pop", 1 - base, [(0, mpq(base))], activation)
    grows = unit("grow", 0, [(1, mpq(base))], activation)
    circuit = Circuit(state_size=2, input_size=1, layers=((pops, grows),), next_state=(3, 4))
    readout = (unit("y", 0, [(0, mpq(1))], HEAVISIDE),)
    network = Network(circuit=circuit, initial_state=(1 - tiny, tiny), readout=readout, alphabet=("a",))
    trace = Trace(Pair(network, ((0, 200),)))
    assert trace.states[digits] == (0, 1)
    assert trace.outputs[digits - 1 : digits + 1] == [1, 0]
    compare(trace, fast(network, limb_digits=limb), forever(lambda: 200))
    compare(trace, fast(network, limb_digits=limb), single_steps())
