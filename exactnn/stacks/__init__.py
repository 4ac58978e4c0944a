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

from exactnn.stacks.cantor import CantorStack
from exactnn.stacks.stack_limits import StackLimit, StackLimits, stack_limits
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack

__all__ = [
    "CantorStack",
    "StackLimit",
    "StackLimits",
    "StratifiedStack",
    "SuperpositionStack",
    "stack_limits",
]
