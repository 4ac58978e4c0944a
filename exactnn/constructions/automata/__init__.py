"""Finite automata: a unit for each state and symbol (`minsky`), or few units on a grid (`state_grid`)."""
