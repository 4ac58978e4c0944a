"""Weighted pushdown automata compared word by word, with one another and with what is finite."""

from itertools import product

from gmpy2 import mpq
from hypothesis import given, settings

import exactnn as xn
from exactnn.strategies import weighted_pushdown_automata
from exactnn.testing import Compiler, fuzz


def without_a_stack(automaton):
    """The weighted pushdown automaton that never pushes and has the values of a weighted one that begins in state 0."""
    return xn.WeightedPushdownAutomaton(
        states=automaton.states,
        stack_symbols=["bottom"],
        input_symbols=automaton.input_symbols,
        replace={
            a: {
                (i, "bottom", j, "bottom"): automaton.transitions[a][i][j]
                for i, j in product(automaton.states, repeat=2)
            }
            for a in automaton.input_symbols
        },
        final={(i, "bottom"): weight for i, weight in enumerate(automaton.final)},
    )


FAIR = xn.WeightedAutomaton(
    input_symbols="ab",
    initial=[1, 0],
    transitions={"a": [["1/2", "1/4"], [0, "1/3"]], "b": [["1/5", 0], [1, "1/2"]]},
    final=["1/7", 2],
)


def test_with_a_weighted_automaton_and_its_network():
    pushdown = without_a_stack(FAIR)
    wrong = FAIR + xn.WeightedAutomaton(
        input_symbols="ab", initial=[1, 0, 0], final=[0, 0, 1],
        transitions={"a": [[0, 1, 0], [0, 0, 0], [0, 0, 0]], "b": [[0, 0, 0], [0, 0, 1], [0, 0, 0]]},
    )  # fmt: skip
    for other in (FAIR, xn.compile(FAIR), xn.compile(FAIR).network):
        found = xn.equivalent(pushdown, other, by="value", max_length=6)
        assert (found.equal, found.witness, found.bound) == (None, None, 6)
    for other in (wrong, xn.compile(wrong)):
        found = xn.equivalent(other, pushdown, by="value")
        assert (found.equal, "".join(found.witness), found.bound) == (False, "ab", 1)
        assert found.labels == (wrong.value("ab"), FAIR.value("ab"))


def test_with_a_dfa():
    parity = xn.load("parity")
    odd = without_a_stack(xn.WeightedAutomaton.from_dfa(parity))
    assert xn.equivalent(parity, odd, max_length=7).witness is None
    assert xn.equivalent(odd, xn.load("tomita-1"), max_length=7).witness == ()


@given(weighted_pushdown_automata(), weighted_pushdown_automata())
@settings(max_examples=30)
def test_a_witness_is_a_shortest_word(first, second):
    if set(first.input_symbols) != set(second.input_symbols):
        return
    found = xn.equivalent(first, second, max_length=3)
    words = [word for n in range(4) for word in product(first.input_symbols, repeat=n)]
    differ = next((word for word in words if first.weight(word) != second.weight(word)), None)
    if differ is None:
        assert (found.equal, found.bound) == (None, 3)
    else:
        assert len(found.witness) == len(differ) == found.bound + 1
        assert found.labels == (first.weight(found.witness), second.weight(found.witness))


def test_the_search_for_counterexamples_draws_them():
    """A network that gives every word the weight of the empty one is wrong on a smallest automaton."""

    def constant(automaton: xn.WeightedPushdownAutomaton) -> xn.Construction:
        start = automaton.final.get((automaton.states[0], automaton.stack_symbols[0]), mpq(0))
        always = {a: [[1]] for a in automaton.input_symbols}
        return xn.compile(
            xn.WeightedAutomaton(input_symbols=automaton.input_symbols, initial=[1], transitions=always, final=[start])
        ).network

    compiler = Compiler(name="constant", kind=xn.WeightedPushdownAutomaton, function=constant)
    found = fuzz(compiler, seconds=60).found
    assert (len(found.machine.states), len(found.machine.stack_symbols), len(found.word)) == (1, 1, 1)
    assert found.value == found.machine.weight(found.word) != found.machine.weight(())
