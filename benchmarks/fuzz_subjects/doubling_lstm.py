"""The doubling LSTM for marked palindromes, symbol by symbol, beside a stack that is a plain list.

Words are a half, a mark and the half reversed, with a few places changed: so that a run gets far, and goes wrong
anywhere. A run begins with an empty stack, or with one that is encoded.
"""

from dataclasses import replace

from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import StackConfiguration
from exactnn.constructions import DoublingStack, doubling_lstm_palindromes
from fuzz_subjects.subject import Subject

__all__ = ["DOUBLING_LSTM"]

ARITHMETICS = {"exact": xn.EXACT, "rational": xn.RATIONAL}
NAMES = ("a", "b", "$", "0", "1", "push", "weight", "ab")

Word = tuple[str, ...]
Case = tuple[tuple[str, ...], Word, Word, str]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """Two symbols and the mark, a word of them, and the stack and the state that a run begins with."""
    symbols = draw(st.permutations(NAMES))[:3]
    letters = st.sampled_from(symbols[:2])
    stack = draw(st.lists(letters, max_size=6) if draw(st.booleans()) else st.just([]))
    state = draw(st.sampled_from(("push", "compare"))) if stack else "push"
    half = draw(st.lists(letters, max_size=12)) if state == "push" else []
    mark = [symbols[2]] if state == "push" else []
    word = [*half, *mark, *reversed(half), *stack]
    for _ in range(draw(st.integers(0, 2))):
        place, kept = draw(st.integers(0, len(word))), draw(st.integers(0, 1))
        word[place : place + 1 + kept] = draw(st.lists(st.sampled_from(symbols), max_size=2))
    return tuple(symbols), tuple(word), tuple(stack), state


def stacks(symbols: Word, word: Word, stack: Word, state: str) -> list[StackConfiguration]:
    """Return the configurations along a word: pushed up to the mark, then popped, and wrong for ever."""
    left, path = list(stack), [StackConfiguration(state=state, stacks=(stack,))]
    for symbol in word:
        if state == "push" and symbol == symbols[2]:
            state = "compare"
        elif state == "push":
            left.insert(0, symbol)
        elif state == "compare" and left and left[0] == symbol:
            left.pop(0)
        else:
            state, left = "wrong", []
        path.append(StackConfiguration(state=state, stacks=(tuple(left),)))
    return path


def beginning(net: DoublingStack, configuration: StackConfiguration) -> xn.Network:
    """Return the network as it goes on from a configuration."""
    return replace(net.network, initial_state=net.encode(configuration))


def check(arithmetic: str, case: Case) -> None:
    symbols, word, stack, state = case
    net = doubling_lstm_palindromes(alphabet=symbols[:2], mark=symbols[2])
    path = stacks(symbols, word, stack, state)
    network = beginning(net, path[0]) if stack else net.network
    run = xn.run(network, word, arithmetic=ARITHMETICS[arithmetic], record="all")
    told = f"{' '.join(word)} with {' '.join(symbols)} from {path[0]}"
    assert run.steps == len(word), f"{told}: {run.steps} steps"
    for step, (expected, values) in enumerate(zip(path, run.trace, strict=True)):
        found = net.decode(values)
        assert found == expected, f"{told}: step {step} is {found}, not {expected}"
        output = run.outputs[step - 1] if step else run.initial_output
        accepted = expected.state == "compare" and expected.stacks == ((),)
        assert (output > 0) == accepted, f"{told}: step {step}, {expected}, has the output {output}"
    assert bool(run.verdict) == accepted, f"{told}: {run.verdict}"


DOUBLING_LSTM = Subject(cases=cases, check=check, arithmetics=tuple(ARITHMETICS))
