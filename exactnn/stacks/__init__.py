"""Stacks of neural networks as values: of strengths, in superposition, in one number.

Each is frozen: a step gives the next one, exactly in rational numbers, or rounded operation by operation in a format.
That of all runs of a pushdown automaton is in :mod:`exactnn.automata`, beside the automaton; networks with stacks are
in :mod:`exactnn.constructions`.

``stratified``, ``superposition``
    Stacks of vectors: pushed and popped in part.
``cantor``
    A stack of bits in one number.
``stack_limits``
    How long stacks hold in a format.
``vectors``
    What the first two share.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
