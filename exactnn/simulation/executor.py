"""Executors: a network in an arithmetic, which takes steps."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, cast

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, LazyNumber, Numeral
from exactnn.networks import Activation, Input, Kind, Network, Unit
from exactnn.outcome import Outcome

__all__ = [
    "NO_LIMIT",
    "Basic",
    "Deferring",
    "Executor",
    "Later",
    "Output",
    "Reading",
    "Segment",
    "State",
    "Stepper",
    "Values",
    "WordStepper",
    "advance_by",
    "basic",
    "basic_twin",
    "gives_states",
    "has_basic_readout",
    "is_basic",
    "unlike",
    "values_along",
]


NO_LIMIT = 1 << 4096
"""The count of steps to ask for where there is no limit; this object itself says so, whatever its value."""

MOST_AT_ONCE = 1 << 12
"""Letters in one call where the state after each is wanted."""

State = Any
"""The executor's own form of a state; only the executor that made it reads it."""

Output = mpq | float | Enclosure | tuple[mpq, ...] | tuple[float, ...] | tuple[mpq | float, ...] | tuple[Enclosure, ...]
"""One output: a number for networks with scalar output, else a tuple; with a real start state of `LazyNumber`s too."""

Values = (
    tuple[mpq | Numeral, ...]
    | tuple[float, ...]
    | tuple[mpq | float, ...]
    | tuple[mpq | LazyNumber, ...]
    | tuple[Enclosure, ...]
)
"""A state as numbers: exact ones; or floats, and rationals for numbers of a format that no float has; or enclosures."""


class Later:
    """The numbers of a state, which are computed once somebody asks for them, and then kept.

    Examples
    --------
    >>> later = Later(lambda: (mpq(1, 3),))
    >>> later(), later == Later.known((mpq(1, 3),))
    ((mpq(1,3),), True)
    """

    __slots__ = ("_compute", "_values")

    def __init__(self, compute: Callable[[], Values]) -> None:
        self._compute: Callable[[], Values] | None = compute
        self._values: Values = ()

    @classmethod
    def known(cls, values: Values) -> "Later":
        """Return numbers that are there already."""
        return cls(lambda: values)

    def __call__(self) -> Values:
        """Return the numbers."""
        compute = self._compute
        if compute is not None:
            self._values = compute()
            self._compute = None  # after the numbers, since others may look at the same time
        return self._values

    def __eq__(self, other: object) -> bool:
        return self() == other() if isinstance(other, Later) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Later.known, (self(),)


class Segment(NamedTuple):
    """What some steps gave: how many there were, their outputs as (output, repetitions), the state after them.

    `outcome` is set if the last output is a verdict of the network's protocol; the steps end there. `states` are those
    after each step, from executors that are asked for all of them; none where there is one step: see :attr:`each`.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    state: State
    outcome: Outcome | None
    states: Sequence[State] = ()

    @property
    def each(self) -> Sequence[State]:
        """The state after each step, where these are known."""
        return (self.state,) if self.steps == 1 else self.states

    def leading_to(self, state: State) -> "Segment":
        """Return the same with another state."""
        return Segment(self.steps, self.outputs, state, self.outcome)

    def then(self, following: "Segment") -> "Segment":
        """Return these steps and those that follow as one."""
        steps, outputs = self.steps + following.steps, [*self.outputs, *following.outputs]
        states = [*self.each, *following.each]
        return Segment(steps, outputs, following.state, following.outcome, states if len(states) == steps else ())


class Stepper(Protocol):
    """What walks through a word: an executor, or whatever takes steps as one. It never changes a state."""

    @property
    def network(self) -> Network:
        """The network that runs."""

    @property
    def paces_itself(self) -> bool:
        """Whether `advance` returns after a short while, whatever `count` is."""

    def start(self) -> State:
        """Return the initial state."""

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""

    def advance(self, state: State, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict.

        It may return earlier without a verdict, but takes at least one step if `count` is positive, unless it proves
        that no verdict ever comes, which is the outcome "proven non-halting". Where `count` is `NO_LIMIT`, it may take
        more steps than that says. `count` has no bound, so an executor that keeps something for every step stops before
        that fills the memory, and one that finds its next steps slow stops for the caller to look at the clock.
        """


class Reading(Protocol):
    """A stepper that reads many symbols faster than one by one."""

    def read(self, state: State, symbols: Sequence[Input]) -> Segment:
        """Take a step for each symbol. It gives the last output, or none: then that is the state's own."""


class Deferring(Protocol):
    """An executor of which some states take long to be written out."""

    def later(self, state: State) -> Later:
        """Return the numbers of `state`, to be computed when they are asked for; nothing else is held until then."""


class WordStepper(Stepper, Protocol):
    """A stepper that takes many steps of a word in one call."""

    def advance_word(self, state: State, word: Sequence[Input]) -> Segment:
        """Apply an input after the other; it takes at least one step, and may return before the word is over."""


class Executor(Stepper, Protocol):
    """One network in one arithmetic."""

    @property
    def engine(self) -> str:
        """What runs, for `Run.engine`."""

    def values(self, state: State) -> Values:
        """Return the numbers of `state`, in the order of the network's state."""

    def pack(self, state: State) -> object:
        """Return `state` as JSON data: dicts, lists, text, ints, bools and None, numbers as text (`pack_numbers`).

        What is unpacked and run on gives the same as `state`, bit for bit.
        """

    def unpack(self, data: object) -> State:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""


def advance_by(executor: Executor, state: State, symbol: Input, count: int) -> Segment:
    """Apply the same input exactly `count` times, whatever is decided; the outputs of all steps are kept.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.simulation.rational import RationalExecutor
    >>> adds = RationalExecutor(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1]))
    >>> advance_by(adds, adds.start(), (mpq(2),), 5).state
    (mpq(10,1),)
    """
    done = 0
    outputs: list[tuple[Output, int]] = []
    while done < count:
        segment = executor.advance(state, symbol, count - done, until_decided=False)
        done += segment.steps
        outputs += segment.outputs
        state = segment.state
    return Segment(steps=done, outputs=outputs, state=state, outcome=None)


def gives_states(executor: Stepper) -> bool:
    """Whether the segments of an executor have the state after each step: then one call takes many."""
    return bool(getattr(executor, "gives_states", False))


def values_along(executor: Executor, inputs: Sequence[Input], steps: int) -> Iterator[Values]:
    """Yield the numbers of the initial state and of that after each of `steps` steps, whatever is decided on the way.

    After the word EOS is read, so there are no more steps than the word has symbols for networks that do not read it.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.simulation.rational import RationalExecutor
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> list(values_along(RationalExecutor(halves), halves.inputs([1, 0]), 2))
    [(mpq(0,1),), (mpq(1,1),), (mpq(1,2),)]
    """
    state, eos, many, taken = executor.start(), executor.network.eos, gives_states(executor), 0
    yield executor.values(state)
    word = inputs[:steps]
    while taken < (len(word) if eos is None else steps):
        if taken >= len(word):
            assert eos is not None
            segment = executor.advance(state, eos, steps - taken if many else 1, until_decided=False)
        elif many:
            segment = cast(WordStepper, executor).advance_word(state, word[taken : taken + MOST_AT_ONCE])
        else:
            segment = executor.advance(state, word[taken], 1, until_decided=False)
        for state in segment.each:
            yield executor.values(state)
        taken += segment.steps


# --- The four activations that the fast exact engine and the loops over patterns know, and networks made of them.
#
# Any clamp or jump is an affine function of one of the four, so a network with others has a twin with these only, whose
# states and outputs are the same numbers. What is not here: the meaning of an activation, which is its own data.

ZERO, ONE = mpq(0), mpq(1)


class Basic(StrEnum):
    """Activations whose bounds are 0 and 1, or none."""

    IDENTITY = "identity"
    RELU = "relu"
    SLU = "slu"
    HEAVISIDE = "heaviside"


_BASIC = {
    (Kind.CLAMP, None, None): Basic.IDENTITY,
    (Kind.CLAMP, ZERO, None): Basic.RELU,
    (Kind.CLAMP, ZERO, ONE): Basic.SLU,
    (Kind.JUMP, ZERO, ONE): Basic.HEAVISIDE,
}


def _found(activation: Activation) -> Basic | None:
    return _BASIC.get((activation.kind, activation.low, activation.high))


def basic(activation: Activation) -> Basic:
    """Return which of the four an activation is; it must be one.

    >>> basic(Activation.SLU)
    <Basic.SLU: 'slu'>
    """
    found = _found(activation)
    assert found is not None, f"{activation} is none of {', '.join(Basic)}: the network has no basic twin"
    return found


def is_basic(network: Network) -> bool:
    """Return whether all activations of a network are among the four.

    >>> from exactnn.networks import SimpleRNN
    >>> made = {"V": [[1]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [1]}
    >>> [is_basic(SimpleRNN(**made, activation=name)) for name in ("relu", "relu6", "tanh")]
    [True, False, False]
    """
    return has_basic_readout(network) and network.laid_out.of(
        is_basic, None, lambda: _are_basic(network.circuit.layers)
    )


def _are_basic(layers: Iterable[Iterable[Unit]]) -> bool:
    return None not in map(_found, unlike([unit.activation for layer in layers for unit in layer]).values())


def unlike(activations: Iterable[Activation]) -> dict[int, Activation]:
    """Return activations by their `id`: there are few objects, and to look at each unit takes longer than a step."""
    return {id(activation): activation for activation in activations}


def basic_twin(network: Network) -> Network | None:
    """Return a network of the four activations with the same states and outputs; None where there is none.

    A unit ``clamp(x)`` to low..high becomes the unit ``u = SLU((x - low) / (high - low))`` and, in a layer of its own,
    ``low + (high - low) u``; with one bound that is a ReLU, and a jump a Heaviside. What read the unit reads the second
    one. There is no twin of a network with a smooth unit, or without :func:`has_basic_readout`.

    >>> from exactnn.networks import SimpleRNN
    >>> six = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="relu6")
    >>> [[str(unit.activation) for unit in layer] for layer in basic_twin(six).circuit.layers]
    [['slu'], ['identity']]
    """
    if is_basic(network):
        return network
    return network.laid_out.of(basic_twin, None, lambda: _twin(network))


def has_basic_readout(network: Network) -> bool:
    """Return whether all activations of the readout are among the four: it is one layer, whatever layers there are."""
    return network.laid_out.of(has_basic_readout, None, lambda: _are_basic((network.readout,)))


class _Form(NamedTuple):
    """An activation of x as ``offset + times * activation(factor * x + constant)``, with one of the four."""

    activation: Activation
    factor: mpq
    constant: mpq
    offset: mpq
    times: mpq

    @classmethod
    def of(cls, given: Activation) -> "_Form | None":
        """Return that of an activation, None if it is one of the four itself."""
        low, high = given.low, given.high
        if _found(given) is not None:
            return None
        if low is None:  # min(high, x) = high - relu(high - x)
            assert high is not None
            return cls(Activation.RELU, -ONE, high, high, -ONE)
        if high is None:  # max(low, x) = low + relu(x - low)
            return cls(Activation.RELU, ONE, -low, low, ONE)
        if given.kind is Kind.JUMP:
            return cls(Activation.HEAVISIDE, ONE, ZERO, low, high - low)
        scale = 1 / (high - low)
        return cls(Activation.SLU, scale, -low * scale, low, high - low)


def _twin(network: Network) -> Network | None:
    circuit = network.circuit
    activations = unlike([unit.activation for layer in circuit.layers for unit in layer])
    if not has_basic_readout(network) or not all(activation.is_rational for activation in activations.values()):
        return None
    forms = {name: _Form.of(activation) for name, activation in activations.items()}
    registers = list(range(circuit.state_size + circuit.input_size))
    layers: list[tuple[Unit, ...]] = []
    first = len(registers)
    for layer in circuit.layers:
        of_units = [forms[id(unit.activation)] for unit in layer]
        layers.append(tuple(_scaled(unit, registers, form) for unit, form in zip(layer, of_units, strict=True)))
        backs = [
            Unit(name=unit.name, bias=form.offset, linear=((first + i, form.times),))
            for i, (unit, form) in enumerate(zip(layer, of_units, strict=True))
            if form is not None
        ]
        if backs:
            layers.append(tuple(backs))
        places = iter(range(first + len(layer), first + len(layer) + len(backs)))
        registers += [first + i if form is None else next(places) for i, form in enumerate(of_units)]
        first += len(layer) + len(backs)
    following = tuple(registers[register] for register in circuit.next_state)
    return replace(network, circuit=replace(circuit, layers=tuple(layers), next_state=following))


def _scaled(unit: Unit, registers: list[int], form: _Form | None) -> Unit:
    """Return the unit with one of the four activations; `registers` are where the twin has the values of registers."""
    factor, bias, activation = ONE, unit.bias, unit.activation
    if form is not None:
        factor, activation = form.factor, form.activation
        bias = factor * bias + form.constant
    return Unit(
        name=unit.name if form is None else f"scaled {unit.name}",
        bias=bias,
        linear=tuple([(registers[register], factor * weight) for register, weight in unit.linear]),
        bilinear=tuple([(registers[one], registers[other], factor * weight) for one, other, weight in unit.bilinear]),
        activation=activation,
    )
