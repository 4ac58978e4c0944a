"""Turing machines.

``siegelmann_sontag``
    In real time, few units; ``siegelmann_sontag_plan`` has its equations.
``siegelmann_sontag_book``
    In the form of the textbook, corrected.
``chung_siegelmann``
    A unit for each pair of state and symbol, three steps for a move.
``carmantini``
    By way of the unit square; ``piecewise_affine_map`` is the map that it computes.
``growing_memory``
    Numbers of bounded length, and as many of them as the tape takes; ``growing_memory_plan`` has its equations.
``two_stacks``
    How the first and the third of them hold a tape in two numbers, and read it back.
"""
