"""What the parts of a certificate mean: the numbers of macro states with stacks, and the network's own EOS steps."""

from collections.abc import Sequence
from dataclasses import replace

from gmpy2 import mpq

import exactnn as xn
from exactnn.certificates.certificate import Certificate, Head, MacroState
from exactnn.simulation.rational import RationalExecutor

__all__ = ["TRIES", "Limbs", "can_occur", "eos_steps", "numbers"]

TRIES = 3
"""Stacks, or run lengths, with which a part is tried."""

Limbs = dict[int, list[int]]
"""The stacks that are not empty, the top limb last."""


def numbers(state: MacroState, stacks: Limbs, certificate: Certificate) -> tuple[mpq, ...]:
    """Return the numbers of a macro state with these stacks."""
    tails = {stack: tail(limbs, certificate.unit) for stack, limbs in stacks.items()}
    return tuple(
        (value.head + value.sign * tails.get(value.stack, mpq(0))) / mpq(certificate.base) ** value.places
        if isinstance(value, Head)
        else mpq(value)
        for value in state.values
    )


def tail(limbs: Sequence[int], unit: int) -> mpq:
    total = mpq(0)
    for limb in limbs:
        total = (limb + total) / unit
    return total


def can_occur(state: MacroState, stacks: Limbs) -> bool:
    """Whether the stacks that heads refer to, and no others, are not empty, with no limb 0 at the bottom."""
    return stacks.keys() == state.stacks and all(limbs[0] for limbs in stacks.values())


def eos_steps(network: xn.Network, values: tuple[mpq, ...], steps: int) -> tuple[list[mpq], tuple[mpq, ...]]:
    """Return the outputs after each EOS step from a state with these numbers, and the numbers after the last."""
    executor = RationalExecutor(replace(network, initial_state=values))
    state, outputs = executor.start(), []
    for _ in range(steps):
        state = executor.advance(state, network.alphabet.index(xn.EOS), 1, until_decided=False).state
        outputs.append(executor.output(state))
    return outputs, tuple(executor.values(state))
