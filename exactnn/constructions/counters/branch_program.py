"""Counting networks, and programs that branch as gated ones."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from gmpy2 import mpq, mpz

from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import reject_reserved
from exactnn.constructions.gated_step import Row, gated_network
from exactnn.constructions.layered_network import one_layer_network
from exactnn.errors import OptionError, shown
from exactnn.networks import EOS, Activation, Decision, Network, Protocol
from exactnn.options import entries

__all__ = ["branch_program", "fractional_counter", "gated_counter"]


# --- Counters: networks for a^n b^n that count in one number, without bound or between 0 and 1.

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


# --- Programs over counters as ReLU networks with integer weights; clipped units would have finitely many states only.
#
# A variable is a neuron that holds its value. A line is a neuron that is 1 when the line is carried out; a line that
# asks for a variable has two more, for the step after: that it was asked, and that the variable was 0.

BEGIN = ("begin",)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: by how much it changes a variable (0: not), and where it goes; `asks` goes there if that is not 0."""

    variable: str | None
    change: int
    target: int
    asks: bool = False


def branch_program(program: Sequence[str], *, name: str = "program") -> Network:
    """Return the network that carries out a program over variables, which are whole numbers from 0.

    Lines are numbered from 0 and have one of the forms ``x + 1``, ``x - 1`` (0 stays 0), ``if x goto 7`` (if x is not
    0) and ``goto 7``. The program halts where it goes beyond its last line.

    A symbol of the alphabet is a variable: each letter of the word adds 1 to it. Then the first EOS begins with line 0.
    The output is 0 until the program halts, then 1 for ever. T = 1 + n + 2 m, where n lines are carried out that ask
    for nothing, and m that ask for a variable.

    Parameters
    ----------
    program : sequence of str
    name : str, optional
        Of the network.

    Raises
    ------
    OptionError
        If the program is no sequence of lines, or a line has none of these forms or goes to one that is not there.
    ConstructionError
        If a variable is called "EOS", which is reserved.

    Notes
    -----
    v variables and l lines, q of which ask, take v + l + 2 q + 2 neurons with the weights 1 and -1.
    Programs of this kind compute whatever a machine computes (Minsky 1967): nothing like the bound 2^d' on the states
    of integer networks with clipped units holds for ReLU.

    References
    ----------
    After H. Hyötyniemi, "Turing machines are recurrent neural networks", STeP 1996: programs with these lines.

    Examples
    --------
    Adding y to x:

    >>> from exactnn.simulation import run
    >>> add = branch_program(["if y goto 2", "goto 5", "y - 1", "x + 1", "goto 0"])
    >>> result = run(add, "yyxxxy")
    >>> result.outcome.value, dict(zip(add.circuit.state_names, map(int, result.final_state)))["variable x"]
    ('halted', 6)
    """
    if isinstance(program, str) or not isinstance(program, Sequence):
        raise OptionError(f"a program is a sequence of lines, not {shown(program)}")
    program = entries("program", program)
    lines = [_parsed(text, number, len(program)) for number, text in enumerate(program)]
    variables = tuple(dict.fromkeys(line.variable for line in lines if line.variable is not None))
    reject_reserved(variables)
    units: dict[Hashable, Affine] = {
        _variable(v): var(_variable(v)) + symbol(v) + _changes(lines, v) for v in variables
    }
    units[BEGIN] = var(BEGIN) - symbol(EOS)
    for number in range(len(lines) + 1):
        units[_at(number)] = _arrivals(lines, number)
    units[_at(0)] += var(BEGIN) + symbol(EOS) - 1
    units[_at(len(lines))] += var(_at(len(lines)))
    for number, line in enumerate(lines):
        if line.asks and line.variable is not None:
            units[_asked(number)] = var(_at(number))
            units[_zero(number)] = var(_at(number)) - var(_variable(line.variable))
    return one_layer_network(
        units=units,
        start={BEGIN: mpq(1)},
        readout=var(_at(len(lines))),
        activation=Activation.RELU,
        alphabet=(*variables, EOS),
        decision=Decision(protocol=Protocol.EOS_HALT, threshold=mpq(1, 2)),
        name=name,
    )


def _parsed(text: str, number: int, count: int) -> _Line:
    words = text.split() if isinstance(text, str) else []
    line = None
    if len(words) == 3 and words[1] in ("+", "-") and words[2] == "1":
        line = _Line(words[0], 1 if words[1] == "+" else -1, number + 1)
    elif len(words) == 4 and (words[0], words[2]) == ("if", "goto") and _is_number(words[3]):
        line = _Line(words[1], 0, int(mpz(words[3])), asks=True)
    elif len(words) == 2 and words[0] == "goto" and _is_number(words[1]):
        line = _Line(None, 0, int(mpz(words[1])))
    if line is None:
        raise OptionError(f"line {number} is {shown(text)}: write 'x + 1', 'x - 1', 'if x goto 7' or 'goto 7'")
    if line.target > count:
        raise OptionError(
            f"line {number} goes to {shown(line.target)}: there are lines 0 to {count - 1}, and {count} is the end"
        )
    return line


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _changes(lines: Sequence[_Line], variable: str) -> Affine:
    """Return by how much the line that is carried out changes a variable."""
    return total(line.change * var(_at(i)) for i, line in enumerate(lines) if line.variable == variable)


def _arrivals(lines: Sequence[_Line], number: int) -> Affine:
    """Return the form "the next line is this one": the sum over the lines that go there."""
    forms: list[Affine] = []
    for i, line in enumerate(lines):
        if not line.asks:
            forms += [var(_at(i))] if line.target == number else []
            continue
        forms += [var(_asked(i)) - var(_zero(i))] if line.target == number else []
        forms += [var(_zero(i))] if i + 1 == number else []
    return total(forms)


def _variable(name: str) -> Hashable:
    return ("variable", name)


def _at(number: int) -> Hashable:
    """Return the key of a line; one beyond the last is the end."""
    return ("line", number)


def _asked(number: int) -> Hashable:
    return ("asked", number)


def _zero(number: int) -> Hashable:
    return ("zero", number)
