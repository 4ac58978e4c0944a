"""Automata as linear recurrences: the state is multiplied by what the input selects, and nothing else.

``word_problem``
    Groups: by swaps, permutation matrices, signs and rotations.
``gated_languages``
    Parity, flip-flop and bounded Dyck languages: gates that are 0, 1 or -1.
``star_free``
    Automata without groups: stacks of gates that are 0 or 1.
"""
