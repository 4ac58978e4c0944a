"""A small language for steps: registers and stacks, clipping, conditions; checked domains, an interpreter, a compiler.

A step is written as in a proof (`docs/steps.md`), evaluated directly (`step_outputs`), and lowered to a network
(`step_network`), which `fold_network` makes a simple RNN.

``expression``, ``operations``, ``registers``
    What a step is written with: sums, clipped sums and domains; conditions and comparisons; what is kept and read.
``step``
    The step itself, its interpreter and its network.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
