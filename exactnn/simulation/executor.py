"""Executors: a network in an arithmetic, which takes steps."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

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
    "has_basic_readout",
    "is_basic",
    "unlike",
]


NO_LIMIT = 1 << 4096
"""The count of steps to ask for where there is no limit; this object itself says so, whatever its value."""

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

    `outcome` is set if the last output is a verdict of the network's protocol; the steps end there.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    state: State
    outcome: Outcome | None

    def leading_to(self, state: State) -> "Segment":
        """Return the same with another state."""
        return Segment(self.steps, self.outputs, state, self.outcome)

    def then(self, following: "Segment") -> "Segment":
        """Return these steps and those that follow as one."""
        steps, outputs = self.steps + following.steps, [*self.outputs, *following.outputs]
        return Segment(steps=steps, outputs=outputs, state=following.state, outcome=following.outcome)


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


def _twin(network: Network) -> Network | None:
    circuit = network.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    if not has_basic_readout(network) or not all(unit.activation.is_rational for unit in units):
        return None
    registers = list(range(circuit.state_size + circuit.input_size))
    layers: list[tuple[Unit, ...]] = []
    first = len(registers)
    for layer in circuit.layers:
        scaled = [_scaled(unit, registers) for unit in layer]
        layers.append(tuple(unit for unit, _ in scaled))
        backs = [back(first + i) for i, (_, back) in enumerate(scaled) if back is not None]
        if backs:
            layers.append(tuple(backs))
        places = iter(range(first + len(layer), first + len(layer) + len(backs)))
        registers += [first + i if back is None else next(places) for i, (_, back) in enumerate(scaled)]
        first += len(layer) + len(backs)
    following = tuple(registers[register] for register in circuit.next_state)
    return replace(network, circuit=replace(circuit, layers=tuple(layers), next_state=following))


def _scaled(unit: Unit, registers: list[int]) -> tuple[Unit, Callable[[int], Unit] | None]:
    """Return the unit with one of the four activations, and what makes its value of that one's, if it is another.

    `registers` are those of the twin where the values of the registers are found.
    """
    read = replace(
        unit,
        linear=tuple((registers[register], weight) for register, weight in unit.linear),
        bilinear=tuple((registers[one], registers[other], weight) for one, other, weight in unit.bilinear),
    )
    if _found(unit.activation) is not None:
        return read, None
    low, high = unit.activation.low, unit.activation.high
    if low is None:  # min(high, x) = high - relu(high - x)
        assert high is not None
        return _times(read, -ONE, high, Activation.RELU), _back(unit.name, high, -ONE)
    if high is None:  # max(low, x) = low + relu(x - low)
        return _times(read, ONE, -low, Activation.RELU), _back(unit.name, low, ONE)
    if unit.activation.kind is Kind.JUMP:
        return replace(read, activation=Activation.HEAVISIDE), _back(unit.name, low, high - low)
    scale = 1 / (high - low)
    return _times(read, scale, -low * scale, Activation.SLU), _back(unit.name, low, high - low)


def _times(unit: Unit, factor: mpq, constant: mpq, activation: Activation) -> Unit:
    """Return the unit of `factor` times the sum of `unit`, plus a constant."""
    return Unit(
        name=f"scaled {unit.name}",
        bias=factor * unit.bias + constant,
        linear=tuple((register, factor * weight) for register, weight in unit.linear),
        bilinear=tuple((one, other, factor * weight) for one, other, weight in unit.bilinear),
        activation=activation,
    )


def _back(name: str, constant: mpq, factor: mpq) -> Callable[[int], Unit]:
    return lambda register: Unit(name=name, bias=constant, linear=((register, factor),))
