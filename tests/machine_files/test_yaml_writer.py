"""What the writer writes, the reader reads back as the same machine."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.automata import DFA, TuringMachine
from exactnn.errors import MachineFileError
from exactnn.machine_files import Expectation, MachineFile, load_file, read_yaml, write_yaml, zoo_names
from exactnn.outcome import Outcome

# fmt: off
ODD = st.sampled_from(
    [
        " ", "#", ":", '"', "'", "\\", "|", "*", "&", "!", "-", "?", "{", "}", "[", "]", ",", "~", "null", "yes",
        "no", "0", "01", "1.5", "0x1F", "1e3", "L", "R", "write", "<<", "=", "---", "...", "- a", "a: b", "a #b",
        "\t", "\n", "\x00", "\x85", "\u2028", "\ufeff", "é", "𝄞", " a ", "accept", "reject", "halt", "true",
        "2001-01-01", "%", "@",
    ]
)
# fmt: on
CHARACTERS = st.characters(exclude_categories=["Cs"])
SYMBOLS = st.one_of(ODD, CHARACTERS, st.text(CHARACTERS, min_size=1, max_size=4))
STATES = st.one_of(ODD, st.text(CHARACTERS, max_size=5), st.just("q" * 1100), st.just("\x01" * 103))

TAGS = st.from_regex("[a-z0-9]{1,5}(-[a-z0-9]{1,5})?", fullmatch=True)


@st.composite
def tape_machines(draw):
    states = draw(st.lists(STATES, min_size=1, max_size=5, unique=True))
    symbols = draw(st.lists(SYMBOLS, min_size=1, max_size=4, unique=True))
    blank = draw(st.sampled_from(symbols))
    inputs = [a for a in symbols if a != blank]
    stops = draw(st.lists(st.sampled_from(states), max_size=2, unique=True))
    if draw(st.booleans()):
        roles = {"halt_state": stops[0]} if stops else {}
    else:
        roles = dict(zip(draw(st.permutations(["accept_state", "reject_state"])), stops, strict=False))
    rules = st.tuples(st.sampled_from(states), st.sampled_from(symbols), st.sampled_from("LR"))
    running = [q for q in states if q not in roles.values()]
    return TuringMachine(
        states=states,
        input_symbols=draw(st.lists(st.sampled_from(inputs), unique=True)) if inputs else [],
        tape_symbols=symbols,
        transitions={q: {a: draw(rules) for a in symbols} for q in running},
        initial_state=draw(st.sampled_from(states)),
        blank_symbol=blank,
        tape=draw(st.sampled_from(["semi_infinite", "two_way_infinite"])),
        name=draw(st.one_of(ODD, st.text(CHARACTERS, max_size=5))),
        **roles,
    )


@st.composite
def automata(draw):
    states = draw(st.lists(STATES, min_size=1, max_size=5, unique=True))
    symbols = draw(st.lists(SYMBOLS, max_size=4, unique=True))
    return DFA(
        states=states,
        input_symbols=symbols,
        transitions={q: {a: draw(st.sampled_from(states)) for a in symbols} for q in states},
        initial_state=draw(st.sampled_from(states)),
        final_states=draw(st.lists(st.sampled_from(states), unique=True)),
        name=draw(st.one_of(ODD, st.text(CHARACTERS, max_size=5))),
    )


def texts():
    """Texts as a reader returns them: without white space at the ends."""
    return st.text(CHARACTERS, max_size=20).map(str.strip)


@st.composite
def machine_files(draw):
    machine = draw(st.one_of(tape_machines(), automata()))
    words = st.lists(st.sampled_from(machine.input_symbols), max_size=5) if machine.input_symbols else st.just([])
    words = words.map(tuple)
    on_tape = isinstance(machine, TuringMachine)
    numbers = st.none() | st.integers(0, 10**17)
    tapes = st.lists(st.sampled_from(machine.tape_symbols), max_size=5).map(tuple) if on_tape else st.none()
    outcomes = st.sampled_from([Outcome.ACCEPTED, Outcome.REJECTED, Outcome.HALTED])
    expectations = st.builds(
        Expectation,
        word=words,
        outcome=outcomes,
        steps=numbers,
        nonblank=numbers if on_tape else st.none(),
        tape=st.none() | tapes,
    )
    return MachineFile(
        machine=machine,
        name=machine.name,
        title=draw(texts()),
        description=draw(texts()),
        source=draw(texts()),
        tags=tuple(draw(st.lists(TAGS, max_size=3, unique=True))),
        expectations=tuple(draw(st.lists(expectations, max_size=2))),
        sample_input=draw(st.none() | words),
    )


@given(machine_files())
@settings(max_examples=50, deadline=None)
def test_round_trip(found):
    text = write_yaml(found)
    again = read_yaml(text)
    assert again.machine == found.machine
    assert again == found
    assert write_yaml(again) == text


@given(tape_machines(), st.integers(300, 1100))
@settings(max_examples=30, deadline=None)
def test_round_trip_of_names_of_every_length(machine, length):
    long = {q: str(q)[:1] + "x" * length + str(i) for i, q in enumerate(machine.states)}
    renamed = TuringMachine(
        states=long.values(),
        input_symbols=machine.input_symbols,
        tape_symbols=machine.tape_symbols,
        transitions={
            long[q]: {a: (long[r.next_state], r.written, r.move) for a, r in row.items()}
            for q, row in machine.transitions.items()
        },
        initial_state=long[machine.initial_state],
        blank_symbol=machine.blank_symbol,
        **{f"{role}_state": long.get(getattr(machine, f"{role}_state")) for role in ("accept", "reject", "halt")},
    )
    assert read_yaml(write_yaml(MachineFile(machine=renamed, name=renamed.name))).machine == renamed


@pytest.mark.parametrize("name", zoo_names())
def test_round_trip_of_the_zoo(name):
    found = load_file(name)
    assert read_yaml(write_yaml(found)) == found


def test_states_that_are_not_text_are_written_by_name():
    machine = DFA(
        states=[0, (1, 2)],
        input_symbols=["a"],
        transitions={0: {"a": (1, 2)}, (1, 2): {"a": 0}},
        initial_state=0,
        final_states=[(1, 2)],
    )
    again = read_yaml(write_yaml(MachineFile(machine=machine, name="pair"))).machine
    assert again.states == ("0", "(1, 2)")
    assert again.transitions["0"]["a"] == "(1, 2)"


def test_half_a_surrogate_pair_is_refused():
    machine = DFA(
        states=["\ud800"], input_symbols=[], transitions={"\ud800": {}}, initial_state="\ud800", final_states=[]
    )
    with pytest.raises(MachineFileError, match="half a surrogate pair"):
        write_yaml(MachineFile(machine=machine, name="half"))


@pytest.mark.parametrize("tags", [("Star free",), ("",), ("a--b",), ["a"] * 21, "regular", (3,), ("x" * 41,)])
def test_what_is_no_tag_is_not_written(tags):
    found = MachineFile(machine=load_file("parity").machine, name="parity", tags=tags)
    with pytest.raises(MachineFileError, match="'tags' "):
        write_yaml(found)
