"""The states of a network that can be reached, found as they are asked for and numbered in that order.

``choice``
    Which space a network has in an arithmetic.
``compiled``, ``listed``
    Spaces of arithmetics with compiled loops, with hash tables of rows, and without, with lists of states.
``state_bound``
    How many states there can be, before any is looked at.
``state_space``
    What every space can be asked.
``kernels``
    The compiled loops: the hash table, and chains of states.
"""
