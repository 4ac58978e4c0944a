"""ReLU units that are one saturated unit together: which pairs are, and that no state, output or verdict shows it."""

import json
import random
from dataclasses import replace

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.arithmetic import Numeral
from exactnn.constructions import siegelmann_sontag
from exactnn.errors import CheckpointError
from exactnn.machine_files import load
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, SimpleRNN
from exactnn.simulation import run
from exactnn.simulation.positional.fusion import fused
from exactnn.simulation.positional.projection import Projection, long_step
from exactnn.simulation.rational import RationalExecutor
from exactnn.size_limit import SizeLimit
from tests.simulation.exact_networks import (
    KINDS,
    Pair,
    Trace,
    compare,
    compiled,
    fast,
    forever,
    hidden_sums,
    modes,
    number,
    options,
    relu_pairs,
    unit,
)
from tests.strategies import networks_and_words

IDENTITY, RELU, SLU = Activation.IDENTITY, Activation.RELU, Activation.SLU
ONE = mpq(1)
RANDOM = st.builds(random.Random, st.integers(0, 10**9))
FEW = settings(max_examples=8)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


# --- networks with pairs: SLU units taken apart


def apart(rng, network):
    """Return a network with relu(x) and relu(x - 1) for some SLU units x, in any places, and how many they are."""
    circuit = network.circuit
    first = circuit.state_size + circuit.input_size
    layers, available = [], first
    for units in circuit.layers:
        layers.append([(available + i, u) for i, u in enumerate(units)])
        available += len(units)
    held = {register: list(circuit.next_state).count(register) for register in circuit.next_state}
    split = {
        register
        for units in layers
        for register, u in units
        if u.activation is SLU and held.get(register, 0) <= 1 and rng.random() < 0.8
    }
    split |= {c for c, register in enumerate(circuit.next_state) if register in split}
    copied = {register for register in circuit.next_state if register in split and register < first}
    sources = {circuit.next_state[c] for c in copied}  # a copy of a component holds it a step later: left whole
    split -= copied | sources
    state = dealt(rng, range(circuit.state_size), split)
    places = [*state, *((register, 0) for register in range(circuit.state_size, first))]
    halves = [dealt(rng, [register for register, _ in units], split) for units in layers]
    places += [half for layer in halves for half in layer]
    new = {half: place for place, half in enumerate(places)}
    by_register = dict(entry for units in layers for entry in units)
    whole = {c: (number(rng, 2) if c in split else mpq(0)) for c in range(circuit.state_size)}
    initial = [whole[c] + (0 if part else network.initial_state[c]) for c, part in state]
    return replace(
        network,
        circuit=Circuit(
            state_size=len(state),
            input_size=circuit.input_size,
            layers=tuple(
                tuple(half_unit(rng, by_register[r], part, r in split, new) for r, part in layer) for layer in halves
            ),
            next_state=tuple(new[circuit.next_state[c], part] for c, part in state),
        ),
        initial_state=tuple(initial),
        readout=tuple(half_unit(rng, u, 0, False, new) for u in network.readout),
    ), len([register for register in split if register >= first])


def dealt(rng, registers, split):
    """Return (register, 0), and (register, 1) somewhere for those that are split."""
    places = [(register, 0) for register in registers]
    for register in registers:
        if register in split:
            places.insert(rng.randint(0, len(places)), (register, 1))
    return places


def half_unit(rng, u, part, is_split, new):
    """Return a unit, or one half of it, that reads differences."""

    def parts(register):
        return [(new[register, 0], 1)] + ([(new[register, 1], -1)] if (register, 1) in new else [])

    linear = [(r, s * w) for register, w in u.linear for r, s in parts(register)]
    bilinear = [(a, b, s * t * w) for one, other, w in u.bilinear for a, s in parts(one) for b, t in parts(other)]
    if is_split:
        rng.shuffle(linear)
    activation = RELU if is_split else u.activation
    return replace(u, bias=u.bias - part, linear=tuple(linear), bilinear=tuple(bilinear), activation=activation)


def taken_apart(kind, rng, **chosen):
    pair = kind(rng, **chosen)
    network, pairs = apart(rng, pair.network)
    return replace(pair, network=network), pair.network, pairs


def squares_of_pairs(network):
    """Whether a component or unit is multiplied by itself: pairs are not fused there."""
    units = [u for units in (*network.circuit.layers, network.readout) for u in units]
    return any(a == b and w for u in units for a, b, w in u.bilinear)


# --- the fusion of a network


@EVERY_KIND
@FEW
@given(rng=RANDOM)
def test_all_pairs_are_found_and_the_projection_commutes_with_steps(kind, rng):
    pair, whole, pairs = taken_apart(kind, rng)
    fusion = fused(pair.network)
    if squares_of_pairs(whole):
        return
    assert (fusion is not None) >= (pairs > 0)
    if fusion is not None:
        assert pair.network.circuit.units - fusion.network.circuit.units >= pairs
        commutes(pair, fusion)


@given(rng=RANDOM)
def test_the_projection_of_any_state_commutes_with_a_step(rng):
    pair, _, _ = taken_apart(rng.choice(list(KINDS.values())), rng)
    fusion = fused(pair.network)
    if fusion is None:
        return
    size = pair.network.circuit.state_size
    start = tuple(rng.choice((number(rng, 3), mpq(rng.randint(-5, 5), 3))) for _ in range(size))
    projected = replace(fusion.network, initial_state=fusion.project(start))
    commutes(replace(pair, network=replace(pair.network, initial_state=start)), replace(fusion, network=projected))


@FEW
@given(pair=networks_and_words(max_size=6), rng=RANDOM)
def test_networks_of_any_kind(pair, rng):
    whole, letters = pair
    network, _ = apart(rng, whole)
    fusion = fused(network)
    pair = Pair(network, tuple((symbol, 1) for symbol in network.inputs(letters)))
    if fusion is not None:
        commutes(pair, fusion)
    compare(Trace(pair), fast(network, **options(rng)), forever(lambda: 2))


def commutes(pair, fusion):
    """Assert that the fused network takes the projected steps and has the same outputs; embedding undoes projecting."""
    full, other = Trace(pair, most_bits=5000), Trace(replace(pair, network=fusion.network), most_bits=10**9)
    for t, (state, projected) in enumerate(zip(full.states, other.states, strict=False)):
        assert fusion.project(state) == projected
        assert fusion.project(fusion.embed(projected)) == projected
        assert not t or fusion.is_full(projected) <= (fusion.embed(projected) == state)
    assert full.outputs == other.outputs[: len(full) + 1]


def pairs_of(fusion):
    """Return the components that hold the halves of each pair."""
    return tuple(tuple(component for component, _ in fusion.rows[i]) for i in fusion.pairs)


def two(*, biases=(0, -1), weights=((1, -1), (1, -1)), readout=(1, -1), activations=(RELU, RELU), initial=("1/4", 0)):
    """Return a network of two units that read their difference and a symbol."""
    layer = [
        unit(f"u{i}", bias, [(0, mpq(a)), (1, mpq(b)), (2, ONE)], activation)
        for i, (bias, (a, b), activation) in enumerate(zip(biases, weights, activations, strict=True))
    ]
    circuit = Circuit(state_size=2, input_size=1, layers=(tuple(layer),), next_state=(3, 4))
    output = unit("y", 0, [(i, mpq(w)) for i, w in enumerate(readout) if w], IDENTITY)
    return Network(circuit=circuit, initial_state=tuple(map(mpq, initial)), readout=(output,), alphabet=("a",))


def test_a_pair():
    fusion = fused(two())
    (only,) = fusion.network.circuit.layers[0]
    assert (only.activation, only.linear, only.bias) == (SLU, ((0, ONE), (1, ONE)), 0)
    assert (pairs_of(fusion), fusion.network.initial_state, fusion.network.circuit.next_state) == (
        ((0, 1),),
        (mpq(1, 4),),
        (2,),
    )
    assert fusion.network.readout[0].linear == ((0, ONE),)
    assert pairs_of(fused(two(biases=(-1, 0), weights=((-1, 1), (-1, 1)), readout=(0, 0)))) == ((1, 0),)


@pytest.mark.parametrize(
    "network",
    [
        two(readout=(1, 0)),
        two(readout=(0, -1)),
        two(readout=(1, 1)),
        two(readout=(2, -1)),
        two(weights=((1, -1), (1, -2))),
        two(weights=((1, 0), (1, 0))),
        two(weights=((1, -2), (1, -2))),
        two(biases=(0, -2)),
        two(biases=(0, 0)),
        two(biases=(0, "-1/2")),
        two(activations=(RELU, SLU)),
        two(activations=(SLU, SLU)),
        two(activations=(IDENTITY, IDENTITY)),
    ],
)
def test_what_is_no_pair(network):
    assert fused(network) is None


def wired(next_state, *, layers=None, size=2, extra=()):
    """Return a network of a pair (registers size + 1 and size + 2), with any wiring and more units."""
    pair = tuple(unit(f"u{i}", -i, [(size, ONE), *extra], RELU) for i in range(2))
    circuit = Circuit(state_size=size, input_size=1, layers=layers or (pair,), next_state=next_state)
    output = unit("y", 0, [(0, ONE), (1, -ONE)], IDENTITY)
    return Network(circuit=circuit, initial_state=(mpq(3),) * size, readout=(output,), alphabet=("a",))


def test_the_wiring_of_a_pair():
    high, low = (unit(f"u{i}", -i, [(2, ONE)], RELU) for i in range(2))
    reads = (unit("v", 0, [(3, ONE), (4, -ONE)], SLU),)
    assert fused(wired((3, 4))) is not None
    assert pairs_of(fused(wired((4, 3)))) == ((1, 0),)
    assert fused(wired((5, 5), layers=((high, low), reads))).pairs == ()
    assert fused(wired((3, 4, 3), size=3, extra=())) is None  # registers of other units
    for wiring in (
        wired((3, 3)),  # one half is not kept
        wired((3, 2)),
        wired((4, 5, 4), size=3),  # one half is kept twice
        wired((4, 5, 0), size=3),  # a half of the last state is kept
        wired((3, 4), layers=((high,), (low,))),  # in different layers
        wired((3, 5), layers=((high, low), (unit("v", 0, [(3, ONE)], SLU),))),  # a reader of one half
        wired((3, 4), extra=((0, ONE),)),
        wired((3, 4), extra=((0, ONE), (1, ONE))),
        wired((3, 4), extra=((0, ONE), (1, mpq(-1, 2)))),
    ):
        assert fused(wiring) is None


def test_products_with_a_pair():
    """The difference times something else is a difference, that of the pair times itself is not taken for one."""

    def network(bilinear):
        readers = (unit("v", 0, [], SLU, bilinear),)
        pair = tuple(unit(f"u{i}", -i, [(1, ONE)], RELU) for i in range(2))
        circuit = Circuit(state_size=1, input_size=1, layers=(pair, readers), next_state=(4,))
        output = unit("y", 0, [(0, ONE)], IDENTITY)
        return Network(circuit=circuit, initial_state=(mpq(3),), readout=(output,), alphabet=("a",))

    assert fused(network([(2, 0, ONE), (0, 3, -ONE)])).network.circuit.layers[1][0].bilinear == ((2, 0, ONE),)
    for bilinear in ([(2, 0, ONE)], [(2, 0, ONE), (3, 1, -ONE)], [(2, 2, ONE), (3, 3, -ONE)], [(2, 3, ONE)]):
        assert fused(network(bilinear)) is None


def test_terms_in_any_order_and_several_times():
    high = unit("u0", 0, [(2, mpq(2)), (0, ONE), (1, -ONE)], RELU)
    low = unit("u1", -1, [(0, mpq(2)), (1, -ONE), (2, ONE), (0, -ONE), (2, ONE)], RELU)
    fusion = fused(wired((3, 4), layers=((high, low),)))
    assert fusion.network.circuit.layers[0][0].linear == ((1, mpq(2)), (0, ONE))


def test_of_three_units_two_are_fused_if_only_their_difference_is_used():
    """relu(x), relu(x - 1), relu(x - 2): read as (1, -1, 0), (0, 1, -1) and (1, -2, 1)."""
    for weights, pairs in (
        ((1, -1, 0), ((0, 1),)),
        ((0, 1, -1), ((1, 2),)),
        ((1, -2, 1), None),
        ((1, -1, 1), ((0, 1),)),
    ):
        layer = tuple(unit(f"u{i}", -i, [(3, mpq(5, 2))], RELU) for i in range(3))
        circuit = Circuit(state_size=3, input_size=1, layers=(layer,), next_state=(4, 5, 6))
        output = unit("y", 0, [(i, mpq(w)) for i, w in enumerate(weights)], IDENTITY)
        network = Network(circuit=circuit, initial_state=(mpq(0),) * 3, readout=(output,), alphabet=("a",))
        fusion = fused(network)
        assert (fusion and pairs_of(fusion)) == pairs
        if fusion:
            commutes(Pair(network, ((0, 3),)), fusion)


def test_a_unit_is_fused_with_one_other_only():
    """relu(x) twice and relu(x - 1) once, read as (1, 1, -1): either of the first two may be fused, not both."""
    layer = tuple(unit(f"u{i}", bias, [(3, mpq(2))], RELU) for i, bias in enumerate((0, 0, -1)))
    reader = unit("v", 0, [(4, ONE), (5, ONE), (6, -ONE)], RELU)
    output = unit("y", 0, [(0, ONE), (1, ONE), (2, -ONE)], IDENTITY)
    held = Circuit(state_size=3, input_size=1, layers=(layer,), next_state=(4, 5, 6))
    read = Circuit(state_size=3, input_size=1, layers=(layer, (reader,)), next_state=(7, 7, 3))
    for circuit, pairs in ((held, ((0, 2),)), (read, ())):
        network = Network(circuit=circuit, initial_state=(mpq(0),) * 3, readout=(output,), alphabet=("a",))
        fusion = fused(network)
        assert (pairs_of(fusion), fusion.network.circuit.units) == (pairs, network.circuit.units - 1)
        commutes(Pair(network, ((0, 4),)), fusion)


def test_no_network_without_relus_is_changed():
    for name in ("bb2", "palindrome"):
        assert fused(siegelmann_sontag(load(name)).network) is None
    assert fused(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])) is None


# --- runs


def lengths(rng):
    return forever(lambda: rng.choice((1, 2, 3, 7, 50)))


@pytest.mark.mostly_slow(quick=5, slow=3)
@EVERY_KIND
@FEW
@given(rng=RANDOM)
def test_every_state_and_output(kind, rng):
    pair, _, _ = taken_apart(kind, rng)
    trace = Trace(pair)
    compare(trace, fast(trace.network, **options(rng)), forever(lambda: 1))
    compare(trace, fast(trace.network, **options(rng)), lengths(rng), until_decided=rng.random() < 0.5)


@FEW
@given(rng=RANDOM)
def test_random_pairs_of_which_some_have_other_readers(rng):
    trace = Trace(relu_pairs(rng))
    kept = compare(trace, fast(trace.network, **options(rng)), lengths(rng), until_decided=rng.random() < 0.5)
    assert [expected for _, expected in kept]


def test_halves_above_one_come_up():
    found = 0
    for seed in range(60):
        pair, _, _ = taken_apart(KINDS["machines"], random.Random(seed))
        if fused(pair.network) is not None:
            found += any(x > 1 for state in Trace(pair).states[1:] for x in state)
    assert found > 20


@pytest.mark.mostly_slow(quick=4, slow=3)
@EVERY_KIND
@FEW
@given(rng=RANDOM)
def test_a_packed_state_goes_on_as_if_nothing_had_happened(kind, rng):
    pair, _, _ = taken_apart(kind, rng)
    trace, chosen, until_decided = Trace(pair), options(rng), rng.random() < 0.7
    executor = fast(trace.network, **chosen)
    state, position = executor.start(), 0
    for symbol, count in [(s, c) for _, s, c in trace.slices(forever(lambda: rng.choice((1, 1, 3, 9))))]:
        taken = 0
        while taken < count:
            if rng.random() < 0.3:
                data = json.loads(json.dumps(executor.pack(state)))
                executor = fast(trace.network, **chosen)
                state = executor.unpack(data)
                assert executor.values(state) == trace.states[position]
            segment = executor.advance(state, symbol, count - taken, until_decided=until_decided)
            state, position, taken = segment.state, position + segment.steps, taken + segment.steps
    assert executor.values(state) == trace.states[-1]


def test_what_pack_cannot_have_written():
    executor = fast(two())
    start = executor.pack(executor.start())
    later = executor.pack(executor.advance(executor.start(), 0, 3, until_decided=False).state)
    assert executor.values(executor.unpack(start)) == (mpq(1, 4), 0)
    executor.unpack(later)
    wrong = [None, [], {}, {"start": 1}, {"numbers": 1}, {"numbers": later["numbers"]}, {**start, "steps": "0x1"}]
    wrong += [
        {**later, "input": 1},
        {**later, "input": True},
        {**later, "input": ["0x1", "0x1"]},
        {**later, "until_decided": 1},
    ]
    wrong += [{**later, "steps": steps} for steps in ("0x0", 1, "-0x1", None)]
    wrong += [{**later, part: value} for part in ("numbers", "origin") for value in (None, {}, ["0x1"] * 9)]
    for data in wrong:
        with pytest.raises(CheckpointError):
            executor.unpack(data)


def test_values_cost_no_counted_steps():
    construction = siegelmann_sontag(load("bb4"), activation="relu")
    executor = fast(construction.network)
    state = executor.start()
    for _ in range(5):
        state = executor.advance(state, 0, 13, until_decided=True).state
        before = executor.engine
        executor.values(state)
        assert executor.engine == before
    assert modes(before)[0] == {"direct": 65}


# --- long runs and long numbers

WAYS = {
    "direct": {"macro": False},
    "macro": {"macro_after": 500, "induction": False},
    "rules": {"macro_after": 500},
}


@pytest.mark.mostly_slow(quick=8, slow=5)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("limb", [None, 1, 5])
@pytest.mark.parametrize("name", ["sweeper", pytest.param("bb5", marks=pytest.mark.slow), "bb2x4"])
def test_long_runs_agree_with_the_saturated_network(name, limb, way):
    relu, slu = (siegelmann_sontag(load(name), activation=activation) for activation in ("relu", "slu"))
    fusion, eos = fused(relu.network), relu.network.alphabet.index(EOS)
    assert saturated(fusion.network.circuit) == slu.network.circuit
    executors = [fast(c.network, limb_digits=limb, **WAYS[way]) for c in (relu, slu)]
    state, other = (executor.start() for executor in executors)
    plain = RationalExecutor(relu.network)
    for count in (1, 19, 990, 3331, 10_000, 10_001, 80_000):
        state, last = ahead(executors[0], state, eos, count - 1), ahead(executors[0], state, eos, count)
        other = ahead(executors[1], other, eos, count)
        values = executors[0].values(last)
        assert fusion.project(values) == executors[1].values(other)
        assert values == plain.step(executors[0].values(state), eos)
        state = last


def saturated(circuit):
    """Return the circuit with SLU units only."""
    layers = tuple(tuple(replace(u, activation=SLU) for u in units) for units in circuit.layers)
    return replace(circuit, layers=layers)


def ahead(executor, state, symbol, count):
    """Return the state after `count` steps, in which there must be no verdict."""
    while count:
        segment = executor.advance(state, symbol, count, until_decided=True)
        assert segment.outcome is None
        state, count = segment.state, count - segment.steps
    return state


def test_numbers_of_enormous_length():
    relu, slu = (siegelmann_sontag(load("sweeper"), activation=activation) for activation in ("relu", "slu"))
    for steps in (10**40, 10**40 + 1):
        result, other = (run(construction, "", max_steps=steps) for construction in (relu, slu))
        assert any(isinstance(x, Numeral) and x > 1 for x in result.final_state)
        assert fused(relu.network).project(result.final_state) == other.final_state
        assert relu.nonblank(result.final_state) == slu.nonblank(other.final_state) > 10**20


@pytest.mark.mostly_slow(quick=5, slow=3)
@EVERY_KIND
@FEW
@given(rng=RANDOM)
def test_a_step_on_numerals(kind, rng):
    """Numbers with an end in base 10 as numerals or rationals, whichever."""
    trace = Trace(kind(rng))
    plain = RationalExecutor(trace.network)
    factors = {weight.denominator for units in trace.network.circuit.layers for u in units for _, weight in u.linear}
    factors |= {u.bias.denominator for units in trace.network.circuit.layers for u in units}
    factors |= {w.denominator for units in trace.network.circuit.layers for u in units for _, _, w in u.bilinear}
    if any(10**100 % d for d in factors):
        return
    for state, symbol in list(zip(trace.states, trace.inputs, strict=False))[:5]:
        inputs = symbol if isinstance(symbol, tuple) else ()
        if any(10**1000 % x.denominator for x in (*state, *inputs)):
            continue
        mixed = tuple(Numeral.of(x, 10) if rng.random() < 0.7 else x for x in state)
        assert long_step(trace.network, mixed, symbol) == plain.step(state, symbol)
        assert long_step(trace.network, state, symbol) == plain.step(state, symbol)


def test_a_verdict_inside_a_slice():
    """The last step of a slice that a verdict ends has halves above 1."""
    network = replace(
        two(initial=("1/4096", 0)),
        alphabet=("a", EOS),
        circuit=replace(two().circuit, input_size=2, layers=(growing(),), next_state=(4, 5)),
        decision=Decision(protocol=Protocol.EOS_HALT, threshold=mpq(1, 2)),
    )
    trace = Trace(Pair(network, ((1, 40),)))
    steps, outcome = trace.until_decided(0, 40)
    assert outcome is not None
    assert steps > 3
    for limb in (None, 1, 3):
        compare(trace, fast(network, limb_digits=limb), forever(lambda: 40), until_decided=True)
    assert max(trace.states[steps]) > 1


def test_the_full_state_where_limbs_are_shortened():
    """The steps that lead to a full state begin in limbs that are longer than those of the engine that goes on."""
    doubled = unit("x", 0, [], IDENTITY, [(0, 3, mpq(2)), (0, 4, mpq(2))])
    pair = (unit(f"u{i}", -i, [(0, ONE)], RELU) for i in range(2))
    circuit = Circuit(state_size=3, input_size=2, layers=((doubled, *pair),), next_state=(5, 6, 7))
    start = (mpq(2**300 // 3, 2**300), mpq(0), mpq(0))
    network = Network(circuit=circuit, initial_state=start, readout=(unit("y", 0, [], IDENTITY),), alphabet=("a", "b"))
    word = tuple((step % 2, 1) for step in range(90))
    trace, executor = Trace(Pair(network, word)), fast(network)
    kept = compare(trace, executor, forever(lambda: 1))
    assert modes(executor.engine)[0] == {"direct": 60, "in rationals": 30}
    assert any(x > 1 for x in trace.states[61][1:])
    for state, expected in kept:
        assert executor.values(state) == expected
        assert executor.values(executor.unpack(json.loads(json.dumps(executor.pack(state))))) == expected


def growing():
    return tuple(unit(f"u{i}", -i, [(0, mpq(9)), (1, mpq(-9))], RELU) for i in range(2))


def test_embedding():
    rows = (((1, ONE), (4, -ONE)), ((2, ONE),), ((3, ONE), (0, -ONE)))
    pairs = Projection(two(), rows, homes=(1, 2, 3), size=5, pairs=(0, 2))
    assert pairs.embed((1, 2, 3)) == (0, 1, 2, 3, 0)
    assert pairs.project((7, 1, 2, 3, 4)) == (-3, 2, -4)


def test_compiled_networks_of_random_machines():
    rng = random.Random(3)
    for index in range(20):
        machine = compiled(siegelmann_sontag, index).machine
        relu, slu = (siegelmann_sontag(machine, activation=activation) for activation in ("relu", "slu"))
        assert saturated(fused(relu.network).network.circuit) == slu.network.circuit
        words = [(rng.randrange(relu.network.circuit.input_size), 1) for _ in range(30)]
        compare(Trace(Pair(relu.network, tuple(words))), fast(relu.network), forever(lambda: 1))


@settings(max_examples=40)
@given(RANDOM)
def test_a_state_is_told_however_much_is_kept_by_then(rng):
    """The full state follows from steps of the smaller network, which had room when they were taken first."""
    kind, most = rng.choice((relu_pairs, hidden_sums)), 10**7
    pair, limit = kind(rng, 40), SizeLimit(most)
    executor, trace = fast(pair.network, limit=limit, macro=False, warm_up=rng.choice((0, 3))), Trace(pair)
    state = executor.start()
    for _, symbol, count in trace.slices(forever(lambda: 15)):
        while count:
            segment = executor.advance(state, symbol, count, until_decided=False)
            state, count = segment.state, count - segment.steps
    limit.keep(32 * (most // 1024) * [mpq(0)])
    assert limit.room < 1024
    assert tuple(map(mpq, executor.values(state))) == trace.states[-1]
    assert limit.room < 1024
