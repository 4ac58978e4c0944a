"""Sums of several long numbers in direct mode: limb by limb, with what is carried over, in arenas of any size."""

import random
from dataclasses import replace
from functools import cache, partial
from itertools import groupby

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.networks import Activation, Circuit, Network
from exactnn.simulation.positional import direct, words
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.direct_state import DirectState
from exactnn.simulation.positional.experience import Experience
from exactnn.simulation.positional.mode_state import ModeState
from exactnn.simulation.positional.numeral_kernels import (
    COUNT,
    CUT,
    LINK,
    NODE,
    PLACES,
    REST,
    REST_COUNT,
    SIGN,
    SLOT,
    same,
)
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.row_kernels import NUMBER, OPERAND_SIZE, sum_of_tails
from exactnn.simulation.positional.rows import Status
from tests.simulation.exact_networks import (
    LIMBS,
    Pair,
    Trace,
    compare,
    fast,
    forever,
    long_number,
    long_sums,
    modes,
    queues,
    real_queues,
    unit,
)

IDENTITY, RELU, SLU = Activation.IDENTITY, Activation.RELU, Activation.SLU
ONE = mpq(1)
EVERY_LIMB = pytest.mark.parametrize("limb", LIMBS)
RANDOM = st.builds(random.Random, st.integers(0, 10**9))


def network_of(units, start, base=2):
    """Return the network of one layer whose state is these units, and a 0 that is divided by the base."""
    units, start = (*units, unit("0", 0, [(len(start), ONE / base)], SLU)), (*start, mpq(0))
    first = len(start) + 1
    circuit = Circuit(
        state_size=len(start), input_size=1, layers=(units,), next_state=tuple(range(first, first + len(start)))
    )
    readout = (unit("y", 0, [], IDENTITY),)
    return Network(circuit=circuit, initial_state=tuple(start), readout=readout, alphabet=("a",))


@pytest.mark.parametrize(("kind", "steps"), [(long_sums, 40), (queues, 40), (real_queues, 200)])
@EVERY_LIMB
@settings(max_examples=10)
@given(rng=RANDOM)
def test_every_state_whatever_the_room(kind, steps, limb, rng):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(direct, "SMALLEST_ARENA", 1)
        pair = kind(rng, steps)
        executor = fast(pair.network, limb_digits=limb, macro=rng.random() < 0.5, macro_after=1)
        compare(Trace(pair), executor, forever(lambda: rng.choice((1, 3, 40))))


@EVERY_LIMB
@pytest.mark.parametrize("base", [2, 3, 10])
@pytest.mark.parametrize("activation", [IDENTITY, RELU, SLU])
def test_what_is_carried_over_all_digits(base, limb, activation):
    """1 - base**-n and small multiples of base**-n: sums right below 1, at 1, above; right above 0, at 0, below."""
    deep = 100
    tiny = mpq(1, base**deep)
    for times in (-2, -1, 0, 1, 2, 3):
        below = unit("1 - tiny + times * tiny", 0, [(0, ONE), (1, mpq(times))], activation)
        above = unit("tiny - times * tiny", 0, [(2, ONE), (1, mpq(-times))], activation)
        network = network_of((below, unit("tiny", 0, [(1, ONE)], SLU), above), (1 - tiny, tiny, tiny), base)
        trace = Trace(Pair(network, ((0, 4),)))
        assert trace.states[1][0] == min(1 + (times - 1) * tiny, ONE if activation is SLU else 2)
        executor = fast(network, limb_digits=limb)
        compare(trace, executor, forever(lambda: 4))
        assert set(modes(executor.engine)[0]) == {"direct"}


@EVERY_LIMB
@pytest.mark.parametrize("factor", [-7, -1, 2, 12])
def test_a_multiple_of_a_long_number(factor, limb):
    start = long_number(random.Random(factor), 10) / 20
    network = network_of((unit("x", 0, [(0, mpq(factor))], IDENTITY),), (start,), 10)
    executor = fast(network, limb_digits=limb)
    compare(Trace(Pair(network, ((0, 5),))), executor, forever(lambda: 5))
    assert "direct" in modes(executor.engine)[0]


@pytest.mark.parametrize("make", [xn.layered_stacks, xn.merged_stacks])
@pytest.mark.parametrize("shadow", [False, True])
def test_a_word_is_appended_to_a_stack(make, shadow):
    """All of the word's stack is below it; the empty stack's end is known as the unit of its last place."""
    network, rng = make("mirror-stacks").network, random.Random(7)
    word = "".join(rng.choices("ab", k=600))
    word = f"{word}#{word[::-1]}"
    executor, plain = fast(network, shadow=shadow, warm_up=3), xn.run(network, word, arithmetic=xn.RATIONAL)
    run = xn.run(network, word)
    assert (run.steps, run.outcome, run.final_state) == (plain.steps, plain.outcome, plain.final_state)
    state, eos = executor.start(), network.alphabet.index(xn.EOS)
    inputs = [*network.inputs(word), *[eos] * run.eos_steps]
    while inputs:
        segment = executor.advance_word(state, inputs)
        state, inputs = segment.state, inputs[segment.steps :]
    assert executor.values(state) == plain.final_state
    assert modes(executor.engine) == ({"in rationals": 3, "direct": plain.steps - 3}, {})


def test_a_sum_longer_than_the_arena(monkeypatch):
    """The step is begun again with more room, and what is there stays what it is."""
    asked = []
    with_room = direct.DirectEngine._with_room
    monkeypatch.setattr(direct, "SMALLEST_ARENA", 1)
    monkeypatch.setattr(
        direct.DirectEngine,
        "_with_room",
        lambda self, *rest, more=0: asked.append(more) or with_room(self, *rest, more=more),
    )
    rng, base = random.Random(5), 2
    x, y = (mpq(rng.randrange(base**9000), base**9000) for _ in range(2))
    halves = (unit("x", 0, [(0, ONE / 2), (1, ONE / 2)], SLU), unit("y", 0, [(1, -ONE / 4), (0, ONE / 2)], SLU))
    network = network_of(halves, (x, y))
    executor = fast(network, limb_digits=3)
    compare(Trace(Pair(network, ((0, 12),)), most_bits=10**9), executor, forever(lambda: 12))
    assert modes(executor.engine)[0] == {"direct": 12}
    assert max(asked) > 3000


@pytest.mark.parametrize("smallest", [1, 1 << 12])
def test_rows_that_fill_the_arena_before_a_sum(smallest, monkeypatch):
    """Each of 60 rows makes nodes, beyond what is kept free for a row; the sum after them has to ask for enough."""
    asked, with_room = [], direct.DirectEngine._with_room
    monkeypatch.setattr(direct, "SMALLEST_ARENA", smallest)

    def counted(self, *rest, more=0):
        asked.append(more)
        assert more >= 0
        return with_room(self, *rest, more=more)

    monkeypatch.setattr(direct.DirectEngine, "_with_room", counted)
    many, tiny = 60, mpq(1, 2**20)
    y, first, second = many, many + 1, many + 2
    units = [
        *(unit(f"x{i}", 0, [(i, tiny), (y, ONE)], IDENTITY) for i in range(many)),
        *(unit(f"{i}", 0, [(i, ONE)], IDENTITY) for i in (y, first, second)),
        unit("mean", 0, [(first, ONE / 2), (second, ONE / 2)], IDENTITY),
    ]
    start = [*[mpq(5, 16)] * many, mpq(1, 4), 1 - mpq(1, 2**400), 1 - mpq(1, 2**361), mpq(1, 2)]
    circuit = Circuit(
        state_size=len(start), input_size=1, layers=(tuple(units),),
        next_state=tuple(range(len(start) + 1, 2 * len(start) + 1)),
    )  # fmt: skip
    network = Network(
        circuit=circuit, initial_state=tuple(start), readout=(unit("y", 0, [], IDENTITY),), alphabet=("a",)
    )
    steps = 3000
    executor = fast(network, macro=False)
    state, taken = executor.start(), 0
    while taken < steps:
        segment = executor.advance(state, 0, steps - taken, until_decided=False)
        state, taken = segment.state, taken + segment.steps
    x = start[0]
    for _ in range(steps):
        x = tiny * x + start[y]
    assert executor.values(state) == (*[x] * many, *start[many:-1], (start[first] + start[second]) / 2)
    assert max(asked) > 0


def test_sums_that_take_longer_than_plain_steps_are_left_to_these():
    rng, base = random.Random(6), 2
    start = [mpq(rng.randrange(base**400_000), base**400_000) for _ in range(2)]
    mixed = [unit(f"{i}", 0, [(0, ONE / 2), (1, ONE / 2 if i else ONE / 4)], SLU) for i in range(2)]
    network = network_of(tuple(mixed), start)
    executor, steps = fast(network, macro=False), 600
    compare(Trace(Pair(network, ((0, steps),)), most_bits=10**9), executor, forever(partial(int, steps)))
    taken, reasons = modes(executor.engine)
    assert taken["direct"] < steps / 2
    assert set(reasons) == {"sums of very long numbers"}


def limbs_of(arena, tail):
    """Return the limbs of a tail, one by one."""
    return [limb for limb, count in arena.runs(tail) for _ in range(count)]


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_arena_of_any_size_has_room_for_a_whole_sum_or_for_none(seed):
    """Digits and their complements, all of whose sums are 9, before a run of two sums that changes what is carried.

    Room may end within that run, and there is some again behind it: the rest of the run must not be lost.
    """
    rng, radix = random.Random(seed), Radix(base=10, limb=1, least=2, most=4)
    high, low = [rng.randrange(10) for _ in range(1500)], [rng.randrange(1, 4) for _ in range(1000 + seed)]
    first, second = [*high, 5, 5, *low], [*(9 - d for d in high), 5, 5, *(rng.randrange(1, 5) for _ in low)]
    whole = Arena(radix, 4 * len(first))
    tails = [whole.push([(digit, 1) for digit in digits]) for digits in (first, second)]
    expected = int("".join(map(str, first))) + int("".join(map(str, second)))
    power = np.array([10**i for i in range(18)], dtype=np.int64)
    full = right = 0
    for more in range(130, 1500):
        arena = Arena(radix, 17 + 2 * len(first) + more)
        arena.nodes[: LINK * whole.top], arena.top = whole.nodes[: LINK * whole.top], whole.top
        work = np.zeros((2, OPERAND_SIZE), dtype=np.int64)
        for operand, (node, count) in zip(work, tails, strict=True):
            operand[[PLACES, SIGN, NODE, COUNT, NUMBER]] = 5, 1, node, count, 1
        code, carry, node, count, _, _, _, arena.top, _ = sum_of_tails(
            2, 5, work, 10, radix.limb, power, arena.nodes, arena.top, arena.capacity - 128
        )
        if code == words.FULL:
            full += 1
            continue
        digits = limbs_of(arena, (int(node), int(count)))
        digits += [0] * (len(first) - len(digits))
        assert int("".join(map(str, digits))) + carry * 10 ** len(first) == expected, more
        right += 1
    assert min(full, right) > 100


def test_tails_that_sums_leave_behind_are_collected(monkeypatch):
    tops = []
    compacted = Arena.compacted
    monkeypatch.setattr(Arena, "compacted", lambda arena, *rest: tops.append(arena.top) or compacted(arena, *rest))
    monkeypatch.setattr(direct, "SMALLEST_ARENA", 1 << 11)
    network = xn.compile("mirror-stacks", "layered_stacks").network
    word = "ab" * 2000
    executor = fast(network)
    state, inputs = executor.start(), network.inputs(word)
    while inputs:
        segment = executor.advance_word(state, inputs)
        state, inputs = segment.state, inputs[segment.steps :]
    assert len(tops) > 3
    assert max(tops) < 10 * direct.SMALLEST_ARENA
    assert executor.values(state) == xn.run(network, word, arithmetic=xn.RATIONAL, max_steps=len(word)).final_state


@cache
def mirrors():
    return xn.compile("mirror-stacks", "layered_stacks").network


@cache
def whole_run(word, steps):
    return xn.run(mirrors(), word, arithmetic=xn.RATIONAL, max_steps=steps)


@pytest.mark.parametrize("bits", [300, 20_000, 100_000, 500_000, 1_000_000, 1_200_000])
def test_a_limit_of_bits_changes_no_number(bits):
    """Where there is no room for a new arena, the state is still that of the old one."""
    half = "abba" * 100
    network, word = mirrors(), f"{half}#{half}"
    for run in [xn.run(network, word, max_bits=bits) for _ in range(3)]:
        whole = whole_run(word, run.steps)
        assert run.outcome in (xn.Outcome.ACCEPTED, xn.Outcome.SIZE_LIMIT)
        assert run.outcome is xn.Outcome.ACCEPTED or bits < 500_000  # plain rationals have room
        assert run.final_state == whole.final_state


def parts_of(state):
    """Yield (slot, limbs before the cut, those of the rest) of each number of a state that is in two parts."""
    for status, slot in zip(state.statuses, state.slots.reshape(-1, SLOT).tolist(), strict=True):
        if status >= Status.LIVE and slot[REST]:
            first, second = slot[NODE : COUNT + 1], slot[REST : REST_COUNT + 1]
            yield slot, limbs_of(state.arena, first), limbs_of(state.arena, second)


@EVERY_LIMB
@pytest.mark.parametrize("word", ["ab" * 300, "ab" * 200 + "#" + "ba" * 60, "a" * 300])
def test_a_number_in_two_parts_is_cut_where_it_says(word, limb):
    """No part ends in a limb 0: then a tail that is 0 would have a node."""
    network, found, position = mirrors(), 0, 0
    executor, inputs = fast(network, limb_digits=limb, macro=False), [*mirrors().inputs(word), *[mirrors().eos] * 100]
    state = executor.start()
    while position < len(inputs):
        segment = executor.advance_word(state, inputs[position : position + 7])
        state, position = segment.state, position + segment.steps
        for slot, first, rest in parts_of(state.form.form):
            found += 1
            assert slot[CUT] == slot[PLACES] + state.form.form.arena.radix.limb * len(first)
            assert first[-1]
            assert rest[-1]
        if position == len(word):
            assert executor.values(state) == whole_run(word, position).final_state
    assert found > 20


@EVERY_LIMB
@settings(max_examples=10)
@given(rng=RANDOM)
def test_another_engine_goes_on_with_a_number_in_two_parts(limb, rng):
    """It has written no sum of several numbers yet, and its first steps may be without one."""
    pair = real_queues(rng, 120)
    trace, executor = Trace(pair), fast(pair.network, limb_digits=limb, macro=False)
    state = executor.start()
    for symbol, expected in zip(trace.inputs, trace.states[1:], strict=True):
        form, state = state.form, executor.advance(state, symbol, 1, until_decided=False).state
        if isinstance(form, ModeState) and isinstance(form.form, DirectState) and any(parts_of(form.form)):
            engine = direct.DirectEngine(replace(pair.network), form.form.arena.radix)
            stretch = engine.advance(form.form, symbol, 1, until_decided=False)
            assert stretch.steps == 0 or engine.values(stretch.state) == expected


@settings(max_examples=30)
@given(rng=RANDOM)
def test_a_number_in_two_parts_comes_again(rng):
    """The state that it is compared with is in another arena, and its parts have to come along."""
    pair = real_queues(rng, 100)
    executor, trace = fast(pair.network, limb_digits=1, macro=False), Trace(pair)
    state = executor.start()
    for symbol in trace.inputs:
        state = executor.advance(state, symbol, 1, until_decided=False).state
    form, rests = state.form.form, pair.network.circuit.input_size - 1
    if not isinstance(form, DirectState) or not any(parts_of(form)):
        return
    elsewhere = Arena(form.arena.radix, form.arena.capacity + 7)
    elsewhere.nodes[: LINK * form.arena.top] = form.arena.nodes[: LINK * form.arena.top]
    elsewhere.top = form.arena.top
    engine = direct.DirectEngine(pair.network, form.arena.radix)
    anchor = DirectState(form.statuses, form.slots.copy(), elsewhere)
    stretch = engine.advance(form, rests, 9, until_decided=False, anchor=anchor)
    assert stretch.steps < 9 or stretch.left


def cut_at(digits, cut, arena):
    """Return a tail with these digits as the words of a number: node, count, and those of the rest."""
    parts = [[(digit, 1) for digit in digits[:cut]], [(digit, 1) for digit in digits[cut:]]]
    return [word for part in parts for word in arena.push(part)]


@given(
    digits=st.lists(st.integers(0, 2), min_size=2, max_size=12),
    cuts=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    other=st.none() | st.tuples(st.integers(0, 11), st.integers(1, 2)),
)
def test_the_same_digits_wherever_they_are_cut(digits, cuts, other):
    digits = [*digits, 1]
    changed = list(digits)
    if other is not None:
        changed[other[0] % len(digits)] = (changed[other[0] % len(digits)] + other[1]) % 3
    if not changed[-1]:
        changed[-1] = 2
    arena = Arena(Radix(base=3, limb=1, least=2, most=4), 100)
    tails = []
    for these, cut in zip((digits, changed), cuts, strict=True):
        cut = max([1, *(n for n in range(2, cut + 1) if n < len(these) and these[n - 1])])
        tails.append(cut_at(these, cut if these[cut - 1] else len(these), arena))
    assert same(*tails[0], *tails[1], arena.nodes) == (digits == changed)
    assert arena.runs(tails[0][:2], tails[0][2:]) == [(d, len(list(group))) for d, group in groupby(digits)]


def test_what_is_appended_costs_few_limbs(monkeypatch):
    """About the root of what is there, for each letter; a copy of all would be 111 limbs of 222 on average."""
    counts, took = [0, 0], Experience.took

    def counted(self, steps, limbs, tails):
        counts[0] += steps
        counts[1] += limbs
        took(self, steps, limbs, tails)

    monkeypatch.setattr(Experience, "took", counted)
    network, word = mirrors(), "ab" * 1000
    executor, inputs = fast(network, macro=False), mirrors().inputs(word)
    state = executor.start()
    while inputs:
        segment = executor.advance_word(state, inputs)
        state, inputs = segment.state, inputs[segment.steps :]
    assert counts[0] == len(word)
    assert counts[1] < 15 * len(word)
