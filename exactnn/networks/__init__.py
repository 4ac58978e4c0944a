"""Networks with exact parameters: the step circuit, cells lowered to it, and their files. No arithmetic here.

``network``, ``circuit``, ``activation``, ``squashing``
    What a network is, and what a cell puts on its sums; ``real_network`` is one with real numbers in its start state.
``simple_rnn``, ``lstm``, ``gru``, ...
    The cells have a file each; the page ``docs/cells.md`` lists them.
``layer``, ``cell``, ``gates``
    What cells are written with: layers and stacks of them; rows of sums and products, readout, alphabet, protocol and
    torch's names; parameters.
``network_file``, ``exchange``
    Files of our own, and of torch, safetensors and ONNX.
``any_network``
    What people mean by a network: that of a construction, a machine, a name or a file.
``acceptor``
    Classifiers with verdicts: the class whose output is the largest.
``linear_network``
    Linear networks as weighted automata.
``difference``, ``step_formulas``, ``weight_arrays``, ``weight_pattern``
    Whether two networks are the same; a network written out for people; its weights as arrays and as a picture.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
