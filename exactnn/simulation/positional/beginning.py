"""How many steps a run begins with in plain numbers; on that no number depends, only how long the run takes."""

import sys

from exactnn.networks import Network
from exactnn.simulation.positional.rules_first import is_loaded
from exactnn.simulation.race import ALL_RUNS

__all__ = ["STEPS", "first_steps", "is_long", "is_worth_loading", "puts_off_loading"]

STEPS = 640
"""Steps in plain numbers that all runs of a network take together before it is looked over. To look it over and to
write a program takes about as long as so many steps gain on those of the reference, however large it is."""
SECONDS_AGAIN, STEPS_AGAIN = 7e-4, 256
"""About the seconds of plain steps with which later runs begin, and so many steps at most. The modes take a quarter of
that to begin with a network that they know, and plain steps are about a fifth faster than those of the reference: so
hardly any run is slower than there."""
STEP, STEP_BY_LAYER, STEP_BY_UNIT, STEP_BY_WEIGHT = 2e-6, 1e-6, 1.5e-7, 4e-9
"""Seconds of a plain step, measured on compiled networks: most of their registers are 0."""
STEPS_TO_LOOK_AT = 1 << 14
"""Steps in plain numbers where every state is looked at, and no limit is given: later a rule may end the run. With a
limit all steps are plain, since to write out a state of direct mode takes longer than such a step."""
SECONDS_UNLOADED, LOADING = 0.03, 0.25
"""Where no compiled code is loaded yet: seconds of plain steps of a run before rules are tried in plain Python, and of
all runs before the code is loaded. To load what each of the two needs takes about twice as long, once in a process."""
WORTH_LOADING = 5_000_000
"""Weights that all runs of a network together apply before it is loaded for the next one, however short that is."""


def first_steps(network: Network, before: int, *, every_state: bool, without_end: bool) -> int:
    """Return how many steps a run takes in plain numbers at first, where earlier ones took so many."""
    if every_state:
        return STEPS_TO_LOOK_AT if without_end else sys.maxsize
    seconds = seconds_of_a_step(network)
    if not is_loaded() and not is_worth_loading(network, before):
        return max(STEPS, int(SECONDS_UNLOADED / seconds))
    return max(1, min(STEPS_AGAIN, int(SECONDS_AGAIN / seconds)), STEPS - before)


def seconds_of_a_step(network: Network) -> float:
    """Return about what a plain step of a network takes."""
    circuit = network.circuit
    layers, units = len(circuit.layers), circuit.units
    return STEP + STEP_BY_LAYER * layers + STEP_BY_UNIT * units + STEP_BY_WEIGHT * circuit.weights


def puts_off_loading(network: Network, letters: int) -> bool:
    """Whether plain steps go on, since to load compiled code takes longer than the runs so far and so many letters."""
    return not is_loaded() and ALL_RUNS.seconds + letters * seconds_of_a_step(network) < LOADING


def is_worth_loading(network: Network, before: int) -> bool:
    """Whether earlier runs of a network took so many steps that compiled code is loaded, however long this one is."""
    return before * max(1, network.circuit.weights) >= WORTH_LOADING


def is_long(letters: int, steps: int) -> bool:
    """Whether a word is so long that the modes read it from its first letter on, if they know the network.

    >>> is_long(100, 64), is_long(50, 64), is_long(100_000, STEPS)
    (True, False, False)
    """
    return steps <= STEPS_AGAIN and letters > steps
