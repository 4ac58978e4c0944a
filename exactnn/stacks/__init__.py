"""Stacks of neural networks as values: of strengths, in superposition, and of all runs of a pushdown automaton.

Each is frozen: a step gives the next one, exactly in rational numbers, or rounded operation by operation in a format.

``stratified``, ``superposition``
    Stacks of vectors: pushed and popped in part.
``nondeterministic``
    The weights of all runs of a weighted pushdown automaton; ``log_numbers`` has their logarithms.
``pushdown``
    Weighted pushdown automata, which the last of them runs, and by enumeration.
``vectors``
    What the first two share.
"""

from exactnn.stacks.nondeterministic import NondeterministicStack, Semiring, StackWeights
from exactnn.stacks.pushdown import WeightedPushdownAutomaton, nondeterministic_reversal
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack

__all__ = [
    "NondeterministicStack",
    "Semiring",
    "StackWeights",
    "StratifiedStack",
    "SuperpositionStack",
    "WeightedPushdownAutomaton",
    "nondeterministic_reversal",
]
