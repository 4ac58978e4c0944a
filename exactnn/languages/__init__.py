"""Languages that benchmarks are made of, as minimal automata.

``subregular``
    A function for each class of regular languages: what is forbidden or counted goes in, the automaton comes out.
``definitions``
    What these share: checks, reading words for factors and subsequences, the minimal automaton.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
