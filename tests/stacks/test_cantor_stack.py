"""A stack of bits in one number: which bases and offsets tell tops apart, and the networks that hold it so."""

from itertools import product

import pytest
from gmpy2 import mpq
from hypothesis import assume, given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import NumberError, OptionError
from exactnn.stacks import CantorStack

BITS = ["".join(bits) for length in range(9) for bits in product("01", repeat=length)]

OFFSETS = st.fractions(0, 1, max_denominator=12).map(lambda x: mpq(x.numerator, x.denominator))


def test_what_is_not_on_top_is_not_popped():
    stack = CantorStack()
    for bits in BITS[1:]:
        number = stack.number(bits)
        assert stack.pop(number, int(bits[0])) == stack.number(bits[1:])
        with pytest.raises(OptionError, match=f"stacks with a {1 - int(bits[0])} on top are from"):
            stack.pop(number, 1 - int(bits[0]))
    with pytest.raises(OptionError, match="the empty one is 0"):
        stack.pop(0, 1)
    for number in (-1, "9/8"):
        with pytest.raises(OptionError, match="a stack is a number from 0"):
            stack.push(number, 1)


@given(st.integers(2, 7), OFFSETS)
def test_the_unit_of_the_top_is_right_or_there_is_none(base, offset):
    """On all stacks of up to eight bits; where there is a fault, two stacks show it."""
    if offset >= mpq(base - 1, base):
        with pytest.raises(OptionError, match="offset="):
            CantorStack(base=base, offset=offset)
        return
    stack = CantorStack(base=base, offset=offset)
    numbers = {bits: stack.number(bits) for bits in BITS}
    zeros = [numbers[bits] for bits in BITS if bits[:1] == "0"]
    ones = [numbers[bits] for bits in BITS if bits[:1] == "1"]
    assert all(0 <= q < 1 for q in numbers.values())
    if stack.fault is None:
        assert min(zeros) > 0
        assert len(set(numbers.values())) == len(BITS)
    if stack.slope is not None:
        for bits in BITS[1:]:
            assert min(1, max(0, stack.slope * numbers[bits] - stack.threshold)) == int(bits[0])
        assert min(ones) - max(zeros) > stack.gap > 0
    else:
        assert stack.fault is not None
        nearest = min(ones) - max(zeros)
        assert nearest <= mpq(1, base**8)
        assert stack.gap or nearest == mpq(1, base**8)
    if not offset:
        assert stack.fault is not None
        assert numbers["0"] == numbers[""] == 0


@pytest.mark.parametrize(("base", "offset"), [(4, None), (4, "1/8"), (5, None), (3, "1/4"), (8, "1/2")])
def test_the_network_of_any_base_that_works(base, offset):
    """All 364 words of up to five symbols over 0, 1 and the mark."""
    network = xn.scalar_stack(base=base, offset=offset)
    for length in range(6):
        for word in map("".join, product("01#", repeat=length)):
            left, mark, right = word.partition("#")
            assert bool(xn.run(network, word).verdict) is (bool(mark) and left == right[::-1])
    held = CantorStack(base=base, offset=offset)
    assert xn.run(network, "0110").final_state[0] == held.number("0110")


@pytest.mark.parametrize(
    ("base", "offset", "message"),
    [(2, 0, "no slope"), (2, "1/4", "stacks 1 and 01"), (3, None, "no slope"), (4, 0, "both 0"), (2, None, "offset")],
)
def test_networks_that_cannot_be_are_refused_with_two_stacks(base, offset, message):
    with pytest.raises(OptionError, match=message):
        xn.scalar_stack(base=base, offset=offset)


def test_the_network_without_arguments_is_that_of_the_slides():
    """q' = q/4 + z/2 + 1/4, top = SLU(4q - 2)."""
    stack = CantorStack()
    for q in map(stack.number, BITS):
        assert stack.push(q, 0) == q / 4 + mpq(1, 4)
        assert stack.push(q, 1) == q / 4 + mpq(1, 2) + mpq(1, 4)
    assert (stack.slope, stack.threshold) == (4, 2)
    assert xn.scalar_stack() == xn.scalar_stack(base=4, offset="1/4")


@given(st.integers(4, 9), st.text("01", max_size=20), st.integers(0, 1))
def test_a_pop_undoes_a_push(base, bits, bit):
    stack = CantorStack(base=base)
    q = stack.number(bits)
    assert stack.pop(stack.push(q, bit), bit) == q
    assert stack.number(f"{bit}{bits}") == stack.push(q, bit)


def test_intervals_enclose_all_stacks_that_begin_so():
    stack = CantorStack()
    for bits, low, high in stack.intervals(3):
        numbers = [stack.number(bits + below) for below in BITS]
        assert min(numbers) == low
        assert max(numbers) < high
        assert high - max(numbers) == mpq(1, 4 ** (3 + 8))


@given(st.integers(3, 9), OFFSETS, st.text("01", max_size=20))
def test_a_stack_is_read_off_its_number(base, offset, bits):
    assume(offset < mpq(base - 1, base))
    stack = CantorStack(base=base, offset=offset)
    if stack.fault is not None:
        with pytest.raises(OptionError, match="give base=4, offset='1/4'"):
            stack.read(0)
        return
    assert stack.read(stack.number(bits)) == (bits, 0)
    assert stack.read(stack.number(bits), most=3)[0] == bits[:3]


@given(st.integers(4, 9), st.fractions(-1, 2, max_denominator=200))
def test_a_bit_is_read_where_the_unit_says_one(base, q):
    """The unit of the top is 0 or 1 there, and that of a filled stack, SLU(q / offset), is 1."""
    stack, q = CantorStack(base=base), mpq(q.numerator, q.denominator)
    bits, left = stack.read(q, most=1)
    top = min(max(stack.slope * q - stack.threshold, 0), 1)
    in_domain = stack.digits[0] <= q <= 1
    assert bits == (str(top) if in_domain and top in (0, 1) else "")
    assert left == (stack.pop(q, int(bits)) if bits else q)


def test_a_number_that_never_ends_is_read_as_far_as_asked():
    assert CantorStack().read(1, most=5) == ("11111", 1)
    assert CantorStack().read(1, most=0) == ("", 1)
    for wrong in (-1, 10**9, 1.5, "x", None):
        with pytest.raises(OptionError, match="most="):
            CantorStack().read(1, most=wrong)
    for wrong in ("x", None, float("nan"), []):
        with pytest.raises(NumberError):
            CantorStack().read(wrong)


def test_wrong_bits_and_bases():
    for wrong in ("012", [2]):
        with pytest.raises(OptionError, match="give 0 or 1"):
            CantorStack().number(wrong)
    with pytest.raises(OptionError, match="base=1"):
        CantorStack(base=1)
    assert "SLU(4 q - 2)" in str(CantorStack().as_table())
    assert repr(CantorStack()) == "<CantorStack: base 4, offset 1/4>"
