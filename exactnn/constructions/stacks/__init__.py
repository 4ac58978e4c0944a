"""Stack machines, and languages that need a stack.

``real_time_stacks``, ``layered_stacks``, ``merged_stacks``
    Every stack machine: in one layer, or with few units in four; ``stack_machine`` is what they share.
``fraction_stacks``, ``doubling_lstm_palindromes``
    Palindromes with a stack in fractions, or in one number that grows.
"""
