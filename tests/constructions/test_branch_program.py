"""Programs over counters in integer ReLU networks, beside an interpreter of the programs."""

from collections import Counter

import pytest
from every_executor import check_every_executor
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.arithmetic import RATIONAL
from exactnn.constructions import branch_program
from exactnn.equivalence import state_bound
from exactnn.errors import ConstructionError, OptionError
from exactnn.networks import EOS, Activation
from exactnn.simulation import advance_by, executor_for, run


def carried_out(program, values, most):
    """Return the values at the end, and how many lines that do not ask and that ask there were; None after `most`."""
    values, line, plain, asking = Counter(values), 0, 0, 0
    while line < len(program):
        if plain + 2 * asking >= most:
            return None
        words = program[line].split()
        line += 1
        if words[0] == "if":
            asking += 1
            line = int(words[3]) if values[words[1]] else line
            continue
        plain += 1
        if words[0] == "goto":
            line = int(words[1])
        else:
            values[words[0]] = max(0, values[words[0]] + (1 if words[1] == "+" else -1))
    return values, plain, asking


def variables(network, state):
    names = zip(network.circuit.state_names, state, strict=True)
    return {name.removeprefix("variable "): value for name, value in names if name.startswith("variable ")}


@st.composite
def programs(draw):
    count = draw(st.integers(0, 7))
    variable, target = st.sampled_from("xyz"), st.integers(0, count)
    line = st.one_of(
        st.builds("{} + 1".format, variable),
        st.builds("{} - 1".format, variable),
        st.builds("if {} goto {}".format, variable, target),
        st.builds("goto {}".format, target),
    )
    return draw(st.lists(line, min_size=count, max_size=count))


@settings(max_examples=60)
@given(program=programs(), data=st.data())
def test_random_programs(program, data):
    network = branch_program(program)
    word = data.draw(st.lists(st.sampled_from(network.input_symbols or ("",)), max_size=6))
    word = word if network.input_symbols else []
    expected = carried_out(program, word, most=60)
    result = run(network, word, max_steps=len(word) + 80, arithmetic=RATIONAL, record="all")
    assert network.neurons == len(network.input_symbols) + len(program) + 2 + 2 * sum(p[:2] == "if" for p in program)
    if expected is None:
        assert result.outcome.value != "halted"
        return
    values, plain, asking = expected
    assert (result.outcome.value, result.eos_steps) == ("halted", 1 + plain + 2 * asking)
    assert variables(network, result.final_state) == {v: values[v] for v in network.input_symbols}
    assert {*result.outputs[:-1]} <= {0}
    executor, eos = executor_for(network, RATIONAL), network.alphabet.index(EOS)
    after = advance_by(executor, result.final_state, eos, 5)
    assert [y for y, repetitions in after.outputs for _ in range(repetitions)] == [1] * 5
    assert variables(network, after.state) == variables(network, result.final_state)


TIMES = ["if x goto 2", "goto 12", "x - 1", "if y goto 5", "goto 9", "y - 1", "z + 1", "s + 1", "goto 3",
         "if s goto 13", "goto 0", "goto 12", "goto 16", "s - 1", "y + 1", "goto 9"]  # fmt: skip


@pytest.mark.parametrize(("x", "y"), [(0, 0), (0, 3), (1, 1), (3, 4), (12, 9)])
def test_multiplication(x, y):
    network = branch_program(TIMES)
    result = run(network, "x" * x + "y" * y)
    assert variables(network, result.final_state)["z"] == x * y


def test_weights_are_integers_and_units_are_not_clipped():
    network = branch_program(TIMES)
    numbers = [w for unit in network.circuit.layers[0] for w in (unit.bias, *(w for _, w in unit.linear))]
    assert {abs(number) for number in numbers} <= {0, 1}
    assert {unit.activation for unit in network.circuit.layers[0]} == {Activation.RELU}
    assert state_bound(network, RATIONAL) is None


def test_every_executor_runs_it():
    check_every_executor(branch_program(["if y goto 2", "goto 5", "y - 1", "x + 1", "goto 0"]), "xy")


def test_a_program_without_end_is_proven_endless():
    assert run(branch_program(["goto 0"])).outcome.value == "proven non-halting"


@pytest.mark.parametrize(
    "line", ["x + 2", "x * 1", "", "if x goto", "goto x", "if x jump 0", "goto -1", 3, None, "x +- 1"]
)
def test_a_line_of_another_form_is_refused_and_shown(line):
    with pytest.raises(OptionError, match=r"line 1 is .*: write"):
        branch_program(["x + 1", line])


def test_a_line_that_is_not_there_is_refused():
    with pytest.raises(OptionError, match="line 0 goes to 3: there are lines 0 to 1, and 2 is the end"):
        branch_program(["goto 3", "x + 1"])
    with pytest.raises(OptionError, match=r"line 1 goes to <int too long to print>: there are lines 0 to 1"):
        branch_program(["x + 1", f"goto {'9' * 5000}"])
    with pytest.raises(ConstructionError, match="'EOS' is reserved"):
        branch_program(["EOS + 1"])


@pytest.mark.parametrize("program", [5, None, "goto 0", "", iter(["x + 1"]), {"x + 1": 0}])
def test_what_is_no_sequence_of_lines_is_refused(program):
    with pytest.raises(OptionError, match="a program is a sequence of lines, not "):
        branch_program(program)
