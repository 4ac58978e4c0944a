"""Networks with a stack: a controller of any kind, whose hidden state says what the stack does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.arithmetic import EXACT, RATIONAL, ExactNumber, exact
from exactnn.errors import NetworkError, shown
from exactnn.matrices import exact_entry, exact_matrix, exact_vector, is_sequence, sequence
from exactnn.networks import Activation, Circuit, Network, RecurrentLayer, Squashing, Unit
from exactnn.networks.cell import Registers, StepUnits, complements, recurrent_network, rows
from exactnn.networks.circuit import affine_unit
from exactnn.options import whole_number
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack

__all__ = ["StackLayout", "StackRNN"]

ZERO, ONE = mpq(0), mpq(1)

MOST_CELLS = 100_000

CLIP, FULL = Activation(name="clip", low=-ONE, high=ONE), mpq(2)
"""Outputs of networks with verdicts are clipped to -1 and 1; those of a stack that was full are 3 or more."""


def StackRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    controller: RecurrentLayer,
    stack: StratifiedStack | SuperpositionStack,
    depth: int,
    push_weight: Sequence[ExactNumber],
    push_bias: ExactNumber = 0,
    pop_weight: Sequence[ExactNumber],
    pop_bias: ExactNumber = 0,
    value_weight: Sequence[Sequence[ExactNumber]],
    value_bias: Sequence[ExactNumber] | None = None,
    gate: str | Activation | Squashing = "slu",
    value: str | Activation | Squashing = "identity",
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    alphabet: Iterable[str] | None = None,
    name: str = "stack RNN",
) -> Network:
    """Return the recurrent network of a controller and a stack of a fixed depth.

    The controller reads the input, and behind it what was on top of the stack after the last step. From its new hidden
    state h it has g = gate(push_weight h + push_bias), f = gate(pop_weight h + pop_bias) and the vector v =
    value(value_weight h + value_bias). A superposition is then pushed by g, popped by (1 - g) f and kept by (1 - g)
    (1 - f), which are weights whatever g and f in [0, 1] are; of strengths f is popped, and v pushed with g.

    Parameters
    ----------
    controller : RecurrentLayer
        `SimpleRNNLayer`, `LSTMLayer` and others; it reads `stack.values` numbers more than the network.
    stack : SuperpositionStack or StratifiedStack, empty
        Which kind, and how long its vectors are.
    depth : int
        How many cells, or vectors, it has room for. A superposition takes one more in each step that pushes in part;
        of strengths, a vector has a place from a push of more than 0 until it is on top and has no strength left.
    push_weight, pop_weight : vector of length n, the hidden size of the controller
    push_bias, pop_bias : number
    value_weight : matrix (stack.values by n)
    value_bias : vector of length stack.values, optional
    gate : name, Activation or Squashing
        Its values are in [0, 1], as of "slu" and "sigmoid". Of a superposition "softmax" too, as it was published: its
        weights are the softmax of push_weight h + push_bias, pop_weight h + pop_bias and 0.
    value : name, Activation or Squashing
    readout_weight : vector of length n, or matrix (k by n)
    readout_bias : number or vector of length k
    alphabet : iterable of str, optional
        With it, and one output, the network gives verdicts: outputs are clipped to -1 and 1.

    Returns
    -------
    Network
        The state is that of the controller, the stack from the top, what is read of it, and what has fallen off its
        end: the sum of the absolute values that were lost, which is 0 as long as nothing differs from an unlimited
        stack. Where it is not, the outcome is "stack full"; of a network without verdicts it is one output more, the
        last.

    Raises
    ------
    NetworkError, NumberError, OptionError
        If sizes do not fit, an entry is no exact number, or the stack is not empty.

    References
    ----------
    A. Joulin and T. Mikolov, NIPS 2015; E. Grefenstette et al., NIPS 2015. The softmax of three actions has no
    rational values: two gates, one after the other, have all weights that it has. It is two sigmoids itself: of y
    for f, and of x - log(1 + exp(y)) for g, where x, y and 0 are its numbers.

    Examples
    --------
    A controller that remembers nothing: a pushes 1, b pops.

    >>> from exactnn.networks import SimpleRNNLayer
    >>> from exactnn.simulation import run
    >>> reads = SimpleRNNLayer(V=[[0, 0], [0, 0]], W=[[1, 0, 0], [0, 1, 0]], b=[0, 0], s=[0, 0], activation="slu")
    >>> parts = {"push_weight": [1, 0], "pop_weight": [0, 1], "value_weight": [[1, 0]], "readout_weight": [1, 0]}
    >>> network = StackRNN(controller=reads, stack=SuperpositionStack(), depth=2, alphabet="ab", **parts)
    >>> [run(network, word).outcome.value for word in ("aaba", "aaa")]
    ['accepted', 'stack full']
    """
    if not isinstance(stack, StratifiedStack | SuperpositionStack) or any(stack.contents):
        raise NetworkError(f"stack is {shown(stack)}: give an empty StratifiedStack or SuperpositionStack")
    if stack.arithmetic not in (EXACT, RATIONAL) or (isinstance(stack, StratifiedStack) and stack.form == "closed"):
        raise NetworkError(f"stack is {shown(stack)}: give one in exact arithmetic; how it rounds is said by the run")
    kind = stack
    depth = whole_number("depth", depth, least=1, most=MOST_CELLS // kind.values)
    if not isinstance(controller, RecurrentLayer):
        raise NetworkError(f"controller is {shown(controller)}: give a layer, such as SimpleRNNLayer or LSTMLayer")
    n, values = controller.hidden_size, kind.values
    inputs = controller.input_size - values
    if inputs < 0:
        raise NetworkError(f"the controller reads {controller.input_size} numbers: let it read {values} or more")
    heads = (
        exact_vector(push_weight, "push_weight", size=n),
        exact_vector(pop_weight, "pop_weight", size=n),
        *exact_matrix(value_weight, "value_weight", height=values, width=n),
    )
    last_biases = (ZERO,) * values if value_bias is None else exact_vector(value_bias, "value_bias", size=values)
    biases = (exact(push_bias), exact(pop_bias), *last_biases)
    row = sequence(readout_weight, "readout_weight", "a vector, or a matrix (a sequence of rows)")
    verdicts = alphabet is not None and not any(map(is_sequence, row))
    state = StackLayout(len(controller.start), values, depth, isinstance(kind, StratifiedStack), verdicts)
    step = StepUnits(state.size + inputs)
    following = controller.lower(step, state.controller, (*range(state.size, state.size + inputs), *state.read), "")
    hidden = following[:n]
    sums = rows("gate", biases[:2], sums=[(hidden, heads[:2])])
    values_told = rows("value", biases[2:], sums=[(hidden, heads[2:])]), Squashing.named(value)
    if isinstance(gate, str) and gate == "softmax":
        (push, pop), vector = _softmax(step, kind, sums, values_told)
    else:
        squashing = Squashing.named(gate)
        low, high = squashing.bounds
        if low is None or high is None or low < 0 or high > 1:
            raise NetworkError(
                f"gate {shown(squashing.name)}: its values are not all in [0, 1]: give 'slu' or 'sigmoid'"
            )
        gates = step.squashed({"gates": (sums, squashing), "value": values_told})
        (push, pop), vector = gates["gates"], gates["value"]
    if isinstance(kind, StratifiedStack):
        moved, lost = _strengths(step, state, kind.read, push, pop, vector)
    else:
        moved, lost = _superposition(step, state, push, pop, vector)
    (total,) = step.add([_sum("lost", (state.lost, *lost))])
    start = (*controller.start, *(ZERO,) * (state.size - len(controller.start)))
    read, weight, bias = range(n), readout_weight, readout_bias
    last: Registers = ()
    if verdicts:
        weights, constant = exact_vector(row, "readout_weight", size=n), exact_entry(readout_bias, "readout_bias")
        said = affine_unit("output", zip(hidden, weights, strict=True), constant, CLIP)
        last = step.add([said, _whether("full", total)])
        first = constant + sum((w * x for w, x in zip(weights, controller.start, strict=False)), ZERO)
        start = (*start[:-2], max(-ONE, min(ONE, first)), ZERO)
        read, weight, bias = range(state.size - 2, state.size), [ONE, 2 * FULL], ZERO
    network = recurrent_network(
        circuit=Circuit(
            state_size=state.size,
            input_size=inputs,
            layers=tuple(step.layers),
            next_state=(*following, *moved, total, *last),
        ),
        initial_state=start,
        read=read,
        readout_weight=weight,
        readout_bias=bias,
        alphabet=alphabet,
        name=name,
    )
    if verdicts:
        return replace(network, decision=replace(network.decision, full=FULL))
    told = affine_unit("lost", [(state.lost, ONE)], ZERO, Activation.IDENTITY)
    return replace(network, readout=(*network.readout, told), scalar_output=False)


def _softmax(
    step: StepUnits,
    kind: StratifiedStack | SuperpositionStack,
    sums: Sequence[Unit],
    value: tuple[Sequence[Unit], Squashing],
) -> tuple[Registers, Registers]:
    """Add the two gates, one after the other, whose weights are a softmax; return them, and the vector to push."""
    if not isinstance(kind, SuperpositionStack):
        raise NetworkError("gate='softmax' has weights of push, pop and neither: give a SuperpositionStack")
    push, pop = sums
    smooth = {name: ((pop,), Squashing.named(name)) for name in ("sigmoid", "softplus")}
    found = step.squashed({**smooth, "value": value})
    beyond = found["softplus"][0]
    (first,) = step.add([replace(push, linear=(*push.linear, (beyond, -ONE)), activation=Activation.SIGMOID)])
    return (first, *found["sigmoid"]), found["value"]


class StackLayout(NamedTuple):
    """Where the parts of the state are: the controller's, the stack's, what is lost, and what is said with verdicts."""

    first: int
    values: int
    depth: int
    strong: bool
    verdicts: bool

    @property
    def controller(self) -> range:
        """The controller's state."""
        return range(self.first)

    @property
    def strengths(self) -> range:
        """The strengths from the top; none in a superposition."""
        return range(self.first, self.first + self.depth * self.strong)

    def cell(self, depth: int) -> range:
        """A cell of the superposition, or a vector of strengths."""
        begin = self.strengths.stop + depth * self.values
        return range(begin, begin + self.values)

    @property
    def read(self) -> range:
        """What was read of the stack after the last step: of a superposition the top cell."""
        return self.cell(self.depth) if self.strong else self.cell(0)

    @property
    def lost(self) -> int:
        """The sum of what fell off the end."""
        return self.cell(self.depth + self.strong).start

    @property
    def size(self) -> int:
        """How many numbers the state has."""
        return self.lost + 1 + 2 * self.verdicts


def _sum(name: str, registers: Iterable[int], signs: Iterable[int] = repeat(1), bias: mpq = ZERO) -> Unit:
    terms = tuple((register, mpq(sign)) for register, sign in zip(registers, signs, strict=False))
    return Unit(name=name, bias=bias, linear=terms)


def _superposition(
    step: StepUnits, state: StackLayout, push: int, pop: int, vector: Registers
) -> tuple[list[int], Registers]:
    """Add the units of a superposition; return the registers of its cells, and of the parts that fall off."""
    not_pushed, not_popped = step.add(complements("not", (push, pop)))
    popped, kept = step.add(rows("weight", (ZERO, ZERO), products=[((not_pushed,) * 2, (pop, not_popped))]))
    cells = [state.cell(i) for i in range(state.depth)]
    units: list[Unit] = []
    for i, own in enumerate(cells):
        above = cells[i - 1] if i else vector
        sources = [((push,) * state.values, above)]
        sources += [((popped,) * state.values, cells[i + 1])] if i + 1 < state.depth else []
        units += rows(f"cell {i}", (ZERO,) * state.values, products=[*sources, ((kept,) * state.values, own)])
    new = step.add(units)
    lost = [
        Unit(name=f"lost {sign:+}", bias=ZERO, bilinear=((push, register, mpq(sign)),), activation=Activation.RELU)
        for register in cells[-1]
        for sign in (1, -1)
    ]
    return list(new), step.add(lost)


def _strengths(
    step: StepUnits, state: StackLayout, read: mpq, push: int, pop: int, vector: Registers
) -> tuple[list[int], Registers]:
    """Add the units of strengths; return the registers of strengths, vectors and reading, and of what falls off.

    What reaches a vector of an amount is that less all strengths above it, one after the other from the top: as long
    as it is above 0 it is what `StratifiedStack` has in the form "streaming", and 0 from there on. A vector takes a
    place if it is pushed with a strength above 0, and leaves it if it is on top and has none left.
    """
    reaching = step.add(_reaching("pop", (pop,), ZERO, state.strengths))
    left = step.add(_differences("left", state.strengths, reaching))
    stays, pushed = step.add([_whether("stays", left[0]), _whether("pushed", push)])
    goes, not_pushed = step.add(complements("not", (stays, pushed)))
    entries = [left, *([state.cell(i)[j] for i in range(state.depth)] for j in range(state.values))]
    after = [_chosen(step, "popped", stays, own, goes, own[1:]) for own in entries]
    tops = (push, *vector)
    new = [
        _chosen(step, "moved", not_pushed, own, pushed, (top, *own[:-1])) for top, own in zip(tops, after, strict=True)
    ]
    strengths, *columns = new
    lost = step.add([Unit(name="lost", bias=ZERO, bilinear=((pushed, after[0][-1], ONE),))])
    vectors = list(zip(*columns, strict=True))
    depths = step.add(_reaching("depth", (), read, strengths))
    beyond = step.add(_differences("beyond", strengths, depths))
    read_by = step.add([_sum(f"read {i}", pair, (1, -1)) for i, pair in enumerate(zip(strengths, beyond, strict=True))])
    products = [((strength,) * state.values, cell) for strength, cell in zip(read_by, vectors, strict=True)]
    reading = step.add(rows("reading", (ZERO,) * state.values, products=products))
    return [*strengths, *(register for cell in vectors for register in cell), *reading], lost


def _whether(name: str, register: int) -> Unit:
    """Return the unit that is 1 if a number is above 0, else 0."""
    return affine_unit(name, [(register, ONE)], ZERO, Activation.HEAVISIDE)


def _chosen(step: StepUnits, name: str, one: int, first: Registers, other: int, second: Registers) -> Registers:
    """Add the units ``one x + other y`` for two rows of numbers, of which the second may be shorter."""
    return step.add(
        [
            Unit(
                name=f"{name} {i}",
                bias=ZERO,
                bilinear=((one, x, ONE), *((other, y, ONE) for y in second[i : i + 1])),
            )
            for i, x in enumerate(first)
        ]
    )


def _reaching(name: str, whole: Registers, bias: mpq, strengths: Registers) -> list[Unit]:
    """Return max(0, amount - the strengths above) for each strength."""
    return [
        replace(
            _sum(f"{name} {i}", (*whole, *strengths[:i]), (*(1 for _ in whole), *repeat(-1, i)), bias),
            activation=Activation.RELU,
        )
        for i in range(len(strengths))
    ]


def _differences(name: str, first: Registers, second: Registers) -> list[Unit]:
    """Return max(0, x - y) for each pair."""
    return [
        replace(_sum(f"{name} {i}", pair, (1, -1)), activation=Activation.RELU)
        for i, pair in enumerate(zip(first, second, strict=True))
    ]
