"""Parity, flip-flop and bounded Dyck languages by units that are multiplied by -1, 0 or 1."""

from collections.abc import Hashable, Mapping
from itertools import product
from typing import Any, cast

from gmpy2 import mpq

from exactnn.arithmetic import is_finite
from exactnn.automata import DFA, LOST
from exactnn.constructions.construction import Codec, Configuration, Construction
from exactnn.constructions.gated_step import Next, Row, gated_network
from exactnn.constructions.stack_numbers import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Activation, Decision, Network, Protocol, SelectiveSSM
from exactnn.options import whole_number
from exactnn.simulation import Values

__all__ = ["bounded_dyck", "decaying_parity", "flip_flop", "parity_unit"]

MOST_STATES = 100_000
MOST_DECAYS = 200
BRACKETS = ("()", "[]", "{}", "<>")
ERROR = "error"

Moves = Mapping[Hashable, Mapping[str, Hashable]]

SARROF = (
    "Y. Sarrof, Y. Veitsman and M. Hahn, The expressive capacity of state space models: a formal language perspective, "
    "2024, arXiv:2405.17394"
)


class _OneNumber(Codec):
    """A state of the machine is one number; the nearest one is read."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers

    def encode(self, configuration: Configuration) -> Values:
        if not isinstance(configuration, str) or configuration not in self._numbers:
            raise ConstructionError(f"{shown(configuration)} is not a state: give one of {', '.join(self._numbers)}")
        return (mpq(self._numbers[configuration]),)

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        if not all(map(is_finite, state)):
            return LOST
        value = readable(range(1), state).get(0, mpq(0))
        near = [name for name, number in self._numbers.items() if abs(value - number) < HALF]
        return near[0] if near else LOST


def parity_unit() -> Construction:
    """Return the linear recurrence of one unit that accepts words with an odd number of 1: each 1 changes its sign.

    Its numbers are 1 and -1, so that it is right in every format that has them, and in every order of evaluation. Gates
    that are at least 0 do not do it.

    References
    ----------
    R. Grazzi et al., "Unlocking state-tracking in linear RNNs through negative eigenvalues", 2024, arXiv:2411.12537.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = parity_unit()
    >>> [run(net, word).verdict.value for word in ("", "10", "0110")], net.decode(run(net, "111").final_state)
    (['reject', 'accept', 'reject'], 'odd')
    """
    moves = {"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}}
    return Construction(
        name="parity_unit",
        machine=DFA(
            states=moves,
            input_symbols="01",
            transitions=cast(Moves, moves),
            initial_state="even",
            final_states=["odd"],
            name="odd number of 1",
        ),
        network=SelectiveSSM(a=[[1, -1]], b=[[0, 0]], s=[1], readout_weight=[-1], alphabet="01", name="parity_unit"),
        codec=_OneNumber({"even": 1, "odd": -1}),
        steps_per_move=1,
        set_up=(0, 0),
        claim="After w the unit is -1 if the number of 1 in w is odd and 1 if it is even, for every w, in every format "
        "that has -1, 0 and 1.",
        citation="R. Grazzi et al., Unlocking state-tracking in linear RNNs through negative eigenvalues, 2024, "
        "arXiv:2411.12537",
        weight_field="Z",
    )


def decaying_parity(units: int) -> Network:
    """Return a linear recurrence of decays that is right about the parity of words with up to `units` letters 1.

    The gates are 1/2, 1/3, ... at a letter 1, and 1 at a letter 0, so that after k letters 1 the units are 2^-k, 3^-k,
    ... The readout has the value 1 for odd k and -1 for even k, up to k = `units`.

    No d gates of 0 or more do better, whatever they and a linear readout are: after k letters 1 the readout is
    c + w_1 a_1^k + ... + w_d a_d^k, a sum of d + 1 exponentials, which changes its sign at most d times as k goes on,
    by Descartes' rule of signs. Parity changes d + 1 times from k = 0 to k = d + 1. With a gate of -1 one unit is right
    for ever: :func:`parity_unit`.

    Parameters
    ----------
    units : int
        From 1 to 200.

    Raises
    ------
    OptionError
        If `units` is no such number.

    Notes
    -----
    The weight of gate x is -l(-1), where l is the polynomial that is 1 at x and 0 at the other gates and at 1: with
    these weights a sum of values p(x) is -p(-1), for each polynomial p of degree up to d, and so -(-1)^k for x^k.

    References
    ----------
    For the limits of gates that are not negative: R. Grazzi et al., "Unlocking state-tracking in linear RNNs through
    negative eigenvalues", 2024, arXiv:2411.12537.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> [str(y) for y in run(decaying_parity(3), "11110").outputs]
    ['1', '-1', '1', '4', '4']
    """
    count = whole_number("units", units, 1, MOST_DECAYS)
    gates = [mpq(1, i + 2) for i in range(count)]
    nodes = [mpq(1), *gates]

    def weight(x: mpq) -> mpq:
        product = mpq(-1)
        for other in nodes:
            product *= (-1 - other) / (x - other) if other != x else 1
        return product

    return SelectiveSSM(
        a=[[1, gate] for gate in gates],
        b=[[0, 0] for _ in gates],
        s=[1] * count,
        readout_weight=[weight(gate) for gate in gates],
        readout_bias=weight(nodes[0]),
        alphabet="01",
        name=f"decaying_parity({count})",
    )


def flip_flop(values: int = 2) -> Construction:
    """Return the linear recurrence of one unit that remembers the last digit that was written; "-" writes nothing.

    The gate is 0 where a digit is written and 1 where none is. A word is accepted if the digit is not 0.

    Parameters
    ----------
    values : int
        How many digits there are, from 2 to 10: "0", "1" and so on.

    Raises
    ------
    OptionError
        If `values` is no such number.

    References
    ----------
    Y. Sarrof, Y. Veitsman and M. Hahn, "The expressive capacity of state space models: a formal language perspective",
    2024, arXiv:2405.17394.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = flip_flop(3)
    >>> [net.decode(run(net, word).final_state) for word in ("", "2--", "2-1-")]
    ['0', '2', '1']
    """
    digits = [str(digit) for digit in range(whole_number("values", values, 2, 10))]
    moves = {digit: {**{written: written for written in digits}, "-": digit} for digit in digits}
    return Construction(
        name="flip_flop",
        machine=DFA(
            states=digits,
            input_symbols=[*digits, "-"],
            transitions=cast(Moves, moves),
            initial_state="0",
            final_states=digits[1:],
            name=f"flip-flop of {len(digits)} values",
        ),
        network=SelectiveSSM(
            a=[[*(0 for _ in digits), 1]],
            b=[[*range(len(digits)), 0]],
            readout_weight=[1],
            alphabet=[*digits, "-"],
            name="flip_flop",
        ),
        codec=_OneNumber({digit: int(digit) for digit in digits}),
        steps_per_move=1,
        set_up=(0, 0),
        claim="After w the unit is the last digit in w, and 0 if there is none, for every w, in every format that "
        "has the digits.",
        citation=SARROF,
        weight_field="Z",
    )


# --- Brackets of several kinds up to a depth: a counter, a register for each depth, and an error that stays.


class _Brackets(Codec):
    """Reads and writes the open brackets."""

    def __init__(self, opening: str, depth: int, units: list[Hashable]) -> None:
        self._opening, self._depth, self._units = opening, depth, units

    def encode(self, configuration: Configuration) -> Values:
        if configuration == ERROR:
            return tuple(mpq(unit == ERROR) for unit in self._units)
        if (
            not isinstance(configuration, str)
            or len(configuration) > self._depth
            or set(configuration) - set(self._opening)
        ):
            raise ConstructionError(
                f"{shown(configuration)} is not a state: give up to {self._depth} of {self._opening}, or 'error'"
            )
        values = {"depth": len(configuration)} | {
            ("top", i + 1): self._opening.index(bracket) + 1 for i, bracket in enumerate(configuration)
        }
        return tuple(mpq(values.get(unit, 0)) for unit in self._units)  # type: ignore[call-overload]

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        values = readable(self._units, state)
        if values.get(ERROR, 0) > HALF:
            return ERROR
        count = values.get("depth", mpq(0))
        if count not in range(self._depth + 1):
            return LOST
        kinds = [values.get(("top", i + 1)) for i in range(int(count))]
        if any(kind not in range(1, len(self._opening) + 1) for kind in kinds):
            return LOST
        return "".join(self._opening[int(kind) - 1] for kind in kinds if kind is not None)


def bounded_dyck(kinds: int = 2, depth: int = 3) -> Construction:
    """Return the linear recurrences of balanced words with brackets of some kinds, nested up to a depth.

    A counter knows the depth. For each depth there is a register, which an opening bracket there sets to the number of
    its kind; its gate is 0 then and 1 else. An error sets a unit that stays 1: a closing bracket of another kind than
    the register's, or one too many, or an opening one too deep. So there are depth + 2 numbers; all else is computed in
    the step from the input and the numbers that are there already.

    Parameters
    ----------
    kinds : int
        From 1 to 4, of the brackets (), [], {} and <>.
    depth : int
        How many brackets may be open at a time.

    Raises
    ------
    OptionError
        If `kinds` or `depth` is no such number.
    ConstructionError
        If the automaton has more than 100,000 states.

    References
    ----------
    Y. Sarrof, Y. Veitsman and M. Hahn, "The expressive capacity of state space models: a formal language perspective",
    2024, arXiv:2405.17394. The units are ours.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> net = bounded_dyck(2, 2)
    >>> [run(net, word).verdict.value for word in ("", "([])[]", "([)]", "((()))", "(")]
    ['accept', 'accept', 'reject', 'reject', 'reject']
    >>> net, net.decode(run(net, "([])[(").final_state)
    (<bounded_dyck of balanced to depth 2: 4 neurons>, '[(')
    """
    kinds = whole_number("kinds", kinds, 1, len(BRACKETS))
    depth = whole_number("depth", depth, 1)
    if depth > MOST_STATES or sum(kinds**i for i in range(min(depth, 20) + 1)) > MOST_STATES:
        raise ConstructionError(
            f"brackets of {kinds} kinds to depth {shown(depth)} have more than {MOST_STATES:,} states: give a smaller "
            "depth"
        )
    opening, closing = ("".join(pair[i] for pair in BRACKETS[:kinds]) for i in (0, 1))
    levels = range(1, depth + 1)
    state: dict[Hashable, Any] = dict.fromkeys(("depth", *(("top", i) for i in levels), ERROR), 0)
    network = gated_network(
        state=state,
        inputs={("letter", a): a for a in opening + closing},
        layers=_layers(opening, closing, depth),
        output={(): 1, (ERROR,): -1, ("depth", "depth"): -1},
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=HALF),
        name="bounded_dyck",
    )
    return Construction(
        name="bounded_dyck",
        machine=_dyck_automaton(opening, closing, depth),
        network=network,
        codec=_Brackets(opening, depth, list(state)),
        steps_per_move=1,
        set_up=(0, 0),
        claim="After w the registers are the open brackets, and w is accepted exactly if it is balanced and never more "
        f"than {depth} brackets are open, for every w, in every format that has the whole numbers from -{depth + 1} to "
        f"{depth + 1}.",
        citation=SARROF,
        weight_field="Z",
    )


def _layers(opening: str, closing: str, depth: int) -> list[dict[Hashable, Row]]:
    """Return the rows: the new depth while there is no error, what happens where, then the registers."""
    levels = range(1, depth + 1)
    jump, linear, held = Activation.HEAVISIDE, Activation.IDENTITY, Activation.SLU
    change = {(("letter", a),): 1 for a in opening} | {(("letter", a),): -1 for a in closing}
    first: dict[Hashable, Row] = {
        "moved": Row(linear, {("depth",): 1} | change),
        "opens": Row(linear, {(("letter", a),): 1 for a in opening}),
        "closes": Row(linear, {(("letter", a),): 1 for a in closing}),
        "kind": Row(
            linear,
            {(("letter", a),): i + 1 for i, a in enumerate(opening)}
            | {(("letter", a),): i + 1 for i, a in enumerate(closing)},
        ),
    }
    second: dict[Hashable, Row] = {}
    for i in levels:  # the depth is i: before a closing bracket, or after an opening one
        for name, count in (("at", "depth"), ("to", "moved")):
            second["below", name, i] = Row(held, {(): i, (count,): -1})
            second["above", name, i] = Row(held, {(): -i, (count,): 1})
        second["other", i] = Row(linear, {("kind",): 1, (("top", i),): -1})
    second["over"] = Row(jump, {(): -depth, ("moved",): 1})
    second["under"] = Row(jump, {("moved",): -1})
    third: dict[Hashable, Row] = {}
    for i in levels:
        third["closes", i] = Row(held, {("closes",): 1, (("below", "at", i),): -1, (("above", "at", i),): -1})
        third["opens", i] = Row(held, {("opens",): 1, (("below", "to", i),): -1, (("above", "to", i),): -1})
    fourth: dict[Hashable, Row] = {}
    for i in levels:
        for sign, name in ((1, "more"), (-1, "less")):
            fourth[name, i] = Row(jump, {(("closes", i), ("other", i)): sign})
        fourth["gate", i] = Row(linear, {(): 1, (("opens", i),): -1})
    wrong: dict[Any, Any] = {(name,): 1 for name in ("over", "under")}
    wrong |= {((name, i),): 1 for i in levels for name in ("more", "less")}
    fifth: dict[Hashable, Row] = {"wrong": Row(held, wrong)}
    sixth: dict[Hashable, Row] = {Next("depth"): Row(linear, {("moved",): 1})}
    for i in levels:
        sixth[Next(("top", i))] = Row(linear, {(("gate", i), ("top", i)): 1, (("opens", i), "kind"): 1})
    right: dict[Hashable, Row] = {"fine": Row(linear, {(): 1, ("wrong",): -1})}
    sixth[Next(ERROR)] = Row(linear, {("wrong",): 1, ("fine", ERROR): 1})
    return [first, second, third, fourth, fifth, right, sixth]


def _dyck_automaton(opening: str, closing: str, depth: int) -> DFA:
    states = ["".join(stack) for n in range(depth + 1) for stack in product(opening, repeat=n)]
    pair = dict(zip(closing, opening, strict=True))

    def after(stack: str, a: str) -> str:
        if a in opening:
            return stack + a if len(stack) < depth else ERROR
        return stack[:-1] if stack and stack[-1] == pair[a] else ERROR

    moves = {stack: {a: after(stack, a) for a in opening + closing} for stack in states}
    return DFA(
        states=[*states, ERROR],
        input_symbols=opening + closing,
        transitions=cast(Moves, moves | {ERROR: dict.fromkeys(opening + closing, ERROR)}),
        initial_state="",
        final_states=[""],
        name=f"balanced to depth {depth}",
    )
