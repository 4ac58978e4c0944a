"""How fast the three stacks are: beside a plain loop over rationals, and the float peers' own recurrences in numpy.

    python benchmarks/neural_stacks.py

Every time is the least of several in one process; what is compared is computed by both and must be equal, or for
floats as close as float64 is.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import product
from random import Random
from typing import Any

import numpy as np
from gmpy2 import mpq

import exactnn as xn

ZERO, ONE = mpq(0), mpq(1)

STEPS = 40


def least(function: Callable[[], Any], repetitions: int = 3) -> tuple[float, Any]:
    """Return the least time of a few calls, in seconds, and what the last one returned."""
    times, found = [], None
    for _ in range(repetitions):
        start = time.perf_counter()
        found = function()
        times.append(time.perf_counter() - start)
    return min(times), found


# --- The nondeterministic stack: all weights of actions are there, 2 states and 3 symbols.


def actions(states: int, symbols: int, seed: int = 1) -> dict[str, dict[tuple[int, ...], mpq]]:
    """Return random weights of all actions, p / 16."""
    random, (q, x) = Random(seed), (range(states), range(symbols))
    keys = {"push": product(q, x, q, x), "replace": product(q, x, q, x), "pop": product(q, x, q)}
    return {name: {key: mpq(random.randint(1, 9), 16) for key in found} for name, found in keys.items()}


def stack_by_exactnn(given: Any, states: int, symbols: int, arithmetic: Any = xn.EXACT) -> dict[Any, Any]:
    """Return the weights after all steps."""
    stack = xn.NondeterministicStack(states=states, symbols=symbols, arithmetic=arithmetic)
    for _ in range(STEPS):
        stack = stack.step(**given)
    return stack.weights


def stack_by_plain_loop(given: Any, states: int, symbols: int) -> dict[Any, mpq]:
    """Return the weights by the recurrence as it is written, sums of rationals over all indices."""
    q, x = range(states), range(symbols)
    push, replace, pop = given["push"], given["replace"], given["pop"]
    pairs = list(product(q, x))
    gamma: dict[tuple[int, int], dict[Any, mpq]] = {}
    alpha = [{pair: ONE if pair == (0, 0) else ZERO for pair in pairs}]
    base = [dict(alpha[0])]
    for t in range(1, STEPS + 1):
        popped = {
            k: {
                (u, y, r): sum((gamma[k, t - 1][u, y, s, z] * pop[s, z, r] for s, z in pairs), ZERO)
                for (u, y), r in product(pairs, q)
            }
            for k in range(t - 1)
        }
        for i in range(t):
            if i == t - 1:
                gamma[i, t] = {(*a, *b): push[(*a, *b)] for a, b in product(pairs, pairs)}
                continue
            gamma[i, t] = {
                (*a, r, y): sum((gamma[i, t - 1][(*a, *b)] * replace[(*b, r, y)] for b in pairs), ZERO)
                + sum((gamma[i, k][(*a, u, y)] * popped[k][u, y, r] for k in range(i + 1, t - 1) for u in q), ZERO)
                for a, (r, y) in product(pairs, pairs)
            }
        base.append(
            {
                (r, y): sum((base[-1][b] * replace[(*b, r, y)] for b in pairs), ZERO)
                + sum((base[k][u, y] * popped[k][u, y, r] for k in range(t - 1) for u in q), ZERO)
                for r, y in pairs
            }
        )
        alpha.append(
            {b: base[-1][b] + sum((alpha[i][a] * gamma[i, t][(*a, *b)] for i in range(t) for a in pairs), ZERO)
             for b in pairs}
        )  # fmt: skip
    return alpha[-1]


def stack_by_numpy(given: Any, states: int, symbols: int) -> np.ndarray[Any, Any]:
    """Return the weights in float64 by matrix products and sums over arrays, as the published code has them."""
    shape = (states, symbols, states, symbols)
    push, replace = (np.array([float(given[name][key]) for key in np.ndindex(shape)]).reshape(shape)
                     for name in ("push", "replace"))  # fmt: skip
    pop = np.array([float(given["pop"][key]) for key in np.ndindex(shape[:3])]).reshape(shape[:3])
    gamma = np.zeros((STEPS + 1, STEPS + 1, *shape))
    alpha, base = np.zeros((STEPS + 1, states, symbols)), np.zeros((STEPS + 1, states, symbols))
    alpha[0, 0, 0] = base[0, 0, 0] = 1
    for t in range(1, STEPS + 1):
        last = gamma[:t, t - 1]
        popped = np.einsum("kuysz,szr->kuyr", last, pop)
        gamma[:t, t] = np.einsum("iqxsz,szry->iqxry", last, replace)
        gamma[:t, t] += np.einsum("ikqxuy,kuyr->iqxry", gamma[:t, :t], popped)
        gamma[t - 1, t] = push
        base[t] = np.einsum("sz,szry->ry", base[t - 1], replace) + np.einsum("kuy,kuyr->ry", base[:t], popped)
        alpha[t] = base[t] + np.einsum("iqx,iqxry->ry", alpha[:t], gamma[:t, t])
    return alpha[-1]


# --- A superposition with cells of so many numbers, and a stack of strengths.


def pushes(values: int, seed: int = 2) -> list[tuple[list[mpq], mpq, mpq]]:
    """Return vectors, weights of pushes and of pops, all in quarters."""
    random = Random(seed)
    return [
        ([mpq(random.randint(0, 4), 4) for _ in range(values)], mpq(random.randint(0, 3), 4), mpq(1, 4))
        for _ in range(STEPS)
    ]


def cells_by_exactnn(steps: Any, values: int) -> Any:
    """Return the cells after all steps."""
    stack = xn.SuperpositionStack(values=values)
    for vector, push, pop in steps:
        stack = stack.step(vector, push=push, pop=pop)
    return stack.cells


def cells_by_plain_loop(steps: Any, values: int) -> Any:
    """Return the cells by the definition, in lists of rationals."""
    cells: list[list[mpq]] = []
    nothing = [ZERO] * values
    for vector, push, pop in steps:
        stays = 1 - push - pop
        above, below, kept = [vector, *cells], [*cells[1:], nothing, nothing], [*cells, nothing]
        cells = [
            [push * a + pop * b + stays * c for a, b, c in zip(*three, strict=True)]
            for three in zip(above, below, kept, strict=False)
        ]
    return cells


def cells_by_numpy(steps: Any, values: int) -> Any:
    """Return the cells in float64."""
    cells = np.zeros((STEPS + 2, values))
    for vector, push, pop in steps:
        above = np.concatenate([[list(map(float, vector))], cells[:-1]])
        below = np.concatenate([cells[1:], np.zeros((1, values))])
        cells = float(push) * above + float(pop) * below + float(1 - push - pop) * cells
    return cells[:STEPS]


def main() -> None:
    """Print the table."""
    print(f"{STEPS} steps")
    given = actions(2, 3)
    mine, found = least(lambda: stack_by_exactnn(given, 2, 3))
    plain, expected = least(lambda: stack_by_plain_loop(given, 2, 3))
    assert found == expected
    floats, near = least(lambda: stack_by_numpy(given, 2, 3))
    rounded, in_format = least(lambda: stack_by_exactnn(given, 2, 3, xn.FLOAT64))
    for pair, value in found.items():
        assert abs(near[pair] / float(value) - 1) < 1e-12
        assert abs(float(in_format[pair]) / float(value) - 1) < 1e-12
    row = "{:46} {:9.4f} s   {:8.2f} times exactnn"
    print(row.format("nondeterministic, 2 states, 3 symbols: exactnn", mine, 1))
    print(row.format("  plain loop over gmpy2 rationals", plain, plain / mine))
    print(row.format("  numpy, float64", floats, floats / mine))
    print(row.format("  exactnn, every operation rounded to float64", rounded, rounded / mine))
    for values in (1, 20):
        steps = pushes(values)
        mine, found = least(partial(cells_by_exactnn, steps, values))
        plain, expected = least(partial(cells_by_plain_loop, steps, values))
        deeper = [[ZERO] * values] * (STEPS - len(found))  # steps that push nothing make no cell
        assert [*map(list, found), *deeper] == expected
        floats, near = least(partial(cells_by_numpy, steps, values))
        assert np.allclose(near, [[float(x) for x in cell] for cell in expected], rtol=1e-12, atol=0)
        print(row.format(f"superposition, vectors of {values}: exactnn", mine, 1))
        print(row.format("  plain loop over gmpy2 rationals", plain, plain / mine))
        print(row.format("  numpy, float64", floats, floats / mine))


if __name__ == "__main__":
    main()
