"""Every word up to a length, each read from where the word without its last symbol ended."""

from exactnn.arithmetic import RATIONAL
from exactnn.networks import EOS
from exactnn.simulation import executor_for


def all_words(network, length, arithmetic=RATIONAL):
    """Yield every word up to a length, the state after it, and the output (after one EOS symbol where that is read)."""
    executor = executor_for(network, arithmetic)
    reads_eos = network.decision.protocol.reads_eos
    stack = [("", executor.start())]
    while stack:
        word, state = stack.pop()
        output = executor.output(state)
        if reads_eos:
            index = network.alphabet.index(EOS)
            output = executor.advance(state, index, 1, until_decided=False).outputs[-1][0]
        yield word, executor.values(state), output
        if len(word) < length:
            for symbol in network.input_symbols:
                index = network.alphabet.index(symbol)
                stack.append((word + symbol, executor.advance(state, index, 1, until_decided=False).state))
