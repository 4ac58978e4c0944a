"""Networks with a stack beside their controller and their stack, and weighted pushdown automata beside their runs."""

from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn import (
    RATIONAL,
    SimpleRNNLayer,
    StackRNN,
    StratifiedStack,
    SuperpositionStack,
    WeightedPushdownAutomaton,
    nondeterministic_stack_rnn,
    run,
)
from exactnn.strategies import rationals
from fuzz_subjects.subject import Subject

__all__ = ["NEURAL_STACKS", "PUSHDOWN_WEIGHTS"]

WEIGHTS = rationals(largest=3)


class StackCase(NamedTuple):
    """A controller of two units that reads one number and the top, its heads, a word, and the room of the stack."""

    kind: type
    matrix: tuple[tuple[mpq, ...], ...]
    word: tuple[mpq, ...]
    depth: int


@st.composite
def stack_cases(draw: st.DrawFn, arithmetic: str) -> StackCase:
    rows = tuple(tuple(draw(WEIGHTS) for _ in range(5)) for _ in range(5))
    word = tuple(draw(st.lists(WEIGHTS, max_size=6)))
    return StackCase(draw(st.sampled_from([SuperpositionStack, StratifiedStack])), rows, word, draw(st.integers(1, 7)))


def check_stack(arithmetic: str, case: StackCase) -> None:
    """Check outputs while nothing is lost; with as much depth as there are steps nothing ever is."""
    first, second, push, pop, value = case.matrix
    network = StackRNN(
        controller=SimpleRNNLayer(
            V=[first[:2], second[:2]], W=[first[2:4], second[2:4]], b=[first[4], second[4]], s=[0, 0], activation="slu"
        ),
        stack=case.kind(),
        depth=case.depth,
        push_weight=push[:2], push_bias=push[4], pop_weight=pop[:2], pop_bias=pop[4],
        value_weight=[value[:2]], value_bias=[value[4]], readout_weight=[1, 2],
    )  # fmt: skip
    found = run(network, [[x] for x in case.word], arithmetic=RATIONAL).outputs
    h, stack = (mpq(0), mpq(0)), case.kind()
    for x, (output, lost) in zip(case.word, found, strict=True):
        read = (*h, x, stack.reading[0], 1)
        h = clipped(dot(first, read)), clipped(dot(second, read))
        g, f = (clipped(dot(head[:2], h) + head[4]) for head in (push, pop))
        popped = (1 - g) * f if case.kind is SuperpositionStack else f
        stack = stack.step(dot(value[:2], h) + value[4], push=g, pop=popped)
        assert lost or output == h[0] + 2 * h[1], f"{case}: {output}, not {h[0] + 2 * h[1]}"
        assert not lost or case.depth < len(case.word), f"{case}: {lost} is lost in a stack that has room"


def dot(first: Any, second: Any) -> mpq:
    return sum((x * y for x, y in zip(first, second, strict=False)), mpq(0))


def clipped(x: mpq) -> mpq:
    return max(mpq(0), min(mpq(1), x))


class PushdownCase(NamedTuple):
    """An automaton of two states and two stack symbols, and a word."""

    automaton: WeightedPushdownAutomaton
    word: str


@st.composite
def pushdown_cases(draw: st.DrawFn, arithmetic: str) -> PushdownCase:
    weight = st.one_of(st.just(mpq(0)), WEIGHTS.map(abs))
    q, x = range(draw(st.integers(1, 2))), range(draw(st.integers(1, 2)))
    automaton = WeightedPushdownAutomaton(
        states=q,
        stack_symbols=x,
        input_symbols="ab",
        push={c: {key: draw(weight) for key in product(q, x, q, x)} for c in "ab"},
        replace={c: {key: draw(weight) for key in product(q, x, q, x)} for c in "ab"},
        pop={c: {key: draw(weight) for key in product(q, x, q)} for c in "ab"},
    )
    return PushdownCase(automaton, draw(st.text("ab", max_size=4)))


def check_pushdown(arithmetic: str, case: PushdownCase) -> None:
    expected: dict[Any, mpq] = {}
    for state, stack, weight in case.automaton.runs(case.word):
        expected[state, stack[-1]] = expected.get((state, stack[-1]), mpq(0)) + weight
    found = case.automaton.read(case.word).weights
    assert found == expected, f"{case}: {found}, not {expected}"
    compiled = nondeterministic_stack_rnn(case.automaton, span=max(1, len(case.word)))
    state = run(compiled, case.word, arithmetic=RATIONAL).final_state
    assert compiled.decode(state) == expected, f"{case}: the network has {compiled.decode(state)}, not {expected}"


NEURAL_STACKS = Subject(cases=stack_cases, check=check_stack)
PUSHDOWN_WEIGHTS = Subject(cases=pushdown_cases, check=check_pushdown)
