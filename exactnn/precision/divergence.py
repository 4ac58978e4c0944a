"""Where an arithmetic first leaves the truth: the step, the neuron, the configuration and the verdict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isfinite
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import (
    AnyFormat,
    Certified,
    Enclosure,
    Format,
    Number,
    count_text,
    counted,
    format_of,
    value_text,
)
from exactnn.automata import StackConfiguration, State, TapeConfiguration, configuration_text, word_text
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.markup import Entry, Table, Tabular, clipped
from exactnn.networks import AnyNetwork, Input, Network, Runnable, network_of, runnable_of
from exactnn.options import step_limit, time_limit
from exactnn.outcome import Outcome, Verdict
from exactnn.precision.lockstep import Follower, TrueRun, narrow_for
from exactnn.precision.required_bits import significand_bits
from exactnn.simulation import Executor, Stretch, Values, executor_for, outcome_after

__all__ = ["REACH", "ConfigurationDivergence", "Divergence", "ValueDivergence", "VerdictDivergence", "first_divergence"]


# --- A rounded run beside the exact one: states taken again one by one, and the first difference of each kind.

REACH = 8
"""Cells shown on either side of the head."""

SIDES = ("left", "right")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueDivergence:
    """The first step at which a neuron's value is not the exact one; of several neurons, the first in order.

    Parameters
    ----------
    step : int
    neuron : str
    exact : mpq, or Enclosure of networks with activations such as tanh
        The computed value is certainly none of those that are enclosed.
    computed : float, or mpq where the format has numbers that no float is
    ulps : mpq or None
        The error in units in the last place: in the distance between the format's numbers at the exact value, which is
        taken from the middle of an enclosure. None if the computed value is infinite or NaN.
    bits : int or None
        The least precision of a binary format that has the exact value; None if none has it. It may be that of the
        format: then a product or a sum on the way was rounded.
    """

    step: int
    neuron: str
    exact: mpq | Enclosure
    computed: Number
    ulps: mpq | None = None
    bits: int | None = None

    def __repr__(self) -> str:
        values = f"exactly {value_text(self.exact)}, computed {value_text(self.computed)}"
        return f"<ValueDivergence of {self.neuron} at step {count_text(self.step)}: {values}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationDivergence:
    """The first step at which the decoded configuration is not the machine's."""

    step: int
    exact: TapeConfiguration | StackConfiguration | State
    computed: TapeConfiguration | StackConfiguration | State

    @property
    def depth(self) -> int | None:
        """How far from the head the nearest wrong cell is: its depth in its stack, 0 under the head.

        None if the tapes are the same and the state is wrong, or where there is no tape.
        """
        if isinstance(self.exact, StackConfiguration) and isinstance(self.computed, StackConfiguration):
            pairs = zip(self.exact.stacks, self.computed.stacks, strict=True)
            return min((d for a, b in pairs if (d := _first_difference(a, b)) is not None), default=None)
        if not isinstance(self.exact, TapeConfiguration) or not isinstance(self.computed, TapeConfiguration):
            return None
        if self.exact.scanned != self.computed.scanned:
            return 0
        found = [_first_difference(getattr(self.exact, side), getattr(self.computed, side)) for side in SIDES]
        return min((depth for depth in found if depth is not None), default=None)

    def __repr__(self) -> str:
        exact, computed = (configuration_text(c, reach=REACH) for c in (self.exact, self.computed))
        return f"<ConfigurationDivergence at step {count_text(self.step)}: exactly {exact}, computed {computed}>"


def _first_difference(exact: Sequence[object], computed: Sequence[object]) -> int | None:
    """Return the number of the first entry that differs, counted from 1, or None."""
    pairs = enumerate(zip_longest(exact, computed), start=1)
    return next((depth for depth, (a, b) in pairs if a != b), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictDivergence:
    """The step at which one run says something that the other does not; None is "not yet"."""

    step: int
    exact: Outcome | None
    computed: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence(Tabular):
    """A rounded run of a network on a word beside the true one, up to the true verdict.

    A part is None where the two runs agree: a run can be wrong in every value and still right in its verdict.

    Parameters
    ----------
    steps : int
        Network steps compared.
    outcome : Outcome
        Of the exact run.
    value, configuration, verdict
        The first difference of each kind. Configurations are compared where a construction decodes them.
    decoded : bool
        Whether configurations were compared: those of a mere network are not known.
    """

    word: tuple[object, ...]
    arithmetic: Format
    steps: int
    outcome: Outcome
    value: ValueDivergence | None = None
    configuration: ConfigurationDivergence | None = None
    verdict: VerdictDivergence | None = None
    decoded: bool = True

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return any(part is not None for part in (self.value, self.configuration, self.verdict))

    @property
    def step(self) -> int | None:
        """Step of the first wrong value, or None."""
        return self.value.step if self.value else None

    @property
    def neuron(self) -> str | None:
        """Name of the first neuron with a wrong value, or None."""
        return self.value.neuron if self.value else None

    @property
    def exact_value(self) -> mpq | Enclosure | None:
        """What that neuron's value is, exactly or between its bounds."""
        return self.value.exact if self.value else None

    @property
    def computed_value(self) -> Number | None:
        """What the rounded run has there."""
        return self.value.computed if self.value else None

    @property
    def exact_configuration(self) -> TapeConfiguration | StackConfiguration | State | None:
        """The machine's configuration at the first step where the decoded one differs from it."""
        return self.configuration.exact if self.configuration else None

    @property
    def computed_configuration(self) -> TapeConfiguration | StackConfiguration | State | None:
        """What the rounded run decodes to there."""
        return self.configuration.computed if self.configuration else None

    @property
    def exact_verdict(self) -> Verdict | None:
        """The verdict of the exact run."""
        return self.outcome.verdict

    @property
    def computed_verdict(self) -> Verdict | None:
        """What the rounded run said first, or None if it said nothing up to the exact verdict."""
        if self.verdict is None:
            return self.outcome.verdict
        return self.verdict.computed.verdict if self.verdict.computed else None

    def __repr__(self) -> str:
        symbols = [a for a in self.word if isinstance(a, str)]
        word = counted(len(self.word), "vector")
        if len(symbols) == len(self.word):
            word = shown("".join(symbols), limit=30)
        parts = {"values": self.value, "configurations": self.configuration, "verdict": self.verdict}
        wrong = ", ".join(f"{what} wrong from step {count_text(part.step)}" for what, part in parts.items() if part)
        return f"<Divergence of {self.arithmetic} on {word} in {counted(self.steps, 'step')}: {wrong or 'none'}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the first wrong value, configuration and verdict."""
        rows: list[tuple[object, ...]] = []
        if (value := self.value) is not None:
            exact, computed = (
                Entry(value_text(v), told=value_text(v, limit=200)) for v in (value.exact, value.computed)
            )
            rows.append((f"value of {value.neuron}", count_text(value.step), exact, _marked(computed)))
        if (other := self.configuration) is not None:
            configurations = (
                Entry(configuration_text(c, reach=REACH), told=str(c)) for c in (other.exact, other.computed)
            )
            exact, computed = configurations
            rows.append(("configuration", count_text(other.step), exact, _marked(computed)))
        if (said := self.verdict) is not None:
            exact, computed = (Entry("not yet" if v is None else str(v)) for v in (said.exact, said.computed))
            rows.append(("verdict", count_text(said.step), exact, _marked(computed)))
        return Table(
            title=f"{self.arithmetic} on {clipped(word_text(self.word), 40)}",
            heading=("first wrong", "at step", "exactly", "computed"),
            rows=tuple(rows),
            note=f"in {counted(self.steps, 'step')}{'' if rows else ': nothing is wrong'}",
        )


def _marked(entry: Entry) -> Entry:
    return Entry(entry.text, told=entry.told, mark="wrong")


def first_divergence(
    network: AnyNetwork,
    word: str | Sequence[object],
    arithmetic: AnyFormat,
    *,
    max_steps: int | None = None,
) -> Divergence:
    """Return where `arithmetic` leaves the exact run of `network` on `word`.

    Both runs take the same steps until the exact one is decided. With activations such as tanh its numbers are
    enclosed, with as many bits as it takes; a value is wrong if it is certainly not the enclosed one. Ctrl-C returns
    what was compared until then, with the outcome "interrupted"; where the exact numbers become too long for the
    memory, it is "size limit", and where 4096 bits do not tell enough, "undecided at these bits".

    Parameters
    ----------
    network : Network or Construction
        Configurations are compared for a construction only.
    max_steps : int, optional
        Compare at most this many network steps.

    Raises
    ------
    WordError, OptionError, UnsupportedArithmeticError
        As :func:`exactnn.run`.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT32
    >>> from exactnn.networks import SimpleRNN
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> found = first_divergence(thirds, [1, 0, 0], FLOAT32)
    >>> found.step, found.neuron, found.exact_value, found.computed_value
    (2, 'h[0]', mpq(1,3), 0.3333333432674408)
    """
    arithmetic = format_of(arithmetic, "arithmetic", error=UnsupportedArithmeticError)
    return Lockstep(network, [arithmetic]).compare(word, max_steps=max_steps)[0]


class Lockstep:
    """The true run of a network and rounded ones beside it, prepared once for many words, in one thread."""

    def __init__(self, network: AnyNetwork, arithmetics: Sequence[Format], reference: Certified | None = None) -> None:
        runnable = runnable_of(network)
        self.network = network_of(runnable)
        self.construction: Runnable | None = None if isinstance(runnable, Network) else runnable
        self.true = TrueRun(self.network, reference or narrow_for(arithmetics))
        self.rounded = [(arithmetic, executor_for(self.network, arithmetic)) for arithmetic in arithmetics]

    def compare(
        self, word: str | Sequence[object], *, max_steps: int | None = None, max_seconds: float | None = None
    ) -> list[Divergence]:
        """Run all of them on `word` until the true run is decided, and return what differs."""
        inputs = self.network.inputs(word)
        limit, end = step_limit(max_steps), time.perf_counter() + time_limit(max_seconds)

        def begin() -> list[_Compared]:
            return [_Compared(self, arithmetic, executor, inputs) for arithmetic, executor in self.rounded]

        outcome, steps, compared = self.true.follow(inputs, begin, limit=limit, end=end)
        return [
            Divergence(
                word=self.network.written(inputs),
                arithmetic=found.arithmetic,
                steps=steps,
                outcome=outcome,
                value=found.value,
                configuration=found.configuration,
                verdict=found.verdict,
                decoded=self.construction is not None,
            )
            for found in compared
        ]


class _Compared(Follower):
    """One rounded run, and what it was found to do wrong."""

    def __init__(self, lockstep: Lockstep, arithmetic: Format, executor: Executor, inputs: list[Input]) -> None:
        super().__init__(executor)
        self.arithmetic = arithmetic
        self.network, self.inputs = lockstep.network, inputs
        self.construction = lockstep.construction
        self.value: ValueDivergence | None = None
        self.configuration: ConfigurationDivergence | None = None
        self.verdict: VerdictDivergence | None = None

    @property
    def sees_states(self) -> bool:
        """Whether it is not known yet which value or, of a construction, which configuration is wrong first."""
        return (self.value if self.construction is None else self.configuration) is None

    def begin(self, true: Values) -> None:
        """Compare the start states."""
        self._compare_states(0, true)

    def step(self, stretch: Stretch, true: Values) -> None:
        """Take the steps of the true run, and compare the states and what they say."""
        if not self.sees_states and self.verdict is not None:
            return
        end = stretch.position.steps
        taken, computed = self.take(stretch)
        at = end - stretch.segment.steps + taken
        self._compare_states(end, true)
        self._compare_outcomes(at, stretch.outcome if at == end else None, computed)

    def end(self, outcome: Outcome, steps: int) -> None:
        """Compare what the outputs after the word say, where that is the verdict."""
        if steps == len(self.inputs):
            said = outcome_after(self.network, len(self.inputs), steps, self.output)
            self._compare_outcomes(steps, outcome, said)

    def _compare_states(self, step: int, exact: Values) -> None:
        """Note the first wrong value and the first wrong configuration."""
        if not self.sees_states:
            return
        computed = self.executor.values(self.state)
        if self.value is None:
            self.value = self._first_wrong_value(step, exact, computed)
        if self.value is not None and self.construction is not None:
            self.configuration = self._wrong_configuration(step, exact, computed)

    def _first_wrong_value(self, step: int, exact: Any, computed: Any) -> ValueDivergence | None:
        names = self.network.circuit.state_names
        for name, true, rounded in zip(names, exact, computed, strict=True):
            if true == rounded:
                continue
            endless = isinstance(rounded, float) and not isfinite(rounded)
            enclosed = isinstance(true, Enclosure)
            if enclosed and not endless and true.contains(rounded):
                continue
            middle = true.midpoint if enclosed else true
            return ValueDivergence(
                step=step,
                neuron=name,
                exact=true,
                computed=rounded,
                ulps=None if endless else abs(mpq(rounded) - middle) / self.arithmetic.spacing(middle),
                bits=None if enclosed else significand_bits(true),
            )
        return None

    def _wrong_configuration(self, step: int, exact: Values, computed: Values) -> ConfigurationDivergence | None:
        assert self.construction is not None
        true = self.construction.decode(exact)
        cells = None
        if isinstance(true, TapeConfiguration):
            cells = 1 + max(len(true.left), len(true.right))
        elif isinstance(true, StackConfiguration):
            cells = 1 + max(map(len, true.stacks))
        rounded = self.construction.decode(computed, cells=cells)
        if true == rounded:
            return None
        return ConfigurationDivergence(step=step, exact=true, computed=rounded)

    def _compare_outcomes(self, step: int, exact: Outcome | None, computed: Outcome | None) -> None:
        """Note the first step at which one run says something that the other does not, if what is right is known."""
        if self.verdict is None and exact is not computed and not (exact is not None and exact.cut_short):
            self.verdict = VerdictDivergence(step=step, exact=exact, computed=computed)
