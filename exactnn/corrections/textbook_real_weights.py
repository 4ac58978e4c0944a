"""Errata of the textbook theorem that networks with real weights decide every language."""

from collections.abc import Iterable, Iterator
from itertools import count, product

from gmpy2 import mpq

from exactnn.constructions import language_in_a_weight
from exactnn.corrections.erratum import Outcomes, entry
from exactnn.networks import EOS, Network, SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import run

__all__ = ["ENTRIES"]

WHERE = "textbook chapter on recurrent networks, Theorem 4.7"

LISTED, STEPS = 8, 20
"""Networks of the enumeration that are looked at, and how many EOS symbols they are given."""

MOST_WORDS = 100


@entry(
    id="E12",
    title="rational weights do not have every language",
    where=WHERE,
    statement="for any language there is such a network with rational weights",
    counterexample="a list of the networks of one ReLU unit that starts at 0 and is the output, over all rational "
    f"weights; of its first {LISTED}: L has a^i if number i does not accept a^i with {STEPS} EOS symbols",
    correction="The weights are real: there are as many languages as real numbers, and countably many networks with "
    "rational weights, so that a list of all of them, not of one unit only, has a diagonal. Here the start state alone "
    "is no rational number.",
)
def rational_weights_are_countable() -> Outcomes:
    words = ["a" * i for i in range(LISTED)]
    accepted = [
        word
        for word, network in zip(words, _networks(), strict=False)
        if run(network, word, max_steps=len(word) + STEPS).outcome is Outcome.ACCEPTED
    ]
    diagonal = [word for word in words if word not in accepted]
    decides = language_in_a_weight(diagonal, "a")
    decided = [word for word in words if run(decides, word).outcome is Outcome.ACCEPTED]
    return Outcomes(
        literal=f"a^i for i = {_lengths(accepted)} are accepted by their networks, and not in L",
        corrected=f"one network accepts a^i for i = {_lengths(decided)}",
    )


def _lengths(words: Iterable[str]) -> str:
    return ", ".join(str(len(word)) for word in words)


def _networks() -> Iterator[Network]:
    """Yield networks of one ReLU unit, start 0 and readout 1: by the largest numerator or denominator of a weight."""
    for size in count(1):
        weights = sorted({mpq(p, q) for p in range(-size, size + 1) for q in range(1, size + 1)})
        for v, w, e, b in product(weights, repeat=4):
            if max(max(abs(x.numerator), x.denominator) for x in (v, w, e, b)) == size:
                yield SimpleRNN(
                    V=[[v]], W=[[w, e]], b=[b], s=[0], readout_weight=[1], activation="relu", alphabet=["a", EOS]
                )


@entry(
    id="E13",
    title="a finite language is no infinite string",
    where=f"{WHERE}, proof",
    statement="the list w1 # w2 # ... of a language is an infinite string, as #aa#bb#...#aaaaa#... of the words ww",
    counterexample="the empty language, and the empty word (the example is wrong, too: aaaaa is no word ww)",
    correction="The list has an end marker, at which the machine rejects.",
)
def finite_languages_end() -> Outcomes:
    outcome, compared = _as_printed([], "")
    found = run(language_in_a_weight([], "a"), "")
    return Outcomes(
        literal=f"{outcome} after {compared} words of the list",
        corrected=f"{found.outcome} with EOS number {found.eos_steps}",
    )


@entry(
    id="E14",
    title="a mismatch does not tell which word is longer",
    where=f"{WHERE}, proof, steps 1 to 4 of the machine",
    statement="compare w with a listed word; if they are equal accept, if w is shorter reject, otherwise go on",
    counterexample="w = a and the language of all b^n, if the comparison stops at the first mismatch",
    correction="After a mismatch the lengths are compared on: a listed word that is longer ends the search.",
)
def mismatches_hide_lengths() -> Outcomes:
    outcome, compared = _as_printed(("b" * n for n in range(MOST_WORDS)), "a")
    found = run(language_in_a_weight(lambda word: set(word) <= {"b"}, "ab"), "a")
    return Outcomes(
        literal=f"{outcome} after {compared} words of the list",
        corrected=f"{found.outcome} with EOS number {found.eos_steps}",
    )


def _as_printed(listed: Iterable[str], word: str) -> tuple[str, int]:
    """Follow the steps of the machine; return what comes of it, and how many words of the list were compared.

    A comparison stops at the first mismatch: it sees that w is shorter if that ends before one.
    """
    compared = 0
    for compared, other in enumerate(listed, 1):
        if other == word:
            return "accepted", compared
        if other.startswith(word):
            return "rejected", compared
    return "no verdict", compared


ENTRIES = (rational_weights_are_countable, finite_languages_end, mismatches_hide_lengths)
