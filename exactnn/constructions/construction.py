"""What every construction returns: a network, the claim about it, and how to read its state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sized
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from exactnn.arithmetic import count_text, counted
from exactnn.automata import (
    Configuration,
    CounterMachine,
    Machine,
    Output,
    WeightedAutomaton,
    machine_of,
)
from exactnn.constructions.stack_numbers import HALF, MOST_CELLS, is_long
from exactnn.errors import ConstructionError, OptionError, shown
from exactnn.markup import Table, Tabular, named
from exactnn.networks import Network, RealNetwork
from exactnn.simulation import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Codec", "Configuration", "Construction", "Phase", "reject_reserved", "require_machine", "require_state"]


M = TypeVar("M", bound=Machine)


class Phase(Enum):
    """What a network does besides the machine's moves; before the first one decoded in place of a state."""

    LOAD = "(load)"
    REWIND = "(rewind)"
    READY = "(ready)"
    HALTED = "(halted)"
    FULL = "(memory full)"

    def __str__(self) -> str:
        return self.value

    @property
    def is_before_first_move(self) -> bool:
        """Whether the machine has not moved yet."""
        return self in (Phase.LOAD, Phase.REWIND, Phase.READY)


def require_machine(machine: object, kind: type[M], construction: str) -> M:
    """Return the machine, or that of a name; raises ConstructionError unless it is of the kind, and EOS is free."""
    machine = machine_of(machine)
    if isinstance(machine, Machine) and isinstance(machine, kind):
        reject_reserved(machine.input_symbols)
        return machine
    fault, remedy = shown(machine), f"give a {kind.__name__}"
    if isinstance(machine, Machine):
        fault = f"the {type(machine).__name__} {shown(machine.name)}"
        remedy = "exactnn.constructions_for(machine) names others"
    raise ConstructionError(f"{construction} compiles a {kind.__name__}, not {fault}: {remedy}")


def require_state(state: object, network: Network | RealNetwork) -> None:
    """Raise ConstructionError unless `state` has a number for each neuron of a network."""
    if not isinstance(state, Sized) or not isinstance(state, Iterable) or isinstance(state, str):
        raise ConstructionError(f"{shown(state)} is no state of {network.name}: give its {network.neurons} numbers")
    if len(state) != network.neurons:
        raise ConstructionError(
            f"{shown(state)} has {len(state)} numbers: a state of {network.name} has {network.neurons}"
        )


def _equation(name: str, *terms: tuple[int, str]) -> str:
    """Return an equation, such as ``T = 3 k + 2``."""
    texts = [
        unknown if unknown and factor == 1 else f"{factor} {unknown}".rstrip() for factor, unknown in terms if factor
    ]
    return f"{name} = {' + '.join(texts) or 0}"


def reject_reserved(symbols: tuple[str, ...]) -> None:
    """Raise ConstructionError if `symbols` contains the reserved end-of-sequence symbol."""
    if "EOS" in symbols:
        raise ConstructionError("input symbol 'EOS' is reserved for the end-of-sequence input: rename the symbol")


class Codec(ABC):
    """Between configurations of a machine and states of a network; `extent` and `nonblank` are for tape machines."""

    @abstractmethod
    def encode(self, configuration: Configuration) -> Values:
        """Return a network state that stands for `configuration`."""

    @abstractmethod
    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that `state` stands for."""

    def extent(self, state: Values) -> tuple[int, int] | None:
        """Return how many cells there are to be read on either side of the head; None without a tape.

        Of a stack machine: how many symbols of the longest stack, and 0.
        """
        return None

    def nonblank(self, state: Values) -> int | None:
        """Return how many cells are not blank; None without a tape, or where a cell is lost."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction(Tabular):
    """A network compiled from a machine, with its simulation theorem as functions.

    The theorem is a commuting square: after the set-up, decoding commutes with stepping,
    ``decode(step(encode(c))) = next(c)`` with `steps_per_move` network steps on the left.

    Parameters
    ----------
    name : str
        Name of the construction.
    machine : Machine
    network : Network
    codec : Codec
        `encode` and `decode`; of a tape machine `extent` and `nonblank` too.
    steps_per_move : int
        Network steps per move of the machine.
    set_up : tuple of int
        Network steps before the machine's first move, those that read the word included: a number of steps for
        each symbol of the word, and a number for any word.
    claim : str
        The theorem in a sentence.
    citation : str
        Where it comes from.
    weight_field : str
        The smallest field that holds the weights: "Z", "Q", ...
    verdict_delay : int
        Network steps from the machine's last move to the verdict.
    outputs : tuple
        Of a Moore or a Mealy machine: what each output of the network stands for.
    """

    name: str
    machine: Machine
    network: Network
    codec: Codec = field(compare=False)
    steps_per_move: int
    set_up: tuple[int, int]
    claim: str
    citation: str
    weight_field: str
    verdict_delay: int = 0
    outputs: tuple[Output, ...] = ()

    def said(self, values: object) -> Output | None:
        """Return what the outputs of a network of a Moore or a Mealy machine say; None where nothing is said.

        Parameters
        ----------
        values : tuple of numbers
            One for each of `outputs`, as a run has them; in a rounding arithmetic the one above 1/2 counts.
        """
        given = values if isinstance(values, tuple) else (values,)
        found = [output for output, value in zip(self.outputs, given, strict=False) if value > HALF]
        return found[0] if len(found) == 1 else None

    def encode(self, configuration: Configuration) -> Values:
        """Return a network state (d' exact numbers) that stands for `configuration`.

        Raises
        ------
        ConstructionError
            If the configuration has a state or symbol that the network knows no units for.
        """
        return self.codec.encode(configuration)

    def decode(self, state: Values, *, cells: int | None = None) -> Configuration:
        """Return the configuration that a network state stands for.

        Parameters
        ----------
        state : d' numbers
            Exact ones, or floats of a rounding run: what cannot be read back is shown as ``LOST`` ("?").
        cells : int, optional
            Read at most this many cells on either side of the head, or of each stack. A rounded number has digits
            without end; give the depth that matters.

        Raises
        ------
        OptionError
            If `cells` is not given and there are more than ten million on a side of the head.
        ConstructionError
            If the network has not as many neurons.
        """
        self._check_size(state)
        if cells is None and any(is_long(value) for value in state if value):
            self._check_length(state)
        return self.codec.decode(state, cells)

    def _check_size(self, state: Values) -> None:
        require_state(state, self.network)

    def _check_length(self, state: Values) -> None:
        extent = self.codec.extent(state)
        if extent is not None and max(extent) > MOST_CELLS:
            raise OptionError(
                f"a tape of {count_text(sum(extent) + 1)} cells is not decoded as a whole: give cells=, how many to "
                "read on either side of the head, and count with nonblank()"
            )

    def extent(self, state: Values) -> tuple[int, int] | None:
        """Return how many cells on either side of the head there are to be read; None without a tape.

        Beyond them the tape is blank, or the state says nothing of it. Of an exact state this is exact. Of a stack
        machine it is how many symbols of the longest stack there are, and 0.
        """
        self._check_size(state)
        return self.codec.extent(state)

    def nonblank(self, state: Values) -> int | None:
        """Return how many cells of the tape are not blank; None without a tape, or where a cell is lost.

        This is what counting in ``decode(state)`` gives, also for tapes far too long to be decoded.

        Examples
        --------
        >>> from exactnn.constructions import siegelmann_sontag
        >>> from exactnn.machine_files import load
        >>> from exactnn.simulation import run
        >>> net = siegelmann_sontag(load("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA"))
        >>> net.nonblank(run(net, "").final_state)
        4098
        """
        self._check_size(state)
        return self.codec.nonblank(state)

    def set_up_steps(self, word_length: int) -> int:
        """Return the number of network steps before the machine's first move on a word of that length."""
        return self.set_up[0] * word_length + self.set_up[1]

    def verdict_steps(self, word_length: int, moves: int) -> int:
        """Return the number of network steps to the verdict, on a word of that length, after so many moves.

        Examples
        --------
        >>> from exactnn.constructions import chung_siegelmann
        >>> from exactnn.machine_files import load
        >>> net = chung_siegelmann(load("anbn"))
        >>> net.verdict_steps(word_length=4, moves=15), net.halting_time
        (51, 'T(w) = 3 k + 2')
        """
        return self.set_up_steps(word_length) + self.steps_per_move * moves + self.verdict_delay

    def weights(self, *, exact: bool = True) -> dict[str, NDArray[Any]]:
        """Return all weights of the network as arrays by name; as :meth:`Network.weights`.

        Raises
        ------
        ConstructionError
            If weights are real numbers of which there are digits, as many as one asks for.

        Examples
        --------
        >>> from exactnn.constructions import compile
        >>> list(compile("parity").weights(exact=False))[:3]
        ['initial_state', 'layer0.state', 'layer0.input']
        """
        if isinstance(self.network, RealNetwork):
            raise ConstructionError(f"{self.name} has real weights, of which there are digits only: see its network")
        return self.network.weights(exact=exact)

    @property
    def halting_time(self) -> str:
        """The number T of EOS symbols until the verdict, as a formula in the word w and the number k of moves."""
        if not self.network.decision.protocol.reads_eos:
            said = "value" if isinstance(self.machine, WeightedAutomaton) else "output" if self.outputs else "verdict"
            return f"no EOS symbols: the {said} is {'what is given' if self.outputs else 'the output'} after the word"
        read, moves = self.set_up[0], self.steps_per_move
        if isinstance(self.machine, CounterMachine):
            read, moves = read + moves, 0  # it moves once for each symbol
        steps = self.set_up[1] + self.verdict_delay
        if not read:
            return _equation("T", (moves, "k"), (steps, ""))  # it has no input symbols
        return _equation("T(w)", (read - 1, "|w|"), (moves, "k"), (steps, ""))

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Return how many moves the machine has made after `steps` network steps on a word of that length."""
        moves = max(0, steps - self.set_up_steps(word_length)) // self.steps_per_move
        return min(moves, word_length) if isinstance(self.machine, CounterMachine) else moves  # then come tests at EOS

    def __repr__(self) -> str:
        return f"<{named(self.name)} of {named(self.machine.name)}: {counted(self.network.neurons, 'neuron')}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        network = self.network
        weights = "" if isinstance(network, RealNetwork) else f", {counted(network.circuit.weights, 'weight')}"
        fields: dict[str, object] = {
            "machine": self.machine.name,
            "network": f"{counted(network.neurons, 'neuron')}{weights}",
            "network steps per move": str(self.steps_per_move),
            "verdict": self.halting_time,
            "claim": self.claim,
            "source": self.citation,
        }
        return Table.of_fields(self.name, fields)
