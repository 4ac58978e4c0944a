"""The public strategies: values are valid, reachable, of sane sizes, and shrink; their bounds are checked early."""

import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn import strategies
from exactnn.automata import CounterMachine, StackMachine, interpret
from exactnn.constructions import CONSTRUCTIONS
from exactnn.errors import OptionError
from exactnn.outcome import Outcome

ROOT = Path(xn.__file__).parents[1]
MACHINES = {
    xn.DFA: strategies.dfas,
    xn.TuringMachine: strategies.turing_machines,
    StackMachine: strategies.stack_machines,
    CounterMachine: strategies.counter_machines,
}
SAMPLE = 200


def targets(machine, state):
    """Return the states that a rule of a state leads to."""
    found = []
    for entry in machine.transitions.get(state, {}).values():
        if isinstance(machine, CounterMachine):
            found += [rule.next_state for rule in entry.values()]
        else:
            found.append(entry if isinstance(machine, xn.DFA) else entry.next_state)
    return found


def reached(machine):
    found = [machine.initial_state]
    for state in found:
        found += [q for q in dict.fromkeys(targets(machine, state)) if q not in found]
    return set(found)


@pytest.mark.parametrize("kind", MACHINES)
@given(data=st.data())
def test_every_working_state_can_be_reached(kind, data):
    machine = data.draw(MACHINES[kind](max_states=6))
    assert reached(machine) >= set(machine.transitions)


@pytest.mark.mostly_slow(quick=1, slow=1)
@pytest.mark.parametrize("kind", MACHINES)
def test_they_shrink_to_one_state_and_one_symbol(kind):
    machine = find(MACHINES[kind](max_states=6), lambda machine: True)
    assert tuple(machine.transitions) == ("q0",)
    assert len(machine.input_symbols) == (1 if kind in (xn.DFA, CounterMachine) else 0)


def drawn(strategy, count=SAMPLE):
    """Return values as a test would draw them."""
    values = []

    @settings(max_examples=count, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(value):
        values.append(value)

    collect()
    return values


def shares(values):
    counts = Counter(values)
    return {value: count / len(values) for value, count in counts.items()}


@pytest.mark.parametrize(
    ("kind", "least", "most"), [(xn.TuringMachine, 0.5, 0.97), (StackMachine, 0.5, 0.99)], ids=["tape", "stacks"]
)
def test_most_machines_halt_and_not_all(kind, least, most):
    machines = drawn(MACHINES[kind]())
    ends = shares([interpret(machine, max_steps=100).outcome for machine in machines])
    assert least < 1 - ends.get(Outcome.STEP_LIMIT, 0) < most
    assert {Outcome.ACCEPTED, Outcome.REJECTED, Outcome.HALTED} <= ends.keys()
    moves = [interpret(machine, max_steps=100).steps for machine in machines]
    assert sum(3 <= steps < 100 for steps in moves) > 0.02 * len(moves)  # most rules of small machines halt at once


@pytest.mark.mostly_slow(quick=1, slow=1)
@pytest.mark.parametrize("kind", MACHINES)
def test_all_sizes_are_drawn(kind):
    machines = drawn(MACHINES[kind](max_states=3))
    sizes = shares([len(machine.transitions) for machine in machines])
    assert sizes.keys() == {1, 2, 3}
    assert min(sizes[2], sizes[3]) > 0.1  # of one state there are few, and none is drawn twice


@pytest.mark.parametrize("kind", [xn.DFA, CounterMachine])
def test_recognisers_accept_some_words_and_reject_some(kind):
    pairs = MACHINES[kind]().flatmap(lambda m: st.tuples(st.just(m), strategies.words(m.input_symbols)))
    accepted = shares([interpret(machine, word).verdict for machine, word in drawn(pairs)])
    assert 0.1 < accepted[xn.Verdict.ACCEPT] < 0.9


def test_words_of_all_lengths_are_drawn():
    lengths = shares([len(word) for word in drawn(strategies.words("ab", max_size=8))])
    assert lengths.keys() == set(range(9))
    assert max(lengths.values()) < 0.5
    assert drawn(strategies.words("")) == [()]


def test_formats_of_all_kinds_are_drawn():
    formats = drawn(strategies.float_formats(max_precision=8, max_exponent_bits=5))
    for field, values in {
        "specials": {"ieee", "nan", "none"},
        "fused": {True, False},
        "subnormals": {True, False},
    }.items():
        assert {getattr(format, field) for format in formats} == values
    assert {format.accumulator is None for format in formats} == {True, False}
    assert {format.precision for format in formats} == set(range(2, 9))
    assert len({format.rounding for format in formats}) == 5


@given(strategies.float_formats())
def test_a_format_has_its_largest_number(format):
    assert format.rounded(format.largest) == format.largest


@given(strategies.contractive_networks())
def test_contractive_networks_are_contractive(network):
    assert xn.is_contractive(network)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_every_construction_is_drawn(name):
    found = drawn(strategies.constructions(names=[name], max_states=1), 2)
    assert {construction.name for construction in found} == {name}


@pytest.mark.parametrize(
    ("name", "bounds", "message"),
    [
        ("alphabets", {"max_symbols": 27}, "max_symbols=27: give a whole number from 0 to 26"),
        ("alphabets", {"min_symbols": 4}, "min_symbols=4 is more than max_symbols=3"),
        ("words", {"max_size": -1}, "max_size=-1"),
        ("words", {"alphabet": "", "min_size": 1}, "min_size=1: there are no such words"),
        ("dfas", {"max_states": 0}, "max_states=0: give a whole number of at least 1"),
        ("turing_machines", {"max_symbols": 1}, "max_symbols=1: give a whole number from 2 to 27"),
        ("stack_machines", {"max_stacks": 9}, "max_stacks=9"),
        ("counter_machines", {"max_counters": True}, "max_counters=True"),
        ("rationals", {"largest": 0}, "largest=0"),
        ("circuits", {"min_input": 2, "max_input": 1}, "max_input=1: give a whole number of at least 2"),
        ("networks", {"max_units": 0}, "max_units=0"),
        ("contractive_networks", {"reads": "numbers"}, "reads='numbers'"),
        ("float_formats", {"max_precision": 1}, "max_precision=1"),
        ("constructions", {"names": ["minsk"]}, r"names=\['minsk'\]: give one or more of minsky"),
        ("constructions", {"names": []}, "give one or more of minsky"),
        ("dfas", {"symbols": "aa"}, "symbols='aa': give different symbols"),
        ("dfas", {"symbols": 5}, "symbols=5: give different symbols"),
        ("dfas", {"symbols": [["a"]]}, r"symbols=\[\['a'\]\]: give different symbols"),
        ("words", {"alphabet": 5}, "alphabet=5: give different symbols"),
        ("words", {"alphabet": "aba"}, "alphabet='aba': give different symbols"),
        ("constructions", {"names": 5}, "names=5: give one or more of minsky"),
        ("networks", {"protocols": []}, "protocols=\\[\\]: give one or more of outputs"),
        ("networks", {"protocols": ["lottery"]}, "protocols=.'lottery'.: give one or more"),
        ("networks", {"activations": []}, "activations=.*: give one or more of identity"),
        ("networks", {"max_input": 27}, "max_input=27: give a whole number from 0 to 26"),
        ("circuits", {"activations": ["step"]}, "give one or more of identity"),
        ("circuits", {"weights": [1, 2]}, r"weights=\[1, 2\]: give a strategy, such as exactnn.strategies.rationals"),
        ("networks", {"weights": "1/2"}, "weights='1/2': give a strategy"),
        ("networks", {"names": "network"}, "names='network': give a strategy"),
        ("contractive_networks", {"start": 0}, "start=0: give a strategy"),
        ("turing_machines", {"tapes": []}, "tapes=.*: give one or more of two_way_infinite"),
        ("turing_machines", {"tapes": "semi_infinite"}, "tapes='semi_infinite': give one or more"),
        ("turing_machines", {"halting": {"halt_state": "H"}}, "halting=.*: give mappings of halt_state"),
        ("turing_machines", {"halting": [{"halt": "H"}]}, "give mappings of halt_state"),
        ("stack_machines", {"halting": []}, "give mappings of halt_state"),
        ("float_formats", {"roundings": []}, "give one or more of nearest even"),
        ("float_formats", {"roundings": ["sideways"]}, "give one or more of nearest even"),
    ],
)
def test_bounds_are_checked_when_a_strategy_is_made(name, bounds, message):
    with pytest.raises(OptionError, match=message):
        getattr(strategies, name)(**bounds)


@pytest.mark.parametrize(
    "kind",
    [*MACHINES, xn.MooreMachine, xn.MealyMachine, xn.Network, xn.networks.Circuit, xn.FloatFormat, xn.Construction],
    ids=lambda kind: kind.__name__,
)
def test_from_type_knows_the_classes(kind):
    assert all(isinstance(value, kind) for value in islice(drawn(st.from_type(kind), 5), 5))


def python(program, tmp_path):
    """Run a program where exactnn is installed, as far as Hypothesis can see."""
    folder = tmp_path / "exactnn-1.dist-info"
    folder.mkdir(exist_ok=True)
    (folder / "METADATA").write_text("Name: exactnn\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[hypothesis]\nexactnn = _exactnn_hypothesis:register\n")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": "", "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


DRAW = (
    "find(st.from_type(exactnn.DFA), lambda dfa: print(dfa.states[0]) or True, "
    "settings=settings(phases=[Phase.generate]))"
)


def test_hypothesis_alone_imports_nothing_of_ours(tmp_path):
    program = "import sys, hypothesis; print(*({'_exactnn_hypothesis', 'exactnn', 'numpy'} & sys.modules.keys()))"
    assert python(program, tmp_path) == ["_exactnn_hypothesis"]


@pytest.mark.parametrize("first", ["import exactnn", "from hypothesis import find"])
def test_the_entry_point_in_any_order_of_imports(first, tmp_path):
    program = f"{first}\nimport exactnn\nfrom hypothesis import Phase, find, settings, strategies as st\n{DRAW}"
    assert "q0" in python(program, tmp_path)


def test_the_entry_point_is_that_of_the_project():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.hypothesis]\nexactnn = "_exactnn_hypothesis:register"' in text
    assert '"_exactnn_hypothesis.py"' in text


@pytest.mark.mostly_slow(quick=1, slow=1)
@pytest.mark.parametrize("kind", MACHINES)
def test_states_and_symbols_are_listed_in_any_order(kind):
    machines = drawn(MACHINES[kind](max_states=3, shuffled=True))
    assert {tuple(sorted(m.input_symbols)) == m.input_symbols for m in machines} == {True, False}
    assert {m.states[0] == m.initial_state for m in machines} == {True, False}
