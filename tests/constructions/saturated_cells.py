"""One network with saturated gates of each cell, by the name that docs/counting.md has for it."""

import exactnn as xn
from exactnn.networks import Network


def shift_register() -> Network:
    """Return a GRU that holds the last three letters: z = 0, and the candidate is the letter or the unit before."""
    zero, none = [[0] * 3] * 3, [[0, 0]] * 3
    return xn.GRU(
        V={"r": zero, "z": zero, "n": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]},
        W={"r": none, "z": none, "n": [[1, -1], [0, 0], [0, 0]]},
        b={"r": [1] * 3, "z": [0] * 3, "n": [0] * 3},
        readout_weight=[0, 0, 1], gate="step", candidate="sign", alphabet="ab",
    )  # fmt: skip


def counting_qrnn() -> Network:
    """Return a QRNN that counts a's less b's, and aa's less bb's, for which the first letter is a pair, too."""
    return xn.QRNN(
        W={"z": [[2, -2, 0, 0], [1, -1, 1, -1]], "f": [[0] * 4] * 2, "o": [[0] * 4] * 2, "i": [[0] * 4] * 2},
        b={gate: [0, 0] if gate == "z" else [1, 1] for gate in "zfoi"},
        window=2, pooling="ifo", readout_weight=[1, 0], gate="step", candidate="sign", alphabet="ab",
    )  # fmt: skip


CELLS = {
    "SRN": lambda: xn.compile(xn.load("divisible-by-7")).network,
    "GRU": shift_register,
    "QRNN": counting_qrnn,
    "LSTM": lambda: xn.lstm_anbn().network,
    "doubling LSTM": lambda: xn.doubling_lstm_palindromes().network,
}
