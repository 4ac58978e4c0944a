"""Macro steps in plain Python: the network's steps, for all digits; a run that they decide loads no compiled code."""

import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.networks import Circuit, Network
from exactnn.simulation.executor import basic_twin
from exactnn.simulation.positional import macro, rules_first
from exactnn.simulation.positional.macro import Macro
from exactnn.simulation.positional.opaque import Opaque, OpaqueSteps
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.positional.rows import Status
from exactnn.simulation.rational import RationalExecutor
from tests.simulation.exact_networks import BASIC, KINDS, Pair, Trace, any_unit, digits, modes, power, short

LOOPS = "1RB0RB_1LC1RC_0RA1LD_1RC1LD", "1RB1LB_1LA1RA", "1RB0RA_0LA1LA"

UNHURRIED = tuple((moves, 60.0) for moves, _ in macro.TURNS)
"""Turns that end after so many moves, however slow the machine is."""


@pytest.fixture
def rules_alone(monkeypatch):
    """Runs try rules first, as if nothing had been loaded, with all the time that there is."""
    monkeypatch.setattr(rules_first, "is_loaded", lambda: False)
    monkeypatch.setattr(rules_first, "_patience", rules_first.Patience())
    monkeypatch.setattr(rules_first._patience, "left", lambda _: 60.0)
    monkeypatch.setattr(rules_first._patience, "begin", lambda _: 60.0)
    monkeypatch.setattr(rules_first._patience, "took", lambda *_: None)
    monkeypatch.setattr(macro, "TURNS", UNHURRIED)
    monkeypatch.setattr(macro, "PROBE_SECONDS", 60.0)


def drawn(kind, seed):
    """Return a network of the four activations, with a word, and its radix; None if it has none."""
    pair = KINDS[kind](random.Random(seed))
    network = basic_twin(pair.network)
    radix = radix_of(network)
    return None if radix is None else (Pair(network, pair.word), radix)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_macro_steps_in_python_are_the_reference_s(kind, seed):
    if (found := drawn(kind, seed)) is None:
        return
    pair, radix = found
    rng, trace = random.Random(seed), Trace(pair)
    machines = Macro.in_python(pair.network, radix)
    verdict = pair.network.decision.outcome
    for position, symbol, count in trace.slices(iter(lambda: rng.randint(1, 30), 0)):
        form = machines.form(trace.states[position], symbol, rng.randint(1, radix.limb))
        if form is None:
            continue
        machine = form.runner.machine
        stretch = form.runner.induction.run(form.state, form.stacks, count, 5)
        taken = position + stretch.steps
        numbers = machine.numbers(stretch.state, stretch.stacks)
        assert tuple(x if isinstance(x, mpq) else x.rational() for x in numbers) == trace.states[taken]
        outputs = [output for output, repeated in stretch.outputs for _ in range(repeated)]
        assert outputs == trace.outputs[position + 1 : taken + 1]
        decided = [not isinstance(output, tuple) and verdict(output) is not None for output in outputs]
        assert decided == [False] * (len(outputs) - stretch.decided) + [True] * stretch.decided


@pytest.mark.parametrize("seed", range(40))
def test_what_holds_for_opaque_tails_holds_for_all_digits(seed):
    rng = random.Random(seed)
    kind = rng.choice(list(KINDS))
    if (found := drawn(kind, seed)) is None:
        return
    (network, word), radix = (found[0].network, found[0].word), found[1]
    symbol = word[0][0] if word else 0
    trace = Trace(found[0])
    state = rng.choice(trace.states)
    begin = []
    for x in state:
        places = rng.randint(0, 8)
        unit = mpq(1, radix.base**places)
        opens = Status.of(x) is Status.LIVE and 0 < x < 1 - unit
        begin.append(Opaque(unit * (x // unit), {rng.randrange(3): unit}) if opens else Opaque(x, {}))
    check(rng, network, symbol, begin, radix.base)


@pytest.mark.parametrize("seed", range(300))
def test_units_of_several_layers_with_coarse_numbers(seed):
    """Two numbers of which almost nothing is known, and units of all kinds that read each other."""
    rng, base = random.Random(seed), 3
    layers, available = [], 3
    for layer in range(rng.randint(1, 3)):
        layers.append([any_unit(rng, f"{layer} {i}", available, lambda: power(rng, base), lambda: short(rng, base),
                                BASIC, products=0.2) for i in range(3)])  # fmt: skip
        available += 3
    circuit = Circuit(state_size=2, input_size=1, layers=layers, next_state=(available - 1, available - 2))
    readout = [any_unit(rng, "out", 2, lambda: power(rng, base), lambda: short(rng, base), BASIC)]
    network = Network(name="coarse", circuit=circuit, initial_state=(0, 0), readout=readout)
    begin = []
    for label in range(2):
        factor = mpq(1, base ** rng.randint(0, 2))
        begin.append(Opaque(factor * rng.randint(0, factor.denominator - 1), {label: factor}))
    check(rng, network, (mpq(rng.randint(-1, 2)),), begin, base)


def check(rng, network, symbol, begin, base):
    """Take steps with opaque tails, and compare what they give with the reference, for digits at random."""
    steps = OpaqueSteps(network, symbol)
    count = rng.randint(1, 12)
    stretch = steps.run(begin, count)
    assert steps.run(begin, count) == stretch, "half a step has left something behind"
    assert stretch.steps == count or stretch.decided or stretch.touched is not None or stretch.left
    for _ in range(5):
        tails = [digits(rng, base, rng.randint(1, 50)) or mpq(1, base) for _ in range(3)]

        def at(values, tails=tails):
            return tuple(v.constant + sum(factor * tails[t] for t, factor in v.tails.items()) for v in values)

        plain, now, outputs = RationalExecutor(network), at(begin), []
        for _ in range(stretch.steps):
            now = plain.step(now, symbol)
            outputs.append(plain.output(now))
        assert now == at(stretch.values)
        assert outputs == [output for output, repeated in stretch.outputs for _ in range(repeated)]
        assert [Status.of(x) for x in now] == [value.status() for value in stretch.values]


@pytest.mark.usefixtures("rules_alone")
@pytest.mark.parametrize("construction", ["siegelmann_sontag", "chung_siegelmann", "carmantini"])
@pytest.mark.parametrize(
    ("machine", "word"),
    [("bb4", ""), ("bb5", ""), ("palindrome", "abba" * 10), ("anbn", "a" * 40 + "b" * 40), *((x, "") for x in LOOPS)],
)
def test_an_outcome_does_not_depend_on_what_is_loaded(machine, word, construction, monkeypatch):
    net = xn.compile(machine, construction)
    first = xn.run(net, word, max_steps=20_000)
    with monkeypatch.context() as patch:
        patch.setattr(rules_first, "is_loaded", lambda: True)
        second = xn.run(net, word, max_steps=20_000)
    assert (first.outcome, first.steps, first.final_state) == (second.outcome, second.steps, second.final_state)
    assert first.cycle == second.cycle


FRESH = """
import json, sys
import exactnn as xn
from exactnn.simulation.positional import macro
macro.TURNS, macro.PROBE_SECONDS = {turns}, 60.0
result = xn.run(xn.compile({machine!r}), "")
print(json.dumps([int(result.steps), str(result.outcome), result.engine, "numba" in sys.modules]))
"""


@pytest.mark.parametrize(("machine", "steps"), [("bb5", 47_176_870), ("bb2x4", 3_932_964)])
def test_a_run_that_rules_decide_loads_no_compiled_code(machine, steps):
    done = subprocess.run(
        [sys.executable, "-c", FRESH.format(machine=machine, turns=UNHURRIED)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found, outcome, engine, compiled = json.loads(done.stdout)
    assert (found, outcome, compiled) == (steps, "halted", False)
    assert modes(engine)[0]["by rules"]


@pytest.mark.usefixtures("rules_alone")
def test_rules_are_tried_once_and_for_so_long_in_all_runs(monkeypatch):
    net = xn.compile("bb5")
    by_rules = xn.run(net, "", max_steps=10_000)
    assert (
        {"in rationals", "by rules"} <= set(modes(by_rules.engine)[0]) <= {"in rationals", "by rules", "in macro steps"}
    )
    monkeypatch.setattr(rules_first._patience, "left", lambda _: 0.0)
    assert set(modes(xn.run(net, "", max_steps=10_000).engine)[0]) == {"in rationals", "direct"}


@pytest.mark.usefixtures("rules_alone")
def test_a_readout_may_have_any_weights():
    net = xn.compile("bb5").network
    reads = tuple((register, mpq(1, 7_000_000)) for register in range(net.circuit.state_size))
    readout = replace(net.readout[0], linear=(*net.readout[0].linear, *reads))
    run = xn.run(replace(net, readout=(readout,)), "", max_steps=5_000)
    assert (run.outcome, run.steps) == ("step limit", 5_000)


NO_NUMBA = """
import json, sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
import exactnn as xn
from exactnn.simulation.positional import macro
from exactnn.simulation.positional.executor import ExactExecutor
macro.TURNS, macro.PROBE_SECONDS = {turns}, 60.0
macro.Runner.alone = property(lambda runner: False, lambda runner, value: None)  # so that the loop is asked for
net = xn.compile("bb5")
run = xn.run(net, "", max_steps=1_000_000)
executor = ExactExecutor(net.network, warm_up=100)
state, taken = executor.start(), 0
while taken < 3000:
    segment = executor.advance(state, net.network.eos, 3000 - taken, until_decided=True)
    state, taken = segment.state, taken + segment.steps
mode = state.form.mode
after = executor.advance(state, net.network.eos, 1, until_decided=False)
print(json.dumps([int(run.steps), run.engine, [str(x) for x in run.final_state], mode, str(after.outputs),
                  [str(x) for x in executor.values(after.state)]]))
"""


def test_rules_alone_where_there_is_no_numba():
    program = [sys.executable, "-c", NO_NUMBA.format(turns=UNHURRIED)]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=300)
    assert not done.returncode, done.stderr
    steps, engine, final, mode, outputs, values = json.loads(done.stdout)
    net = xn.compile("bb5")
    assert (steps, mode) == (1_000_000, "macro")
    assert set(modes(engine)[0]) == {"in rationals", "by rules"}
    assert final == [str(x) for x in xn.run(net, "", max_steps=1_000_000).final_state]
    plain = RationalExecutor(net.network)
    before = plain.start()
    for _ in range(3001):
        before = plain.step(before, net.network.eos)
    assert values == [str(x) for x in before]
    assert outputs == str([(plain.output(before), 1)])
