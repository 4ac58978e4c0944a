"""bbchallenge text: what it means, what is wrong with it, and the way back."""

from string import ascii_uppercase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import DFA, Rule, TuringMachine, interpret
from exactnn.errors import ExactnnError, MachineFileError
from exactnn.machine_files import is_bbchallenge, load, read_bbchallenge, write_bbchallenge, written_tape


@pytest.mark.parametrize(
    ("text", "steps", "nonblank"),
    [
        ("1RB1LB_1LA1RZ", 6, 4),
        ("1RB1LB_1LA1RH", 6, 4),
        ("1RB1LB_1LA---", 6, 4),
        ("1RB1RZ_1LB0RC_1LC1LA", 21, 5),
        ("1RB---_1LB0RC_1LC1LA", 21, 5),
        ("1RB1LB_1LA0LC_1RZ1LD_1RD0RA", 107, 13),
        ("1RB2LB1RZ_2LA2RB1LB", 38, 9),
        (" 1RB1LB_1LA1RZ\n", 6, 4),
        ("0RZ", 1, 0),
        ("0RB_---", 2, 0),
        ("---", 1, 0),
        ("1RB1LB" + "---" * 10 + "_1LA1RZ" + "9RA" * 10, 6, 4),
    ],
)
def test_runs_as_published(text, steps, nonblank):
    machine = load(text)
    run = interpret(machine, max_steps=1000)
    assert (run.outcome.value, run.steps) == ("halted", steps)
    assert sum(a != "0" for a in written_tape(machine, run.configuration)) == nonblank


def test_what_a_machine_is():
    machine = read_bbchallenge("1RB---_0LA1RC")
    assert machine.states == ("A", "B", "Z")
    assert machine.transitions["A"]["1"] == Rule("Z", "1", "R")
    assert machine.transitions["B"] == {"0": Rule("A", "0", "L"), "1": Rule("Z", "1", "R")}
    assert (machine.input_symbols, machine.tape_symbols, machine.blank_symbol) == ((), ("0", "1"), "0")
    assert (machine.tape, machine.halt_state) == ("two_way_infinite", "Z")
    assert machine.name == "1RB---_0LA1RC"


def test_one_symbol_and_more_than_ten():
    """The tools of bbchallenge.org take both; what they cannot write is never read."""
    one = read_bbchallenge("0RB_---")
    assert (one.tape_symbols, one.transitions["B"]["0"]) == (("0",), Rule("Z", "0", "R"))
    twelve = read_bbchallenge("1RB1LB" + "---" * 10 + "_1LA1RZ" + "9RA" * 10)
    assert twelve.tape_symbols == tuple(map(str, range(12)))
    assert twelve.transitions["B"]["11"] == Rule("A", "9", "R")
    for machine in (one, twelve):
        assert read_bbchallenge(write_bbchallenge(machine)).transitions == machine.transitions


@pytest.mark.parametrize("text", ["0RB_---", "0RB_0LA", "0RA", "1RB1LB" + "---" * 10 + "_1LA1RZ" + "9RA" * 10])
def test_networks_of_such_machines_do_what_they_do(text):
    machine = load(text)
    direct = interpret(machine, max_steps=50)
    found = xn.run(xn.compile(machine), max_steps=120)
    assert (direct.outcome is xn.Outcome.HALTED) == (found.outcome is xn.Outcome.HALTED)
    if direct.outcome is xn.Outcome.HALTED:
        assert found.machine_steps == direct.steps
        assert xn.compile(machine).decode(found.final_state) == direct.configuration


def test_machine_that_never_halts():
    assert read_bbchallenge("1RB1LA_1LA1RB").halting_states == ()


def test_twenty_six_rows_leave_no_letter():
    rows = "_".join(f"1R{ascii_uppercase[(i + 1) % 26]}---" for i in range(26))
    assert read_bbchallenge(rows).halt_state == "halt"
    with pytest.raises(MachineFileError, match="letters for 25"):
        write_bbchallenge(read_bbchallenge(rows))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1RB1LB_1LA", ["position 8: row '1LA' is not as long as the first"]),
        ("1RB1L_1LA1RZ", ["position 1: row '1RB1L' has 5 characters"]),
        ("1RB1LB__1LA1RZ", ["position 8: row '' has 0 characters"]),
        ("1RB1LB_1LA1RZ_", ["position 15: row '' has 0 characters"]),
        ("1RB2LB_3LA1RZ", ["position 4: '2LB' writes symbol 2", "position 8: '3LA' writes symbol 3"]),
        ("1RB1XB_1LAARZ", ["position 4: '1XB' is not an entry", "position 11: 'ARZ' is not an entry"]),
        ("1RB1L_3LA1RZ", ["position 1: row '1RB1L'", "position 7: '3LA' writes symbol 3"]),
        ("0RB_1RZ", ["position 5: '1RZ' writes symbol 1, but the rows have entries for the symbol 0 only"]),
        ("1RB" * 101, ["has 101 entries: at most 100; a machine file (.yaml) says more"]),
        ("1RB" * 10 + "ARB", ["a symbol is one digit here, a machine file (.yaml) says more"]),
        ("_".join(["1RB"] * 27), ["at most 26, one for each letter; a machine file (.yaml) says more"]),
    ],
)
def test_all_faults_with_positions(text, words):
    assert is_bbchallenge(text)
    with pytest.raises(MachineFileError) as caught:
        load(text)
    assert len(caught.value.faults) == len(words)
    for fault, expected in zip(caught.value.faults, words, strict=True):
        assert expected in fault


@pytest.mark.parametrize("text", ["", "bb5", "palindrome", "./1RB1LB", "1RB 1LB", "A", "12"])
def test_other_texts(text):
    assert not is_bbchallenge(text)


@st.composite
def machine_texts(draw):
    n, k = draw(st.integers(1, 6)), draw(st.integers(1, 5) | st.integers(10, 13))
    states = st.sampled_from(ascii_uppercase[:n] + "Z")
    entry = st.builds("{}{}{}".format, st.integers(0, min(9, k - 1)), st.sampled_from("LR"), states)
    return "_".join("".join(draw(st.one_of(entry, st.just("---"))) for _ in range(k)) for _ in range(n))


@given(machine_texts())
@settings(max_examples=66, deadline=None)
def test_round_trip(text):
    machine = read_bbchallenge(text)
    written = write_bbchallenge(machine)
    assert written == text.replace("---", "0RZ" if len(machine.tape_symbols) == 1 else "1RZ")
    again = read_bbchallenge(written)
    assert (again.states, again.transitions) == (machine.states, machine.transitions)


@given(st.text(alphabet="01239LRABZ-_ x", max_size=30))
@settings(max_examples=166, deadline=None)
def test_any_text(text):
    try:
        result = read_bbchallenge(text)
    except ExactnnError as error:
        result = str(error)
    assert isinstance(result, TuringMachine) or "\n" not in result


def changed(**changes):
    fields = {
        "states": ["s", "t", "H"],
        "input_symbols": [],
        "tape_symbols": ["1", "0"],
        "transitions": {q: {"0": ("t", "1", "R"), "1": ("H", "1", "L")} for q in "st"},
        "initial_state": "t",
        "blank_symbol": "0",
        "halt_state": "H",
        "tape": "two_way_infinite",
    }
    return TuringMachine(**fields | changes)


def test_states_are_renamed_with_the_initial_one_first():
    assert write_bbchallenge(changed()) == "1RA1LZ_1RA1LZ"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tape": "semi_infinite"}, "its tape is semi-infinite"),
        ({"input_symbols": ["1"]}, "it has input symbols"),
        ({"halt_state": None, "accept_state": "H"}, "it gives verdicts"),
        ({"halt_state": None, "reject_state": "H"}, "it gives verdicts"),
        ({"blank_symbol": "1"}, "not the digits"),
        ({"initial_state": "H"}, "it halts at once"),
        (
            {
                "tape_symbols": list(map(str, range(11))),
                "transitions": {q: {str(a): ("t", "10", "R") for a in range(11)} for q in "st"},
            },
            "it writes a symbol beyond 9.*machine file",
        ),
    ],
)
def test_what_the_format_cannot_say(changes, words):
    with pytest.raises(MachineFileError, match=words):
        write_bbchallenge(changed(**changes))


def test_only_tape_machines_are_loaded_from_text():
    assert not isinstance(load("1RB1LB_1LA1RZ"), DFA)


@pytest.mark.parametrize("letter", "DXZ")
def test_every_letter_beyond_the_last_row_halts(letter):
    text = f"1RB1LB_1LA0LC_1R{letter}0LA"
    machine = read_bbchallenge(text)
    assert machine.states == ("A", "B", "C", "Z")
    assert machine.halt_state == "Z"
    assert machine.transitions == read_bbchallenge(text.replace(letter, "Z")).transitions
