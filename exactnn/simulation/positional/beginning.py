"""How many steps a run begins with in plain numbers; on that no number depends, only how long the run takes."""

import sys

from exactnn.networks import Network
from exactnn.simulation.positional.rules_first import is_loaded

__all__ = ["STEPS", "first_steps", "is_long", "steps_before"]

STEPS = 512
"""Steps in plain numbers that all runs of a network take together before it is looked over. To look it over and to
write a program takes as long as so many steps, however large it is."""
STEPS_AGAIN, WORK_AGAIN = 64, 4000
"""Steps in plain numbers with which later runs begin, and weights that these apply: so many at most. The modes take as
long to begin with a network that they know."""
LONG_WORD = 32
"""How many times as many letters a word has that the modes read from its first letter on, if they know the network."""
STEPS_TO_LOOK_AT = 1 << 14
"""Steps in plain numbers where every state is looked at, and no limit is given: later a rule may end the run. With a
limit all steps are plain, since to write out a state of direct mode takes longer than such a step."""
WORK = 200_000
"""Weights that a run applies in plain numbers before compiled code is loaded, which takes longer than that."""
WORTH_LOADING = 5_000_000
"""Weights that all runs of a network together apply before it is loaded for the next one, however short that is."""


def first_steps(network: Network, *, every_state: bool, without_end: bool) -> int:
    """Return how many steps a run takes in plain numbers at first."""
    if every_state:
        return STEPS_TO_LOOK_AT if without_end else sys.maxsize
    weights, before = max(1, network.circuit.weights), sum(steps_before(network))
    if not is_loaded() and before * weights < WORTH_LOADING:
        return max(STEPS, WORK // weights)
    return max(1, min(STEPS_AGAIN, WORK_AGAIN // weights), STEPS - before)


def is_long(letters: int, steps: int) -> bool:
    """Whether so many letters are not worth the few plain steps with which the run of a known network begins.

    >>> is_long(10_000, 64), is_long(1_000, 64), is_long(100_000, STEPS)
    (True, False, False)
    """
    return steps <= STEPS_AGAIN and letters > LONG_WORD * steps


def steps_before(network: Network) -> list[int]:
    """Return how many steps in plain numbers earlier runs of a network have taken, in one place."""
    return network.laid_out.of(steps_before, None, lambda: [0])
