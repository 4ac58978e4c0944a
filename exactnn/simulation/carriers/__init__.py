"""Number systems for the compiled loop: what a number is, and what multiply, add, convert and so on mean for it.

Nothing here knows of networks; :mod:`exactnn.simulation.loops` knows of no number system.
"""
