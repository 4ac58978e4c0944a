"""The states of a run, taken again one by one: for what looks at every state of several runs in step."""

from collections.abc import Iterator, Sequence

from exactnn.arithmetic import Arithmetic
from exactnn.networks import EOS, Input, Network
from exactnn.simulation import Values, executor_for

__all__ = ["states_of"]


def states_of(network: Network, arithmetic: Arithmetic, inputs: Sequence[Input], steps: int) -> Iterator[Values]:
    """Yield the initial state and the state after each of `steps` steps, whatever is decided on the way.

    After the word EOS is read, so there are no more steps than the word has symbols for networks that do not read it.

    Examples
    --------
    >>> from exactnn.arithmetic import RATIONAL
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> list(states_of(halves, RATIONAL, halves.inputs([1, 0]), 2))
    [(mpq(0,1),), (mpq(1,1),), (mpq(1,2),)]
    """
    executor = executor_for(network, arithmetic)
    state = executor.start()
    yield executor.values(state)
    eos = network.alphabet.index(EOS) if network.alphabet is not None and EOS in network.alphabet else None
    for step in range(steps):
        given = inputs[step] if step < len(inputs) else eos
        assert given is not None, "a network that reads no EOS takes a step for each symbol"
        state = executor.advance(state, given, 1, until_decided=False).state
        yield executor.values(state)
