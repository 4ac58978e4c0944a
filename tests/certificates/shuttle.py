"""A network that shuttles tokens between two stacks, and its certificate, written by hand.

The word a^n puts n tokens on x, a number 0.11...1 in binary. On EOS all tokens go over to y one by one, then one is
dropped and the rest comes back, and so on; when both are empty, the network halts. That takes

    (n + 1) + n + ... + 2 + 1 = (n + 1)(n + 2)/2

EOS steps. The state is x, y, the direction d and the sign of halting h.
"""

import copy
import dataclasses

from gmpy2 import mpq

from exactnn.arithmetic import Tower, exact_text, power, tower_to_json
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, Unit
from exactnn.networks.network_file import network_to_json

X, Y, D, H, TOKEN, EOS_FLAG = range(6)
A, B, OVER, BACK, FIRST, SECOND, X_POP, X_PUSH, Y_POP, Y_PUSH = range(6, 16)
HALF = mpq(1, 2)


def unit(name, activation, bias, *linear, bilinear=()):
    return Unit(name=name, bias=mpq(bias), linear=linear, bilinear=bilinear, activation=activation)


def shuttle():
    """Every activation, and a second-order term, for the sake of the checker."""
    slu, relu, heaviside, identity = Activation.SLU, Activation.RELU, Activation.HEAVISIDE, Activation.IDENTITY
    layers = (
        (unit("a", heaviside, 0, (X, 1)), unit("b", heaviside, 0, (Y, 1))),
        (
            unit("over", slu, -1, (A, 1), (D, -1), (EOS_FLAG, 1)),
            unit("back", relu, -2, (B, 1), (D, 1), (EOS_FLAG, 1)),
            unit("turn at x", relu, 0, (EOS_FLAG, 1), (A, -1), (D, -1)),
            unit("turn at y", slu, -1, (EOS_FLAG, 1), (B, -1), (D, 1)),
        ),
        (
            unit("x popped", slu, -1, (A, -1), (OVER, 1), (SECOND, 1), (X, 2)),
            unit("x pushed", slu, -HALF, (BACK, 1), (TOKEN, 1), (X, HALF)),
            unit("y popped", slu, -1, (B, -1), (BACK, 1), (FIRST, 1), (Y, 2)),
            unit("y pushed", identity, 0, (OVER, HALF), bilinear=((OVER, Y, HALF),)),
        ),
        (
            unit("x", identity, 0, (X_POP, 1), (X_PUSH, 1)),
            unit("y", identity, 0, (Y_POP, 1), (Y_PUSH, 1)),
            unit("d", slu, 0, (D, 1), (FIRST, 1), (SECOND, -1)),
            unit("h", slu, 0, (EOS_FLAG, 1), (A, -1), (B, -1)),
        ),
    )
    return Network(
        circuit=Circuit(state_size=4, input_size=2, layers=layers, next_state=(16, 17, 18, 19)),
        initial_state=(0, 0, 0, 0),
        readout=(unit("halted", heaviside, 0, (H, 1)),),
        alphabet=("a", EOS),
        decision=Decision(protocol=Protocol.EOS_HALT, threshold=HALF),
        name="shuttle",
    )


def steps_of(n):
    return (n + 1) * (n + 2) // 2


ON_X, ON_Y = ["0x0", 0, 1, 0], ["0x0", 0, 1, 1]
STATES = {
    "over": ([ON_X, ON_Y, "0", "0"], 0),
    "over done": (["0", ON_Y, "0", "0"], 1),
    "turned at x": (["0", ON_Y, "1", "0"], 1),
    "back": ([ON_X, ON_Y, "1", "0"], 1),
    "back done": ([ON_X, "0", "1", "0"], 0),
    "turned at y": ([ON_X, "0", "0", "0"], 0),
    "empty, d = 1": (["0", "0", "1", "0"], -1),
    "empty, d = 0": (["0", "0", "0", "0"], -1),
    "halted, d = 0": (["0", "0", "0", "1"], -1),
    "halted, d = 1": (["0", "0", "1", "1"], -1),
}
TO_X, TO_Y = [[0, 1]], [[1, 1]]
EDGES = [
    ("over", False, "over", TO_Y),
    ("over", True, "over done", TO_Y),
    ("over done", False, "turned at x", []),
    ("over done", True, "empty, d = 1", []),
    ("turned at x", False, "back", TO_X),
    ("turned at x", True, "back done", TO_X),
    ("back", False, "back", TO_X),
    ("back", True, "back done", TO_X),
    ("back done", False, "turned at y", []),
    ("back done", True, "empty, d = 0", []),
    ("turned at y", False, "over", TO_Y),
    ("turned at y", True, "over done", TO_Y),
    ("empty, d = 1", None, "halted, d = 0", []),
    ("empty, d = 0", None, "halted, d = 1", []),
]
NUMBER = {name: i for i, name in enumerate(STATES)}


def edge(source, last, target, pushes):
    return {
        "state": NUMBER[source],
        "limb": 0 if last is None else 1,
        "last": bool(last),
        "steps": 1,
        "target": NUMBER[target],
        "pushes": copy.deepcopy(pushes),
        "clears": [],
        "outputs": [["0x1" if target.startswith("halted") else "0x0", 1]],
    }


def rule(state, stacks, edges, **changes):
    """A rule that names all runs, of so many edges, to be used once at a time."""
    found = {"state": NUMBER[state], "stacks": stacks, "whole": [True] * len(stacks), "moves": [["edges", edges]]}
    return found | {"counts": [[["0x1", []]]], "many": None} | changes


X0, J = [0], [1]
MANY = {
    "first": 0,
    "bases": [],
    "lengths": [[["0x1", X0], ["-0x2", J]]],
    "steps": [["0x2", [0, 1]], ["0x3", J], ["-0x2", [1, 1]]],
}
"""What j rounds of two shuttles lead to from x tokens: the steps are the sum of 2 (x - 2 i) + 1 for i < j."""


def certificate(n):
    """The certificate of the word a^n, n > 3: two shuttles are a rule, the last two or three tokens go edge by edge."""
    counts = [[["0x1/0x2", X0], ["-0x1" if n % 2 == 0 else "-0x3/0x2", []]]]  # so that two or three tokens are left
    return {
        "format": "exactnn certificate",
        "version": 3,
        "network": network_to_json(shuttle()),
        "word": ["a"] * n,
        "base": 2,
        "limb": 1,
        "states": [{"values": copy.deepcopy(values), "wanted": wanted} for values, wanted in STATES.values()],
        "edges": [edge(*row) for row in EDGES],
        "rules": [rule("turned at y", [[[1]], []], 8, counts=counts, many=copy.deepcopy(MANY))],
        "begin": {"eos_steps": 0, "state": NUMBER["turned at y"], "stacks": [[[1, hex(n)]], []]},
        "path": [["rule", 0, 0], ["edges", 6 + 4 * (n % 2)]],
        "end": {"eos_steps": hex(steps_of(n)), "outcome": "halted"},
    }


def growing(copies, **changes):
    """The shuttle, but every token comes back as so many: run lengths grow for ever, and it never halts."""
    part, found = mpq(1, 2**copies), shuttle()
    layers = [list(layer) for layer in found.circuit.layers]
    layers[2][1] = unit("x pushed", Activation.SLU, -part, (BACK, 1), (TOKEN, 1), (X, part))
    layers[2][3] = unit("y pushed", Activation.IDENTITY, 0, (OVER, 1 - part), bilinear=((OVER, Y, part),))
    circuit = dataclasses.replace(found.circuit, layers=tuple(map(tuple, layers)))
    data = certificate(12) | {"network": network_to_json(dataclasses.replace(found, circuit=circuit))}
    for edge in data["edges"]:
        edge["pushes"] *= copies
    begin = {"eos_steps": 0, "state": NUMBER["turned at y"], "stacks": [[[1, 12 * copies]]]}
    return data | {"rules": [], "path": [], "begin": begin} | changes


def multiplied(copies):
    """What j rounds of two shuttles lead to if every token comes back as k: c + (x - c) k^2j tokens, c = 1/(k - 1).

    A round makes x tokens k^2 x - k - 1 in (k + 1) x + 1 steps.
    """
    c = mpq(1, copies - 1)

    def form(*terms):
        return [[exact_text(mpq(value)), unknowns] for value, unknowns in terms]

    lengths = form((c, []), (1, [0, 2, 2]), (-c, [2, 2]))
    steps = form((c * c, []), (-c, [0]), (c, [0, 2, 2]), (2 * copies * c, [1]), (-c * c, [2, 2]))
    return {"first": 0, "bases": [copies], "lengths": [lengths], "steps": steps}


def towers(copies, uses):
    """A certificate that it never halts, for a prime number of copies: x rounds of x tokens, so many times."""
    found = rule("turned at y", [[[1]], []], 8, counts=[[["0x1", [0]]]], many=multiplied(copies))
    c, tokens, steps = mpq(1, copies - 1), 12 * copies, 0
    for _ in range(uses):
        factor = power(copies, 2 * tokens)
        steps = steps + tokens * (2 * copies * c) + (tokens - c) * c * (factor - 1)
        tokens = (tokens - c) * factor + c
        tokens = tokens if isinstance(tokens, Tower) else int(tokens)
    said = tower_to_json(steps) if isinstance(steps, Tower) else hex(int(steps))
    end = {"eos_steps": said, "outcome": "proven non-halting"}
    return growing(copies, rules=[found], path=[["rule", 0, 0]] * uses + [["rule", 0, None]], end=end, word=["a"] * 12)
