"""Stacks held in fractions: networks that push a word and pop it again, to recognise marked palindromes w # w^R."""

from collections.abc import Mapping, Sequence

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, count_text
from exactnn.constructions.gated_step import Row, gated_network
from exactnn.errors import OptionError, shown
from exactnn.networks import Activation, Network
from exactnn.options import listed, whole_number
from exactnn.stacks import CantorStack

__all__ = ["MARK", "scalar_stack", "vector_stack"]

SLU = Activation.SLU

MARK = "#"
"""Between the symbols that are pushed and those that are popped."""


def scalar_stack(*, base: int = 4, offset: ExactNumber | None = None) -> Network:
    """Return the network that holds a stack of bits in one number q: it accepts w # w^R, w in {0, 1}*.

    Before the mark it pushes each bit z, ``q' = q/4 + z/2 + 1/4``; after it, each bit pops the stack,
    ``q' = 4q - 2 top - 1`` with ``top = SLU(4q - 2)``, and is compared with the top. ``wrong`` is 1 for ever after a
    bit that is not the top, a pop of the empty stack (``SLU(4q)`` is 0), or a second mark. A word is accepted if
    popping - wrong - 4q is above 1/2: after one mark, with the reversal right and the stack empty. So it is with the
    base 4 and the offset 1/4; of others :class:`exactnn.CantorStack` has the numbers.

    Parameters
    ----------
    base : int
        At least 3; with the usual offset at least 4.
    offset : number
        Above 0 and below (base - 2) / base; by default 1 / base.

    Raises
    ------
    OptionError
        If two stacks would look alike: the error names them. Why q/4 and not q/2: in base 2 the stacks 1 and 0 1 ... 1
        come as close as one likes, so that no unit tells their tops. Why 1/4 is added: without it a 0 that is pushed on
        the empty stack leaves it as it is.

    Notes
    -----
    The empty stack is 0. A stack of n bits is q = sum of (2 z_i + 1) 4^-i, i from 1 at the top, an odd number over
    4^n: it lies in [1/4, 1/2) under a 0 and in [3/4, 1) under a 1, and has 2n - 1 or 2n bits
    (docs/collapse_formulas.md).

    References
    ----------
    .. [1] H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Comput. Syst. Sci.* 50,
       1995.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = scalar_stack()
    >>> [run(net, word).verdict.value for word in ("#", "011#110", "011#010", "011#11", "01#100", "0110")]
    ['accept', 'accept', 'reject', 'reject', 'reject', 'reject']
    >>> run(net, "011").final_state[0]
    mpq(61,64)
    """
    held = CantorStack(base=base, offset=offset)
    if held.fault is not None or held.slope is None or held.threshold is None:
        raise OptionError(f"base={held.base}, offset={held.offset}: {held.fault}; give base=4, offset='1/4'")
    (zero, one), filled = held.digits, 1 / held.digits[0]
    look = {"top1": Row(SLU, {"": -held.threshold, "q": held.slope}), "filled": Row(SLU, {"q": filled})}
    low = {"top0": Row(SLU, {"filled": 1, "top1": -1})}
    popped = {"pop": -held.base * zero, "top1 pop": -held.base * (one - zero)}
    q = {"push0": zero, "push1": one, "q push": mpq(1, held.base), "q pop": held.base, **popped, "q #": 1}
    return _palindromes(
        symbols=("0", "1"),
        stack={"q": 0},
        layers=[look, low, {"q+": Row(SLU, q)}],
        filled={"q": -filled},
        name=f"scalar stack, base {held.base}",
    )


def vector_stack(symbols: Sequence[str] = ("0", "1"), *, base: int = 3) -> Network:
    """Return the network that holds a stack in one fraction per symbol: it accepts w # w^R, w in symbols*.

    A push of a is ``stack' = stack/b + (b-1)/b e_a``, a pop ``stack' = b stack - (b-1) top`` with the tops
    ``top[a] = SLU(b stack[a] - 1)``, b being the base. The tops are kept in the state: after a push the symbol, after a
    pop ``SLU(b (b stack - (b-1) top) - 1)``, so that a step looks at nothing that it has just rounded. The rest is that
    of :func:`scalar_stack`; the stack is empty if all tops are 0.

    Parameters
    ----------
    symbols : sequence of str
        Without the mark "#".
    base : int
        At least 3. With an odd base no stack but the empty one is a binary fraction.

    Raises
    ------
    OptionError
        If the base is below 3, or the symbols are not different, or the mark is among them.

    References
    ----------
    .. [1] H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Comput. Syst. Sci.* 50,
       1995; the form with a vector is that of textbooks, with its pop corrected (docs/sources.md, E1).

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = vector_stack("abc")
    >>> [run(net, word).verdict.value for word in ("#", "abc#cba", "abc#cbb", "abc#cb")]
    ['accept', 'accept', 'reject', 'reject']
    >>> dict(zip(net.circuit.state_names, run(net, "aab").final_state))["stack0"]
    mpq(8,27)
    """
    base = whole_number("base", base, 3)
    letters = list(symbols) if isinstance(symbols, str) else listed("symbols", symbols, "text or a sequence of symbols")
    if not all(isinstance(a, str) for a in letters) or MARK in letters or len(set(letters)) != len(letters):
        raise OptionError(f"symbols={shown(symbols)}: give different symbols without the mark {MARK!r}")
    stacks, tops = [f"stack{i}" for i in range(len(letters))], [f"top{i}" for i in range(len(letters))]
    rows = {}
    for i, (stack, top) in enumerate(zip(stacks, tops, strict=True)):
        push = {f"push{i}": mpq(base - 1, base), f"{stack} push": mpq(1, base)}
        rows[f"{stack}+"] = Row(SLU, {**push, f"{stack} pop": base, f"{top} pop": 1 - base, f"{stack} #": 1})
        looked = {"pop": -1, f"{stack} pop": base**2, f"{top} pop": base * (1 - base)}
        rows[f"{top}+"] = Row(SLU, {f"push{i}": 1, **looked, f"{top} #": 1})
    return _palindromes(
        symbols=tuple(letters),
        stack=dict.fromkeys([*stacks, *tops], 0),
        layers=[rows],
        filled=dict.fromkeys(tops, -1),
        name=f"vector stack, base {count_text(base)}",
    )


def _palindromes(
    *,
    symbols: Sequence[str],
    stack: Mapping[str, ExactNumber],
    layers: Sequence[Mapping[str, Row]],
    filled: Mapping[str, ExactNumber],
    name: str,
) -> Network:
    """Return the recogniser of marked palindromes around a stack.

    `layers` read the gates ``push``, ``pop`` and, for the i-th symbol, ``push<i>`` and ``pop<i>``, and compute or keep
    ``top<i>``; `filled` is a sum over the state that is 0 if the stack is empty, and at most -1 if it is not.
    """
    each = {f"x{i}": mpq(1) for i in range(len(symbols))}
    gates = {"push": Row(SLU, {**each, "popping": -1}), "pop": Row(SLU, {"": -1, **each, "popping": 1})}
    for i in range(len(symbols)):
        gates[f"push{i}"] = Row(SLU, {f"x{i}": 1, "popping": -1})
        gates[f"pop{i}"] = Row(SLU, {"": -1, f"x{i}": 1, "popping": 1})
    unseen = {f"pop{i} top{i}": -1 for i in range(len(symbols))}
    latches = {
        "popping+": Row(SLU, {"popping": 1, "#": 1}),
        "wrong+": Row(SLU, {"wrong": 1, "pop": 1, **unseen, "popping #": 1}),
    }
    return gated_network(
        state={**stack, "popping": 0, "wrong": 0},
        inputs={**{f"x{i}": a for i, a in enumerate(symbols)}, "#": MARK},
        layers=[gates, *layers, latches],
        output={"popping": 1, "wrong": -1, **filled},
        name=name,
    )
