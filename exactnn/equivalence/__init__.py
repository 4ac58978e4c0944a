"""Which automaton a network is, and whether two systems say the same: extraction, decisions, shortest witnesses.

``extraction``
    All states of a network in an arithmetic, as an automaton; ``closure_certificate`` is the proof that none is
    missing, and ``closure_check`` checks it without the search.
``equivalent``
    Do two machines or networks say the same of every word? ``moore_machines`` and ``word_moore`` bring them into one
    form, that of ``lazy_moore``; ``values`` says what is compared by values, and decided where it is linear.
    ``collapse_witness`` asks it of a format and the exact network.
``hankel``, ``spectral``
    How few states a weighted automaton with the values of a function may have, and which one has them.
``state_growth``
    How many states words of each length lead to; ``state_levels`` finds them, length by length.
``limits``
    When a search ends although there is more to be found.
``spaces``
    The states of a network in an arithmetic, found as they are asked for.
``automata``
    Automata as tables: minimal ones, products, words that tell two apart.
``learning``
    Automata learned by asking a network for words.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
