"""Stack machines compiled by every construction that takes them, beside their interpreter.

The commuting square from any configuration, every short word, verdicts and T, sizes, names, long and rounded stacks.
"""

from collections import Counter
from functools import cache
from itertools import islice, product

import pytest
from every_construction import OF_STACK_MACHINES, every
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from seeded_stack_machines import (
    SIZES,
    batch,
    next_configuration,
    random_configuration,
    random_words,
    reachable,
)
from strategies import stack_configurations, stack_machines

import exactnn as xn
from exactnn.arithmetic import FLOAT32, FLOAT64, RATIONAL, Numeral
from exactnn.automata import (
    EMPTY,
    KEEP,
    LOST,
    POP,
    StackConfiguration,
    StackMachine,
    TapeConfiguration,
    configurations,
    interpret,
    push,
    reachable_states,
)
from exactnn.constructions import Phase, layered_stacks, merged_stacks, real_time_stacks
from exactnn.constructions.stack_numbers import read_digits, write_digits
from exactnn.errors import ConstructionError, OptionError
from exactnn.machine_files import load
from exactnn.networks import EOS, Activation
from exactnn.outcome import Outcome
from exactnn.simulation import advance_by, executor_for, run
from tests.promptness import promptly

EXACT = type(mpq(0))
MOVES = 25
BATCHES = 22
STEPS = 5
OUTPUT = {Outcome.ACCEPTED: 1, Outcome.HALTED: 1, Outcome.REJECTED: -1, Outcome.STEP_LIMIT: 0}
CONSTRUCTIONS = every(OF_STACK_MACHINES)


@cache
def of_anbn(compiled):
    return compiled(load("anbn-stacks"))


def check_square(construction, configuration):
    """Follow a configuration for a few moves, on both ways, also after the verdict."""
    machine, network = construction.machine, construction.network
    executor, eos = executor_for(network, RATIONAL), network.alphabet.index(EOS)
    verdicts = {machine.accept_state: 1, machine.halt_state: 1, machine.reject_state: -1}
    verdicts.pop(None, None)
    state = construction.encode(configuration)
    assert construction.decode(state) == configuration
    for _ in range(STEPS):
        if configuration.state not in machine.halting_states:
            configuration = next_configuration(machine, configuration)
        segment = advance_by(executor, state, eos, construction.steps_per_move)
        assert construction.decode(segment.state) == configuration
        assert segment.outputs[-1][0] == verdicts.get(configuration.state, 0)
        assert {type(x) for x in segment.state} == {EXACT}
        state = segment.state


@pytest.mark.mostly_slow(quick=2, slow=2)
@CONSTRUCTIONS
@pytest.mark.parametrize("number", range(4))
def test_the_square_of_seeded_machines(compiled, number):
    for rng, machine in batch(100 + number):
        construction = compiled(machine)
        for _ in range(15):
            check_square(construction, random_configuration(rng, machine, reachable(machine)))


@st.composite
def machines_and_configurations(draw):
    machine = draw(stack_machines())
    return machine, draw(stack_configurations(machine, states=reachable(machine)))


@CONSTRUCTIONS
@settings(max_examples=10)
@given(pair=machines_and_configurations())
def test_the_square_of_drawn_machines(compiled, pair):
    machine, configuration = pair
    check_square(compiled(machine), configuration)


def check_run(construction, word, moves=MOVES):
    """Run `construction` and its machine on `word` side by side."""
    machine, network = construction.machine, construction.network
    set_up = construction.set_up_steps(len(word))
    result = run(construction, word, max_steps=set_up + moves, record="all", arithmetic=RATIONAL)
    if result.outcome is Outcome.NON_HALTING:  # before the limit
        assert interpret(machine, word, max_steps=100 * moves).outcome is Outcome.STEP_LIMIT
        moves = result.machine_steps
    direct = interpret(machine, word, max_steps=moves)
    path = list(islice(configurations(machine, word), moves + 1))
    assert result.outcome in (direct.outcome, Outcome.NON_HALTING)
    assert result.machine_steps == direct.steps
    assert result.eos_steps == set_up - len(word) + direct.steps
    assert [construction.decode(state) for state in result.trace.states[set_up:]] == path
    last = OUTPUT[direct.outcome]
    assert [result.initial_output, *result.outputs] == [0] * result.steps + [last]
    assert {type(x) for state in result.trace for x in state} == {EXACT}
    if last:
        executor, eos = executor_for(network, RATIONAL), network.alphabet.index(EOS)
        later = advance_by(executor, result.final_state, eos, 10)
        assert [y for y, repetitions in later.outputs for _ in range(repetitions)] == [last] * 10
        assert construction.decode(later.state) == path[-1]


@pytest.mark.mostly_slow(quick=2, slow=2)
@pytest.mark.parametrize("number", range(BATCHES))
def test_random_machines(number):
    for rng, machine in batch(number):
        words = random_words(rng, machine)
        for compiled in OF_STACK_MACHINES:
            construction = compiled(machine)
            for word in words:
                check_run(construction, word)


def test_the_batches_are_many_and_of_every_kind():
    machines = [machine for number in range(BATCHES) for _, machine in batch(number)]
    assert len(machines) >= BATCHES * len(SIZES) >= 200
    assert {m.stacks for m in machines} == {1, 2, 3}
    assert {len(m.stack_symbols) for m in machines} == {1, 2, 3, 4}
    assert len({(m.halt_state is None, m.reject_state is None, bool(m.input_symbols)) for m in machines}) == 6
    outcomes = [interpret(m, max_steps=MOVES).outcome for m in machines]
    assert min(outcomes.count(outcome) for outcome in OUTPUT) >= 10


@pytest.mark.mostly_slow(quick=2, slow=2)
@CONSTRUCTIONS
@pytest.mark.parametrize("name", ["anbn-stacks", "mirror-stacks", "binary-increment-stacks"])
def test_every_short_word(compiled, name):
    large = compiled is real_time_stacks and name == "mirror-stacks"  # thousands of units
    check_short_words(compiled(load(name)), longest=2 if large else 4)


@pytest.mark.parametrize("compiled", [layered_stacks, merged_stacks])
def test_every_short_word_of_brackets(compiled):
    check_short_words(compiled(load("two-brackets")))


def check_short_words(construction, longest=4):
    machine = construction.machine
    for length in range(longest + 1):
        for word in product(machine.input_symbols, repeat=length):
            result, direct = run(construction, word, arithmetic=RATIONAL), interpret(machine, word)
            assert (result.outcome, result.eos_steps) == (direct.outcome, direct.steps + 1)
            assert construction.decode(result.final_state) == direct.configuration


@CONSTRUCTIONS
def test_the_word_is_read_in_its_order(compiled):
    construction = of_anbn(compiled)
    states = [construction.decode(state) for state in run(construction, "ab", record="all").trace]
    assert [(c.state, "".join(c.stacks[0])) for c in states[:4]] == [
        (Phase.LOAD, ""), (Phase.LOAD, "a"), (Phase.LOAD, "ab"), ("as", "ab"),
    ]  # fmt: skip
    assert (construction.set_up, construction.halting_time) == ((1, 1), "T(w) = k + 1")


def still(letters):
    return StackMachine(states="A", input_symbols=letters, stack_symbols="a", stacks=2, transitions={},
                        initial_state="A", accept_state="A")  # fmt: skip


@CONSTRUCTIONS
def test_a_machine_whose_initial_state_halts_makes_no_move(compiled):
    for letters, word in (("", ""), ("a", ""), ("a", "aaa")):
        construction = compiled(still(letters))
        result = run(construction, word)
        assert (result.outcome, result.machine_steps) == (Outcome.ACCEPTED, 0)
        assert result.steps == construction.set_up_steps(len(word)) == len(word) + 1
        assert construction.decode(result.final_state).stacks == (tuple(word), ())


@CONSTRUCTIONS
def test_a_machine_without_input_starts_at_once(compiled):
    row = {(a,): ("A" if a else "p", (push("a"),)) for a in ("a", EMPTY)}
    machine = StackMachine(states="pA", input_symbols="", stack_symbols="a", stacks=1, transitions={"p": row},
                           initial_state="p", accept_state="A")  # fmt: skip
    construction = compiled(machine)
    assert (construction.set_up, construction.halting_time) == ((0, 0), "T = k")
    assert (run(construction).steps, construction.network.alphabet) == (2, (EOS,))


def shape(machine):
    """Return p, m, the numbers of states that are reached and halt, and of units that reading takes."""
    states = reachable(machine)
    loads = bool(machine.input_symbols) or machine.initial_state in machine.halting_states
    halting = len([q for q in states if q in machine.halting_states])
    reading = len(machine.input_symbols) + 2 if loads else 0
    return machine.stacks, len(machine.stack_symbols), len(states), halting, reading


@settings(max_examples=30)
@given(stack_machines())
def test_units_of_the_real_time_network(machine):
    p, m, s, _, reading = shape(machine)
    network = real_time_stacks(machine).network
    assert network.neurons == network.circuit.units == s * (m + 1) ** (2 * p) + m * (m + 2) * p + reading
    assert len(network.circuit.layers) == 1
    assert {unit.activation for unit in network.circuit.layers[0]} == {Activation.SLU}


@pytest.mark.parametrize(("stacks", "base", "digits"), [(1, 10, (5, 9)), (2, 40, (31, 39)), (3, 90, (77, 89))])
def test_bits_are_those_of_the_source(stacks, base, digits):
    """s 9^p + 8 p units, B = 10 p^2, digits B - 4p - 1 and B - 1."""
    tops = list(product(("0", "1", EMPTY), repeat=stacks))
    machine = StackMachine(states="pA", input_symbols="", stack_symbols="01", stacks=stacks, initial_state="p",
                           transitions={"p": {r: ("A", [KEEP] * stacks) for r in tops}}, accept_state="A")  # fmt: skip
    construction = real_time_stacks(machine)
    plan = construction.codec._plan
    assert construction.network.neurons == 2 * 9**stacks + 8 * stacks
    assert (plan.base, plan.digits) == (base, digits)
    assert (base, digits) == (10 * stacks**2, (base - 4 * stacks - 1, base - 1))


@settings(max_examples=30)
@given(stack_machines(max_stacks=3, max_symbols=3))
def test_units_of_the_layered_network(machine):
    p, m, s, halting, reading = shape(machine)
    network = layered_stacks(machine).network
    layers = [len(layer) for layer in network.circuit.layers]
    assert network.neurons == s + p + (2 if reading else 0)
    assert sum(layers) == p * m + (s - halting) * (m + 1) ** p + p * (m + 2) + s + p + reading
    assert len(layers) == 4
    assert {unit.activation for layer in network.circuit.layers for unit in layer} == {Activation.SLU}


@settings(max_examples=30)
@given(stack_machines(max_stacks=3, max_symbols=3))
def test_units_of_the_merged_network(machine):
    """No more than one for each line of a table in which equal neighbours are one, of any order of the stacks."""
    p, m, s, halting, reading = shape(machine)
    network = merged_stacks(machine).network
    tops, boxes, results, state = (len(layer) for layer in network.circuit.layers)
    assert (tops, results, state) == (p * m, p * (m + 2) + (reading and reading - 2), s + p + (2 if reading else 0))
    usual = [
        Counter(machine.transitions[q].values()) for q in reachable_states(machine) if q not in machine.halting_states
    ]
    assert sum(len(rules) - 1 for rules in usual) <= boxes
    assert boxes <= sum(sum(rules.values()) - max(rules.values()) for rules in usual) <= (s - halting) * (m + 1) ** p


def test_tables_with_wildcards_take_few_units():
    for name, layered, merged in [("two-brackets", 145, 54), ("mirror-stacks", 59, 33), ("anbncn-stacks", 110, 41)]:
        sizes = [sum(map(len, build(load(name)).network.circuit.layers)) for build in (layered_stacks, merged_stacks)]
        assert sizes == [layered, merged]


def test_the_layered_network_has_the_published_weights_for_bits():
    """q/4 + z/2 + 1/4, 4q - 2 top - 1, SLU(4q) and SLU(4q - 2)."""
    network = layered_stacks(load("binary-increment-stacks")).network
    units = {unit.name: unit for layer in network.circuit.layers[:3] for unit in layer}
    q = network.circuit.state_names.index("stack 1")
    assert (units["top 1 0"].bias, units["top 1 0"].linear) == (0, ((q, 4),))
    assert (units["top 1 1"].bias, units["top 1 1"].linear) == (-2, ((q, 4),))
    for z in (0, 1):
        unit = units[f"stack 1 push {z}"]
        assert (unit.bias, dict(unit.linear)[q]) == (mpq(1, 4) + mpq(z, 2) - 1, mpq(1, 4))
    assert (units["stack 1 pop"].bias, dict(units["stack 1 pop"].linear)[q]) == (-2, 4)


def test_unreachable_states_cost_nothing():
    row = {(a,): ("A", (POP,)) for a in ("a", EMPTY)}
    parts = {"input_symbols": "a", "stack_symbols": "a", "stacks": 1, "initial_state": "p", "accept_state": "A"}
    small = StackMachine(states="pA", transitions={"p": row}, **parts)
    large = StackMachine(states="pAzR", transitions={"p": row, "z": row}, reject_state="R", **parts)
    for compiled in OF_STACK_MACHINES:
        assert compiled(large).network.circuit == compiled(small).network.circuit


NAMES = ["symbol", "start", "state", "stack", "top", "(load)", "?", "EOS", "0", "a b", "scale", "keep", "push", "pop"]


@CONSTRUCTIONS
@pytest.mark.parametrize("name", NAMES)
def test_states_and_symbols_of_any_name(compiled, name):
    tops = list(product((name, "a", EMPTY), repeat=1))
    machine = StackMachine(
        states=[name, "back", "yes"], input_symbols=["a"], stack_symbols=["a", name], stacks=1,
        transitions={
            name: {r: ("back", (push(name),)) for r in tops},
            "back": {(name,): (name, (POP,)), ("a",): ("yes", (POP,)), (EMPTY,): ("yes", (push(name),))},
        },
        initial_state=name, accept_state="yes",
    )  # fmt: skip
    for word in ((), ("a",), ("a", "a")):
        check_run(compiled(machine), word, moves=12)


@CONSTRUCTIONS
def test_states_may_be_any_hashable_values(compiled):
    machine = StackMachine(
        states=[("q", 1), None, 7], input_symbols=["a"], stack_symbols=["a"], stacks=1,
        transitions={("q", 1): {("a",): (None, (POP,)), (EMPTY,): (7, (POP,))},
                     None: {("a",): (("q", 1), (POP,)), (EMPTY,): (None, (push("a"),))}},
        initial_state=("q", 1), accept_state=7,
    )  # fmt: skip
    for word in ("", "a", "aa", "aaa"):
        check_run(compiled(machine), word)


@CONSTRUCTIONS
def test_what_a_network_has_no_units_for_cannot_be_encoded(compiled):
    construction = of_anbn(compiled)
    for state, stacks, message in (
        ("z", ((), ()), "'z'"), (None, ((), ()), "None"), (Phase.LOAD, ((), ()), "state"), ("as", (("#",), ()), "'#'"),
        ("as", ((), ("a", LOST)), r"'\?'"), ("as", ((),), "is not a configuration"),
    ):  # fmt: skip
        with pytest.raises(ConstructionError, match=message):
            construction.encode(StackConfiguration(state=state, stacks=stacks))
    for other in ("as", None, 3, TapeConfiguration(state="as", left=(), scanned="a", right=())):
        with pytest.raises(ConstructionError, match="is not a configuration"):
            construction.encode(other)


@CONSTRUCTIONS
@pytest.mark.parametrize("value", [0.0, 1.0, 0.3, -1.0, 1e300, float("nan"), float("inf"), mpq(1, 7), mpq(-5)])
@pytest.mark.parametrize("cells", [None, 3])
def test_any_state_is_read_as_something(compiled, value, cells):
    construction = of_anbn(compiled)
    seen = construction.decode((value,) * construction.network.neurons, cells=cells)
    assert isinstance(seen, StackConfiguration)
    assert seen.state is LOST
    assert cells is None or max(map(len, seen.stacks)) <= cells + 1
    assert construction.nonblank((value,) * construction.network.neurons) is None


@CONSTRUCTIONS
@pytest.mark.parametrize("arithmetic", [FLOAT64, FLOAT32], ids=str)
def test_a_rounded_state_is_read_as_deep_as_it_is_right(compiled, arithmetic):
    machine = load("anbn-stacks")
    construction = of_anbn(compiled)
    state = run(construction, "aab", arithmetic=arithmetic, max_steps=3 + 1 + 1).final_state
    expected = interpret(machine, "aab", max_steps=1).configuration
    for depth in (0, 1, 2):
        seen = construction.decode(state, cells=depth)
        assert seen.state == expected.state
        assert seen.stacks == tuple(stack[:depth] for stack in expected.stacks)


SYSTEMS = st.sampled_from(
    [((1,), 2), ((1, 3), 4), ((1, 3, 5), 6), ((5, 9), 10), ((31, 39), 40), ((119, 151, 159), 160)]
)


@given(SYSTEMS, st.data())
def test_digits_are_read_as_they_were_written(system, data):
    digits, base = system
    symbols = data.draw(st.lists(st.integers(0, len(digits) - 1), max_size=12))
    length = data.draw(st.sampled_from([1, 500]))
    symbols = symbols * length
    value = write_digits(symbols, digits, base)
    assert read_digits(value, digits, base, None) == symbols
    depth = data.draw(st.integers(0, 30))
    assert read_digits(value, digits, base, depth) == symbols[:depth]


@given(SYSTEMS, st.lists(st.integers(0, 200), min_size=1, max_size=1500))
def test_other_digits_are_lost(system, numbers):
    digits, base = system
    wrong = [number % base for number in numbers]
    value = mpq(0)
    for digit in reversed(wrong):
        value = (value + digit) / base
    found = read_digits(value, digits, base, None)
    while wrong and not wrong[-1]:
        wrong.pop()
    if set(wrong) <= set(digits):
        assert [digits[a] for a in found] == wrong
    else:
        assert found[-1] is None


def test_a_stack_of_a_googol_of_symbols():
    """Numbers that cannot be written out are read as deep as is asked, and refused as a whole."""
    construction = layered_stacks(load("anbn-stacks"))
    long = Numeral(base=2, limb_digits=4, head=0, places=0, sign=1, runs=((0b1101, 10**100),))  # b a b a ...
    names = construction.network.circuit.state_names
    state = tuple({"state as": mpq(1), "stack 2": long}.get(name, mpq(0)) for name in names)
    assert construction.extent(state) == (2 * 10**100, 0)
    assert construction.decode(state, cells=5).stacks == ((), tuple("babab"))
    with pytest.raises(OptionError, match="cells="):
        construction.decode(state)


@pytest.mark.mostly_slow(quick=2, slow=1)
@CONSTRUCTIONS
def test_first_divergence_tells_how_deep_in_a_stack(compiled):
    construction = compiled(load("mirror-stacks"))
    word = "ab" * 30 + "#" + "ba" * 30
    found = xn.first_divergence(construction, word, xn.FLOAT16)
    assert found.outcome is Outcome.ACCEPTED
    assert found.configuration is not None
    assert isinstance(found.configuration.exact, StackConfiguration)
    assert found.configuration.depth is None or found.configuration.depth >= 1
    assert found.verdict is not None


@CONSTRUCTIONS
def test_a_machine_and_its_network_are_equivalent(compiled):
    machine = load("anbn-stacks")
    found = xn.equivalent(machine, of_anbn(compiled), max_length=6)
    assert found.equal is not False
    assert found.witness is None


def test_a_real_time_network_beyond_any_memory_is_refused_at_once():
    readings = list(product(("a", "b", "c", EMPTY), repeat=4))
    machine = StackMachine(
        states="qH",
        input_symbols="abc",
        stack_symbols="abc",
        stacks=4,
        transitions={"q": {reading: ("H", [KEEP] * 4) for reading in readings}},
        initial_state="q",
        halt_state="H",
    )
    with promptly(), pytest.raises(ConstructionError, match="has 131132 units, and 10000 are the most"):
        real_time_stacks(machine)
