"""A small language for steps: registers and stacks, clipping, conditions; checked domains, an interpreter, a compiler.

A step is written as in a proof (`docs/steps.md`), evaluated directly (`step_outputs`), and lowered to a network
(`step_network`), which `fold_network` makes a simple RNN.

``expression``, ``operations``, ``registers``
    What a step is written with: sums, clipped sums and domains; conditions and comparisons; what is kept and read.
``step``
    The step itself, its interpreter and its network.
"""

from exactnn.constructions.steps.expression import Domain, Expression, relu, slu, within
from exactnn.constructions.steps.operations import and_, case_registers, cases, either, if_, max_, min_, not_, or_
from exactnn.constructions.steps.registers import (
    Choice,
    StackVector,
    bit,
    choice,
    number,
    pop,
    push,
    read,
    read_any,
    stack,
    top,
)
from exactnn.constructions.steps.step import Step, step_network, step_outputs, step_states

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
