"""Generalised shifts on the unit square: encoding commutes with the map, and the cells fill the square."""

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import tape_configurations, turing_machines

from exactnn.automata import GeneralizedShift, dotted_sequence, generalized_shift, reachable_states, shifted
from exactnn.constructions import PiecewiseAffineMap, piecewise_affine_map
from exactnn.errors import ConstructionError, MachineError, OptionError


@st.composite
def tapes_and_configurations(draw):
    machine = draw(turing_machines())
    return generalized_shift(machine), draw(tape_configurations(machine, states=reachable_states(machine)))


@settings(max_examples=83)
@given(pair=tapes_and_configurations(), binary=st.booleans())
def test_the_map_does_to_points_what_the_shift_does_to_sequences(pair, binary):
    tape, configuration = pair
    square = piecewise_affine_map(tape.shift, binary=binary)
    sequence = tape.encode(configuration)
    for _ in range(4):
        point = square.encode(sequence)
        assert all(0 <= number < 1 for number in point)
        assert square.decode(point) == sequence
        sequence = shifted(tape.shift, sequence)
        assert square.at(point) == square.encode(sequence)


@settings(max_examples=60)
@given(machine=turing_machines())
def test_the_cells_fill_the_unit_square(machine):
    """In the published bases: areas add up to 1 and no two cells have a point in common; each goes into the square."""
    shift = generalized_shift(machine).shift
    cells = piecewise_affine_map(shift).cells
    working = [q for q in shift.head_symbols if q not in machine.halting_states]
    halting = len(shift.head_symbols) - len(working)
    assert len(cells) == len(working) * len(shift.left_symbols) * len(shift.right_symbols) + halting
    if len(shift.head_symbols) > 1 and len(shift.right_symbols) > 1:
        assert sum((c.x[1] - c.x[0]) * (c.y[1] - c.y[0]) for c in cells) == 1
    for i, a in enumerate(cells):
        for b in cells[:i]:
            assert a.x[1] <= b.x[0] or b.x[1] <= a.x[0] or a.y[1] <= b.y[0] or b.y[1] <= a.y[0]
    for cell in cells:
        for corner in zip(cell.x, cell.y, strict=True):
            assert all(0 <= number <= 1 for number in cell.at(corner))


def test_longer_windows_move_the_dot_by_several_places():
    rules = {("0", "1", "1", "0"): (("1", "1", "0", "0"), 2), ("1", "1", "1", "0"): (("0", "0", "1", "0"), -1)}
    shift = GeneralizedShift(head_symbols="01", left_symbols="01", right_symbols="01", window=(2, 2), rules=rules)
    square = piecewise_affine_map(shift)
    for left, right in (("1011", "101"), ("1111", "1011"), ("1001", "1011")):
        sequence = dotted_sequence(shift, left, right)
        assert square.at(square.encode(sequence)) == square.encode(shifted(shift, sequence))
    assert [cell.scale for cell in square.cells if cell.window == ("0", "1", "1", "0")] == [(mpq(1, 4), mpq(4))]


def test_the_edges_of_cells_belong_to_the_cell_on_their_right():
    shift = GeneralizedShift(
        head_symbols="ab", left_symbols="01", right_symbols="012", window=(1, 1), rules={("b", "2"): (("b", "1"), 0)}
    )
    square = piecewise_affine_map(shift)
    assert square.bases == (2, 2, 3)
    assert piecewise_affine_map(shift, binary=True).bases == (2, 2, 4)
    assert square.at(("1/2", "2/3")) == (mpq(1, 2), mpq(1, 3))
    assert square.at(("1/2", mpq(2, 3) - mpq(1, 1000))) == (mpq(1, 2), mpq(2, 3) - mpq(1, 1000))


def test_points_and_arguments_that_are_none():
    shift = GeneralizedShift(head_symbols="abc", left_symbols="01", right_symbols="012", window=(1, 1), rules={})
    square = piecewise_affine_map(shift, binary=True)
    for point in ((1, 0), (0, 1), (-1, 0), ("7/8", 0), (0, "3/4"), (0, "1/3")):
        with pytest.raises(ConstructionError, match="is the point of no sequence"):
            square.decode(point)
    for point in ((1, 0), ("7/8", 0)):
        with pytest.raises(ConstructionError, match="lies in no cell"):
            square.at(point)
    with pytest.raises(MachineError, match="not one of the head_symbols"):
        square.encode(dotted_sequence(GeneralizedShift(**{**ANY, "head_symbols": "z"}), "z", ""))
    for point in (None, 3, "0", (0,), (0, 0, 0), []):
        for read in (square.at, square.decode):
            with pytest.raises(ConstructionError, match="is no point: give its two coordinates"):
                read(point)
    with pytest.raises(MachineError, match="is not a sequence of"):
        square.encode(("a", ()))
    with pytest.raises(OptionError, match="is no GeneralizedShift"):
        piecewise_affine_map("baker")
    for bases in ((3, 2, 2), (2, 2, 3), (3, 2, True), (3, 2), 3, (4, 2.0, 3)):
        with pytest.raises(OptionError, match="bases"):
            PiecewiseAffineMap(shift=shift, bases=bases)
    with pytest.raises(OptionError, match="binary=1"):
        piecewise_affine_map(shift, binary=1)


ANY = {"head_symbols": "ab", "left_symbols": "01", "right_symbols": "01", "window": (1, 1), "rules": {}}
