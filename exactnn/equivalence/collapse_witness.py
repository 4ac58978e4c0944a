"""The shortest word on which a format ends otherwise than the exact network."""

from __future__ import annotations

from collections.abc import Callable

from exactnn.arithmetic import AnyFormat, format_of
from exactnn.equivalence.equivalent import Equivalence, equivalent
from exactnn.networks import AnyNetwork, network_of

__all__ = ["collapse_witness"]


def collapse_witness(
    network: AnyNetwork,
    format: AnyFormat,
    *,
    max_length: int | None = None,
    max_states: int = 20_000_000,
    max_seconds: float | None = None,
    max_steps: int = 100_000,
    progress: Callable[[int, int], object] | None = None,
) -> Equivalence:
    """Return the shortest word that a network ends otherwise on in a format than exactly, if there is one.

    Every shorter word was compared, by way of the states that words lead to: `bound` is one less than the length of the
    witness, unless an exact run on a shorter word had no verdict within `max_steps`; then it is less. Without a
    witness, the answer is True where no word whatever is wrong (the network is finite in exact arithmetic too), and
    None at a limit, with the length up to which no word is wrong. Of a network with smooth units certified enclosures
    tell how words end: of these there are twice as many or more with each length, so give `max_length` or
    `max_seconds`.

    Parameters
    ----------
    network : Network or Construction
    format : FloatFormat or FixedPoint
    max_length, max_states, max_seconds, max_steps, progress :
        As for :func:`equivalent`.

    Raises
    ------
    OptionError
        If the network takes vectors, or an option is out of range.
    UnsupportedArithmeticError
        If the format rounds at random, or lacks a number of the network.

    Examples
    --------
    >>> import exactnn as xn
    >>> found = collapse_witness(xn.compile(xn.load("palindrome")), xn.BFLOAT16)
    >>> "".join(found.witness), [str(label) for label in found.labels], found.bound
    ('aaa', ['accepted', 'proven non-halting'], 2)
    """
    core = network_of(network)
    return equivalent(
        core,
        (core, format_of(format)),
        max_length=max_length,
        max_states=max_states,
        max_seconds=max_seconds,
        max_steps=max_steps,
        progress=progress,
    )
