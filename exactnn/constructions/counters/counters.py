"""Counters: networks for a^n b^n that count in one number, without bound or between 0 and 1."""

from collections.abc import Mapping, Sequence

from exactnn.constructions.gated_step import Row, gated_network
from exactnn.networks import Activation, Network

__all__ = ["fractional_counter", "gated_counter"]

IDENTITY, SLU = Activation.IDENTITY, Activation.SLU


def gated_counter() -> Network:
    """Return the cell with saturated gates that counts: it accepts a^n b^n, n from 0.

    An LSTM cell whose gates are held at their ends: ``c' = f c + i g`` with the forget gate f = 1, the input gate i = 1
    and the candidate g = 1 for an "a", -1 for a "b". The cell state is the number of a's less that of b's, as large as
    it may become; the hidden state h' = SLU(c') says whether it is above 0. ``wrong`` is 1 for ever after an "a" that
    comes after a "b", or once c is below 0. A word is accepted if 1 - wrong - h is above 1/2.

    Notes
    -----
    With p bits, c counts to 2^p: the first number that is lost is 2^p + 1 (docs/collapse_formulas.md).

    References
    ----------
    .. [1] G. Weiss, Y. Goldberg and E. Yahav, "On the practical computational power of finite precision RNNs for
       language recognition", ACL 2018.
    .. [2] W. Merrill, "Sequential neural networks as automata", 2019 (saturated gates).

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> [run(gated_counter(), word).verdict.value for word in ("", "aabb", "aab", "abb", "abab")]
    ['accept', 'accept', 'reject', 'reject', 'reject']
    >>> run(gated_counter(), "aaaab").final_state[0]
    mpq(3,1)
    """
    gates = {
        "forget": Row(SLU, {"": 1}),
        "input": Row(SLU, {"a": 1, "b": 1}),
        "candidate": Row(IDENTITY, {"a": 1, "b": -1}),
    }
    cell = {"c+": Row(IDENTITY, {"c forget": 1, "candidate input": 1})}
    hidden = {"h+": Row(SLU, {"c+": 1}), "below": Row(SLU, {"c+": -1})}
    return _counting([gates, cell, hidden], name="gated counter")


def fractional_counter() -> Network:
    """Return the bounded cell that counts in halves: it accepts a^n b^n, n from 0.

    ``c' = c/2 + 1/2`` for an "a" and ``c' = 2c - 1`` for a "b", so that n a's make 1 - 2^-n, always between 0 and 1: a
    count for which every symbol needs one bit more. ``h' = SLU(2c')`` says whether it is above 0; ``wrong`` and the
    verdict are those of :func:`gated_counter`.

    Notes
    -----
    With p bits, it counts to p: 1 - 2^-(p+1) is no number of the format (docs/collapse_formulas.md).

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> [run(fractional_counter(), word).verdict.value for word in ("", "aabb", "aab", "abb", "abab")]
    ['accept', 'accept', 'reject', 'reject', 'reject']
    >>> run(fractional_counter(), "aaaab").final_state[0]
    mpq(7,8)
    """
    count = {"count": Row(IDENTITY, {"a": "1/2", "b": -1, "c a": "1/2", "c b": 2})}
    cell = {"c+": Row(SLU, {"count": 1}), "below": Row(SLU, {"count": -1})}
    return _counting([count, cell, {"h+": Row(SLU, {"c+": 2})}], name="fractional counter")


def _counting(layers: Sequence[Mapping[str, Row]], *, name: str) -> Network:
    """Return the recogniser of a^n b^n around layers that compute ``c+``, ``h+`` and ``below``."""
    latches = {
        "seen+": Row(SLU, {"seen": 1, "b": 1}),
        "wrong+": Row(SLU, {"wrong": 1, "below": 1, "seen a": 1}),
    }
    return gated_network(
        state={"c": 0, "h": 0, "seen": 0, "wrong": 0},
        inputs={"a": "a", "b": "b"},
        layers=[*layers, latches],
        output={"": 1, "wrong": -1, "h": -1},
        name=name,
    )
