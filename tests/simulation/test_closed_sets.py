"""Closed sets prove that a run never ends where no round goes on for ever; they never accuse a machine that halts."""

import random
from functools import cache
from itertools import islice, pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import decide_halting
from exactnn.simulation.positional.closed_sets import BOTTOM, ClosedSet
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.macro import Macro
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.rational import RationalExecutor
from tests.simulation.exact_networks import KINDS

ENDLESS = ["0LB0LC_1RC1LB_0LB0RC_1LA0RA", "0RE0LE_1LE0RB_1LA1RC_1RC0RA_0RD0LE"]
"""Machines that never halt; of the first one, which counts in binary, no rule proves that."""
MOST = 1 << 10
"""Outlines."""
RULES = ["1RZ", *(f"{symbol}{move}{state}" for symbol in "01" for move in "LR" for state in "ABC")]
LONGEST = 21
"""No machine of three states that halts takes more moves."""


@cache
def compiled(text):
    return xn.siegelmann_sontag(xn.load(text)).network


def forms(network, steps=0):
    """The forms of the state after some EOS steps from which closed sets are looked for."""
    executor = RationalExecutor(network)
    state = executor.start()
    if steps:
        state = executor.advance(state, network.eos, steps, until_decided=True).state
    values = executor.values(state)
    direct = DirectEngine(network, radix_of(network))
    direct.advance(direct.load(values), network.eos, 64, until_decided=False)  # shows by how much digits move
    return list(Macro.of_engine(direct).short_forms(values, network.eos))


def is_closed(form):
    return ClosedSet(form.runner.machine).holds(form.state, form.stacks, MOST)


@pytest.mark.parametrize("text", ENDLESS)
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 100, 1001])
def test_it_is_proven_from_any_state_of_a_run(text, steps):
    """After an odd number of digits, too: limbs are whole symbols whatever the last digit is."""
    assert any(map(is_closed, forms(compiled(text), steps)))


@given(st.lists(st.sampled_from(RULES), min_size=6, max_size=6))
@example(["1RB", "1RZ", "1LB", "0RC", "1LC", "1LA"])  # 21 moves
def test_no_machine_that_halts_is_accused(rules):
    text = "_".join(rules[i] + rules[i + 1] for i in (0, 2, 4))
    assume("1RZ" in rules)
    assume(decide_halting(xn.load(text), max_steps=LONGEST).halts)
    assert not any(map(is_closed, forms(compiled(text))))


def follow(form, found, edges):
    """Follow edges one by one: each outline is in the set, and each limb lies on what it was found to lie on."""
    machine, state, stacks = form.runner.machine, form.state, [[*reversed(runs)] for runs in form.stacks]
    for _ in range(edges):
        assert (state, tuple(runs[-1][0] if runs else BOTTOM for runs in stacks)) in found._known
        for stack, runs in enumerate(stacks):
            for (under, _), (limb, count) in pairwise([(BOTTOM, 1), *runs]):
                assert {under, *([limb] if count > 1 else [])} <= found._under[stack, limb]
        wanted, limb, last = machine.states[state].wanted, 0, False
        if wanted >= 0:
            limb, count = stacks[wanted].pop()
            last = count == 1 and not stacks[wanted]
            stacks[wanted] += [(limb, count - 1)] if count > 1 else []
        edge = machine.edge(state, limb, last)
        assert edge.left is None
        assert not edge.decided
        for stack in edge.clears:
            stacks[stack].clear()
        for stack, limb in edge.pushes:
            runs = stacks[stack]
            runs.append((limb, runs.pop()[1] + 1 if runs and runs[-1][0] == limb else 1))
        state = edge.target


@given(st.lists(st.sampled_from(RULES[1:]), min_size=6, max_size=6), st.integers(0, 40))
def test_what_follows_has_an_outline_in_the_set(rules, steps):
    text = "_".join(rules[i] + rules[i + 1] for i in (0, 2, 4))
    for form in forms(compiled(text), steps)[:2]:
        found = ClosedSet(form.runner.machine)
        if found.holds(form.state, form.stacks, MOST):
            follow(form, found, 60)


@given(
    st.builds(random.Random, st.integers(0, 10**9)), st.sampled_from([kind for kind in KINDS if kind != "long_sums"])
)
def test_what_follows_in_random_networks(rng, kind):
    """Where stacks vanish at once, too: also the one that a limb was popped of."""
    pair = KINDS[kind](rng)
    network, given, radix = pair.network, pair.word[-1][0], radix_of(pair.network)
    assume(radix is not None)
    executor = RationalExecutor(network)
    values = executor.start()
    for _ in range(rng.randrange(6)):
        values = executor.step(values, given)
    for form in islice(Macro.in_python(network, radix).short_forms(values, given), 3):
        found = ClosedSet(form.runner.machine)
        if found.holds(form.state, form.stacks, MOST // 4):
            follow(form, found, 60)


def test_a_run_says_so():
    run = xn.run(xn.load(ENDLESS[0]))
    assert (run.outcome, run.cycle) == (xn.Outcome.NON_HALTING, None)
    assert "proven to go on for ever" in run.engine


def test_with_a_limit_of_steps_all_are_taken():
    run = xn.run(xn.load(ENDLESS[0]), max_steps=10**8)
    assert (run.outcome, run.steps) == (xn.Outcome.STEP_LIMIT, 10**8)
