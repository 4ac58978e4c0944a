"""Choosing a construction by name, and what every construction says about itself."""

from itertools import product

import pytest
from every_construction import A_STAR, EXAMPLES, PARITY, weight_field_of
from every_executor import check_every_executor

from exactnn import constructions
from exactnn.arithmetic import RATIONAL, counted
from exactnn.automata import (
    DFA,
    EMPTY,
    KEEP,
    CounterMachine,
    MealyMachine,
    MooreMachine,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
    interpret,
)
from exactnn.constructions import CONSTRUCTIONS, Construction, compile, constructions_for, minsky, siegelmann_sontag
from exactnn.constructions.construction import Codec
from exactnn.errors import ConstructionError, MachineFileError
from exactnn.machine_files import load, zoo
from exactnn.simulation import executor_for

EVERY = pytest.mark.parametrize("name", CONSTRUCTIONS)


def example(name):
    """Return the machine of `EXAMPLES` that a construction compiles, and what it makes of it."""
    kind = CONSTRUCTIONS[name]
    assert kind in EXAMPLES, f"{name} compiles a {kind.__name__}: add one to EXAMPLES of every_construction.py"
    return EXAMPLES[kind], function_of(name)(EXAMPLES[kind])


def function_of(name):
    return getattr(constructions, name)


def units(network):
    return [unit for layer in network.circuit.layers for unit in layer]


def test_the_default_is_the_first_that_fits():
    for kind, machine in EXAMPLES.items():
        assert constructions_for(machine) == tuple(name for name, k in CONSTRUCTIONS.items() if k is kind)
    assert compile(PARITY).network == minsky(PARITY).network
    assert compile(A_STAR).network == siegelmann_sontag(A_STAR).network


@EVERY
def test_each_can_be_asked_for_by_its_name(name):
    machine, construction = example(name)
    again = compile(machine, construction=name)
    assert (again.name, again.network) == (name, construction.network)
    assert construction.name == function_of(name).__name__ == name


@EVERY
def test_each_takes_a_name_and_says_so(name):
    kind, function = CONSTRUCTIONS[name], function_of(name)
    machine = next(entry.name for entry in zoo() if isinstance(load(entry.name), kind))
    assert function(machine).network == function(load(machine)).network
    assert f"{kind.__name__}, or what :func:`exactnn.load` makes one of" in function.__doc__


@EVERY
@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_construction_that_does_not_fit_is_refused_with_the_choice(name, kind):
    if CONSTRUCTIONS[name] is kind:
        return
    choice = ", ".join(constructions_for(EXAMPLES[kind]))
    with pytest.raises(ConstructionError, match=f"'{name}' does not compile a {kind.__name__}: choose one of {choice}"):
        compile(EXAMPLES[kind], construction=name)


def test_an_unknown_construction_is_refused_with_those_that_fit():
    for machine in EXAMPLES.values():
        choice = ", ".join(constructions_for(machine))
        with pytest.raises(ConstructionError, match=f"'magic' is unknown: choose one of {choice}$"):
            compile(machine, construction="magic")


def test_what_is_no_machine_is_refused():
    for machine in (None, 3):
        with pytest.raises(
            ConstructionError,
            match=r"no construction compiles .*: give a DFA, a MooreMachine, .* or a WeightedAutomaton",
        ):
            compile(machine)
    with pytest.raises(MachineFileError, match="did you mean parity"):
        compile("party")


@EVERY
def test_another_kind_of_machine_is_refused(name):
    for kind, machine in EXAMPLES.items():
        if kind is not CONSTRUCTIONS[name]:
            with pytest.raises(ConstructionError, match=rf"{name} compiles a \w+, not the \w+ '"):
                function_of(name)(machine)
    with pytest.raises(MachineFileError, match="there is no such machine"):
        function_of(name)("bb2000")
    with pytest.raises(ConstructionError, match=rf"{name} compiles a \w+, not 3: give a "):
        function_of(name)(3)


RESERVED = {
    DFA: DFA(states="p", input_symbols=["EOS"], transitions={"p": {"EOS": "p"}}, initial_state="p", final_states="p"),
    TuringMachine: TuringMachine(
        states="pA", input_symbols=["EOS"], tape_symbols=["EOS", "_"], initial_state="p", blank_symbol="_",
        transitions={"p": {"EOS": ("p", "_", "R"), "_": ("A", "_", "R")}}, accept_state="A",
    ),
    MooreMachine: MooreMachine(
        states="p", input_symbols=["EOS"], transitions={"p": {"EOS": "p"}}, initial_state="p", outputs={"p": "x"}
    ),
    MealyMachine: MealyMachine(
        states="p", input_symbols=["EOS"], transitions={"p": {"EOS": "p"}}, initial_state="p",
        outputs={"p": {"EOS": "x"}},
    ),
    CounterMachine: CounterMachine(
        states="p", input_symbols=["EOS"], counters=1, initial_state="p", acceptance=[],
        transitions={"p": {"EOS": {(0,): ("p", (1,)), (1,): ("p", (1,))}}},
    ),
    StackMachine: StackMachine(
        states="pA", input_symbols=["EOS"], stack_symbols=["EOS"], stacks=1, initial_state="p", accept_state="A",
        transitions={"p": {("EOS",): ("A", (KEEP,)), (EMPTY,): ("A", (KEEP,))}},
    ),
    WeightedAutomaton: WeightedAutomaton(
        input_symbols=["EOS"], initial=[1], transitions={"EOS": [[1]]}, final=[1]
    ),
}  # fmt: skip


@EVERY
def test_the_end_of_sequence_symbol_is_reserved(name):
    with pytest.raises(ConstructionError, match="'EOS' is reserved"):
        function_of(name)(RESERVED[CONSTRUCTIONS[name]])


@EVERY
def test_every_construction_says_what_it_claims_and_where_it_comes_from(name):
    """The names of the contract: network, encode, decode, steps_per_move, claim, citation."""
    _, construction = example(name)
    assert isinstance(construction, Construction)
    assert isinstance(construction.codec, Codec)
    assert construction.steps_per_move >= 1
    assert construction.verdict_steps(2, 5) - construction.verdict_steps(2, 4) == construction.steps_per_move
    for text in (construction.claim, construction.citation, construction.halting_time):
        assert isinstance(text, str)
        assert text
    assert len(construction.claim) > 20
    assert len(construction.citation) > 20


def accepts(low, high):
    """Return the check of an output after a word: at least `low`, or at most `high` where the word is rejected."""
    return lambda outputs, found, _: outputs[-1] >= low if found.accepted else outputs[-1] <= high


def tells(outputs, found, verdict):
    said = 1 if found.accepted else -1
    return not any(outputs[:verdict]) and set(outputs[verdict:]) == {said}


CLAIMS = {
    "The output after w is 1 if the automaton accepts w and 0 if it rejects, for every w, the empty word included": (
        lambda outputs, found, _: outputs[-1] == int(found.accepted)
    ),
    "The output after w is at least 1 if the automaton accepts w and at most 0 if it rejects": accepts(1, 0),
    "The outputs after w are 1 for what the machine says after w and 0 for all else, for every w": (
        lambda outputs, found, _: (sum(outputs[-1]), max(outputs[-1]), min(outputs[-1])) == (1, 1, 0)
    ),
    "The outputs after w are 1 for what the last transition gives and 0 for all else; all are 0 if w is empty": (
        lambda outputs, found, _: sorted(outputs[-1]) == [0, 0, int(found.output is not None)]
    ),
    "The output after w is the value of w, for every w": lambda outputs, found, _: outputs[-1] == found.value,
    "f(w EOS^t) is 0 for 0 < t < T and 1 or -1 from T on": tells,
    "The first EOS symbol after w gives 1 if the machine accepts w and -1 if it rejects, for every word w; before it "
    "the output is 0, after it the verdict stays": tells,
}
"""How claims begin, and whether that is so of the outputs from the start on, what the interpreter found, and the step
of the verdict. What says of several outputs which one it is, `test_transducers.py` compares."""


@EVERY
def test_a_claim_is_true_of_the_outputs(name):
    """All words of up to four symbols, and three EOS symbols more than the verdict takes."""
    machine, construction = example(name)
    network = construction.network
    (holds,) = (check for text, check in CLAIMS.items() if construction.claim.startswith(text))
    executor = executor_for(network, RATIONAL)
    for word in (word for length in range(5) for word in product(network.input_symbols, repeat=length)):
        found = interpret(machine, word)
        verdict = construction.verdict_steps(len(word), found.steps)
        symbols = list(map(network.alphabet.index, word))
        if network.eos is not None:
            symbols += [network.eos] * (verdict + 3 - len(word))
        state = executor.start()
        outputs = [executor.output(state)]
        for symbol in symbols:
            segment = executor.advance(state, symbol, 1, until_decided=False)
            state = segment.state
            outputs += [output for output, _ in segment.outputs]
        assert holds(outputs, found, verdict), (word, outputs)


@EVERY
def test_the_weight_field_is_true(name):
    _, construction = example(name)
    assert construction.weight_field == weight_field_of(construction.network)


def test_machine_steps_count_from_the_end_of_the_set_up():
    real_time = siegelmann_sontag(A_STAR)
    assert [real_time.machine_steps(n, 2) for n in range(9)] == [0, 0, 0, 0, 0, 0, 0, 1, 2]
    assert [minsky(PARITY).machine_steps(n, 2) for n in range(3)] == [0, 1, 2]


@EVERY
def test_a_construction_is_named_after_its_machine(name):
    machine, construction = example(name)
    assert repr(construction) == f"<{name} of {machine.name}: {counted(construction.network.neurons, 'neuron')}>"
    assert construction.network.name == f"{name}({machine.name})"
    with pytest.raises(AttributeError):
        construction.name = "other"


@EVERY
def test_units_are_named_apart_and_the_state_after_them(name):
    _, construction = example(name)
    names = [unit.name for unit in units(construction.network)]
    assert len(set(names)) == len(names)
    state = construction.network.circuit.state_names
    assert len(set(state)) == len(state)
    assert set(state) <= set(names)


@EVERY
def test_every_executor_runs_it(name):
    machine, construction = example(name)
    words = ("", machine.input_symbols[0], "".join(machine.input_symbols) * 2)
    for word in words[:1] if name == "siegelmann_sontag_book" else words:  # it has hundreds of units
        exact, _ = check_every_executor(construction.network, word)
        assert exact.verdict == interpret(machine, word).verdict
