"""Reading states back: rounded ones, broken ones, and only as deep as asked; and writing configurations."""

import math
from functools import cache

import pytest
from every_construction import OF_TURING_MACHINES, every
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import turing_machines, words

from exactnn.arithmetic import FLOAT32, FLOAT64
from exactnn.automata import LOST, TapeConfiguration, TuringMachine, interpret, tape_configuration
from exactnn.constructions import chung_siegelmann, siegelmann_sontag, siegelmann_sontag_book
from exactnn.errors import ConstructionError, OptionError
from exactnn.simulation import run

CONSTRUCTIONS = every(OF_TURING_MACHINES)
TAPES = pytest.mark.parametrize("tape", ["semi_infinite", "two_way_infinite"])


def writer(tape):
    """A machine that writes a, b, a, b, ... to the right for ever."""
    return TuringMachine(
        states=["p", "q", "A"],
        input_symbols="ab",
        tape_symbols="ab_",
        transitions={
            "p": {"_": ("q", "a", "R"), "a": ("p", "a", "R"), "b": ("p", "b", "R")},
            "q": {"_": ("p", "b", "R"), "a": ("p", "a", "L"), "b": ("A", "b", "L")},
        },
        initial_state="p",
        blank_symbol="_",
        accept_state="A",
        tape=tape,
    )


@cache
def writers(compiled, tape):
    return compiled(writer(tape))


@CONSTRUCTIONS
@TAPES
@pytest.mark.parametrize("arithmetic", [FLOAT64, FLOAT32], ids=str)
def test_a_rounded_state_is_read_as_deep_as_it_is_right(compiled, tape, arithmetic):
    construction = writers(compiled, tape)
    moves = 12
    steps = construction.set_up_steps(0) + construction.steps_per_move * moves
    state = run(construction, "", arithmetic=arithmetic, max_steps=steps).final_state
    expected = interpret(writer(tape), "", max_steps=moves).configuration
    for depth in (0, 1, 3, 5):
        seen = construction.decode(state, cells=depth)
        assert (seen.state, seen.scanned) == (expected.state, expected.scanned)
        assert seen.left[:depth] == expected.left[:depth]
        assert len(seen.left) <= depth


@CONSTRUCTIONS
@TAPES
@settings(max_examples=15)
@given(data=st.data())
def test_asking_for_fewer_cells_gives_the_nearest_ones(compiled, tape, data):
    machine = writer(tape)
    word = data.draw(words("ab"))
    construction = writers(compiled, tape)
    steps = construction.set_up_steps(len(word)) + construction.steps_per_move * 5
    state = run(construction, word, max_steps=steps).final_state
    whole = construction.decode(state)
    for depth in range(8):
        seen = construction.decode(state, cells=depth)
        assert seen.state == whole.state
        assert seen.scanned == whole.scanned
        nearest = tape_configuration(machine, whole.state, whole.left[:depth], whole.scanned, whole.right[:depth])
        assert seen == nearest


@CONSTRUCTIONS
@TAPES
@pytest.mark.parametrize("value", [0.0, 1.0, 0.3, -1.0, 1e300, math.nan, math.inf, -math.inf, mpq(1, 7), mpq(-5)])
@pytest.mark.parametrize("cells", [None, 3])
def test_any_state_is_read_as_something(compiled, tape, value, cells):
    construction = writers(compiled, tape)
    seen = construction.decode((value,) * construction.network.neurons, cells=cells)
    assert isinstance(seen, TapeConfiguration)
    if compiled is chung_siegelmann and value == 0.0:  # the number of p, and stacks in which every digit is blank
        assert seen.state == "p"
        assert {*seen.tape} == {"_"} or (tape, cells) == ("semi_infinite", None)
    else:
        assert LOST in str(seen)
    if cells is not None:
        assert max(len(seen.left), len(seen.right)) <= cells


@CONSTRUCTIONS
@TAPES
def test_what_a_network_has_no_units_for_cannot_be_encoded(compiled, tape):
    construction = writers(compiled, tape)
    good = {"state": "p", "left": (), "scanned": "a", "right": ()}
    for changes, message in (
        ({"state": "z"}, "'z'"),
        ({"scanned": "#"}, "'#'"),
        ({"left": ("a", "#")}, "'#'"),
        ({"right": ("#",)}, "'#'"),
        ({"scanned": LOST}, r"'\?'"),
        ({"state": None}, "None"),
    ):
        with pytest.raises(ConstructionError, match=message):
            construction.encode(TapeConfiguration(**{**good, **changes}))
    for other in ("p", None, ("p", "a"), 3):
        with pytest.raises(ConstructionError, match="is not a configuration"):
            construction.encode(other)


@CONSTRUCTIONS
def test_a_state_of_the_wrong_size_is_refused(compiled):
    construction = writers(compiled, "two_way_infinite")
    neurons = construction.network.neurons
    for size in (0, neurons - 1, neurons + 1):
        for read in (construction.decode, construction.extent, construction.nonblank):
            with pytest.raises(ConstructionError, match=f"has {size} numbers: a state of .* has {neurons}"):
                read((mpq(0),) * size)
    for none in (5, None, "state"):
        with pytest.raises(ConstructionError, match=f"{none!r} is no state of .*: give its {neurons} numbers"):
            construction.decode(none)


@every([siegelmann_sontag, siegelmann_sontag_book])
@pytest.mark.parametrize("base", [3, 1, 0, -4, 4.0, "8", None, True])
def test_a_base_that_is_too_small_is_refused_and_shown(compiled, base):
    if base is None and compiled is siegelmann_sontag:
        return  # None asks for the default
    with pytest.raises(OptionError, match=f"base={base!r}"):
        compiled(writer("two_way_infinite"), base=base)


@CONSTRUCTIONS
@settings(max_examples=12)
@given(machine=turing_machines(max_states=2))
def test_encoding_a_decoded_final_configuration_keeps_the_verdict(compiled, machine):
    construction = compiled(machine)
    result = run(construction, "", max_steps=40)
    if result.outcome.value == "step limit":
        return
    final = construction.decode(result.final_state)
    encoded = construction.encode(final)
    assert construction.decode(encoded) == final
