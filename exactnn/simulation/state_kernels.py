"""States that words were in before, with what followed them: where states recur, a step is a look-up.

In a format of few bits a network has few states, and its words go through the same ones again and again. They are
numbered as they come up, until there is no room. All are known by their pattern and the numbers that it does not fix.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import register_jitable

__all__ = ["NO_STATE", "UNDECIDED", "UNREAD", "VERDICT", "States", "load_state", "number_of_state"]

NO_STATE = -1
UNREAD, UNDECIDED, VERDICT = range(3)


class States(NamedTuple):
    """What is known of states, by their numbers; state 0 is the first one."""

    bits: NDArray[np.uint64]
    """The numbers that are neither 0 nor 1, one word each, or two for a pair; words that are not used are 0."""
    places: NDArray[np.int64]
    following: NDArray[np.int32]
    """The state after each symbol, or NO_STATE where it is not known."""
    verdicts: NDArray[np.uint8]
    """UNREAD where nobody has asked for the output yet; else whether it is a VERDICT."""
    outputs: NDArray[Any]
    found: NDArray[np.int32]
    """The numbers of states by a hash, or NO_STATE; at least half of its places are free."""
    used: NDArray[np.int64]
    """How many there are."""


@register_jitable
def key_of(place: Any, bits: Any, size: Any) -> Any:
    """Return a hash, whose last digits count. Numbers of few bits differ in the first digits of a word only."""
    key = np.uint64(place)
    for i in range(size):
        key = (key ^ bits[i]) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(32)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    return key ^ (key >> np.uint64(32))


@register_jitable
def number_of_state(states: States, place: Any, bits: Any, size: Any) -> Any:
    """Return the number of the state with these words, a new one if it is new; NO_STATE if there is no room."""
    mask = np.uint64(len(states.found) - 1)
    slot = key_of(place, bits, size) & mask
    while states.found[slot] != NO_STATE:
        state = states.found[slot]
        same = states.places[state] == place
        for i in range(size):
            same &= states.bits[state, i] == bits[i]
        if same:
            return np.int64(state)
        slot = (slot + np.uint64(1)) & mask
    state = states.used[0]
    if state == len(states.places):
        return NO_STATE
    states.used[0] = state + 1
    states.found[slot] = state
    states.places[state] = place
    for i in range(size):
        states.bits[state, i] = bits[i]
    return np.int64(state)


@register_jitable
def load_state(states: States, state: Any, bits: Any, size: Any) -> None:
    """Copy the words of a state."""
    for i in range(size):
        bits[i] = states.bits[state, i]
