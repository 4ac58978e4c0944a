"""A small language for steps: registers and stacks, clipping, conditions; checked domains, an interpreter, a compiler.

A step is written as in a proof (`docs/steps.md`), evaluated directly (`step_outputs`), and lowered to a network
(`step_network`), which `fold_network` makes a simple RNN.
"""

from exactnn.constructions.steps.clip import relu, slu, within
from exactnn.constructions.steps.domain import Domain
from exactnn.constructions.steps.evaluation import step_outputs, step_states
from exactnn.constructions.steps.expression import Expression
from exactnn.constructions.steps.lowering import step_network
from exactnn.constructions.steps.operations import and_, case_registers, cases, either, if_, max_, min_, not_, or_
from exactnn.constructions.steps.registers import Choice, bit, choice, number, read, read_any, stack
from exactnn.constructions.steps.stack_vector import StackVector, pop, push, top
from exactnn.constructions.steps.step import Step

__all__ = [
    "Choice",
    "Domain",
    "Expression",
    "StackVector",
    "Step",
    "and_",
    "bit",
    "case_registers",
    "cases",
    "choice",
    "either",
    "if_",
    "max_",
    "min_",
    "not_",
    "number",
    "or_",
    "pop",
    "push",
    "read",
    "read_any",
    "relu",
    "slu",
    "stack",
    "step_network",
    "step_outputs",
    "step_states",
    "top",
    "within",
]
