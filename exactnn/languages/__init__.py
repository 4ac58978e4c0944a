"""Languages that benchmarks are made of, as minimal automata.

``subregular``
    A function for each class of regular languages: what is forbidden or counted goes in, the automaton comes out.
``definitions``
    What these share: checks, reading words for factors and subsequences, the minimal automaton.
"""

from exactnn.languages.subregular import (
    locally_testable,
    marked_product,
    modular_counting,
    piecewise_testable,
    strictly_local,
    strictly_piecewise,
)

__all__ = [
    "locally_testable",
    "marked_product",
    "modular_counting",
    "piecewise_testable",
    "strictly_local",
    "strictly_piecewise",
]
