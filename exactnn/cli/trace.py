"""The steps of a run, one row at a time: nothing is kept, so that a trace may be as long as the run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import EnclosingArithmetic, Enclosure, Interval
from exactnn.cli.decoding import Decoded, decoded
from exactnn.cli.subject import Subject
from exactnn.cli.text import number_text
from exactnn.markup import printable
from exactnn.networks import EOS, Network
from exactnn.simulation import Executor, IntervalExecutor, Run, executor_for

__all__ = ["TraceRow", "trace_rows"]

ZEROS = (0, Enclosure(low=mpq(0), high=mpq(0)))

LONGEST_SLICE = 1 << 16
"""Steps taken at once between two rows."""
REACH = 12
"""Cells shown on either side of the head."""
MOST_VALUES = 12
"""Values shown in a line."""


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
        if configuration := self.decoded.text(REACH):
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
    executor = _executor(network, run)
    inputs = network.inputs(run.word)
    state = executor.start()
    step, symbol = 0, None
    while True:
        if step % every == 0 or step == run.steps:
            values = executor.values(state)
            yield TraceRow(
                step=step,
                symbol=symbol,
                decoded=decoded(subject, values, arithmetic=run.arithmetic, steps=step, word_length=len(inputs)),
                values={name: value for name, value in zip(run.trace.names, values, strict=True) if value not in ZEROS},
            )
        if step == run.steps:
            return
        if step < len(inputs):
            given, count = inputs[step], 1
        else:
            assert network.alphabet is not None
            given, count = network.alphabet.index(EOS), min(every - step % every, run.steps - step, LONGEST_SLICE)
        segment = executor.advance(state, given, count, until_decided=False)
        state = segment.state
        step += segment.steps
        symbol = _symbol_text(network.alphabet, given)


def _executor(network: Network, run: Run) -> Executor:
    if isinstance(run.arithmetic, EnclosingArithmetic):
        assert run.bits is not None
        return IntervalExecutor(network, Interval(bits=run.bits))
    return executor_for(network, run.arithmetic)


def _symbol_text(alphabet: tuple[str, ...] | None, given: object) -> str:
    if isinstance(given, int):
        assert alphabet is not None
        return alphabet[given]
    assert isinstance(given, tuple)
    return ",".join(map(number_text, given))
