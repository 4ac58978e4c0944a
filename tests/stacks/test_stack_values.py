"""Stacks as values: their definitions, what they are as stacks, and what formats make of them."""

from itertools import islice, pairwise, product
from random import Random

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import configurations
from exactnn.errors import NetworkError, NumberError, OptionError
from exactnn.stacks import StratifiedStack, SuperpositionStack
from exactnn.strategies import stack_machines

SHARES = st.fractions(0, 1, max_denominator=12).map(lambda f: mpq(f.numerator, f.denominator))


# --- The stack of strengths.


def test_the_example_of_strengths():
    """(4/5, 0), (1/2, 1/10), (9/10, 9/10): the strengths and how much of each vector is read."""
    stack, strengths, read = StratifiedStack(), [], []
    for push, pop in (("4/5", 0), ("1/2", "1/10"), ("9/10", "9/10")):
        stack = stack.step(1, push=push, pop=pop)
        strengths.append([str(x) for x in stack.strengths])
        read.append([str(x) for x in stack.read_strengths])
    assert strengths == [["4/5"], ["7/10", "1/2"], ["3/10", "0", "9/10"]]
    assert read == [["4/5"], ["1/2", "1/2"], ["1/10", "0", "9/10"]]


def by_the_formula(amounts):
    """The formulas of the paper, with their sums as they are written."""
    strengths = []
    for push, pop in amounts:
        t = len(strengths)
        strengths = [
            max(mpq(0), strengths[i] - max(mpq(0), pop - sum(strengths[i + 1 :], mpq(0)))) for i in range(t)
        ] + [push]
    n = len(strengths)
    read = [min(strengths[i], max(mpq(0), 1 - sum(strengths[i + 1 :], mpq(0)))) for i in range(n)]
    return strengths, read


@pytest.mark.parametrize("form", ["streaming", "closed"])
@given(amounts=st.lists(st.tuples(SHARES, SHARES), max_size=7))
def test_both_forms_are_the_formula(form, amounts):
    stack = StratifiedStack(values=2, form=form)
    for t, (push, pop) in enumerate(amounts):
        stack = stack.step([t, 1], push=push, pop=pop)
    strengths, read = by_the_formula(amounts)
    assert list(stack.strengths) == strengths
    assert list(stack.read_strengths) == read
    assert stack.reading == (sum((t * r for t, r in enumerate(read)), mpq(0)), sum(read, mpq(0)))


@given(stack_machines(max_stacks=1), st.text("ab", max_size=6))
def test_stack_machines_are_the_special_case(machine, word):
    """With amounts 0 and 1 both stacks do what the stack of a machine does, move by move."""
    number = {symbol: place for place, symbol in enumerate(machine.stack_symbols, 1)}
    word = [a for a in word if a in machine.input_symbols]
    stacks = [
        tuple(map(number.get, configuration.stacks[0])) for configuration in islice(configurations(machine, word), 40)
    ]
    strong, mixed = StratifiedStack(), SuperpositionStack()
    for before, after in pairwise([(), *stacks]):
        common = next(k for k in range(len(after), -1, -1) if before[len(before) - k :] == after[len(after) - k :])
        for _ in range(len(before) - common):
            strong, mixed = strong.step(pop=1), mixed.step(pop=1)
        for value in reversed(after[: len(after) - common]):
            strong, mixed = strong.step(value, push=1), mixed.step(value, push=1)
        left = zip(reversed(strong.vectors), reversed(strong.strengths), strict=True)
        assert tuple(vector[0] for vector, strength in left if strength) == after
        assert tuple(cell[0] for cell in mixed.cells) == after


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), max_size=20))
def test_strengths_0_and_1_are_a_stack(actions):
    stack, plain = StratifiedStack(), []
    for pushes, value in actions:
        if pushes:
            stack, plain = stack.step(value, push=1), [*plain, value]
        else:
            stack, plain = stack.step(pop=1), plain[:-1]
        assert stack.reading == (plain[-1] if plain else 0,)
        assert [v for (v,), s in zip(stack.vectors, stack.strengths, strict=True) if s] == plain


def loop_in(dtype, pushes, pop, form):
    """Equal pushes and one pop by numpy, each operation rounded."""
    strengths, left, above, found = [dtype(x) for x in pushes], dtype(pop), dtype(0), []
    for own in reversed(strengths):
        reaching = left if form == "streaming" else max(dtype(0), dtype(pop) - above)
        found.append(max(dtype(0), own - reaching))
        left, above = max(dtype(0), left - own), above + own
    return [float(x) for x in reversed(found)]


@pytest.mark.parametrize("form", ["streaming", "closed"])
@pytest.mark.parametrize(("format", "dtype"), [(xn.FLOAT16, np.float16), (xn.FLOAT32, np.float32), (xn.FLOAT64, float)])
def test_strengths_in_formats_are_those_of_numpy(form, format, dtype):
    random = Random(f"{form} {format}")
    for _ in range(30):
        pushes = [random.randint(1, 99) / 100 for _ in range(random.randint(1, 12))]
        pop = random.randint(0, 400) / 100
        stack = StratifiedStack(arithmetic=format, form=form)
        for push in pushes:
            stack = stack.step(push=mpq(push))
        assert [float(x) for x in stack.step(pop=mpq(pop)).strengths[:-1]] == loop_in(dtype, pushes, pop, form)


@pytest.mark.parametrize(
    ("arithmetic", "left"),
    [
        (xn.EXACT, 0),
        (xn.FLOAT16, mpq(5, 2**13)),
        (xn.FLOAT32, mpq(5, 2**26)),
        (xn.FLOAT64, 0),
        (xn.BFLOAT16, mpq(5, 2**10)),
    ],
    ids=str,
)
def test_ten_tenths_and_one_pop(arithmetic, left):
    """Exactly nothing is left; float16 has 6.1e-4, float32 7.5e-8, and that stack is never empty again."""
    stack = StratifiedStack(arithmetic=arithmetic)
    for _ in range(10):
        stack = stack.step(1, push="1/10")
    stack = stack.step(pop=1)
    assert sum(map(mpq, stack.strengths)) == left


def test_wrong_steps_of_strengths():
    stack = StratifiedStack(values=2)
    for call, error, message in (
        (lambda: stack.step([1, 1], push=-1), OptionError, "push=-1"),
        (lambda: stack.step([1, 1], pop="-1/2"), OptionError, "pop='-1/2'"),
        (lambda: stack.step([1]), NetworkError, "1 entries, not 2"),
        (lambda: stack.step(["x", 1]), NumberError, "x"),
        (lambda: StratifiedStack(values=0), OptionError, "values=0"),
        (lambda: StratifiedStack(read=-1), OptionError, "read"),
        (lambda: StratifiedStack(form="other"), OptionError, "form='other'"),
        (lambda: StratifiedStack(arithmetic="flaot16"), OptionError, "arithmetic='flaot16'"),
        (lambda: StratifiedStack(strengths=(mpq(1),)), OptionError, "as many"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert stack.step().reading == (0, 0)
    assert StratifiedStack(read=0).step(5, push=1).reading == (0,)
    assert stack.step([1, 2], push=1).as_table().rows == (("1", "1", "1, 2"),)


# --- The superposition of stacks.


def test_the_example_of_a_superposition():
    one_hot = {"a": (1, 0, 0), "b": (0, 1, 0), "c": (0, 0, 1)}
    stack, found = SuperpositionStack(values=3), []
    for push, pop, symbol in (("1/2", "1/4", "a"), ("1/2", "1/4", "b"), ("1/4", "1/2", "c")):
        stack = stack.step(one_hot[symbol], push=push, pop=pop)
        found.append([{s: str(x) for s, x in zip("abc", cell, strict=True) if x} for cell in stack.cells])
    assert found == [
        [{"a": "1/2"}],
        [{"a": "1/8", "b": "1/2"}, {"a": "1/4"}],
        [{"a": "5/32", "b": "1/8", "c": "1/4"}, {"a": "3/32", "b": "1/8"}, {"a": "1/16"}],
    ]


@given(st.lists(st.tuples(SHARES, SHARES, st.integers(-5, 5)), max_size=5))
def test_cells_are_expectations_over_all_sequences_of_actions(steps):
    steps = [(a, (1 - a) * b, v) for a, b, v in steps]
    stack = SuperpositionStack()
    for push, pop, value in steps:
        stack = stack.step(value, push=push, pop=pop)
    expected = [mpq(0)] * len(steps)
    for actions in product(("push", "pop", "keep"), repeat=len(steps)):
        weight, plain = mpq(1), []
        for action, (push, pop, value) in zip(actions, steps, strict=True):
            weight *= {"push": push, "pop": pop, "keep": 1 - push - pop}[action]
            plain = {"push": [value, *plain], "pop": plain[1:], "keep": plain}[action]
        for depth, value in enumerate(plain):
            expected[depth] += weight * value
    found = [cell[0] for cell in stack.cells]
    assert found + [0] * (len(steps) - len(found)) == expected
    assert stack.reading == (expected[0] if expected else 0,)


def test_contents_double_with_each_push():
    """After t pushes of different vectors in part there are 2^t contents, held in t cells."""
    pushes = 5
    contents = {()}
    for value in range(pushes):
        contents |= {(value, *content) for content in contents}
    stack = SuperpositionStack(values=pushes)
    for value in range(pushes):
        stack = stack.step([int(i == value) for i in range(pushes)], push="1/2")
    assert (len(contents), len(stack.cells)) == (2**pushes, pushes)


def dyck_by(stack, word):
    """Whether a word is balanced, of two kinds of brackets, by a stack of one-hot vectors and hard actions."""
    for symbol in word:
        kind = "([".find(symbol)
        if kind >= 0:
            stack = stack.step([int(kind == 0), int(kind == 1)], push=1)
        elif stack.reading == ((1, 0) if symbol == ")" else (0, 1)):
            stack = stack.step(pop=1)
        else:
            return False
    return not any(stack.reading)


def balanced(word):
    while "()" in word or "[]" in word:
        word = word.replace("()", "").replace("[]", "")
    return not word


@pytest.mark.parametrize("kind", [SuperpositionStack, StratifiedStack])
def test_hard_actions_decide_dyck_2(kind):
    """On all 5,461 words of at most six symbols, and on long ones."""
    count = 0
    for length in range(7):
        for word in map("".join, product("()[]", repeat=length)):
            assert dyck_by(kind(values=2), word) is balanced(word)
            count += 1
    assert count == 5461
    random = Random(1)
    for length in (50, 200):
        word = "".join(random.choice("([") for _ in range(length // 2))
        word += "".join({"(": ")", "[": "]"}[x] for x in reversed(word))
        assert dyck_by(kind(values=2), word)
        assert not dyck_by(kind(values=2), word[:-1] + "(")


def test_denominators_of_a_superposition_grow_with_those_of_the_actions():
    """By two bits a step at most with quarters: 39 bits after 20 steps of these."""
    stack = SuperpositionStack()
    for _ in range(20):
        stack = stack.step(1, push="1/2", pop="1/4")
    longest = max(x.denominator.bit_length() for cell in stack.cells for x in cell)
    assert longest <= 2 * 20 + 1


@pytest.mark.parametrize(("format", "steps"), [(xn.FLOAT16, 24), (xn.FLOAT32, 149), (xn.BFLOAT16, 133)])
def test_the_deepest_cell_is_lost(format, steps):
    """With pushes of 1/2 it holds 2^-t: the last number after so many pushes, then 0."""
    stack = SuperpositionStack(arithmetic=format)
    for t in range(1, steps + 2):
        stack = stack.step(1, push="1/2")
        assert len(stack.cells) == min(t, steps)
    assert stack.cells[-1][0] >= format.smallest


def test_a_superposition_in_float32_is_that_of_numpy():
    random = Random(5)
    stack, plain = SuperpositionStack(arithmetic=xn.FLOAT32), []
    for _ in range(40):
        a, b = random.random() / 2, random.random() / 2
        c, v = 1 - a - b, random.randint(1, 9)
        stack = stack.step(v, push=a, pop=b, keep=c)
        around = [np.float32(v), *plain, np.float32(0), np.float32(0)]
        a, b, c = map(np.float32, (a, b, c))
        plain = [a * around[i] + b * around[i + 2] + c * around[i + 1] for i in range(len(plain) + 1)]
        while plain and not plain[-1]:
            plain.pop()
        assert [float(x) for (x,) in stack.cells] == [float(x) for x in plain]


def test_wrong_steps_of_a_superposition():
    stack = SuperpositionStack(values=2)
    for call, error, message in (
        (lambda: stack.step([1, 1], push=2), OptionError, "more than 1"),
        (lambda: stack.step([1, 1], push="1/2", pop="1/2", keep="1/2"), OptionError, "the sum 1"),
        (lambda: stack.step([1, 1], push=-1, pop=2, keep=0), OptionError, "push=-1"),
        (lambda: stack.step([1, 1, 1], push=1), NetworkError, "3 entries, not 2"),
        (lambda: SuperpositionStack(values=10**9), OptionError, "values"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert stack.step([1, 2], push=1).as_table().rows == ((0, "1, 2"),)
    assert "2 cells" in repr(stack.step([1, 2], push=1).step([1, 2], push=1))


def test_stacks_are_drawn():
    """One bar for each layer of the cake, one row for each depth, one bar for each share."""
    pytest.importorskip("matplotlib")
    from exactnn.plots import plot_stack

    stratified, superposed = StratifiedStack(), SuperpositionStack()
    cakes, maps = [], []
    for k in range(4):
        cakes.append(stratified := stratified.step(k + 1, push="1/2"))
        maps.append(superposed := superposed.step(k + 1, push="1/2"))
    assert len(plot_stack(cakes).axes[0].patches) == 1 + 2 + 3 + 4
    assert plot_stack(maps).axes[0].images[0].get_array().shape == (4, 4)
    reversal = xn.nondeterministic_reversal()
    tops = [reversal.read("abba"[:k]) for k in range(1, 5)]
    heights = [bar.get_height() for bar in plot_stack(tops).axes[0].patches]
    assert sum(heights) == pytest.approx(4)
    for wrong, message in (([], "one after each step"), ([cakes[0], maps[0]], "several kinds"), ([1], "stack")):
        with pytest.raises(OptionError, match=message):
            plot_stack(wrong)


@pytest.mark.parametrize("precision", range(2, 30))
def test_three_thirds_leave_a_rest_if_the_precision_is_even(precision):
    """Then 1/3 is rounded up to w, and 1 - w, in the middle of two numbers, down: twice 3 w - 1 is left."""
    format = xn.FloatFormat(precision=precision, exponent_bits=8)
    stack = StratifiedStack(arithmetic=format)
    for _ in range(3):
        stack = stack.step(push="1/3")
    rest = sum(map(mpq, stack.step(pop=1).strengths))
    assert rest == 2 * max(0, 3 * format.rounded("1/3") - 1)
    assert (rest > 0) is (precision % 2 == 0)


@pytest.mark.parametrize("kind", [StratifiedStack, SuperpositionStack])
def test_what_a_stack_is_made_with_is_checked(kind):
    """Floats are the numbers that they are, and what is no number or has another length is refused."""
    held = "cells" if kind is SuperpositionStack else "vectors"
    amounts = {} if kind is SuperpositionStack else {"strengths": (0.5,)}
    assert kind(**{held: ((0.1,),)}, **amounts).reading in ((mpq(0.1),), (mpq(0.1) / 2,))
    for wrong in (5, None, (("x",),), ((1, 2),)):
        with pytest.raises((OptionError, NumberError)):
            kind(**{held: wrong}, **amounts)
    with pytest.raises(NetworkError):
        kind(values=3).step([])
    assert kind(values=3).step(np.array([1, 0, 0]), push=1).reading == (1, 0, 0)


def test_amounts_and_strengths_that_cannot_be():
    with pytest.raises(OptionError, match="at least 0"):
        StratifiedStack(strengths=(-1,), vectors=((1,),))
    with pytest.raises(OptionError, match="more than 1"):
        SuperpositionStack().step(1, push=1, pop=1)
