"""Macro steps and rules against direct mode and published counts; cut short at any step, packed, and certified."""

import json
import random
from dataclasses import replace

import pytest
from gmpy2 import mpq, mpz
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, Unit
from exactnn.simulation.packed import pack_number
from exactnn.simulation.positional import macro, passages
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.positional.forms import Form, unknown
from exactnn.simulation.positional.macro import Macro
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.positional.rules import Configuration, Congruence, Pattern, Rule
from exactnn.simulation.rational import RationalExecutor

PUBLISHED = {
    "bb5": (47_176_870, 4098),
    "1RB2LA1LC_0LA2RB1LB_1RZ1RA1RC": (119_112_334_170_342_540, None),
    "1RB1RA_1LC1LB_0RF1LD_1RA0LE_1RZ1LF_0LA0LC": (8_690_333_381_690_951, None),
}
"""Steps to halt and cells that are not blank, as published (bbchallenge.org)."""


@pytest.fixture
def eager(monkeypatch):
    """Macro mode that is tried for any stretch, and changes between its two ways all the time."""
    monkeypatch.setattr(macro, "WORTHWHILE", 0)
    monkeypatch.setattr(macro, "WORTHWHILE_BY_RULES", 0)
    monkeypatch.setattr(macro, "STILL_WORTHWHILE", 0)
    monkeypatch.setattr(macro, "TRIAL", 50)
    monkeypatch.setattr(macro, "LONG_SLICE", 40)
    monkeypatch.setattr(macro, "SLICE_SECONDS", 0.001)


def bbchallenge_machine(rng):
    """Return the text of a machine that seldom halts."""
    states, symbols = rng.choice(((2, 2), (3, 2), (4, 2), (5, 2), (2, 3), (3, 3), (2, 4)))

    def rule():
        if rng.random() < 0.06:
            return "---"
        return f"{rng.randrange(symbols)}{rng.choice('LR')}{rng.choice('ABCDE'[:states])}"

    return "_".join("".join(rule() for _ in range(symbols)) for _ in range(states))


def merged(outputs):
    """Return runs of outputs as long as they can be."""
    found = []
    for output, count in outputs:
        if found and found[-1][0] == output:
            found[-1] = (output, found[-1][1] + count)
        else:
            found.append((output, count))
    return found


def advanced(executor, state, count):
    """Take `count` EOS steps or those up to the verdict; return state, outputs, verdict, steps."""
    symbol = executor.network.alphabet.index(EOS)
    outputs, taken, outcome = [], 0, None
    while taken < count and outcome is None:
        segment = executor.advance(state, symbol, count - taken, until_decided=True)
        assert segment.steps > 0 or segment.outcome is xn.Outcome.NON_HALTING
        state, outcome = segment.state, segment.outcome
        taken += segment.steps
        outputs += segment.outputs
    return state, merged(outputs), outcome, taken


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.usefixtures("eager")
def test_macro_steps_and_rules_are_the_direct_steps(seed):
    rng = random.Random(seed)
    machine = xn.load(bbchallenge_machine(rng))
    bases = (None, 7, 8, 9, 10) if len(machine.tape_symbols) < 4 else (None, 9, 10)
    network = xn.siegelmann_sontag(machine, base=rng.choice(bases)).network
    direct = ExactExecutor(network, warm_up=0, macro=False)
    fast = ExactExecutor(network, warm_up=0, macro_after=rng.choice((0, 60, 500)), induction=rng.random() < 0.7)
    expected, state = direct.start(), fast.start()
    for _ in range(8):
        count = rng.choice((1, 7, 100, 3000, 20_000))
        state, *found = advanced(fast, state, count)
        if found[1] is xn.Outcome.NON_HALTING:
            expected, *told = advanced(direct, expected, found[2])
            assert told == [found[0], None, found[2]]
            assert fast.values(state) == direct.values(expected)
            assert advanced(direct, expected, 20_000)[2] is None
            break
        expected, *told = advanced(direct, expected, count)
        assert found == told
        assert fast.values(state) == direct.values(expected)
        if told[1] is not None:
            break
        if rng.random() < 0.4:
            state = fast.unpack(json.loads(json.dumps(fast.pack(state))))
            assert fast.values(state) == direct.values(expected)


@pytest.mark.parametrize("component", range(3))
@pytest.mark.usefixtures("eager")
def test_outputs_that_change_within_an_edge(component):
    """A machine that goes to and fro over ever more ones, in two states by turns, and a readout that sees which."""
    network = xn.siegelmann_sontag(xn.load("1LC1RB_1LC1RA_1RA1LD_1RA1LC"), base=8).network
    (unit,) = network.readout
    network = replace(network, readout=(replace(unit, linear=(*unit.linear, (component, mpq(1, 64)))),))
    direct = ExactExecutor(network, warm_up=0, macro=False)
    fast = ExactExecutor(network, warm_up=0, macro_after=60)
    expected, state = direct.start(), fast.start()
    for _ in range(12):
        state, *found = advanced(fast, state, 4000)
        expected, *told = advanced(direct, expected, 4000)
        assert found == told
        assert fast.values(state) == direct.values(expected)
    assert "rules" in fast.engine


@pytest.mark.parametrize("most", [3, 64])
@pytest.mark.parametrize(
    "text",
    [
        "1RB1RA_1LC1LB_0RF1LD_1RA0LE_1RZ1LF_0LA0LC",
        "1RB2LB4LB3LA1RZ_1LA3RA3LB0LB0RA",
        "1RB0RF_0LB1LC_1LD0RC_1LE1LZ_1LF0LD_1RA0LE",
    ],
)
def test_a_passage_is_its_edges_one_after_the_other(text, most, monkeypatch):
    """On every configuration along a path, on which run lengths grow now and then."""
    monkeypatch.setattr(passages, "MOST_EDGES", most)
    rng = random.Random(most)
    network = xn.siegelmann_sontag(xn.load(text)).network
    radix = radix_of(network)
    direct = DirectEngine(network, replace(radix, limb=4, most=radix.least + 8))
    eos = network.alphabet.index(EOS)
    stretch = direct.advance(direct.load(network.initial_state), eos, 3000, until_decided=True)
    form = Macro.of_engine(direct).form(direct.values(stretch.state), eos, 4)
    machine = form.runner.machine
    found = passages.Passages(machine, lambda passage: passage.state % 5 == 1)
    here = Configuration(form.state, [[list(run) for run in reversed(runs)] for runs in form.stacks])
    edges = passed = 0
    for _ in range(1500):
        if rng.random() < 0.03:
            run = rng.choice(rng.choice([runs for runs in here.stacks if runs])[-4:])
            run[1] += mpz(10) ** rng.choice((0, 1, 30))
        passage = found.find(here)
        passed += len(passage.edges)
        there = Configuration(here.state, here.stacks)
        steps = passage.steps_from(here)
        passage.take(there)
        for key in passage.edges or [(here.state, *here.wanted(machine.states[here.state].wanted))]:
            stack = machine.states[here.state].wanted
            assert key == (here.state, *here.wanted(stack))
            edge = machine.edge(*key)
            if edge is None or edge.decided or edge.left is not None or (edge.loop and stack < 0):
                break
            edges += 1
            times = here.stacks[stack][-1][1] - (len(here.stacks[stack]) == 1) if edge.loop else 1
            here.take(stack, edge, times)
            steps -= times * edge.steps
        if passage.edges:
            assert (steps, here.state, here.stacks) == (0, there.state, there.stacks)
        elif edge is None or edge.decided or edge.left is not None:
            break
    assert passed > edges / 2 > 50


@pytest.mark.parametrize("induction", [True, False])
def test_a_stretch_is_cut_short_at_any_step(induction):
    network = xn.siegelmann_sontag(xn.load("bb5")).network
    direct = ExactExecutor(network, warm_up=0, macro=False)
    rng = random.Random(5)
    for _ in range(12):
        count = rng.randrange(100_000, 3_000_000)
        fast = ExactExecutor(network, warm_up=0, macro_after=100, induction=induction)
        state, *_ = advanced(fast, fast.start(), count)
        expected, *_ = advanced(direct, direct.start(), count)
        assert fast.values(state) == direct.values(expected)
        assert "macro" in fast.engine or "rules" in fast.engine


@pytest.mark.parametrize("text", PUBLISHED)
def test_published_steps(text):
    steps, nonblank = PUBLISHED[text]
    construction = xn.siegelmann_sontag(xn.load(text))
    run = xn.run(construction)
    assert (run.outcome, run.steps) == (xn.Outcome.HALTED, steps)
    assert run.outputs.runs[0][1] == steps - 1
    if nonblank is not None:
        tape = construction.decode(run.final_state).tape
        assert sum(symbol != "0" for symbol in tape) == nonblank


def test_a_step_limit_is_kept_in_macro_mode_and_the_run_goes_on_from_it(tmp_path):
    construction = xn.siegelmann_sontag(xn.load("1RB2LA1LC_0LA2RB1LB_1RZ1RA1RC"))
    file = tmp_path / "run.json"
    for limit in (10**9, 10**12 + 7, 10**17 + 12345):
        run = xn.run(construction, max_steps=limit, checkpoint=file)
        assert (run.outcome, run.steps) == (xn.Outcome.STEP_LIMIT, limit)
    resumed = xn.run(construction, checkpoint=file)
    assert (resumed.resumed_from, resumed.steps) == (10**17 + 12345, 119_112_334_170_342_540)
    whole = xn.run(construction)
    assert resumed.final_state == whole.final_state
    assert resumed.outputs == whole.outputs


def test_states_are_recorded_in_macro_mode():
    construction = xn.siegelmann_sontag(xn.load("bb5"))
    run = xn.run(construction, record="every-10000000")
    assert run.trace.steps == (0, 10**7, 2 * 10**7, 3 * 10**7, 4 * 10**7)
    direct = ExactExecutor(construction.network, warm_up=0, macro=False)
    state = direct.start()
    for recorded in run.trace.states[1:3]:
        state, *_ = advanced(direct, state, 10**7)
        assert direct.values(state) == recorded


def test_a_network_that_never_decides_stops_at_the_limit_at_once():
    grows = xn.siegelmann_sontag(xn.load("1RA1RA"))
    run = xn.run(grows, max_steps=10**30)
    assert (run.outcome, run.steps) == (xn.Outcome.STEP_LIMIT, 10**30)


@pytest.mark.parametrize("text", ["1RA1RA", "1RB0RF_0LB1LC_1LD0RC_1LE1RZ_1LF0RD_1RA0LE"])
def test_a_round_that_goes_on_for_ever_is_a_proof(text):
    """An edge that is followed by itself, and a bouncer that writes 10 on both sides."""
    run = xn.run(xn.siegelmann_sontag(xn.load(text)), max_seconds=60, certify=True)
    assert run.outcome is xn.Outcome.NON_HALTING
    assert run.steps < 10**6
    assert (run.cycle, run.verdict) == (None, None)
    assert "for ever" in run.engine
    checked = xn.check_certificate(run.certificate)
    assert (checked.outcome, checked.verdict) == (xn.Outcome.NON_HALTING, None)
    sweeps = xn.siegelmann_sontag(xn.load("1RB1RB_1LA1LA"))
    assert xn.run(sweeps, max_steps=10**12).cycle.period == 2


@pytest.mark.slow
def test_a_cycle_that_no_rule_sums_up_is_in_a_closed_set():
    """Its output changes in every step, so that no round is told as one run of outputs."""
    jump = Unit(name="h", bias=mpq(-1), linear=((0, mpq(-1, 4)), (1, mpq(5, 4))), activation=Activation.HEAVISIDE)
    clamp = Unit(name="x", bias=mpq(-1, 2), linear=((1, mpq(1)), (0, mpq(1, 4))), activation=Activation.SLU)
    readout = Unit(name="y", bias=mpq(1, 2), linear=((0, mpq(-1, 2)),), activation=Activation.RELU)
    network = Network(
        circuit=Circuit(state_size=1, input_size=1, layers=((jump, clamp),), next_state=(2,)),
        initial_state=(mpq(1),), readout=(readout,), alphabet=(EOS,),
        decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1, 2)),
    )  # fmt: skip
    run = xn.run(network, "", max_steps=50, certify=True)
    assert (run.outcome, run.cycle.period) == (xn.Outcome.NON_HALTING, 2)
    assert run.certificate["path"] == [["closed"]]
    assert xn.check_certificate(run.certificate).outcome is xn.Outcome.NON_HALTING


@st.composite
def forms(draw, least, unknowns=2):
    """An affine form in two unknowns; its coefficients are at least so much."""
    values = draw(st.lists(st.integers(least, 3), min_size=unknowns + 1, max_size=unknowns + 1))
    total = Form({(): mpq(values[-1])} if values[-1] else {})
    for i, value in enumerate(values[:-1]):
        total = total + unknown(i) * value
    return total


@given(
    shifts=st.none() | st.tuples(st.integers(-3, 3), st.integers(-3, 3)),
    maps=st.tuples(forms(0), forms(0)),
    steps=st.tuples(forms(0), forms(0)),
    conditions=st.lists(forms(-3), max_size=3),
    congruence=st.none() | st.tuples(forms(0), st.integers(2, 4), st.integers(0, 3)),
    lengths=st.tuples(st.integers(1, 40), st.integers(1, 40)),
)
@settings(max_examples=150)
def test_rounds_of_a_rule_are_those_of_its_definition(shifts, maps, steps, conditions, congruence, lengths):
    """Round by round: as many as all conditions and congruences allow, and no more."""
    if shifts is not None:
        maps = tuple(unknown(i) + change for i, change in enumerate(shifts))
    congruences = ()
    if congruence is not None:
        form, modulus, residue = congruence
        congruences = (Congruence(form - form.constant, modulus, residue % modulus),)
    rule = Rule(
        state=0, stacks=(Pattern(((1, 0), (2, 0)), True),), maps=maps, steps=steps[0] * steps[1] + 1,
        output=None, level=1, conditions=tuple(conditions), congruences=congruences, moves=(), counts=(),
    )  # fmt: skip
    rounds, total, at = 0, 0, list(lengths)
    while rounds < 60 and all(form.at(at) >= 1 for form in conditions):
        if any(c.form.at(at) % c.modulus != c.residue for c in congruences):
            break
        total += rule.steps.at(at)
        at = [form.at(at) for form in maps]
        rounds += 1
        if min(at) < 1 and len(rule.clocks) < len(conditions):
            return  # no configuration has such run lengths, and what is kept is kept where they are at least 1
        found = rule.rounds(lengths)
        if found is None or found >= rounds:
            assert rule.after(lengths, rounds) == (at, total)
            if rule.closed is not None and rounds >= rule.closed.first:
                assert rule.closed.after(lengths, rounds) == (at, total)
            for count, *_ in rule.ends(lengths, rounds):
                assert count.at(lengths) == rounds
    found = rule.rounds(lengths)
    if rounds == 60:
        assert found is None or found == 1 or found >= 60
    else:
        assert found == (rounds if rule.many else min(rounds, 1))


def test_a_forged_packed_state_is_refused():
    network = xn.siegelmann_sontag(xn.load("bb5")).network
    fast = ExactExecutor(network, warm_up=0, macro_after=100)
    state, *_ = advanced(fast, fast.start(), 10**6)
    packed = fast.pack(state)
    numbers = packed["numbers"]
    (place, long), *_ = ((i, x) for i, x in enumerate(numbers["numbers"]) if isinstance(x, list))
    assert numbers["tails"][long[3]]
    wrong = (
        [10**30, *long[1:]],
        [long[0], 65, *long[2:]],
        [*long[:2], 2, long[3]],
        [*long[:3], 99],
        [True, *long[1:]],
        long[1:],
    )
    forms = [{"base": 3}, {"limb": 10**9}, {"limb": 0}, {"tails": []}, {"tails": 1}, {"numbers": []}, {"more": 1}]
    forms += [{"tails": [runs] * 8} for runs in (
        [], [[10**18, "0x1"]], [[0, "0x1"]], [[1, "0x0"]], [[1, "-0x1"]], [[1, 1]], [[1, "0x1"], [1, "0x2"]], [[1]],
    )]  # fmt: skip
    forms += [{"numbers": [*numbers["numbers"][:place], entry, *numbers["numbers"][place + 1 :]]} for entry in wrong]
    for change in forms:
        with pytest.raises(xn.ExactnnError):
            fast.unpack({"numbers": numbers | change})


def test_packed_numbers_that_are_no_state_of_macro_mode_go_on_all_the_same():
    network = xn.siegelmann_sontag(xn.load("bb5")).network
    fast = ExactExecutor(network, warm_up=0, macro_after=100)
    state, *_ = advanced(fast, fast.start(), 10**6)
    numbers = fast.pack(state)["numbers"]
    expected = fast.values(advanced(fast, state, 1000)[0])
    places = [i for i, x in enumerate(numbers["numbers"]) if isinstance(x, list)]
    numbers["numbers"][places[0]] = pack_number(fast.values(state)[places[0]])  # one number written out
    again = fast.unpack({"numbers": numbers})
    assert fast.values(again) == fast.values(state)
    assert fast.output(again) == fast.output(state)
    assert fast.values(advanced(fast, again, 1000)[0]) == expected


def test_limbs_of_any_length_give_the_same():
    construction = xn.siegelmann_sontag(xn.load("bb4"), base=10)
    network = construction.network
    tape = "1011000111010110" * 8
    begin = construction.encode(
        xn.TapeConfiguration(state="A", left=tuple(tape[:60]), scanned=tape[60], right=tuple(tape[61:]))
    )
    network = replace(network, initial_state=begin)
    finals = set()
    for limb in (1, 2, 3, 5, None):
        fast = ExactExecutor(network, warm_up=0, macro_after=0, limb_digits=limb)
        finals.add(fast.values(advanced(fast, fast.start(), 5000)[0]))
    assert len(finals) == 1


def tail_of_ones(base, ones):
    """Return 0.11...1d11...1 in a base, d its largest digit: so many ones before it, and 119 after it."""
    tail = mpq((base - 1) * base**119 + (base**119 - 1) // (base - 1), base**120)
    return (mpq((base**ones - 1) // (base - 1)) + tail) / base**ones


@pytest.mark.parametrize(("base", "popped", "pushed"), [(8, 8, 6), (10, 7, 5)])
def test_a_head_is_never_longer_than_the_program_is_right_for(base, popped, pushed):
    """Two numbers share a tail: when one wants a limb of it, the other one would get too long for a machine word."""
    units = (
        Unit(name="pop", bias=mpq(-1), linear=((0, mpq(base)),), bilinear=(), activation=Activation.SLU),
        Unit(name="push", bias=1 - mpq(1, base), linear=((1, mpq(1, base)),), bilinear=(), activation=Activation.SLU),
    )
    network = Network(
        circuit=Circuit(state_size=2, input_size=0, layers=(units,), next_state=(2, 3)),
        initial_state=(tail_of_ones(base, popped), tail_of_ones(base, pushed)),
        readout=(Unit(name="none", bias=mpq(0), linear=(), bilinear=(), activation=Activation.IDENTITY),),
        alphabet=None,
        decision=Decision(protocol=Protocol.OUTPUTS),
        scalar_output=True,
    )
    fast = ExactExecutor(network, warm_up=0, macro_after=1)
    reference = RationalExecutor(network)
    expected = reference.advance(reference.start(), (), popped + 1, until_decided=False).state
    state, left = fast.start(), popped + 1
    while left:
        segment = fast.advance(state, (), left, until_decided=True)
        state, left = segment.state, left - segment.steps
    assert fast.values(state) == expected


def direct_or_macro(**chosen):
    """Return how BB(5) was run, and after how many steps it halts."""
    network = xn.siegelmann_sontag(xn.load("bb5")).network
    executor = ExactExecutor(network, **chosen)
    state, steps, outcome = executor.start(), 0, None
    while outcome is None:
        segment = executor.advance(state, network.eos, 10**9, until_decided=True)
        state, steps, outcome = segment.state, steps + segment.steps, segment.outcome
    return executor.engine, steps


def test_a_trial_ends_where_new_edges_go_on_coming(monkeypatch):
    assert "macro steps" in direct_or_macro()[0]
    monkeypatch.setattr(macro, "TRIAL_EDGES", 5)
    engine, steps = direct_or_macro()
    assert "macro" not in engine
    assert steps == 47_176_870


def test_full_states_need_no_second_trial(monkeypatch):
    """Where pairs of units are fused, the last steps are taken again, in the mode that took them."""
    trials = []
    best = Macro.best
    monkeypatch.setattr(Macro, "best", lambda *a, **b: (trials.append(1), best(*a, **b))[1])
    network = xn.siegelmann_sontag(xn.load("bb4"), activation="relu").network
    reached_again = 0
    for chosen in ({"macro_after": 20}, {"macro_after": 20, "induction": False}):
        for steps in range(90, 106):
            executor, plain = ExactExecutor(network, warm_up=0, **chosen), RationalExecutor(network)
            state, expected, taken = executor.start(), plain.start(), 0
            for _ in range(steps):
                expected = plain.step(expected, network.eos)
            while taken < steps:
                segment = executor.advance(state, network.eos, steps - taken, until_decided=True)
                state, taken = segment.state, taken + segment.steps
            reached_again += not executor._projection.is_full(executor._modes.values(state.form))
            before = len(trials)
            assert executor.values(state) == expected
            assert len(trials) == before
    assert trials
    assert reached_again
