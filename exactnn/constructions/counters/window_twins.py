"""Two words that a QRNN with saturated gates cannot tell apart, with the reason for each of its cells."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gmpy2 import mpq

from exactnn.arithmetic import counted, short_text
from exactnn.automata import Transitions
from exactnn.constructions.construction import reject_reserved
from exactnn.errors import ConstructionError, shown
from exactnn.markup import named
from exactnn.networks import Network, QRNNLayer, StackedRNN
from exactnn.options import entries
from exactnn.simulation import whole_run

__all__ = ["WindowTwins", "twin_words", "window_twins"]

Window = tuple[str | None, ...]
"""The last symbols that were read, the latest first; None before the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """Why one cell is the same after two words.

    Parameters
    ----------
    has_reset : bool
        Whether the cell is ever reset; if not, its start value is still in it.
    windows : mapping from Window to int
        What it read since its last reset, that window included: how often each window.
    """

    has_reset: bool
    windows: Transitions[Window, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTwins:
    """Two words, the first in the language of all a^n b^n w with n > 0 and the second not, with one state after both.

    `tails` has what each cell adds up since its last reset, which is the same after both words.
    """

    network: Network
    words: tuple[tuple[str, ...], tuple[str, ...]]
    tails: tuple[Tail, ...]

    def __repr__(self) -> str:
        length = counted(len(self.words[0]), "symbol")
        return f"<WindowTwins of {named(self.network.name)}: words of {length} with one state>"


def twin_words(window: int, *, a: str = "a", b: str = "b") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a^k b^k a^(k+2) b^(k+1) s and a^(k+2) b^(k+1) a^k b^k s, where s is a^k b^k a^(k+2) b^(k+1).

    >>> ["".join(word) for word in twin_words(1)]
    ['abaaabbabaaabb', 'aaabbababaaabb']
    """
    equal, unequal = (a,) * window + (b,) * window, (a,) * (window + 2) + (b,) * (window + 1)
    return equal + unequal + equal + unequal, unequal + equal + equal + unequal


def window_twins(layer: QRNNLayer, *, alphabet: Sequence[str] = "ab") -> WindowTwins:
    """Return two words after which a QRNN with saturated gates is in one state, and check why.

    Parameters
    ----------
    layer : QRNNLayer
        Of any window, pooling and candidate; its forget gate has to be 0 or 1 in every window of the two words.
    alphabet : sequence of str
        The symbols that are read as one-hot vectors; the first two are a and b.

    Raises
    ------
    ConstructionError
        If a forget gate is neither 0 nor 1 in some window: then its QRNN may tell the words apart; if `layer` is no
        layer of a QRNN, or the alphabet has other than one symbol for each number that it reads, or the symbol "EOS".
    UnsupportedArithmeticError
        If a gate or the candidate is no rational function.

    Notes
    -----
    In the window w a cell goes from c to f(w) c + e(w), and f(w) is 0 or 1. So after a word it is the sum of e(w) over
    all windows since its last reset, and the start value if there was none. The two words end with the same 4k + 3
    symbols, and with k - 1 symbols b before them, so that their last 4k + 3 windows are the same one by one. If one of
    these resets the cell, that is all. If none does, then no window of k symbols resets it, as all that occur anywhere
    occur there; and every window occurs equally often in both words. The windows that begin before the word, where
    there are zeros, are the same one by one too. An output gate sees the last window. Hence no readout tells the
    words apart, and no such network recognises all a^n b^n w; an LSTM does. The lecture claims this of QRNNs without
    the condition on the gates: with f = 1/4 a window of 1 tells all words apart. And it is a theorem of exact sums: a
    cell that adds up in a rounding arithmetic may depend on the order.

    References
    ----------
    W. Merrill, G. Weiss, Y. Goldberg, R. Schwartz, N. A. Smith and E. Yahav, "A formal hierarchy of RNN architectures",
    2020 (QRNNs and LSTMs).

    Examples
    --------
    A cell that counts a and is reset by b:

    >>> layer = QRNNLayer(
    ...     W={"z": [[1, 0]], "f": [[1, 0]], "i": [[1, 0]], "o": [[0, 0]]},
    ...     b={"z": [0], "f": [0], "i": [0], "o": [1]}, pooling="ifo", gate="step", candidate="sign",
    ... )
    >>> twins = window_twins(layer)
    >>> twins.tails
    (Tail(has_reset=True, windows={('b',): 1}),)
    >>> [whole_run(twins.network, word).final_state for word in twins.words]
    [(mpq(0,1), mpq(0,1)), (mpq(0,1), mpq(0,1))]
    """
    if not isinstance(layer, QRNNLayer):
        raise ConstructionError(f"{shown(layer)} is no layer of a QRNN: give a QRNNLayer")
    if not isinstance(alphabet, Sequence):
        raise ConstructionError(f"alphabet {shown(alphabet)} is no sequence: give one symbol for each number")
    reject_reserved(tuple(entries("alphabet", alphabet, error=ConstructionError)))
    if len(alphabet) < 2 or len(alphabet) != layer.input_size:
        raise ConstructionError(
            f"alphabet {shown(alphabet)} has {len(alphabet)} symbols, the layer reads {layer.input_size} numbers: "
            "give one symbol for each number, and two at least"
        )
    network = StackedRNN([layer], readout_weight=[1] * layer.hidden_size, alphabet=alphabet, name="QRNN")
    words = twin_words(layer.window, a=alphabet[0], b=alphabet[1])
    seen = [_windows(word, layer.window) for word in words]
    gates = {window: _forget_gates(network, layer, window) for window in dict.fromkeys(seen[0] + seen[1])}
    tails = []
    for cell in range(layer.hidden_size):
        first, second = (_tail(windows, [gates[window][cell] for window in windows]) for windows in seen)
        assert first == second, "the proof says so"
        tails.append(first)
    return WindowTwins(network=network, words=words, tails=tuple(tails))


def _windows(word: Sequence[str], size: int) -> list[Window]:
    """Return what the gates see at each symbol."""
    padded = (None,) * (size - 1) + tuple(word)
    return [padded[t : t + size][::-1] for t in range(len(word))]


def _forget_gates(network: Network, layer: QRNNLayer, window: Window) -> tuple[mpq, ...]:
    """Return f of every cell in a window: by how much the next cell state grows if the last one is 1 instead of 0."""
    size = layer.hidden_size
    first = 0 if layer.pooling == "f" else size
    past = [mpq(symbol == a) for symbol in window[1:] for a in network.alphabet or ()]

    def following(cell: int) -> tuple[mpq, ...]:
        start = (*(mpq(cell),) * (first + size), *past)
        return whole_run(replace(network, initial_state=start), (window[0],)).final_state[first : first + size]  # type: ignore[return-value]

    gates = tuple(one - zero for zero, one in zip(following(0), following(1), strict=True))
    for cell, gate in enumerate(gates):
        if gate not in (0, 1):
            raise ConstructionError(
                f"the forget gate of cell {cell} is {short_text(gate)} in the window {shown(window)}, latest symbol "
                "first: the words are twins for gates that are 0 or 1"
            )
    return gates


def _tail(windows: Sequence[Window], gates: Sequence[mpq]) -> Tail:
    """Return what a cell with these gates adds up since its last reset."""
    resets = [t for t, gate in enumerate(gates) if not gate]
    return Tail(has_reset=bool(resets), windows=Transitions(Counter(windows[resets[-1] if resets else 0 :])))
