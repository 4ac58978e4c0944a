"""A configuration has one form: those that a machine cannot tell apart are equal, the others are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import tape_configurations, turing_machines

from exactnn.automata import LOST, TapeConfiguration, TuringMachine, tape_configuration

CELLS = st.lists(st.sampled_from("_a"), max_size=5)
BLANKS = st.integers(0, 3).map(lambda n: ["_"] * n)


def machine(tape):
    return TuringMachine(
        states="pA",
        input_symbols="a",
        tape_symbols="_a",
        transitions={"p": {"_": ("p", "a", "R"), "a": ("A", "a", "R")}},
        initial_state="p",
        blank_symbol="_",
        accept_state="A",
        tape=tape,
    )


@given(CELLS, CELLS, BLANKS)
def test_blanks_beyond_an_infinite_end_do_not_count(left, right, blanks):
    two_way, semi = machine("two_way_infinite"), machine("semi_infinite")
    for m in (two_way, semi):
        assert tape_configuration(m, "p", left, "a", right + blanks) == tape_configuration(m, "p", left, "a", right)
    assert tape_configuration(two_way, "p", left + blanks, "a", right) == tape_configuration(
        two_way, "p", left, "a", right
    )


@given(CELLS, BLANKS)
def test_blanks_before_the_leftmost_cell_of_a_semi_infinite_tape_count(left, blanks):
    semi = machine("semi_infinite")
    longer = tape_configuration(semi, "p", left + blanks, "a", [])
    assert (longer == tape_configuration(semi, "p", left, "a", [])) == (not blanks)
    assert len(longer.left) == len(left) + len(blanks)


@given(CELLS, CELLS, CELLS, CELLS)
def test_two_way_configurations_are_equal_exactly_if_their_infinite_tapes_are(left, right, other_left, other_right):
    m = machine("two_way_infinite")

    def cells(near):
        return (near + ["_"] * 9)[:9]

    first, second = (
        tape_configuration(m, "p", left, "_", right),
        tape_configuration(m, "p", other_left, "_", other_right),
    )
    alike = cells(left) == cells(other_left) and cells(right) == cells(other_right)
    assert (first == second) == alike
    assert not alike or hash(first) == hash(second)


@st.composite
def machines_and_configurations(draw):
    m = draw(turing_machines())
    return m, draw(tape_configurations(m))


@given(machines_and_configurations())
def test_the_unique_form_is_its_own(pair):
    m, c = pair
    assert tape_configuration(m, c.state, c.left, c.scanned, c.right) == c
    assert c.tape == (*reversed(c.left), c.scanned, *c.right)
    assert c.tape[len(c.left)] == c.scanned


def test_state_and_scanned_symbol_count():
    m = machine("two_way_infinite")
    forms = {tape_configuration(m, q, [], a, []) for q in "pA" for a in "_a"}
    assert len(forms) == 4


def test_text_reads_from_left_to_right():
    assert str(TapeConfiguration(state="q", left=("b", "a"), scanned=LOST, right=("c",))) == "q: a b [?] c"
    assert str(TapeConfiguration(state="q", left=(), scanned="_", right=())) == "q: [_]"


def test_configurations_are_values():
    c = TapeConfiguration(state="q", left=(), scanned="_", right=())
    with pytest.raises(AttributeError):
        c.state = "p"
    with pytest.raises(TypeError):
        TapeConfiguration("q", (), "_", ())
