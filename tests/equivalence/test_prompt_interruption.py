"""Ctrl-C before the first step of an extraction, and words to states that only long words lead to."""

import signal

from exactnn import EXACT, SimpleRNN, extract_state_machine
from exactnn.equivalence import extraction


def counter():
    return SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a")


def test_interrupted_before_the_first_step(monkeypatch):
    made = extraction.state_space

    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        return made(*given)

    monkeypatch.setattr(extraction, "state_space", interrupted)
    found = extract_state_machine(counter(), EXACT)
    assert (found.complete, found.reason, found.states) == (False, "it was interrupted", 1)
    monkeypatch.undo()
    assert found.resumed(max_states=10).states == 10


def test_words_are_not_searched_for_symbol_by_symbol(monkeypatch):
    found = extract_state_machine(counter(), EXACT, max_states=200)
    asked = []
    real = type(found._search.moore).successors
    monkeypatch.setattr(
        type(found._search.moore), "successors", lambda moore, *given: asked.append(given) or real(moore, *given)
    )
    assert [len(word) for word in found.frontier(1)] == [199]
    assert len(asked) == 1
