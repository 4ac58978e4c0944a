"""Words to states that only long words lead to."""

from exactnn import EXACT, SimpleRNN, extract_state_machine


def counter():
    return SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a")


def test_words_are_not_searched_for_symbol_by_symbol(monkeypatch):
    found = extract_state_machine(counter(), EXACT, max_states=200)
    asked = []
    real = type(found._search.moore).successors
    monkeypatch.setattr(
        type(found._search.moore), "successors", lambda moore, *given: asked.append(given) or real(moore, *given)
    )
    assert [len(word) for word in found.frontier(1)] == [199]
    assert len(asked) == 1
