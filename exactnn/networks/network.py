"""A network: a circuit with a start state, a readout, an alphabet, and how its output is a decision."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, ExactNumber, LazyNumber, counted, exact, short_text
from exactnn.automata import as_word, entry_of_each
from exactnn.errors import NetworkError, NumberError, WordError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.markup import clipped, escaped, named
from exactnn.matrices import exact_vector, is_sequence, sequence
from exactnn.networks.circuit import Circuit, Unit, check_registers
from exactnn.networks.weight_pattern import weight_pattern
from exactnn.options import entries, flag, is_whole
from exactnn.outcome import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EOS", "Decision", "Input", "Network", "Protocol", "input_vector"]

T = TypeVar("T")
ONE, ZERO = mpq(1), mpq(0)


# --- How outputs become verdicts: the acceptance protocol of a network.

EOS = "EOS"
"""The end-of-sequence symbol: fed again and again after the word, for the intermediate steps."""


class Protocol(StrEnum):
    """When and how a network says yes or no.

    ``OUTPUTS``: it does not; it gives outputs. ``END_OF_WORD``: after the last symbol, accept if the output
    is above the threshold, else reject. ``EOS_VERDICT``: after the word come EOS symbols; the output stays
    near 0 until the verdict, above the threshold for accept, below its negative for reject (Siegelmann and
    Sontag 1995: 0, then 1 or -1). ``EOS_HALT``: likewise, but a high
    output only says that the machine halted.
    """

    OUTPUTS = "outputs"
    END_OF_WORD = "end of word"
    EOS_VERDICT = "EOS verdict"
    EOS_HALT = "EOS halt"

    @classmethod
    def named(cls, name: object) -> "Protocol":
        """Return the protocol called `name`; raises NetworkError for any other value."""
        if isinstance(name, str) and name in list(cls):
            return cls(name)
        raise NetworkError(f"protocol {shown(name)} is unknown: choose one of {', '.join(cls)}")

    @property
    def reads_eos(self) -> bool:
        """Whether EOS symbols follow the word."""
        return self in (Protocol.EOS_VERDICT, Protocol.EOS_HALT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A protocol with its threshold.

    Compiled networks output exactly 0, 1 or -1 and use the threshold 1/2, so that in a rounding arithmetic
    an output that is merely not zero does not count as a verdict.

    Examples
    --------
    >>> decision = Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1, 2))
    >>> decision.outcome(mpq(0)), decision.outcome(mpq(-1))
    (None, <Outcome.REJECTED: 'rejected'>)

    With `full`, an output above it says that a bounded memory was too small: such a run has no verdict.

    >>> Decision(protocol=Protocol.END_OF_WORD, full=2).outcome(mpq(3))
    <Outcome.STACK_FULL: 'stack full'>
    """

    protocol: Protocol
    threshold: mpq = mpq(0)
    full: mpq | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "protocol", Protocol.named(self.protocol))
        object.__setattr__(self, "threshold", exact(self.threshold))
        if self.full is not None:
            object.__setattr__(self, "full", exact(self.full))
            if self.protocol is Protocol.OUTPUTS or self.full <= self.threshold:
                raise NetworkError(f"full={short_text(self.full)}: give a bound above the threshold, for verdicts")

    def outcome(self, output: mpq | float | LazyNumber | Enclosure) -> Outcome | None:
        """Return what `output` says, or None for "not yet"; NaN is neither above nor below the threshold.

        An enclosure says what all of its numbers say; where they differ, it is "undecided at these bits".
        """
        if isinstance(output, Enclosure):
            return self._enclosed_outcome(output)
        above = output > self.threshold
        if self.full is not None and output > self.full:
            return Outcome.STACK_FULL
        if self.protocol is Protocol.END_OF_WORD:
            if output != output:
                return Outcome.UNDECIDED
            return Outcome.ACCEPTED if above else Outcome.REJECTED
        if self.protocol.reads_eos and above:
            return Outcome.HALTED if self.protocol is Protocol.EOS_HALT else Outcome.ACCEPTED
        if self.protocol.reads_eos and output < -self.threshold:
            return Outcome.REJECTED
        return None

    def _enclosed_outcome(self, output: Enclosure) -> Outcome | None:
        low, high = self.outcome(output.low), self.outcome(output.high)
        return low if low is high else Outcome.BIT_LIMIT  # outcomes are ordered as outputs are: so it is between them


Input = int | tuple[mpq, ...]
"""One input of a step: the index of a one-hot symbol, or a vector of exact numbers."""


def input_vector(given: Input, size: int) -> tuple[mpq, ...]:
    """Return the numbers of an input.

    >>> input_vector(1, 3), input_vector((mpq(1, 2),), 1)
    ((mpq(0,1), mpq(1,1), mpq(0,1)), (mpq(1,2),))
    """
    return given if isinstance(given, tuple) else (*(ZERO,) * given, ONE, *(ZERO,) * (size - given - 1))


class LaidOut(dict[object, tuple[object, Any]]):
    """What was laid out of a network, kept for its next run: of each owner the last one. A copy begins with none.

    >>> laid_out = LaidOut()
    >>> [laid_out.of("rows", bits, lambda: object()) is laid_out.of("rows", 8, list) for bits in (8, 9)]
    [True, False]
    """

    def of(self, owner: object, key: object, make: Callable[[], T]) -> T:
        """Return what `make` returned when the owner asked with this key last, or what it returns now."""
        known = self.get(owner)
        if known is None or known[0] != key:
            known = self[owner] = key, make()
        found: T = known[1]
        return found

    def __reduce__(self) -> tuple[type["LaidOut"], tuple[()]]:
        """Return an empty one, for copies and pickles."""
        return LaidOut, ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A recurrent network with exact parameters; it knows no arithmetic and no machine it came from.

    Parameters
    ----------
    circuit : Circuit
        The recurrent step, with d' state components and d input components.
    initial_state : tuple of mpq, length d'
    readout : tuple of Unit
        Affine (or second-order) functions of the state; applied to every state, the initial one included.
    alphabet : tuple of str or None
        Symbol i is read as the one-hot vector e_i of length d; None if inputs are vectors. It contains
        ``EOS`` exactly if the protocol reads it.
    decision : Decision
        How outputs become verdicts; protocols with verdicts need a single readout.
    scalar_output : bool
        Whether an output is reported as a number (single readout) or as a tuple.
    name : str
    input_bounds : tuple of mpq, length d, or None
        The largest absolute value of each input component that the network is right for, of one that reads vectors:
        a run ends before an input beyond them. None if there is no such bound.

    Raises
    ------
    NetworkError
        If the parts do not fit each other.
    """

    circuit: Circuit
    initial_state: tuple[mpq, ...]
    readout: tuple[Unit, ...]
    alphabet: tuple[str, ...] | None = None
    decision: Decision = Decision(protocol=Protocol.OUTPUTS)
    scalar_output: bool = True
    name: str = "network"
    input_bounds: tuple[mpq, ...] | None = None
    laid_out: LaidOut = field(default_factory=LaidOut, init=False, repr=False, compare=False)
    """What executors keep for the next run; no part of the value."""

    def __post_init__(self) -> None:
        fill = object.__setattr__
        if not isinstance(self.circuit, Circuit):
            raise NetworkError(f"circuit is {shown(self.circuit)}: give a Circuit")
        if not isinstance(self.decision, Decision):
            raise NetworkError(f"decision is {shown(self.decision)}: give a Decision")
        fill(self, "initial_state", exact_vector(self.initial_state, "initial_state"))
        fill(self, "readout", tuple(sequence(self.readout, "readout", "a sequence of Units")))
        fill(self, "scalar_output", flag("scalar_output", self.scalar_output, error=NetworkError))
        if self.alphabet is not None:
            fill(self, "alphabet", self._checked_symbols(self.alphabet))
        if self.input_bounds is not None:
            fill(self, "input_bounds", self._checked_bounds(self.input_bounds))
        if not isinstance(self.name, str):
            raise NetworkError(f"name is {shown(self.name)}: give text")
        if len(self.initial_state) != self.circuit.state_size:
            raise NetworkError(
                f"initial state has {len(self.initial_state)} numbers, the circuit's state {self.circuit.state_size}"
            )
        for unit in self.readout:
            check_registers(unit, self.circuit.state_size)
        if self.scalar_output and len(self.readout) != 1:
            raise NetworkError(f"a scalar output needs one readout, not {len(self.readout)}: set scalar_output=False")
        if self.decision.protocol is not Protocol.OUTPUTS and not self.scalar_output:
            raise NetworkError(f"protocol {self.decision.protocol!s} needs a single scalar output")
        self._check_alphabet()

    def _check_alphabet(self) -> None:
        if self.alphabet is None:
            if self.decision.protocol.reads_eos:
                raise NetworkError(f"protocol {self.decision.protocol!s} needs an alphabet that contains {EOS!r}")
            return
        if len(set(self.alphabet)) != len(self.alphabet):
            raise NetworkError(f"alphabet {shown(self.alphabet)} names a symbol twice")
        if len(self.alphabet) != self.circuit.input_size:
            raise NetworkError(
                f"alphabet has {len(self.alphabet)} symbols, the circuit's input {self.circuit.input_size} components"
            )
        if (EOS in self.alphabet) != self.decision.protocol.reads_eos:
            raise NetworkError(
                f"alphabet contains {EOS!r} exactly if the protocol reads it: {self.decision.protocol!s}"
            )

    @staticmethod
    def _checked_symbols(alphabet: Iterable[str]) -> tuple[str, ...]:
        symbols = list(alphabet) if isinstance(alphabet, str) else sequence(alphabet, "alphabet", "text or symbols")
        symbols = [str(symbol) if is_whole(symbol) else symbol for symbol in symbols]
        for symbol in symbols:
            if not isinstance(symbol, str) or not symbol:
                raise NetworkError(f"alphabet has the symbol {shown(symbol)}: a symbol is a non-empty string")
        return tuple(symbols)

    def _checked_bounds(self, bounds: Sequence[ExactNumber]) -> tuple[mpq, ...]:
        if self.alphabet is not None:
            raise NetworkError("input_bounds are for networks that read vectors; this one has an alphabet")
        values = exact_vector(bounds, "input_bounds")
        if len(values) != self.circuit.input_size:
            raise NetworkError(
                f"input_bounds has {len(values)} numbers, the circuit's input {self.circuit.input_size} components"
            )
        for value in values:
            if value < 0:
                raise NetworkError(f"input_bounds has {short_text(value)}: a bound is a number of at least 0")
        return values

    def __repr__(self) -> str:
        sizes = f"{counted(self.neurons, 'neuron')}, {counted(self.circuit.weights, 'weight')}"
        return f"<Network {named(self.name)}: {sizes}>"

    def _repr_html_(self) -> str:
        sizes = f"{counted(self.neurons, 'neuron')}, {counted(self.circuit.weights, 'weight')}"
        pattern = weight_pattern(self.circuit, self.alphabet)
        return f"<div><b>{escaped(clipped(self.name))}</b>: {sizes}, {self.decision.protocol}<br/>{pattern}</div>"

    @property
    def neurons(self) -> int:
        """Size d' of the state."""
        return self.circuit.state_size

    @property
    def input_symbols(self) -> tuple[str, ...] | None:
        """The alphabet without EOS: what words are made of."""
        return None if self.alphabet is None else tuple(a for a in self.alphabet if a != EOS)

    @property
    def eos(self) -> int | None:
        """The number of EOS in the alphabet, which is the input after the word; None if the network reads no EOS."""
        return self.alphabet.index(EOS) if self.alphabet is not None and EOS in self.alphabet else None

    def weights(self, *, exact: bool = True) -> "dict[str, NDArray[Any]]":
        """Return all weights as arrays by name.

        ``initial_state`` has the start state; of layer k (from 0 on) ``layerk.state`` and ``layerk.input`` have a row
        for each unit and a column for each component of the state and the input, ``layerk.units`` one for each unit of
        the layers before it, ``layerk.bias`` a number for each unit, and ``layerk.products``, where there are products,
        rows of the unit, the two registers (state, input, units) and the weight. ``readout.state`` and
        ``readout.bias`` are alike.

        Parameters
        ----------
        exact : bool
            Whether entries are exact rationals (gmpy2's mpq), or the nearest float64.

        Examples
        --------
        >>> from exactnn.networks import SimpleRNN
        >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
        >>> halves.weights()["layer0.state"], halves.weights(exact=False)["layer0.state"]
        (array([[mpq(1,2)]], dtype=object), array([[0.5]]))
        """
        with Uninterrupted("loading numpy"):  # only here, since most runs need none
            from exactnn.networks.weight_arrays import weight_arrays

        return weight_arrays(self.initial_state, self.circuit, self.readout, exact=flag("exact", exact))

    def giving_outputs(self) -> "Network":
        """Return the network with a protocol that gives outputs and no verdicts.

        Raises
        ------
        NetworkError
            If it reads EOS symbols.
        """
        return replace(self, decision=Decision(protocol=Protocol.OUTPUTS))

    def with_state_names(self, names: Sequence[str]) -> "Network":
        """Return the network with names for the components of its state, which traces, tables and pictures tell then.

        Parameters
        ----------
        names : sequence of str, length d'

        Raises
        ------
        NetworkError
            If there are not as many, one comes twice or is empty, or a component is a copy without a unit of its own.

        Examples
        --------
        >>> from exactnn.networks import SimpleRNN
        >>> counter = SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], readout_weight=[1], alphabet="ab")
        >>> counter.with_state_names(["count"]).circuit.state_names
        ('count',)
        """
        return replace(self, circuit=self.circuit.with_state_names(names))

    def inputs(self, word: str | Sequence[object]) -> list[Input]:
        """Return the inputs of the steps that read `word` (no EOS).

        Raises
        ------
        WordError
            If a symbol is not in the alphabet, or a vector has the wrong size.
        """
        symbols = self.input_symbols
        if symbols is None:
            if isinstance(word, str | bytes | Set | Mapping) or not isinstance(word, Iterable):
                raise WordError(
                    f"a word of this network is a sequence of vectors, not {shown(word)}; symbols need alphabet="
                )
            return [self._vector(vector, t) for t, vector in enumerate(entries("word", word, error=WordError))]
        assert self.alphabet is not None
        index = {a: i for i, a in enumerate(self.alphabet)}
        return list(entry_of_each(index, as_word(word, symbols)))  # type: ignore[arg-type]

    def inside(self, inputs: Sequence[Input]) -> int:
        """Return how many inputs there are before the first one that is beyond the input bounds."""
        bounds = self.input_bounds
        if bounds is None:
            return len(inputs)

        def beyond(vector: Input) -> bool:
            return isinstance(vector, tuple) and any(
                abs(entry) > most for entry, most in zip(vector, bounds, strict=True)
            )

        return next((t for t, vector in enumerate(inputs) if beyond(vector)), len(inputs))

    def written(self, inputs: Sequence[Input]) -> tuple[object, ...]:
        """Return inputs as a word: symbols of the alphabet, or vectors."""
        if self.alphabet is None:
            return tuple(inputs)
        return entry_of_each(self.alphabet, inputs)

    def _vector(self, vector: object, t: int) -> tuple[mpq, ...]:
        size = self.circuit.input_size
        given: list[ExactNumber] = [vector]
        hint, is_batch = ": a word is a list of such vectors", False
        if is_sequence(vector):
            hint = ""
            given = entries(f"input at position {t}", vector, error=WordError)  # type: ignore[arg-type]
            if is_batch := bool(given) and is_sequence(given[0]):
                hint = ", and this is a sequence of vectors: give one word, and not a batch (check_format takes many)"
        if len(given) != size or is_batch:
            raise WordError(
                f"input {shown(vector)} at position {t}: this network reads vectors of {counted(size, 'number')}{hint}"
            )
        try:
            return tuple(exact(entry) for entry in given)
        except NumberError as error:
            raise WordError(f"input {shown(vector)} at position {t}: {error}") from None
