"""Generalised shifts: their definition against a numbered sequence, and the moves of Turing machines as shifts."""

from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import tape_configurations, turing_machines

from exactnn.automata import (
    LEFT_END,
    DottedSequence,
    GeneralizedShift,
    TapeConfiguration,
    TuringMachine,
    configurations,
    dotted_sequence,
    generalized_shift,
    reachable_states,
    shift_orbit,
    shifted,
)
from exactnn.errors import MachineError


@st.composite
def binary_shifts(draw):
    """Any shift over one alphabet of two symbols, with a window of one or two symbols on either side."""
    window = draw(st.tuples(st.integers(1, 2), st.integers(0, 2)))
    size = sum(window)
    written = st.tuples(*[st.sampled_from("01")] * size)
    moves = st.integers(1 - window[0], window[1])
    windows = list(product("01", repeat=size))
    rules = {read: (draw(written), draw(moves)) for read in windows if draw(st.booleans())}
    return GeneralizedShift(head_symbols="01", left_symbols="01", right_symbols="01", window=window, rules=rules)


def by_definition(shift, sequence):
    """Write at numbered places, those left of the dot negative, and move the dot."""
    left, right = shift.window
    numbered = dict(enumerate(sequence.right)) | {-1 - i: a for i, a in enumerate(sequence.left)}
    places = range(-left, right)
    rule = shift.rules.get(tuple(numbered.get(i, "0") for i in places))
    dot = 0
    if rule is not None:
        numbered |= dict(zip(places, rule.written, strict=True))
        dot = rule.shift
    far = 3 + max(len(sequence.left), len(sequence.right)) + left + right
    before = [numbered.get(dot - 1 - i, "0") for i in range(far)]
    return dotted_sequence(shift, before, [numbered.get(dot + i, "0") for i in range(far)])


@settings(max_examples=66)
@given(shift=binary_shifts(), left=st.text("01", min_size=1, max_size=5), right=st.text("01", max_size=5))
def test_a_shift_writes_in_its_window_and_moves_the_dot(shift, left, right):
    sequence = dotted_sequence(shift, left, right)
    assert shifted(shift, sequence) == by_definition(shift, sequence)


@st.composite
def machines_and_configurations(draw):
    machine = draw(turing_machines())
    return machine, draw(tape_configurations(machine, states=reachable_states(machine)))


@settings(max_examples=66)
@given(pair=machines_and_configurations())
def test_one_shift_is_one_move(pair):
    machine, configuration = pair
    found = generalized_shift(machine)
    sequence = found.encode(configuration)
    assert found.decode(sequence) == configuration
    after = found.decode(shifted(found.shift, sequence))
    if configuration.state in machine.halting_states:
        assert after == configuration
    else:
        assert after == moved(machine, configuration)


def moved(machine, configuration):
    """Return the next configuration, by the definition of a move, on a numbered tape."""
    cells = dict(enumerate(configuration.tape))
    head = len(configuration.left)
    state, cells[head], move = machine.transitions[configuration.state][configuration.scanned]
    head += 1 if move == "R" else -1 if head or machine.tape == "two_way_infinite" else 0
    low, high = min(0, head), max(head, *cells)
    tape = [cells.get(i, machine.blank_symbol) for i in range(low, high + 1)]
    left, right = tape[: head - low][::-1], tape[head - low + 1 :]
    if machine.tape == "two_way_infinite":
        while left and left[-1] == machine.blank_symbol:
            left.pop()
    while right and right[-1] == machine.blank_symbol:
        right.pop()
    return TapeConfiguration(state=state, left=tuple(left), scanned=tape[head - low], right=tuple(right))


@settings(max_examples=33)
@given(machine=turing_machines(), data=st.data())
def test_the_orbit_is_the_run(machine, data):
    word = data.draw(st.lists(st.sampled_from(machine.input_symbols), max_size=5)) if machine.input_symbols else []
    found = generalized_shift(machine)
    path = list(islice(configurations(machine, word), 15))
    orbit = islice(shift_orbit(found.shift, found.encode(path[0])), len(path))
    assert [found.decode(sequence) for sequence in orbit] == path


def test_the_left_end_is_no_symbol():
    machine = TuringMachine(
        states="pA", input_symbols="a", tape_symbols="a_",
        transitions={"p": {"a": ("p", "a", "L"), "_": ("A", "_", "L")}},
        initial_state="p", blank_symbol="_", accept_state="A",
    )  # fmt: skip
    found = generalized_shift(machine)
    sequence = found.encode(next(configurations(machine, "a")))
    assert sequence == DottedSequence(left=("p", LEFT_END), right=("a",))
    assert shifted(found.shift, sequence) == sequence
    assert len(found.shift.rules) == 3 * 2


PARTS = {"head_symbols": "01", "left_symbols": "01", "right_symbols": "ab", "window": (1, 1), "rules": {}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": (0, 1)}, r"window=\(0, 1\): give how many symbols left, at least 1"),
        ({"window": 3}, "window=3"),
        ({"window": (1, True)}, r"window=\(1, True\)"),
        ({"rules": 5}, "rules is 5: give a mapping"),
        ({"rules": {("0", "a"): "x"}}, "is 'x': write"),
        ({"rules": {("0", "a"): (("0", "a"), 1.0)}}, "write"),
        ({"rules": {("0",): (("0",), 0)}}, "a window has 2 symbols"),
        ({"rules": {("0", "a"): (("0",), 0)}}, "a window has 2 symbols"),
        ({"rules": {("0", "a"): (("0", "a"), 2)}}, "moves the dot by 2: it leaves the window"),
        ({"rules": {("0", "a"): (("0", "a"), -1)}}, "moves the dot by -1"),
        ({"rules": {("0", "a"): (("0", "a"), 1)}}, "after the shift: 'a' is not one of the head_symbols"),
        ({"rules": {("0", "x"): (("0", "a"), 0)}}, "'x' is not one of the right_symbols"),
        ({"head_symbols": ""}, "there are no head_symbols"),
        ({"name": 5}, "name is 5: give text"),
        ({"left_symbols": None}, "left_symbols is None"),
    ],
)
def test_what_is_no_shift(changes, message):
    with pytest.raises(MachineError, match=message):
        GeneralizedShift(**{**PARTS, **changes})


def test_what_is_no_sequence_and_no_machine():
    shift = GeneralizedShift(**PARTS)
    for left, right, message in (((), "a", "give a head symbol"), ("x", "a", "'x' is not one of"), ("0", "1", "'1'")):
        with pytest.raises(MachineError, match=message):
            dotted_sequence(shift, left, right)
    with pytest.raises(MachineError, match="give a TuringMachine"):
        generalized_shift("parity")
    shift_of_tape = generalized_shift(
        TuringMachine(
            states="pH", input_symbols="", tape_symbols="_", transitions={"p": {"_": ("H", "_", "R")}},
            initial_state="p", blank_symbol="_", halt_state="H",
        )
    )  # fmt: skip
    nothing, unknown = (DottedSequence(left=left, right=()) for left in ((), ("q",)))
    for sequence, message in ((None, "is not a sequence"), (nothing, "give a head"), (unknown, "'q' is not one of")):
        with pytest.raises(MachineError, match=message):
            shift_of_tape.decode(sequence)
