"""A machine may call its states and symbols what it likes: no name means anything to a network."""

from collections.abc import Callable, Sequence
from itertools import product

import pytest
from every_construction import OF_COUNTER_MACHINES, OF_DFAS, OF_STACK_MACHINES, OF_TURING_MACHINES, every

import exactnn as xn
from exactnn.automata import EMPTY, LOST, POP, TapeConfiguration, push
from exactnn.cli.subject import Subject
from exactnn.cli.trace import decoded
from exactnn.machine_files import MachineFile, read_yaml, write_dot, write_yaml
from exactnn.testing import compare, compiler

NAMES = ["symbol", "start", "state", "left", "right", "(load)", "?", "EOS", "0", "a b", "$", "halted"]


@every(OF_DFAS)
@pytest.mark.parametrize("name", NAMES)
def test_states_of_automata(name: str, compiled: Callable[..., xn.Construction]) -> None:
    dfa = xn.DFA(
        states=["x", name], input_symbols="ab", initial_state="x", final_states=[name],
        transitions={"x": {"a": name, "b": "x"}, name: {"a": "x", "b": name}},
    )  # fmt: skip
    net = compiled(dfa)
    for length in range(5):
        for word in product("ab", repeat=length):
            run = xn.run(net, word)
            truth = xn.interpret(dfa, word)
            assert run.verdict is truth.verdict
            assert net.decode(run.final_state) == truth.configuration


@pytest.mark.mostly_slow(quick=15)
@every(OF_TURING_MACHINES)
@pytest.mark.parametrize("name", NAMES)
def test_states_and_tape_symbols(name: str, compiled: Callable[..., xn.Construction]) -> None:
    machine = xn.TuringMachine(
        states=[name, "back", "yes"], input_symbols=["a"], tape_symbols=["_", "a", name],
        transitions={
            name: {"a": (name, name, "R"), "_": ("back", "a", "L"), name: ("yes", "a", "R")},
            "back": {"a": ("yes", name, "R"), "_": ("yes", name, "L"), name: ("back", "a", "L")},
        },
        initial_state=name, blank_symbol="_", accept_state="yes",
    )  # fmt: skip
    net = compiled(machine)
    for word in ("", "a", "aaa"):
        truth = xn.interpret(machine, word, max_steps=30)
        set_up = net.set_up_steps(len(word))
        pace = net.steps_per_move
        run = xn.run(net, word, max_steps=set_up + 30 * pace, record="all")
        assert (run.outcome, run.machine_steps) == (truth.outcome, truth.steps)
        path = zip(run.trace.states[set_up::pace], xn.configurations(machine, word), strict=False)
        assert all(net.decode(state) == configuration for state, configuration in path)


def test_a_lost_cell_is_not_the_symbol_that_prints_alike() -> None:
    lost = TapeConfiguration(state="q", left=(), scanned=LOST, right=())
    assert lost != TapeConfiguration(state="q", left=(), scanned="?", right=())
    assert lost == TapeConfiguration(state="q", left=(), scanned=LOST, right=())
    assert str(lost) == "q: [?]"


ODD_STATES = [None, "", 0, True, -1, 1.5, "loading", "(load)", "x before", ("state", None), frozenset({1}), ()]
"""Names that code could take for "nothing", a number of its own or a mark; 0 and True are False and 1 as well."""

ODD_SYMBOLS = ["None", "0", "1", "-1", "True", "loading", "(load)", "x", "bias", "ε", " ", "state"]


def chain_of_tape_states(tape: str, input_symbols: str, states: Sequence[object] = ODD_STATES) -> xn.TuringMachine:
    """Return a machine that goes through all these states and halts after the last, whatever it reads."""
    following = [*states[1:], "done"]
    return xn.TuringMachine(
        states=[*states, "done"], input_symbols=input_symbols, tape_symbols="_ab", initial_state=None,
        blank_symbol="_", accept_state="done", tape=tape,
        transitions={
            q: {"_": (then, "a", "L"), "a": (then, "b", "R"), "b": (then, "_", "R" if q else "L")}
            for q, then in zip(states, following, strict=True)
        },
    )  # fmt: skip


def moves_as_its_machine(net: xn.Construction, word: Sequence[str], moves: int) -> None:
    """Check the outcome and, from the end of the set-up on, the decoded configuration after every move."""
    first, pace = net.set_up_steps(len(word)), net.steps_per_move
    run = xn.run(net, word, max_steps=net.verdict_steps(len(word), moves), record="all")
    path = list(xn.configurations(net.machine, word))
    assert run.outcome is xn.interpret(net.machine, word).outcome
    assert [net.decode(state) for state in run.trace.states[first::pace]][: len(path)] == path


@pytest.mark.mostly_slow(quick=3, slow=2)
@every(OF_TURING_MACHINES)
@pytest.mark.parametrize("tape", ["semi_infinite", "two_way_infinite"])
def test_odd_states_of_turing_machines(tape: str, compiled: Callable[..., xn.Construction]) -> None:
    states = ODD_STATES[:3] if compiled is xn.siegelmann_sontag_book else ODD_STATES  # it has a unit for all tops
    for input_symbols in ("", "ab"):
        net = compiled(chain_of_tape_states(tape, input_symbols, states))
        for word in ("", "ab" * 4) if input_symbols else ("",):
            moves_as_its_machine(net, word, len(states))


@every(OF_DFAS)
def test_odd_states_of_automata(compiled: Callable[..., xn.Construction]) -> None:
    following = [*ODD_STATES[1:], ODD_STATES[0]]
    dfa = xn.DFA(
        states=ODD_STATES, input_symbols="ab", initial_state=None, final_states=ODD_STATES[::2],
        transitions={q: {"a": then, "b": q} for q, then in zip(ODD_STATES, following, strict=True)},
    )  # fmt: skip
    net = compiled(dfa)
    for word in ("", "b", "ab" * 7, "a" * 14):
        run = xn.run(net, word, record="all")
        assert run.verdict is xn.interpret(dfa, word).verdict
        assert [net.decode(state) for state in run.trace] == list(xn.configurations(dfa, word))


@every(OF_STACK_MACHINES)
def test_odd_states_of_stack_machines(compiled: Callable[..., xn.Construction]) -> None:
    following = [*ODD_STATES[1:], "done"]
    for input_symbols in ("", "a"):
        machine = xn.StackMachine(
            states=[*ODD_STATES, "done"], input_symbols=input_symbols, stack_symbols="a", stacks=1,
            initial_state=None, accept_state="done",
            transitions={
                q: {("a",): (then, [POP]), (EMPTY,): (then, [push("a")])}
                for q, then in zip(ODD_STATES, following, strict=True)
            },
        )  # fmt: skip
        for word in ("", "a", "aaa") if input_symbols else ("",):
            moves_as_its_machine(compiled(machine), word, len(ODD_STATES))


@every(OF_COUNTER_MACHINES)
def test_odd_states_of_counter_machines(compiled: Callable[..., xn.Construction]) -> None:
    following = [*ODD_STATES[1:], ODD_STATES[0]]
    machine = xn.CounterMachine(
        states=ODD_STATES, input_symbols="a", counters=1, initial_state=None,
        acceptance=[(None, (1,)), (0, (0,)), ("", (1,))],
        transitions={
            q: {"a": {(0,): (then, (1,)), (1,): (then, (-1,))}} for q, then in zip(ODD_STATES, following, strict=True)
        },
    )  # fmt: skip
    net = compiled(machine)
    for length in (0, 1, len(ODD_STATES), len(ODD_STATES) + 2):
        run = xn.run(net, "a" * length)
        truth = xn.interpret(machine, "a" * length)
        assert (run.verdict, net.decode(run.final_state)) == (truth.verdict, truth.configuration)


@every(OF_TURING_MACHINES)
def test_odd_symbols(compiled: Callable[..., xn.Construction]) -> None:
    symbols = ["None", "0"]
    following = dict(zip(symbols, [*symbols[1:], symbols[0]], strict=True))
    machine = xn.TuringMachine(
        states=["q", "back", "yes"], input_symbols=symbols, tape_symbols=["_", *symbols],
        initial_state="q", blank_symbol="_", accept_state="yes", tape="two_way_infinite",
        transitions={
            "q": {a: ("q", after, "R") for a, after in following.items()} | {"_": ("back", "_", "L")},
            "back": {a: ("back", after, "L") for a, after in following.items()} | {"_": ("yes", "_", "R")},
        },
    )  # fmt: skip
    moves_as_its_machine(compiled(machine), symbols, 2 * len(symbols) + 2)


def test_none_as_a_state_of_the_uncorrected_chapter_is_no_reject_state() -> None:
    def said(name: object) -> str:
        machine = xn.TuringMachine(
            states=[name, "back", "yes"], input_symbols=["a"], tape_symbols=["_", "a"], initial_state=name,
            blank_symbol="_", accept_state="yes",
            transitions={
                name: {"a": (name, "a", "R"), "_": ("back", "a", "L")},
                "back": {"a": ("yes", "a", "R"), "_": ("yes", "_", "L")},
            },
        )  # fmt: skip
        found = compare(compiler("literal_book"), machine, "aa")
        return "right" if found is None else found.found

    assert said(None) == said("q")


@pytest.mark.parametrize("role", ["accept_state", "reject_state", "halt_state"])
def test_none_cannot_halt_and_the_message_says_so(role: str) -> None:
    parts = {"states": ["q", None], "input_symbols": "a", "initial_state": "q", role: None}
    tape = {"tape_symbols": "a_", "blank_symbol": "_"}
    makers = [
        lambda: xn.TuringMachine(**parts, **tape, transitions={"q": {a: (None, a, "R") for a in "a_"}}),
        lambda: xn.StackMachine(
            **parts, stack_symbols="a", stacks=1, transitions={"q": {(a,): (None, [POP]) for a in ("a", EMPTY)}}
        ),
        lambda: xn.MultiTapeTuringMachine(
            **parts, **tape, tapes=1, transitions={"q": {(a,): (None, [a], ["R"]) for a in "a_"}}
        ),
    ]
    for make in makers:
        with pytest.raises(xn.ExactnnError) as caught:
            make()
        assert "state None has no transitions, and it cannot be the accept, reject or halt state" in str(caught.value)
        assert "add a rule" not in str(caught.value)


def test_a_state_that_does_not_equal_itself_is_refused_as_that() -> None:
    with pytest.raises(xn.ExactnnError, match="states have nan, which is not equal to itself"):
        xn.DFA(
            states=[nan := float("nan")], input_symbols="", initial_state=nan, final_states=[], transitions={nan: {}}
        )


def test_odd_states_are_written_by_their_names_and_read_again() -> None:
    texts = ["null", "~", "true", "", " ", "0x10", "1e3", "<<", "=", "- a", "a: b", "#", "\n", "[", "{", "&a", "*"]
    for states in (texts, ODD_STATES):
        dfa = xn.DFA(
            states=states, input_symbols=ODD_SYMBOLS, initial_state=states[0], final_states=states[1:3],
            transitions={q: dict(zip(ODD_SYMBOLS, states, strict=False)) for q in states},
        )  # fmt: skip
        back = read_yaml(write_yaml(MachineFile(machine=dfa, name="odd"))).machine
        assert isinstance(back, xn.DFA)
        named = {q: {a: str(then) for a, then in dfa.transitions[q].items()} for q in states}
        assert (back.states, back.input_symbols) == (tuple(map(str, states)), dfa.input_symbols)
        assert back.transitions == {str(q): row for q, row in named.items()}
        assert all(f'label="{q}"' in write_dot(dfa) for q in (None, "", 0) if q in states)
    tape = chain_of_tape_states("semi_infinite", "ab")
    back = read_yaml(write_yaml(MachineFile(machine=tape, name="odd"))).machine
    found, truth = xn.interpret(back, "abab"), xn.interpret(tape, "abab")
    assert (found.outcome, found.steps) == (truth.outcome, truth.steps)


def test_the_state_none_is_a_configuration_like_any_other_for_the_command_line() -> None:
    dfa = xn.DFA(
        states=[None, "q"], input_symbols="a", initial_state=None, final_states=[None],
        transitions={q: {"a": None} for q in (None, "q")},
    )  # fmt: skip
    net = xn.compile(dfa)
    subject = Subject(name="odd", construction=net, network=net.network)
    run = xn.run(net, "a")
    found = decoded(subject, run.final_state, arithmetic=run.arithmetic, steps=1, word_length=1)
    assert (found.record(), found.text()) == ("None", "None")
    bare = Subject(name="odd", construction=None, network=net.network)
    assert decoded(bare, run.final_state, arithmetic=run.arithmetic, steps=1, word_length=1).record() is None


def test_an_output_none_of_a_moore_machine_is_an_output() -> None:
    def moore(output: object) -> xn.MooreMachine:
        return xn.MooreMachine(
            states=["q"], input_symbols="a", transitions={"q": {"a": "q"}}, initial_state="q", outputs={"q": output}
        )

    found = xn.equivalent(moore(None), moore("None"))
    assert (found.equal, found.witness, found.labels) == (False, (), (None, "None"))
    assert xn.equivalent(moore(None), moore(None)).equal is True
