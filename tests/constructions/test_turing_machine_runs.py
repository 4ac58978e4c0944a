"""More than three hundred random machines, each compiled by the constructions and run beside its interpreter.

The form of the book, of hundreds of units, takes every third batch of them.

Compared are: verdict, T, number of moves, every configuration, the output at every step, also after the verdict.
"""

from itertools import islice

import pytest
from every_construction import OF_TURING_MACHINES, every
from gmpy2 import mpq
from seeded_machines import SIZES, batch, in_relu, random_words

from exactnn.arithmetic import RATIONAL
from exactnn.automata import TuringMachine, configurations, interpret
from exactnn.constructions import Phase, siegelmann_sontag, siegelmann_sontag_book
from exactnn.networks import EOS
from exactnn.outcome import Outcome
from exactnn.simulation import advance_by, executor_for, run

EXACT = type(mpq(0))
MOVES = 30
BATCHES = 24
OUTPUT = {Outcome.ACCEPTED: 1, Outcome.HALTED: 1, Outcome.REJECTED: -1, Outcome.STEP_LIMIT: 0}
CONSTRUCTIONS = [*OF_TURING_MACHINES, in_relu]


def check(construction, word, moves=MOVES):
    """Run `construction` and its machine on `word` side by side; return how the run ended."""
    machine, network = construction.machine, construction.network
    set_up, pace = construction.set_up_steps(len(word)), construction.steps_per_move
    result = run(construction, word, max_steps=set_up + pace * moves, record="all")
    if result.outcome is Outcome.NON_HALTING:  # before the limit
        assert interpret(machine, word, max_steps=100 * moves).outcome is Outcome.STEP_LIMIT
        moves = result.machine_steps
    direct = interpret(machine, word, max_steps=moves)
    path = list(islice(configurations(machine, word), moves + 1))
    if result.outcome is not Outcome.NON_HALTING:
        assert result.outcome is direct.outcome
    assert result.machine_steps == direct.steps
    within_a_move = result.eos_steps - (set_up - len(word) + pace * direct.steps)
    assert within_a_move == 0 or (result.outcome is Outcome.NON_HALTING and 0 < within_a_move < pace)
    assert [construction.decode(state) for state in result.trace.states[set_up::pace]] == path
    last = OUTPUT[direct.outcome]
    assert [result.initial_output, *result.outputs] == [0] * result.steps + [last]
    assert {type(x) for state in result.trace for x in state} == {EXACT}
    check_afterwards(network, result.final_state, last)
    return result


def check_afterwards(network, state, output):
    """Assert that a verdict stays for ten more steps."""
    if not output:
        return
    executor, eos = executor_for(network, RATIONAL), network.alphabet.index(EOS)
    segment = advance_by(executor, state, eos, 10)
    assert [y for y, repetitions in segment.outputs for _ in range(repetitions)] == [output] * 10


@pytest.mark.mostly_slow(quick=1, slow=2)
@pytest.mark.parametrize("number", [2, 1, *range(3, BATCHES), 0])
def test_random_machines(number):
    for rng, machine in batch(number):
        words = random_words(rng, machine)
        for compiled in CONSTRUCTIONS:
            if compiled is siegelmann_sontag_book and number % 3 != 1:
                continue
            construction = compiled(machine)
            for word in words[-1:] if compiled is siegelmann_sontag_book else words:  # of hundreds of units
                result = check(construction, word)
                if compiled is siegelmann_sontag_book:
                    most = 2 + 2 * (len(machine.tape_symbols) + 1)
                    assert all(sum(map(bool, state)) <= most for state in result.trace)


def test_the_batches_are_many_and_of_every_kind():
    machines = [machine for number in range(BATCHES) for _, machine in batch(number)]
    assert len(machines) == BATCHES * len(SIZES) + 2 * (BATCHES // 6) >= 300
    assert {len(m.states) for m in machines} == {2, 3, 4, 5, 6}
    assert {len(m.tape_symbols) for m in machines} == {2, 3, 4, 5}
    kinds = {(m.tape, m.halt_state is None, m.reject_state is None, bool(m.input_symbols)) for m in machines}
    assert len(kinds) == 2 * 3 * 2
    outcomes = [interpret(m, max_steps=MOVES).outcome for m in machines]
    assert min(outcomes.count(outcome) for outcome in OUTPUT) >= 20


def machine(transitions, tape="two_way_infinite", **changes):
    parts = {
        "states": ["p", "A"],
        "input_symbols": "a",
        "tape_symbols": "a_",
        "transitions": transitions,
        "initial_state": "p",
        "blank_symbol": "_",
        "accept_state": "A",
        **changes,
    }
    return TuringMachine(tape=tape, **parts)


TAPES = pytest.mark.parametrize("tape", ["semi_infinite", "two_way_infinite"])
COMPILED = every(CONSTRUCTIONS)
REAL_TIME = every([siegelmann_sontag, in_relu, siegelmann_sontag_book])


@TAPES
@COMPILED
@pytest.mark.parametrize("letters", ["", "a"])
def test_a_machine_whose_initial_state_halts_makes_no_move(compiled, tape, letters):
    still = machine({}, tape, states=["A"], initial_state="A", input_symbols=letters)
    for word in ["", letters * 3][: 1 + len(letters)]:
        construction = compiled(still)
        result = run(construction, word)
        assert (result.outcome, result.machine_steps) == (Outcome.ACCEPTED, 0)
        assert result.steps == construction.set_up_steps(len(word))


@TAPES
@COMPILED
@pytest.mark.parametrize("move", "LR")
def test_a_machine_with_a_blank_and_nothing_else(compiled, tape, move):
    bare = machine({"p": {"_": ("A", "_", move)}}, tape, input_symbols="", tape_symbols="_")
    check(compiled(bare), "")
    endless = machine({"p": {"_": ("p", "_", move)}}, tape, input_symbols="", tape_symbols="_")
    assert check(compiled(endless), "").outcome in (Outcome.STEP_LIMIT, Outcome.NON_HALTING)


@TAPES
@REAL_TIME
def test_a_word_is_loaded_and_rewound_and_every_step_is_a_move(compiled, tape):
    """T(w) = |w| + k + 2, and T = k without input symbols."""
    rows = {"p": {"a": ("p", "a", "R"), "_": ("A", "_", "R")}}
    for letters, set_up in (("a", (2, 2)), ("", (0, 0))):
        construction = compiled(machine(rows, tape, input_symbols=letters))
        assert (construction.set_up, construction.steps_per_move) == (set_up, 1)
    still = machine({}, tape, states=["A"], initial_state="A", input_symbols="")
    assert compiled(still).set_up == (2, 2)


@TAPES
@REAL_TIME
def test_the_set_up_phases_can_be_told(compiled, tape):
    construction = compiled(machine({"p": {"a": ("p", "a", "R"), "_": ("A", "_", "R")}}, tape))
    states = [construction.decode(state).state for state in run(construction, "aa", record="all").trace]
    assert states[:3] == [Phase.LOAD] * 3
    assert set(states[3:6]) <= {Phase.REWIND, Phase.READY}
    assert states[6:] == ["p", "p", "p", "A"]


@pytest.mark.mostly_slow(quick=4, slow=3)
@TAPES
@COMPILED
def test_states_and_symbols_of_any_name(compiled, tape):
    """Names that a network's own units might carry, and states that are no strings."""
    transitions = {
        ("start",): {"$": ("load", "state", "R"), "state": ("load", "$", "R"), "blank cell": ("A", "$", "L")},
        "load": {"$": (("start",), "$", "L"), "state": (("start",), "$", "R"), "blank cell": ("A", "$", "L")},
    }
    odd = TuringMachine(
        states=[("start",), "load", "A"],
        input_symbols=["$", "state"],
        tape_symbols=["$", "state", "blank cell"],
        transitions=transitions,
        initial_state=("start",),
        blank_symbol="blank cell",
        accept_state="A",
        tape=tape,
    )
    for word in ([], ["$"], ["state", "$", "$"], ["state"] * 3):
        check(compiled(odd), word)


@COMPILED
def test_long_words_and_long_runs(compiled):
    """Walks over the word and back with a growing tape: stacks of more than a hundred cells."""
    sweeps = machine(
        {
            "p": {"a": ("p", "a", "R"), "_": ("q", "a", "L")},
            "q": {"a": ("q", "a", "L"), "_": ("p", "a", "R")},
        },
        states=["p", "q", "A"],
    )
    check(compiled(sweeps), "a" * 60, moves=500)
