"""Stacks of neural networks as values: of strengths, in superposition, and of all runs of a pushdown automaton.

Each is frozen: a step gives the next one, exactly in rational numbers, or rounded operation by operation in a format.
Networks that have them are in :mod:`exactnn.constructions`.

``stratified``, ``superposition``
    Stacks of vectors: pushed and popped in part.
``nondeterministic``
    The weights of all runs of a weighted pushdown automaton; ``log_numbers`` has their logarithms.
``pushdown``
    Weighted pushdown automata, which the last of them runs, and by enumeration.
``cantor``
    A stack of bits in one number.
``stack_limits``
    How long each of them holds in a format.
``vectors``
    What the first two share.
"""

from exactnn.stacks.cantor import CantorStack
from exactnn.stacks.nondeterministic import NondeterministicStack, Semiring, StackWeights
from exactnn.stacks.pushdown import WeightedPushdownAutomaton, nondeterministic_reversal
from exactnn.stacks.stack_limits import StackLimit, StackLimits, stack_limits
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack

__all__ = [
    "CantorStack",
    "NondeterministicStack",
    "Semiring",
    "StackLimit",
    "StackLimits",
    "StackWeights",
    "StratifiedStack",
    "SuperpositionStack",
    "WeightedPushdownAutomaton",
    "nondeterministic_reversal",
    "stack_limits",
]
