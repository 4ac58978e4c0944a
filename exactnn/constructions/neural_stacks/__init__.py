"""Networks with the stacks of :mod:`exactnn.stacks`.

`stack_rnn`, `stack_languages`
    A controller and a stack of vectors; those that recognise brackets and marked reversals.
`torch_stack_rnn`
    Such networks from published modules in torch.
`pushdown_network`, `pushdown_shape`
    Weighted pushdown automata: networks with the weights of all runs in their state, and where these are.
"""
