"""What the states of a run stand for, near the head, and its steps one row at a time.

Nothing is kept, so that a trace may be as long as the run.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, Enclosure, Interval
from exactnn.automata import LOST, NOT_CUT, StackConfiguration, TapeConfiguration, TuringMachine, configuration_text
from exactnn.cli.printing import number_text
from exactnn.cli.subject import Subject
from exactnn.markup import printable
from exactnn.networks import Network
from exactnn.simulation import Executor, Run, Values, Walk, executor_for
from exactnn.simulation.executor import State

__all__ = ["Decoded", "decoded", "nonblank_cells", "trace_rows"]

REACH = 1000
"""Cells that are decoded on either side of the head."""

ZEROS = (0, Enclosure(low=mpq(0), high=mpq(0)))

LONGEST_SLICE = 1 << 16
"""Steps taken at once between two rows."""
ROW_REACH = 12
"""Cells shown on either side of the head."""
MOST_VALUES = 12
"""Values shown in a line."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A configuration, and whether its tape goes on to the left and to the right; a mere network has none."""

    configuration: object
    cut: tuple[bool, bool] = NOT_CUT
    known: bool = True

    def text(self, reach: int | None = None) -> str:
        """Return it as printable text, at most `reach` cells on either side of the head; "" for a mere network."""
        return printable(self.record(reach) or "")

    def record(self, reach: int | None = None) -> str | None:
        """Return it as text of a JSON record."""
        if not self.known:
            return None
        return configuration_text(self.configuration, reach=reach, cut=self.cut)


def decoded(
    subject: Subject, values: Values, *, arithmetic: Arithmetic | EnclosingArithmetic, steps: int, word_length: int
) -> Decoded:
    """Return the configuration that the state after `steps` steps stands for, up to REACH cells from the head.

    A state of enclosures stands for one if all of its numbers are known.
    """
    known = _known(values)
    if subject.construction is None or known is None:
        return Decoded(None, known=False)
    if arithmetic.rounds:
        configuration = _rounded_configuration(subject, values, steps, word_length)
        if isinstance(configuration, StackConfiguration):
            return _cut_stacks(configuration)
        if not isinstance(configuration, TapeConfiguration):
            return Decoded(configuration)
        sides = (configuration.left, configuration.right)
        configuration = replace(configuration, left=sides[0][:REACH], right=sides[1][:REACH])
        return Decoded(configuration, (len(sides[0]) > REACH, len(sides[1]) > REACH))
    left, right = subject.construction.extent(known) or (0, 0)
    return Decoded(subject.construction.decode(known, cells=REACH), (left > REACH, right > REACH))


def _known(values: Values) -> Values | None:
    """Return the state as numbers; None if it has enclosures whose numbers are not known."""
    enclosures = [value for value in values if isinstance(value, Enclosure)]
    if not enclosures:
        return values
    return None if any(value.width for value in enclosures) else tuple(value.low for value in enclosures)


def _cut_stacks(configuration: StackConfiguration) -> Decoded:
    stacks = tuple(stack[:REACH] for stack in configuration.stacks)
    return Decoded(replace(configuration, stacks=stacks), (stacks != configuration.stacks, False))


def nonblank_cells(
    subject: Subject, values: Values, *, arithmetic: Arithmetic | EnclosingArithmetic, steps: int, word_length: int
) -> int | None:
    """Return how many cells of the whole tape are not blank; None without a tape, or where a cell is lost."""
    machine = None if subject.construction is None else subject.construction.machine
    if subject.construction is None or not isinstance(machine, TuringMachine):
        return None
    if not arithmetic.rounds:
        known = _known(values)
        return None if known is None else subject.construction.nonblank(known)
    configuration = _rounded_configuration(subject, values, steps, word_length)
    if not isinstance(configuration, TapeConfiguration) or LOST in configuration.tape:
        return None
    return sum(symbol != machine.blank_symbol for symbol in configuration.tape)


def _rounded_configuration(subject: Subject, values: Values, steps: int, word_length: int) -> object:
    """Return what a rounded state stands for, whose digits may have no end: as many cells as can have been visited."""
    assert subject.construction is not None
    return subject.construction.decode(values, cells=word_length + steps + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """The state after `step` network steps: what was read last, the configuration, the values that are not zero."""

    step: int
    symbol: str | None
    decoded: Decoded
    values: dict[str, Any]

    def line(self) -> str:
        """Return the row for people, cut where it would be long."""
        shown = [f"{printable(name)}: {number_text(value)}" for name, value in self.values.items()]
        if len(shown) > MOST_VALUES:
            shown[MOST_VALUES:] = [f"… and {len(shown) - MOST_VALUES} more"]
        parts = [f"{self.step:>8}", f"{printable(self.symbol or ''):<4}"]
        if configuration := self.decoded.text(ROW_REACH):
            parts.append(f"{configuration:<40}")
        return "  ".join([*parts, ", ".join(shown) or "all values are 0"])

    def record(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {
            "step": self.step,
            "symbol": self.symbol,
            "configuration": self.decoded.record(),
            "configuration_cut": any(self.decoded.cut),
            "values": {name: number_text(value) for name, value in self.values.items()},
        }


def trace_rows(subject: Subject, run: Run, every: int) -> Iterator[TraceRow]:
    """Take the steps of `run` again, and yield the initial state, every `every`-th and the last one."""
    network = subject.network
    executor = _executor(network, run, every)
    inputs = network.inputs(run.word)

    def row(step: int, symbol: str | None, state: State) -> TraceRow:
        values = executor.values(state)
        return TraceRow(
            step=step,
            symbol=symbol,
            decoded=decoded(subject, values, arithmetic=run.arithmetic, steps=step, word_length=len(inputs)),
            values={name: value for name, value in zip(run.trace.names, values, strict=True) if value not in ZEROS},
        )

    walk = Walk(executor, inputs, limit=run.steps, every=every, at_once=LONGEST_SLICE)
    yield row(0, None, walk.position.state)
    for stretch in walk:
        step = stretch.position.steps
        if step % every == 0 or step == run.steps:
            yield row(step, _symbol_text(network.alphabet, stretch.symbol), stretch.position.state)


def _executor(network: Network, run: Run, every: int) -> Executor:
    arithmetic = run.arithmetic if run.bits is None else Interval(bits=run.bits)
    return executor_for(network, arithmetic, enclosing=True, every_state=every == 1)


def _symbol_text(alphabet: tuple[str, ...] | None, given: object) -> str:
    if isinstance(given, int):
        assert alphabet is not None
        return alphabet[given]
    assert isinstance(given, tuple)
    return ",".join(map(number_text, given))
