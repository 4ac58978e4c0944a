"""Stacks of neural networks as values: of strengths, in superposition, and of all runs of a pushdown automaton.

Each is frozen: a step gives the next one, exactly in rational numbers, or rounded operation by operation in a format.

``stratified``, ``superposition``
    Stacks of vectors: pushed and popped in part.
``exactnn.automata.nondeterministic_stack``, ``exactnn.automata.weighted_pushdown_automaton``
    The weights of all runs of a weighted pushdown automaton, which is a machine.
``stack_rnn``, ``stack_languages``
    Networks of a controller and one of the first two; those that recognise brackets and marked reversals.
``vectors``
    What the first two share.
"""

from exactnn.automata import (
    NondeterministicStack,
    Semiring,
    StackWeights,
    WeightedPushdownAutomaton,
    nondeterministic_reversal,
)
from exactnn.stacks.stack_languages import StackLanguage, stack_rnn_dyck, stack_rnn_marked_reversal
from exactnn.stacks.stack_rnn import StackRNN
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack

__all__ = [
    "NondeterministicStack",
    "Semiring",
    "StackLanguage",
    "StackRNN",
    "StackWeights",
    "StratifiedStack",
    "SuperpositionStack",
    "WeightedPushdownAutomaton",
    "nondeterministic_reversal",
    "stack_rnn_dyck",
    "stack_rnn_marked_reversal",
]
