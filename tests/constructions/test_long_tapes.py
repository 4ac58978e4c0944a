"""Tapes too long to be read cell by cell: as short ones where both ways are open, else against closed forms."""

from unittest import mock

import pytest
from every_construction import OF_TURING_MACHINES, every
from gmpy2 import mpq, mpz
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import tape_configurations, turing_machines

from exactnn.arithmetic import FLOAT32, FLOAT64, Numeral
from exactnn.automata import LOST
from exactnn.constructions import construction as construction_module
from exactnn.constructions import siegelmann_sontag, stack_numbers
from exactnn.constructions.stack_numbers import read_scalar, read_vector, write_scalar, write_vector
from exactnn.errors import ConstructionError, NumberError, OptionError
from exactnn.machine_files import load
from exactnn.simulation import run

CONSTRUCTIONS = every(OF_TURING_MACHINES)
HUGE = 10**100

digit_by_digit = mock.patch.object(stack_numbers, "LONG", 0)
"""While it lasts, every number is taken for a long one."""


def numeral(value):
    """The same number in runs of limbs, with a tail that is subtracted."""
    found = Numeral.of(value, 2) * -1
    return -found


def counted(construction, state):
    """What is counted in the decoded configuration; None where a cell is lost."""
    tape = construction.decode(state).tape
    return None if LOST in tape else sum(a != construction.machine.blank_symbol for a in tape)


@st.composite
def states(draw, compiled):
    """A construction and a state of it that stands for a configuration, sometimes with one value changed a little."""
    construction = compiled(draw(turing_machines(max_states=2)))
    machine = construction.machine
    while True:
        configuration = draw(tape_configurations(machine, max_size=12))
        try:
            state = list(construction.encode(configuration))
            break
        except ConstructionError:  # a state that is never reached
            continue
    if draw(st.booleans()):
        i = draw(st.integers(0, len(state) - 1))
        state[i] += draw(st.sampled_from((1, -1))) * mpq(
            1, draw(st.sampled_from((2, 3, 5, 7))) ** draw(st.integers(0, 40))
        )
    return construction, tuple(state)


@CONSTRUCTIONS
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_long_numbers_are_read_and_counted_as_short_ones(compiled, data):
    construction, state = data.draw(states(compiled))
    whole, number, extent = construction.decode(state), counted(construction, state), construction.extent(state)
    assert construction.nonblank(state) == number
    near = [construction.decode(state, cells=depth) for depth in range(5)]
    with digit_by_digit:
        assert construction.decode(state) == whole
        assert construction.nonblank(state) == number
        assert construction.extent(state) == extent
        assert [construction.decode(state, cells=depth) for depth in range(5)] == near


@CONSTRUCTIONS
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_numerals_are_read_and_counted_as_rationals(compiled, data):
    construction, state = data.draw(states(compiled))
    if any(value.denominator & (value.denominator - 1) for value in state):
        return  # no numeral
    other = tuple(map(numeral, state))
    assert construction.decode(other) == construction.decode(state)
    assert construction.nonblank(other) == counted(construction, state)
    assert construction.extent(other) == construction.extent(state)
    for depth in range(5):
        assert construction.decode(other, cells=depth) == construction.decode(state, cells=depth)


@CONSTRUCTIONS
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_the_extent_is_all_that_is_read(compiled, data):
    construction, state = data.draw(states(compiled))
    whole, (left, right) = construction.decode(state), construction.extent(state)
    if LOST not in whole.tape:
        assert (len(whole.left), len(whole.right)) <= (left, right)
        assert construction.decode(state, cells=max(left, right)) == whole


@CONSTRUCTIONS
@pytest.mark.parametrize("arithmetic", [FLOAT64, FLOAT32], ids=str)
@pytest.mark.parametrize("steps", [5, 20, 107])
def test_rounded_states_are_counted_as_they_are_decoded(compiled, arithmetic, steps):
    construction = compiled(load("1RB1LB_1LA0LC_1RZ1LD_1RD0RA"))
    state = run(construction, "", arithmetic=arithmetic, max_steps=steps).final_state
    assert construction.nonblank(state) == counted(construction, state)
    assert min(construction.extent(state)) >= 0


DIGITS = st.lists(st.integers(0, 3), max_size=400)


@given(DIGITS, st.sampled_from([7, 8, 10, 64, 100, 300]), st.none() | st.integers(0, 500))
def test_scalar_stacks_of_any_length(digits, base, cells):
    value = write_scalar(digits, base)
    plain = read_scalar(value, base, 3, cells) if value.denominator.bit_length() <= stack_numbers.LONG else None
    with digit_by_digit:
        found = read_scalar(value, base, 3, cells)
    assert plain in (None, found)
    expected = digits if cells is None else digits[:cells]
    assert found == expected[: max((i + 1 for i, digit in enumerate(expected) if digit), default=0)]
    assert stack_numbers.count_scalar(value, base, 3) == len(digits) - digits.count(0)
    above = digits[: digits.index(3)] if 3 in digits else None
    assert stack_numbers.count_scalar(value, base, 3, bottom=3) == (
        above and len(above) - above.count(0) if above else 0 if above == [] else None
    )


@given(st.lists(st.sampled_from("ab_"), max_size=300), st.sampled_from([4, 5, 8, 100]), st.integers(0, 300))
def test_vector_stacks_of_any_length(symbols, base, cells):
    stack = write_vector([*symbols, "$"], "ab_$", base)
    with digit_by_digit:
        assert read_vector(stack, base, "$", None) == symbols
        assert read_vector(stack, base, "$", cells) == symbols[:cells]
    assert stack_numbers.count_vector(stack, base, "$", "_") == len(symbols) - symbols.count("_")


@given(DIGITS, st.integers(-(10**6), 10**6), st.integers(0, 450))
def test_a_long_number_that_no_stack_is(digits, error, place):
    value = write_scalar(digits, 8) + mpq(error, mpz(8) ** place)
    with mock.patch.object(stack_numbers, "LONG", 10**9):
        expected = [read_scalar(value, 8, 3, cells) for cells in (None, 0, 1, 50, 400)]
    with digit_by_digit:
        assert [read_scalar(value, 8, 3, cells) for cells in (None, 0, 1, 50, 400)] == expected
    count = None if None in expected[0] else sum(map(bool, expected[0]))
    assert stack_numbers.count_scalar(value, 8, 3) == count


def repeated(limb, count, *, digits, sign=1):
    return Numeral(base=2, limb_digits=digits, head=0, places=0, sign=sign, runs=((limb, count),))


def tape(construction, left, right):
    """A state of a two-symbol real-time network in A scanning a blank, with these stacks."""
    names = construction.network.circuit.state_names
    values = {"state A": mpq(1), "left push": left, "right pop": right}
    return tuple(values.get(name, mpq(0)) for name in names)


def test_a_tape_of_a_googol_of_cells_against_its_closed_form():
    construction = siegelmann_sontag(load("1RB1LB_1LA0LC_1RZ1LD_1RD0RA"))
    left = repeated(0b1000_1010, HUGE, digits=8)  # 1 0 1 1 from the head
    right = repeated(0b101000, HUGE, digits=6)  # 1 1 0
    state = tape(construction, left, right)
    assert construction.nonblank(state) == 3 * HUGE + 2 * HUGE
    assert construction.extent(state) == (4 * HUGE, 3 * HUGE - 1)
    assert str(construction.decode(state, cells=7)) == "A: 1 0 1 1 1 0 1 [0] 1 1 0 1 1 0 1"
    with pytest.raises(OptionError, match=r"a tape of about 7\.000e100 cells .*cells="):
        construction.decode(state)


def test_an_odd_digit_anywhere_loses_a_cell():
    construction = siegelmann_sontag(load("1RB1LB_1LA0LC_1RZ1LD_1RD0RA"))
    good = repeated(0b10, HUGE, digits=2)
    state = tape(construction, good, mpq(0))
    assert construction.nonblank(state) == HUGE
    state = tape(
        construction, Numeral(base=2, limb_digits=2, head=0, places=0, sign=1, runs=((2, HUGE), (3, 1))), mpq(0)
    )
    assert construction.nonblank(state) is None
    assert construction.decode(state, cells=50).left == ("1",) * 50


def test_a_tape_just_below_the_limit_is_decoded():
    construction = siegelmann_sontag(load("1RB1LB_1LA0LC_1RZ1LD_1RD0RA"))
    state = tape(construction, mpq(2 * (mpz(4) ** 5000 - 1) // 3, mpz(4) ** 5000), mpq(1, 2))
    assert construction.decode(state).left == ("1",) * 5000
    assert construction.nonblank(state) == 5001
    with mock.patch.object(construction_module, "MOST_CELLS", 4999), pytest.raises(OptionError, match="5,002 cells"):
        construction.decode(state)


@CONSTRUCTIONS
def test_the_end_of_a_run_that_nobody_could_wait_for(compiled):
    construction = compiled(load("1RB1RB_1RA1RA"))
    moves = 10**40 if construction.steps_per_move == 1 else 10**6  # of longer moves the engine proves no rule here
    result = run(construction, "", max_steps=construction.steps_per_move * moves)
    assert result.machine_steps == construction.nonblank(result.final_state) == moves
    assert construction.extent(result.final_state) == (moves, 0)
    assert str(construction.decode(result.final_state, cells=3)) == "A: 1 1 1 [0]"


def test_a_semi_infinite_tape_of_a_googol_of_cells():
    construction = siegelmann_sontag(load("anbn"))
    plan = construction.codec._plan
    base, bottom, symbol = plan.base, 2 * len(plan.symbols), 2
    exponent = base.bit_length() - 1
    left = Numeral(
        base=2, limb_digits=exponent, head=0, places=0, sign=1, runs=((symbol, HUGE), (0, 5), (symbol, 1), (bottom, 1))
    )
    names = construction.network.circuit.state_names
    state = tuple(left if name == "left push" else mpq(0) for name in names)
    assert construction.nonblank(state) == HUGE + 1
    assert construction.extent(state) == (HUGE + 6, 0)
    without = tuple(repeated(symbol, HUGE, digits=exponent) if name == "left push" else mpq(0) for name in names)
    assert construction.nonblank(without) is None


def test_a_numeral_in_another_base_is_refused():
    construction = siegelmann_sontag(load("1RB1LB_1LA0LC_1RZ1LD_1RD0RA"), base=12)
    state = tape(construction, repeated(0b10, HUGE, digits=2), mpq(0))
    with pytest.raises(NumberError, match="base 12"):
        construction.nonblank(state)
    assert len(construction.decode(state, cells=3).left) <= 3
