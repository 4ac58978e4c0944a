"""Networks of bounded precision: the commuting square, full memories, exact numbers in narrow formats."""

import math
from dataclasses import replace
from itertools import islice

import pytest
from gmpy2 import mpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from seeded_machines import next_configuration, reachable
from strategies import tape_configurations, turing_machines, words

from exactnn.arithmetic import FLOAT8_E4M3, FLOAT16, RATIONAL, FloatFormat
from exactnn.automata import LOST, TuringMachine, configurations, interpret
from exactnn.constructions import Phase, bits_needed, chung_siegelmann, growing_memory, run_growing
from exactnn.errors import ConstructionError, OptionError, WordError
from exactnn.machine_files import load
from exactnn.networks import EOS, Activation
from exactnn.outcome import Outcome
from exactnn.simulation import advance_by, executor_for, run

OUTPUT = {Outcome.ACCEPTED: 1, Outcome.HALTED: 1, Outcome.REJECTED: -1, Outcome.STEP_LIMIT: 0}

COUNTER = TuringMachine(
    states=["right", "back", "H"], input_symbols="1", tape_symbols="_1",
    transitions={
        "right": {"1": ("right", "1", "R"), "_": ("back", "_", "L")},
        "back": {"1": ("back", "1", "L"), "_": ("H", "_", "R")},
    },
    initial_state="right", blank_symbol="_", halt_state="H", tape="two_way_infinite",
)  # fmt: skip
"""Goes over the word and back: any length of word is a length of tape."""


@st.composite
def machines_and_configurations(draw):
    machine = draw(turing_machines(max_states=4, max_symbols=4))
    working = [q for q in reachable(machine) if q in machine.transitions]
    return machine, draw(tape_configurations(machine, states=working))


@settings(max_examples=40, deadline=None)
@given(pair=machines_and_configurations(), precision=st.integers(1, 4))
def test_one_step_is_one_move(pair, precision):
    """The commuting square on 250 machines, with tops of any height."""
    machine, configuration = pair
    net = growing_memory(machine, precision=precision, modules=12)
    executor, eos = executor_for(net.network, RATIONAL), net.network.alphabet.index(EOS)
    state = net.encode(configuration)
    assert net.decode(state) == configuration
    verdicts = {machine.accept_state: 1, machine.halt_state: 1, machine.reject_state: -1}
    verdicts.pop(None, None)
    for _ in range(5):
        configuration = next_configuration(machine, configuration)
        segment = advance_by(executor, state, eos, 1)
        state = segment.state
        assert net.decode(state) == configuration
        assert segment.outputs[-1][0] == verdicts.get(configuration.state, 0)
        if configuration.state in machine.halting_states:
            return


@settings(max_examples=20, deadline=None)
@given(machine=turing_machines(max_states=3, max_symbols=4), precision=st.integers(1, 5), data=st.data())
def test_every_run_of_a_machine(machine, precision, data):
    """Verdict, T, every configuration and every output, from reading the word on."""
    word = data.draw(words(machine.input_symbols))
    direct = interpret(machine, word, max_steps=25)
    net = growing_memory(machine, precision=precision, modules=33)
    set_up = net.set_up_steps(len(word))
    result = run(net, word, max_steps=set_up + direct.steps, record="all")
    assert result.outcome in (direct.outcome, Outcome.NON_HALTING)
    if result.outcome is Outcome.NON_HALTING:
        assert direct.outcome is Outcome.STEP_LIMIT
        return
    assert result.steps == set_up + direct.steps
    path = list(islice(configurations(machine, word), direct.steps + 1))
    assert [net.decode(state) for state in result.trace.states[set_up:]] == path
    assert [result.initial_output, *result.outputs] == [0] * result.steps + [OUTPUT[direct.outcome]]
    assert net.nonblank(result.final_state) == sum(a != machine.blank_symbol for a in path[-1].tape)
    assert net.extent(result.final_state) == (len(path[-1].left), len(path[-1].right))


@settings(max_examples=30, deadline=None)
@given(machine=turing_machines(max_states=3, max_symbols=4), precision=st.integers(1, 3), modules=st.integers(0, 2))
def test_a_full_memory_is_said_and_nothing_wrong_is(machine, precision, modules):
    """Until it is full every configuration is right; then it stands still, without a verdict."""
    net = growing_memory(machine, precision=precision, modules=modules)
    set_up = net.set_up_steps(0)
    executor, eos = executor_for(net.network, RATIONAL), net.network.alphabet.index(EOS)
    state = advance_by(executor, executor.start(), eos, set_up).state
    for number, configuration in enumerate(islice(configurations(machine, ""), 30)):
        seen = net.decode(state)
        if seen.state is Phase.FULL:
            assert number
            blank = machine.blank_symbol
            left, right = (max((i + 1 for i, a in enumerate(s) if a != blank), default=0) for s in
                           (configuration.left, configuration.right))  # fmt: skip
            bounded = machine.tape == "semi_infinite"  # its end lies in memory too
            assert max(left, right, bounded * (len(configuration.left) + 1)) > modules * precision
            later = advance_by(executor, state, eos, 5)
            assert {y for y, _ in later.outputs} == {0}
            assert net.decode(later.state).state is Phase.FULL
            return
        assert seen == configuration
        state = advance_by(executor, state, eos, 1).state


@settings(max_examples=20)
@given(machine=turing_machines(max_states=4, max_symbols=4), precision=st.integers(1, 6), modules=st.integers(0, 4))
def test_the_number_of_neurons_and_their_activation(machine, precision, modules):
    """(Q + h) m + 2 modules + 5, m + 1 more for reading; three more units for each module on each side."""
    network = growing_memory(machine, precision=precision, modules=modules).network
    reads = machine.input_symbols or machine.initial_state in machine.halting_states
    m = len(machine.tape_symbols)
    assert network.neurons == len(reachable(machine)) * m + 2 * modules + 5 + (m + 1 if reads else 0)
    units = [unit for layer in network.circuit.layers for unit in layer]
    assert {unit.activation for unit in units} == {Activation.SLU}
    more = growing_memory(machine, precision=precision, modules=modules + 1).network.circuit.units
    assert more - network.circuit.units == 2 * 4


@settings(max_examples=30, deadline=None)
@given(pair=machines_and_configurations(), precision=st.integers(1, 3))
def test_in_a_format_with_the_bits_needed_every_number_is_exact(pair, precision):
    machine, configuration = pair
    bits = bits_needed(machine, precision=precision)
    assume(bits <= 24)
    narrow = FloatFormat(precision=bits, exponent_bits=8)
    net = growing_memory(machine, precision=precision, modules=8)
    network = replace(net.network, initial_state=net.encode(configuration))
    exact_executor, rounding = (executor_for(network, arithmetic) for arithmetic in (RATIONAL, narrow))
    eos = net.network.alphabet.index(EOS)
    exact, rounded = exact_executor.start(), rounding.start()
    for _ in range(12):
        exact, rounded = advance_by(exact_executor, exact, eos, 1).state, advance_by(rounding, rounded, eos, 1).state
        assert tuple(map(float, exact)) == tuple(map(float, rounding.values(rounded)))


@pytest.mark.parametrize("length", [1, 5, 6, 9, 60])
def test_half_precision_holds_words_of_any_length_that_one_number_cannot(length):
    """With 9 bits to a number float16 is right; with the tape in two numbers it fails where its digits end."""
    word, moves = "1" * length, 2 * length + 2
    assert bits_needed(COUNTER, precision=9) == 11
    found = run_growing(COUNTER, word, precision=9, arithmetic=FLOAT16)
    direct = interpret(COUNTER, word)
    assert (found.outcome, found.configuration) == (direct.outcome, direct.configuration)
    assert (found.steps, found.machine_steps) == (2 * length + 2 + moves, moves) == (found.steps, direct.steps)
    assert found.modules <= 1 + length // 9 + 1
    plain = run(chung_siegelmann(COUNTER), word, arithmetic=FLOAT16, max_steps=length + 3 * moves + 2)
    right = plain.outcome is direct.outcome and plain.machine_steps == direct.steps
    assert right == (length <= 11 // 2)  # two bits a cell


def test_eight_bits_are_enough_for_the_busy_beaver_of_five_states_as_far_as_one_looks():
    machine, steps = load("bb5"), 3000
    assert bits_needed(machine, precision=2) == FLOAT8_E4M3.precision == 4
    found = run_growing(machine, precision=2, arithmetic=FLOAT8_E4M3, max_steps=steps)
    direct = interpret(machine, max_steps=steps)
    assert (found.outcome, found.configuration) == (Outcome.STEP_LIMIT, direct.configuration)
    space = max(len(direct.configuration.left), len(direct.configuration.right))
    assert found.modules >= space // 2 - 1
    assert found.neurons == 6 * 2 + 2 * found.modules + 5


def test_a_growing_run_in_a_format_that_is_too_small_goes_on_as_runs_in_floats_do():
    """The weights of 40 cells to a number are beyond float16: the state is nan, and nothing can be read from it."""
    found = run_growing(load("palindrome"), "abaabaaba", precision=40, arithmetic=FLOAT16, max_steps=100)
    assert (found.outcome, found.steps, found.configuration.state) == (Outcome.STEP_LIMIT, 100, LOST)


@pytest.mark.parametrize("precision", [1, 2, 3])
def test_two_bits_less_than_needed_are_too_few(precision):
    """One less is enough in these networks where sums begin with the bias, as here; the order is the arithmetic's."""
    machine, word = load("palindrome"), "abba" * precision
    bits = bits_needed(machine, precision=precision)
    direct = interpret(machine, word)
    steps = growing_memory(machine, precision=1, modules=0).set_up_steps(len(word)) + direct.steps
    right = {
        fewer: run_growing(
            machine, word, precision=precision, arithmetic=FloatFormat(precision=bits - fewer, exponent_bits=8),
            max_steps=steps,
        ).configuration == direct.configuration
        for fewer in (0, 1, 2)
    }  # fmt: skip
    assert right == {0: True, 1: True, 2: False}


@settings(max_examples=20, deadline=None)
@given(machine=turing_machines(max_states=3, max_symbols=3), precision=st.integers(1, 4), data=st.data())
def test_growing_runs_are_the_machines(machine, precision, data):
    word = data.draw(words(machine.input_symbols))
    direct = interpret(machine, word, max_steps=30)
    set_up = growing_memory(machine, precision=1, modules=0).set_up_steps(len(word))
    found = run_growing(machine, word, precision=precision, max_steps=set_up + direct.steps)
    assert (found.outcome, found.machine_steps, found.steps) == (direct.outcome, direct.steps, set_up + direct.steps)
    assert found.configuration == direct.configuration


@pytest.mark.parametrize("tape", ["semi_infinite", "two_way_infinite"])
def test_states_and_symbols_of_any_name(tape):
    """Names that the network's own units carry, and states that are no strings."""
    odd = TuringMachine(
        states=[("left", "top"), "full", "A"],
        input_symbols=["top", "memory"],
        tape_symbols=["top", "memory", "a blank"],
        transitions={
            q: {"top": (p, "memory", "R"), "memory": (p, "top", "LR"[p == "full"]), "a blank": ("A", "top", "L")}
            for q, p in ((("left", "top"), "full"), ("full", ("left", "top")))
        },
        initial_state=("left", "top"),
        blank_symbol="a blank",
        accept_state="A",
        tape=tape,
    )  # fmt: skip
    for word in ([], ["top"], ["memory", "top", "top"], ["memory"] * 5):
        direct = interpret(odd, word, max_steps=40)
        found = run_growing(odd, word, precision=2, max_steps=40)
        assert found.outcome in (direct.outcome, Outcome.STEP_LIMIT)
        assert found.configuration == interpret(odd, word, max_steps=found.machine_steps).configuration


@pytest.mark.parametrize("value", [0.0, 1.0, 0.3, -1.0, 1e300, math.nan, math.inf, mpq(1, 7), mpq(-5)])
def test_any_state_is_read_as_something(value):
    net = growing_memory(COUNTER, precision=2, modules=1)
    for cells in (None, 1):
        seen = net.decode((value,) * net.network.neurons, cells=cells)
        assert LOST in str(seen)
        assert net.nonblank((value,) * net.network.neurons) is None


def test_what_cannot_be_encoded_and_wrong_options():
    net = growing_memory(COUNTER, precision=2, modules=1)
    path = list(configurations(COUNTER, "11111111"))
    with pytest.raises(ConstructionError, match=r"on the right take 3 memory neurons of 2 cells, .* give modules=3"):
        net.encode(path[0])
    for wrong, message in (("right", "is not a configuration"), (Phase.LOAD, "is not a configuration")):
        with pytest.raises(ConstructionError, match=message):
            net.encode(wrong)
    for options in ({"precision": 0}, {"precision": True}, {"precision": 2.0}, {"modules": -1}, {"modules": "1"}):
        with pytest.raises(OptionError, match=f"{next(iter(options))}="):
            growing_memory(COUNTER, **{"precision": 2, "modules": 1, **options})
    with pytest.raises(OptionError, match="precision=0"):
        run_growing(COUNTER, "1", precision=0)
    with pytest.raises(OptionError, match="max_steps="):
        run_growing(COUNTER, "1", precision=1, max_steps=-1)
    with pytest.raises(WordError):
        run_growing(COUNTER, "2", precision=1)
    for call in (growing_memory, run_growing):
        with pytest.raises(ConstructionError, match="compiles a TuringMachine"):
            call("parity", precision=1, **({"modules": 1} if call is growing_memory else {}))
