"""The modular shadow: it agrees with every run of direct mode, and notices whatever is changed in the engine."""

import math
import pickle
import random

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.constructions import siegelmann_sontag
from exactnn.errors import ExactnnError, ShadowError
from exactnn.machine_files import load
from exactnn.networks import EOS
from exactnn.simulation.positional import numeral_kernels, shadow, words
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.positional.numeral_kernels import LINK, SLOT
from exactnn.simulation.positional.rows import Status
from exactnn.simulation.positional.shadow_steps import MODULUS, product, residue
from tests.simulation.exact_networks import KINDS, LIMBS, Trace, compare, forever, modes

WORDS = st.one_of(st.integers(0, MODULUS + 7), st.sampled_from([0, 1, MODULUS - 1, MODULUS, MODULUS + 7, 2**31, 2**30]))


@given(WORDS, WORDS)
def test_a_product_of_residues(a, b):
    found = int(product(np.uint64(a), np.uint64(b)))
    assert found % MODULUS == a * b % MODULUS
    assert found < MODULUS + 8


@given(st.fractions(), st.fractions())
def test_residues_are_a_field(x, y):
    x, y = mpq(x), mpq(y)
    assert residue(x + y) == (residue(x) + residue(y)) % MODULUS
    assert residue(x * y) == residue(x) * residue(y) % MODULUS


def watched(network, **chosen):
    return ExactExecutor(network, **{"warm_up": 0, "macro": False, "shadow": True, **chosen})


@pytest.mark.mostly_slow(quick=3)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@given(rng=st.builds(random.Random, st.integers(0, 10**9)))
def test_the_shadow_agrees(kind, rng):
    trace = Trace(kind(rng, steps=40))
    executor = watched(trace.network, limb_digits=rng.choice(LIMBS), warm_up=rng.choice((0, 3)))
    compare(trace, executor, forever(lambda: rng.choice((1, 2, 3, 7, 50))), until_decided=rng.random() < 0.5)
    assert executor._modes.account.shadowed == modes(executor.engine)[0]["direct"]


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("kind", ["machines", "tapes", "stacks", "border"])
def test_the_shadow_agrees_over_many_stretches(kind, monkeypatch):
    """Comparisons after few steps, traces that are full after few transitions, arenas that are full after few nodes."""
    monkeypatch.setattr(shadow, "SHORTEST", 3)
    monkeypatch.setattr(shadow, "STEPS_PER_BIT", 0)
    for seed in range(10):
        rng = random.Random(seed)
        trace = Trace(KINDS[kind](rng, steps=200))
        executor = watched(trace.network, limb_digits=rng.choice(LIMBS))
        compare(trace, executor, forever(lambda rng=rng: rng.choice((1, 5, 100))))


def test_macro_steps_are_no_direct_steps():
    construction = siegelmann_sontag(load("sweeper"))
    executor = watched(construction.network, macro=True, macro_after=500)
    ahead(executor, executor.start(), construction.network.alphabet.index(EOS), 10**6)
    assert 0 < executor._modes.account.shadowed < 10**6


def ahead(executor, state, symbol, count):
    """Return the state at the first verdict, or after `count` steps, and how many there were."""
    steps = 0
    while steps < count:
        segment = executor.advance(state, symbol, count - steps, until_decided=True)
        state, steps = segment.state, steps + segment.steps
        if segment.outcome is not None:
            break
    executor.values(state)
    return state, steps


@pytest.mark.parametrize(("name", "limit", "steps"), [("bb4", 10**9, 107), ("bb5", 10**6, 10**6)])
def test_busy_beavers(name, limit, steps):
    network = siegelmann_sontag(load(name)).network
    executor = watched(network)
    state, taken = ahead(executor, executor.start(), network.alphabet.index(EOS), limit)
    assert taken == steps
    assert executor._modes.account.shadowed == steps
    assert executor.engine == f"exact: {steps:,} steps direct, {steps:,} steps checked modulo 2^61-1"
    again, _ = ahead(executor, executor.start(), network.alphabet.index(EOS), limit)
    assert executor.values(again) == executor.values(state)
    assert executor._modes.account.shadowed == 2 * steps


def test_a_state_in_the_middle_is_gone_on_from():
    network = siegelmann_sontag(load("bb5")).network
    executor = watched(network)
    eos = network.alphabet.index(EOS)
    states = {0: executor.start()}
    for step in range(1000, 10_000, 1000):
        states[step] = ahead(executor, states[step - 1000], eos, 1000)[0]
    values = executor.values(states[9000])
    for step in (3000, 0, 7000):
        assert executor.values(ahead(executor, states[step], eos, 9000 - step)[0]) == values


def test_an_interrupted_stretch_can_be_begun_again(monkeypatch):
    network = siegelmann_sontag(load("bb5")).network
    executor = watched(network)
    eos = network.alphabet.index(EOS)
    state, _ = ahead(executor, executor.start(), eos, 1000)
    segment = executor.advance(state, eos, 500, until_decided=True)  # not compared yet
    loop = DirectEngine._loop

    def interrupted(*arguments):
        loop(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(DirectEngine, "_loop", interrupted)
        with pytest.raises(KeyboardInterrupt):
            executor.advance(segment.state, eos, 500, until_decided=True)
    assert executor.values(segment.state) == executor.values(ahead(executor, state, eos, 500)[0])


# --- what the shadow notices


def long_number(engine, control):
    """Return the slot of a long number of the state that a step begins in."""
    pattern = engine.program.pattern(int(control[words.C_NODE]))
    first = pattern.bank * len(pattern.statuses)
    slots = [SLOT * (first + i) for i, status in enumerate(pattern.statuses) if status is Status.LIVE]
    return next(slot for slot in slots if engine.slots[slot + numeral_kernels.NODE] > numeral_kernels.LABELS)


def slot_word(word, change):
    def corrupt(engine, arena, control):
        slot = long_number(engine, control)
        engine.slots[slot + word] = change(engine.slots[slot + word])

    return corrupt


def node_word(word, change, deep):
    def corrupt(engine, arena, control):
        node = engine.slots[long_number(engine, control) + numeral_kernels.NODE]
        for _ in range(deep):
            node = arena.nodes[LINK * node + numeral_kernels.NEXT]
        arena.nodes[LINK * node + word] = change(arena.nodes[LINK * node + word])

    return corrupt


def every_transition(change):
    def corrupt(engine, arena, control):
        code = engine.program.code.array
        for transition, ending in list(engine.program.transitions.items()):
            moves = range(transition + words.T_FIRST, 1 << 62, words.MOVE)[: code[transition + words.T_MOVES]]
            change(engine, code, transition, moves, ending)

    return corrupt


def smaller_constant(engine, code, transition, moves, ending):
    for move in moves:
        code[move + words.M_TWICE] -= 2 * (code[move + words.M_TWICE] > 0)


def other_node(engine, code, transition, moves, ending):
    code[transition + words.T_NODE] = next(iter(engine.program._entered.values()))


def no_moves(engine, code, transition, moves, ending):
    code[transition + words.T_MOVES] = 0


def swapped_transitions(engine, arena, control):
    """The cases of a node lead to transitions of other nodes."""
    program, address = engine.program, int(control[words.C_NODE])
    table = program.code.array[address + words.N_TABLE]
    cases = math.prod(group.cases for group in program._nodes[address].groups)
    here = program.pattern(address).statuses
    other = next(t for t, (pattern, _) in program.transitions.items() if pattern.statuses != here)
    taken = program.code.array[table : table + cases]
    taken[taken > 0] = other


def wrong_lookup(engine, arena, control):
    """The leading digits of the numbers that a node looks at are taken for others."""
    program, address = engine.program, int(control[words.C_NODE])
    for i in range(program.code.array[address + words.N_SOURCES]):
        at = address + words.HEADER + words.SOURCE * i
        first, digits = program.code.array[[at + words.S_LOOKUP, at + words.S_DIGITS]]
        if digits >= 0:
            lookup = program.code.array[first + 1 : first + 2 * engine.radix.base**digits]
            lookup[:] = lookup[::-1].copy()


CORRUPTIONS = {
    "last digit of a head": slot_word(numeral_kernels.MIDDLE, lambda x: x ^ 2),
    "a digit inside a head": slot_word(numeral_kernels.MIDDLE, lambda x: x ^ 4),
    "places": slot_word(numeral_kernels.PLACES, lambda x: x + 1),
    "sign": slot_word(numeral_kernels.SIGN, lambda x: -x),
    "repetitions of the tail": slot_word(numeral_kernels.COUNT, lambda x: x + 1),
    "no tail": slot_word(numeral_kernels.NODE, lambda x: 0),
    "a limb": node_word(numeral_kernels.LIMB, lambda x: x ^ 1, 0),
    "a limb deep down": node_word(numeral_kernels.LIMB, lambda x: x ^ 4, 10),
    "a digit lost from a limb": node_word(numeral_kernels.LIMB, lambda x: x >> 1, 3),
    "next node": node_word(numeral_kernels.NEXT, lambda x: 0, 5),
    "repetitions of a limb": node_word(numeral_kernels.REPEATED, lambda x: x + 1, 5),
    "constant of the moves": every_transition(smaller_constant),
    "moves left out": every_transition(no_moves),
    "where transitions lead": every_transition(other_node),
    "lookup": wrong_lookup,
    "transitions of other nodes": swapped_transitions,
}


def notices(executor, state, symbol, count):
    """Whether these steps end in an error, or with the remark that a number was cut off: no tape ends so."""
    try:
        ahead(executor, state, symbol, count)
    except ShadowError as error:
        return "please report it" in str(error) and error.first == executor._modes.account.shadowed + 1 <= error.last
    return " of them cut off a number unseen" in executor.engine


@pytest.mark.parametrize("corrupt", CORRUPTIONS.values(), ids=CORRUPTIONS)
def test_a_change_in_the_engine_is_noticed(corrupt, monkeypatch):
    executor, state, eos = in_the_middle(limb_digits=5)
    loop = DirectEngine._loop
    calls = []

    def corrupted(engine, arena, control, *arguments):
        calls.append(engine)
        if len(calls) == 1:
            corrupt(engine, arena, control)
        return loop(engine, arena, control, *arguments)

    monkeypatch.setattr(DirectEngine, "_loop", corrupted)
    assert notices(executor, state, eos, 2000)


def in_the_middle(**chosen):
    network = siegelmann_sontag(load("bb5")).network
    executor = watched(network, **chosen)
    eos = network.alphabet.index(EOS)
    return executor, ahead(executor, executor.start(), eos, 50_000)[0], eos


def test_a_wrong_collection_is_noticed(monkeypatch):
    executor, state, eos = in_the_middle(limb_digits=1)
    compacted = Arena.compacted

    def wrong(arena, *arguments):
        fresh = compacted(arena, *arguments)
        fresh.nodes[LINK * (fresh.top - 1) + numeral_kernels.LIMB] ^= 1
        return fresh

    monkeypatch.setattr(Arena, "compacted", wrong)
    assert notices(executor, state, eos, 10**6)


def test_wrong_weights_are_noticed(monkeypatch):
    """The shadow has its weights from the circuit, not from the program."""
    network = siegelmann_sontag(load("bb4")).network
    executor = watched(network)
    program = executor._modes._engines.direct.program
    move = program._move

    def wrong(*arguments):
        words = move(*arguments)
        words[4] -= words[4] > 0
        return words

    monkeypatch.setattr(program, "_move", wrong)
    assert notices(executor, executor.start(), network.alphabet.index(EOS), 1000)


def test_wrongly_loaded_numbers_are_noticed(monkeypatch):
    executor, state, eos = in_the_middle()
    load_rightly = DirectEngine.load

    def wrong(engine, values):
        loaded = load_rightly(engine, values)
        for i, status in enumerate(loaded.statuses):
            loaded.slots[SLOT * i + numeral_kernels.MIDDLE] ^= 2 * (status is Status.LIVE)
        return loaded

    packed = executor.pack(state)
    monkeypatch.setattr(DirectEngine, "load", wrong)
    assert notices(executor, executor.unpack(packed), eos, 1000)


def test_the_error_is_about_exactnn():
    error = ShadowError("net", 1, 2, "what")
    assert isinstance(error, ExactnnError)
    assert isinstance(error, RuntimeError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.first, again.last) == (str(error), 1, 2)
