"""Every operand is checked against where it has to lie; the message names it, says where it lies and what to do."""

from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import rationals

from exactnn.constructions.steps import (
    Step,
    and_,
    bit,
    case_registers,
    cases,
    choice,
    either,
    if_,
    max_,
    min_,
    not_,
    number,
    or_,
    pop,
    push,
    read,
    relu,
    slu,
    stack,
    step_network,
    step_outputs,
    top,
    within,
)
from exactnn.constructions.steps.expression import Domain
from exactnn.errors import ConstructionError, OptionError, WordError
from exactnn.networks import Protocol
from exactnn.simulation import run

C, D = bit("c"), bit("d")
HALF = number("h", start="1/2", low=0, high=1)
LEVEL = number("level", low=0, high="5/3")
FREE = number("free")
CELLS = stack("cells", "ab")


def refused(part):
    return pytest.raises(ConstructionError, match=part)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: if_(HALF, C), r"if_: its condition 'h' lies in \[0, 1\] and has to lie in \{0, 1\}: say within"),
        (lambda: if_(C, LEVEL), r"if_: its branch 'level' lies in \[0, 5/3\] .* \[0, 1\]: scale it \(divide by 5/3\)"),
        (lambda: if_(C, -HALF), r"its branch '-h' lies in \[-1, 0\] .* say within\(x, 0, 1\)"),
        (lambda: if_(C, 2), "its branch '2' lies in the whole numbers of"),
        (lambda: and_(C, FREE), r"and_: its condition 'free' lies in \(-∞, ∞\)"),
        (lambda: or_(C + D), r"or_: its condition 'c \+ d' lies in the whole numbers of \[0, 2\]"),
        (lambda: not_(HALF), "not_: its condition 'h'"),
        (lambda: either(HALF, C), "either: its condition 'h'"),
        (lambda: cases((HALF, C)), "if_: its condition 'h'"),
        (lambda: push(CELLS, "x"), "'x' is no symbol of this stack: it holds a, b"),
        (lambda: push(CELLS, {"a": HALF}), "push: the condition 'h' for 'a' lies in"),
        (lambda: CELLS["x"], "'x' is no symbol of this stack"),
        (lambda: cases((C, CELLS), (D, stack("other", "abc"))), "of different symbols or bases"),
        (lambda: C * D, "a product of two expressions is not piecewise linear"),
        (lambda: C / D, "divide by a number that is not 0"),
        (lambda: C / 0, "divide by a number that is not 0"),
        (lambda: C + "one", "'one' is no operand of a step"),
        (lambda: bool(C), "is an expression of a step, not true or false"),
        (lambda: max_(), r"max_\(\) has no values"),
        (lambda: bit("b", start=2), r"register 'b' starts at 2, which is not in \{0, 1\}"),
        (lambda: number("n", start=-1, low=0), "starts at -1"),
        (lambda: number("n", start="1/2", whole=True), "starts at 1/2"),
        (lambda: stack("s", "ab", base=2), "base=2: give a whole number of at least 3"),
        (lambda: stack("s", "ab", start="c"), "starts with 'c'"),
        (lambda: choice("q", ["a"], start="b"), "starts at 'b', which is none of its values"),
        (lambda: choice("q", ["a"], start="a")["b"], "'b' is no value here: choose one of a"),
    ],
)
def test_an_operand_that_may_lie_elsewhere_is_refused(wrong, message):
    with refused(message):
        wrong()


def test_why_the_domain_of_if_matters():
    """E9: the formula on other operands is neither the branch nor 0."""
    formula = lambda c, t: min(Fraction(1), max(Fraction(0), t - 1 + c))  # noqa: E731
    assert formula(Fraction(1, 2), 1) == Fraction(1, 2)
    assert (formula(1, Fraction(5, 3)), formula(0, Fraction(5, 3))) == (1, Fraction(2, 3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"next": {C: C + D, D: D}}, r"the next value of 'c', 'c \+ d', lies in the whole numbers of \[0, 2\]"),
        ({"next": {C: D}}, "reads register 'd', but `next` does not say"),
        ({"next": {C: read("z")}}, "reads 'z', which is not among its symbols"),
        ({"next": {C: C}, "output": D}, "the output reads register 'd'"),
        ({"next": {C: C}, "output": read("a")}, "no sum over registers"),
        ({"next": {2 * C: C}}, "'2 c' is no register"),
        ({"next": {C: CELLS}}, "is a number and cannot become"),
        ({"next": {CELLS: C}}, "cannot become"),
        ({"next": {CELLS: stack("s", "ab", base=3)}}, "cannot become"),
        ({"next": {C: C, bit("c"): C}}, None),
        ({"next": {C: C, choice("q", "xy", start="x"): {"z": C}}}, "'z' is no value here"),
    ],
)
def test_a_step_is_checked_when_it_is_made(options, message):
    options = {"symbols": "ab", "output": 0, **options}
    if message is None:  # the same key twice is one key
        assert len(Step(**options).rows) == 1
        return
    with refused(message):
        Step(**options)


def test_a_register_that_is_said_twice_is_refused():
    twice = stack("s", "ab")
    with refused("says twice what a register becomes"):
        Step(symbols="a", next={twice: twice, twice["a"]: twice["a"]}, output=0)


def test_a_claim_that_does_not_hold_is_found_by_the_interpreter():
    count = number("count")
    step = Step(symbols="a", next={count: within(count + 1, 0, 2)}, output=count)
    assert step_outputs(step, "aa") == [0, 1, 2]
    with refused(r"'within\(count \+ 1, 0, 2\)' is 3, which is not in \[0, 2\] as the step claims"):
        step_outputs(step, "aaa")
    both = Step(symbols="a", next={C: either(read("a"), C)}, output=C)
    with refused(r"is 2, which is not in \{0, 1\}"):
        step_outputs(both, "aa")
    with pytest.raises(WordError, match="'b'"):
        step_outputs(step, "b")


def test_what_is_no_stack_is_found_by_the_interpreter():
    spoilt = stack("s", "ab", base=4)
    halves = {"a": spoilt["a"] / 2, "b": spoilt["b"]}
    step = Step(
        symbols="a",
        next={spoilt: push(type(spoilt)(4, tuple(halves.items())), "a"), D: top(pop(spoilt))["a"]},
        output=D,
    )
    with refused("which is not in"):
        step_outputs(step, "aaa")


def test_clipping_that_the_domain_decides_is_no_unit():
    assert relu(C) == slu(C) == C
    assert relu(-LEVEL) == within(0, 0, 0) == slu(-C) == slu(0)
    assert slu(LEVEL + 1) == slu(3)
    step = Step(symbols="a", next={C: if_(C, 1), D: relu(slu(D))}, output=C)
    assert step_network(step).circuit.units == 2  # the next values of the two registers


def test_constants_are_branches_without_units():
    assert str(if_(C, "1/3")) == "1/3 c"
    assert str(cases((C, "1/2"), (not_(C), 1))) == "-1/2 c + 1"


@given(rationals(), rationals(), rationals(), rationals(), st.booleans())
def test_domains_hold_what_they_should(a, b, x, y, whole):
    low, high = sorted((a, b))
    x = min(max(x, low), high)
    domain = Domain(low, high)
    assert x in domain
    assert y * x in (domain.scaled(y) if y else Domain(mpq(0), mpq(0)))
    assert max(mpq(0), x) in domain.clipped(mpq(0), None)
    assert min(mpq(1), max(mpq(0), x)) in domain.clipped(mpq(0), mpq(1))
    assert max(x, y) in domain.of_largest(Domain(y, None))
    assert min(x, y) in domain.of_smallest(Domain(None, y))
    assert domain.includes(Domain(x, x))
    assert not domain.includes(Domain(low, None))
    assert Domain(None, None).includes(domain)
    assert domain.includes(Domain(x, high, whole))
    assert not Domain(low, high, whole=True).includes(Domain(low, high + 1, whole))


def test_a_choice_and_registers_by_cases():
    """A machine of two phases; the second keeps a stack of what was read in the first."""
    phase = choice("phase", ["first", "second"], start="first")
    cells = stack("cells", "ab")
    after = case_registers(
        (and_(phase["first"], not_(read("#"))), {"phase": phase["first"], "cells": push(cells, {"a": 1, "b": 0})}),
        (and_(phase["first"], read("#")), {"cells": cells}),
        (phase["second"], {"cells": pop(cells)}),
    )
    moved = or_(phase["second"], read("#"))
    step = Step(
        symbols="a#",
        next={phase: {"first": not_(moved), "second": moved}, cells: after["cells"]},
        output=phase["second"] - 4 * cells["a"],
    )
    assert after["phase"].domain == C.domain
    assert [run(step_network(step), word).verdict.value for word in ("#", "aa#aa", "aa#a", "a")] == [
        "accept", "accept", "reject", "reject",
    ]  # fmt: skip
    still = Step(symbols="a", next={phase: "second"}, output=phase["second"])
    assert step_outputs(still, "a") == [0, 1]


def test_eos_among_the_symbols_asks_for_intermediate_steps():
    seen = bit("seen")
    step = Step(symbols=["a", "EOS"], next={seen: or_(seen, read("EOS"))}, output=seen)
    network = step_network(step)
    assert network.decision.protocol is Protocol.EOS_VERDICT
    assert run(network, "aa").eos_steps == 1
    assert step_outputs(step, "a", eos_steps=2) == [0, 0, 1, 1]


def test_smallest_and_largest_of_many_stay_small():
    """A chain of n is one expression with n - 1 units, not 2^n."""
    many = [number(("x", i)) for i in range(30)]
    step = Step(symbols="a", next={many[0]: max_(*many), many[1]: min_(*many)} | {x: x for x in many[2:]}, output=0)
    assert step_network(step).circuit.units == 29 + 29 + 30


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: within(FREE, 2, 1), r"within\(free, 2, 1\): nothing lies there"),
        (lambda: cases((C, CELLS), (D, 1)), "some branches are stacks and some are numbers"),
        (lambda: cases((C, 1), (D, CELLS)), "some branches are stacks and some are numbers"),
        (lambda: Step(symbols="a", next=[(C, C)], output=C), "give a mapping of registers"),
        (lambda: Step(symbols="a", next={"c": C}, output=C), "'c' is no register"),
        (lambda: Step(symbols="aba", next={C: C}, output=C), "'a' is there twice; give it once"),
        (lambda: Step(symbols="a", next={bit("n"): 0, number("n"): 0}, output=0), "two registers named 'n'"),
        (lambda: step_network(None), "None is no Step"),
        (lambda: step_outputs("parity", "a"), "'parity' is no Step"),
    ],
)
def test_operands_of_another_kind_are_refused(wrong, message):
    with refused(message):
        wrong()


def test_eos_steps_of_a_step_without_eos_and_negative_ones_are_refused():
    plain, reading = (Step(symbols=symbols, next={C: C}, output=C) for symbols in ("a", ["a", "EOS"]))
    with pytest.raises(OptionError, match="step 'step' does not read EOS"):
        step_outputs(plain, "a", eos_steps=1)
    for count in (-1, 1.5, "2", True):
        with pytest.raises(OptionError, match="give a whole number of at least 0"):
            step_outputs(reading, "a", eos_steps=count)
