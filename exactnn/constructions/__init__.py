"""Machine to network: one named construction per file, each with its claim, its source and its decoder.

``finite_automata``, ``counters``, ``stacks``, ``tapes``
    The constructions, by the kind of machine.
``recurrences``
    Linear recurrences: word problems of groups, flip-flops, bounded Dyck and star-free languages.
``neural_stacks``
    Networks with stacks that are pushed and popped in part, and of pushdown automata with weights.
``without_output_layer``
    Languages that are a unit of a network themselves, and those that are none.
``transducers``
    Moore and Mealy machines.
``weighted``, ``weighted_minsky``
    Weighted automata.
``reals``
    Any language as a network, with a real number in its start state.
``steps``, ``folding``
    A language for steps of networks; and steps with hidden layers as simple RNNs.
``literal_book``
    The textbook's step for Turing machines with its errors, for comparison.
``construction``, ``compile``, ``named_networks``
    What every construction returns, which construction compiles which machine, and networks that need none.
``halting``
    What networks of machines that halt have in common: reading a word, output, claim.
``affine``, ``layered_network``; ``gated_step``
    How the rows of a network are written: as affine forms, or with products.
``stack_numbers``
    Stacks as rational numbers.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
