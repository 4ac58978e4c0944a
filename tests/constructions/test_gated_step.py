"""Steps that are written in rows: names of any kind, products, protocols, and what cannot be read."""

import pytest
from every_executor import check_every_executor
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import dfas, words

from exactnn.automata import interpret
from exactnn.constructions.gated_step import Next, Row, gated_network
from exactnn.errors import ConstructionError
from exactnn.networks import EOS, Activation, Decision, Protocol
from exactnn.simulation import run

IDENTITY = Activation.IDENTITY


def second_order(dfa, rename):
    """One unit per state and one product per transition: q' = sum of p a over all p, a that lead to q."""
    state = {rename(q): int(q == dfa.initial_state) for q in dfa.states}
    inputs = {("reads", a): a for a in dfa.input_symbols}
    entered = {q: {} for q in dfa.states}
    for p, row in dfa.transitions.items():
        for a, q in row.items():
            entered[q][(rename(p), ("reads", a))] = 1
    layer = {Next(rename(q)): Row(IDENTITY, terms) for q, terms in entered.items()}
    output = {(rename(q),): 1 for q in dfa.final_states}
    return gated_network(state=state, inputs=inputs, layers=[layer], output=output, name="second order")


RENAMED = {
    "tuples": lambda q: ("state", q),
    "spaces": lambda q: (f"{q} +",),
    "plus": lambda q: ("q+", q),
    "numbers": lambda q: int(q.removeprefix("q")),
}


@pytest.mark.parametrize("rename", RENAMED.values(), ids=RENAMED)
@given(dfa=dfas(), data=st.data())
def test_states_of_machines_may_be_part_of_names(rename, dfa, data):
    network = second_order(dfa, rename)
    word = data.draw(words(dfa.input_symbols))
    assert run(network, word).verdict is interpret(dfa, word).verdict
    assert len(set(network.circuit.state_names)) == len(dfa.states)


def test_names_are_printed_as_those_of_other_constructions():
    rows = {
        Next(("state", "a b")): Row(IDENTITY, {(): 1}),
        "gate": Row(IDENTITY, {"": 2}),
        "q+": Row(IDENTITY, {"q": 1}),
    }
    network = gated_network(state={("state", "a b"): 0, "q": 1}, inputs={}, layers=[rows], output={}, name="names")
    assert [unit.name for unit in network.circuit.layers[0]] == ["state 'a b'", "gate", "q"]


def test_text_and_tuples_say_the_same():
    text = Row(IDENTITY, {"": 1, "p": 2, "p q+": 3}).unit("u", {"p": 0, Next("q"): 1})
    tuples = Row(IDENTITY, {(): 1, ("p",): 2, ("p", Next("q")): 3}).unit("u", {"p": 0, Next("q"): 1})
    assert text == tuples
    assert (text.bias, text.linear, text.bilinear) == (1, ((0, mpq(2)),), ((0, 1, mpq(3)),))


def test_another_protocol():
    """Accepts at once where there was an a."""
    rows = {"c+": Row(Activation.SLU, {"c": 1, "a": "1/2"}), "d+": Row(IDENTITY, {"c eos": 2, "d": 1})}
    network = gated_network(
        state={"c": 0, "d": 0}, inputs={"a": "a", "b": "b", "eos": EOS}, layers=[rows], output={"d": 1}, name="an a",
        decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1, 2)),
    )  # fmt: skip
    exact, _ = check_every_executor(network, "ba", limit=6)
    assert (exact.verdict, exact.eos_steps) == ("accept", 1)
    assert run(network, "bb", max_steps=9).verdict is None


def test_what_cannot_be_read_is_refused():
    one = {"state": {"q": 0}, "inputs": {"a": "a"}, "output": {"q": 1}, "name": "one"}
    with pytest.raises(ConstructionError, match="unit 'q' reads 'gate', which is not there before it"):
        gated_network(layers=[{"q+": Row(IDENTITY, {"gate q": 1}), "gate": Row(IDENTITY, {"a": 1})}], **one)
    with pytest.raises(ConstructionError, match="multiplies 3 names"):
        gated_network(layers=[{"q+": Row(IDENTITY, {"q q a": 1})}], **one)
    with pytest.raises(ConstructionError, match=r"'q' has no row for its next value: add Next\(name='q'\)"):
        gated_network(layers=[], **one)
