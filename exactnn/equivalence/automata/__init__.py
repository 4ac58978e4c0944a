"""Automata as tables of numbers, for millions of states: minimal ones, products, words that tell two apart.

``table``
    The table, and how it is made of a machine with names and becomes one again.
``minimisation``, ``algebra``
    The minimal table; what two tables make together, and where they differ.
``kernels``
    The loops of both, compiled.
"""
