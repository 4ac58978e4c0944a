"""Where an arithmetic first leaves the truth: the step, the neuron, the configuration and the verdict."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isfinite
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, Format, Number, count_text, counted, value_text
from exactnn.automata import StackConfiguration, State, TapeConfiguration, configuration_text, word_text
from exactnn.errors import shown
from exactnn.markup import Entry, Table, Tabular, clipped
from exactnn.networks import Input, Network
from exactnn.options import step_limit, time_limit
from exactnn.outcome import Outcome, Verdict
from exactnn.precision.required_bits import significand_bits
from exactnn.simulation import (
    Executor,
    Runnable,
    Stretch,
    Values,
    Walk,
    cut_short_by,
    executor_for,
    network_of,
    outcome_after,
)
from exactnn.simulation.walk import CUT_SHORT

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
    exact : mpq
    computed : float, or mpq where the format has numbers that no float is
    ulps : mpq or None
        The error in units in the last place: in the distance between the format's numbers at the exact value. None if
        the computed value is infinite or NaN.
    bits : int or None
        The least precision of a binary format that has the exact value; None if none has it. It may be that of the
        format: then a product or a sum on the way was rounded.
    """

    step: int
    neuron: str
    exact: mpq
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
    """A rounded run of a network on a word beside the exact one, up to the exact verdict.

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

    @property
    def step(self) -> int | None:
        """Step of the first wrong value, or None."""
        return self.value.step if self.value else None

    @property
    def neuron(self) -> str | None:
        """Name of the first neuron with a wrong value, or None."""
        return self.value.neuron if self.value else None

    @property
    def exact_value(self) -> mpq | None:
        """What that neuron's value is, exactly."""
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
        word = shown("".join(symbols) if len(symbols) == len(self.word) else self.word, limit=30)
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
    network: Network | Runnable,
    word: str | Sequence[object],
    arithmetic: Format,
    *,
    max_steps: int | None = None,
) -> Divergence:
    """Return where `arithmetic` leaves the exact run of `network` on `word`.

    Both runs take the same steps until the exact one is decided. Ctrl-C returns what was compared until then, with
    the outcome "interrupted"; where the exact numbers become too long for the memory, it is "size limit".

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
    return Lockstep(network, [arithmetic]).compare(word, max_steps=max_steps)[0]


class Lockstep:
    """The exact executor of a network and rounded ones beside it, prepared once for many words."""

    def __init__(self, network: Network | Runnable, arithmetics: Sequence[Format]) -> None:
        self.network = network_of(network)
        self.construction = None if isinstance(network, Network) else network
        self.exact = executor_for(self.network, RATIONAL)
        self.rounded = [(arithmetic, executor_for(self.network, arithmetic)) for arithmetic in arithmetics]

    def compare(
        self, word: str | Sequence[object], *, max_steps: int | None = None, max_seconds: float | None = None
    ) -> list[Divergence]:
        """Run all of them on `word` until the exact run is decided, and return what differs."""
        inputs = self.network.inputs(word)
        limit, end = step_limit(max_steps), time.perf_counter() + time_limit(max_seconds)
        followers = [_Follower(self, arithmetic, executor) for arithmetic, executor in self.rounded]
        comparison = _Comparison(self, inputs, followers)
        try:
            outcome = comparison.execute(Walk(self.exact, inputs, limit=limit, end=end, at_once=1))
        except CUT_SHORT as error:
            outcome = cut_short_by(error)
        return [
            Divergence(
                word=self.network.written(inputs),
                arithmetic=arithmetic,
                steps=comparison.steps,
                outcome=outcome,
                value=follower.value,
                configuration=follower.configuration,
                verdict=follower.verdict,
                decoded=self.construction is not None,
            )
            for (arithmetic, _), follower in zip(self.rounded, followers, strict=True)
        ]


class _Comparison:
    """The exact run of a word, with the rounded runs in step."""

    def __init__(self, lockstep: Lockstep, inputs: list[Input], followers: "list[_Follower]") -> None:
        self.network = lockstep.network
        self.exact = lockstep.exact
        self.inputs = inputs
        self.followers = followers
        self.steps = 0

    def execute(self, walk: Walk) -> Outcome:
        """Go along with the exact run, a step at a time; return its outcome."""
        values = self.exact.values(walk.position.state)
        for follower in self.followers:
            follower.compare_states(0, values)
        for stretch in walk:
            self._step(stretch)
        assert walk.outcome is not None
        if not walk.outcome.cut_short and not walk.eos_steps:
            self._compare_at_the_end(walk.outcome)
        return walk.outcome

    def _step(self, stretch: Stretch) -> None:
        steps, values = stretch.position.steps, self.exact.values(stretch.position.state)
        for follower in self.followers:
            computed = follower.advance(stretch.symbol, until_decided=stretch.deciding)
            follower.compare_states(steps, values)
            follower.compare_outcomes(steps, stretch.outcome, computed)
        self.steps = steps

    def _compare_at_the_end(self, outcome: Outcome) -> None:
        """Compare what the outputs after the word say."""
        for follower in self.followers:
            said = outcome_after(self.network, len(self.inputs), self.steps, follower.output)
            follower.compare_outcomes(self.steps, outcome, said)


class _Follower:
    """One rounded run, and what it was found to do wrong."""

    def __init__(self, lockstep: Lockstep, arithmetic: Format, executor: Executor) -> None:
        self.arithmetic = arithmetic
        self.names = lockstep.network.circuit.state_names
        self.construction = lockstep.construction
        self.executor = executor
        self.state = executor.start()
        self.output = executor.output(self.state)
        self.value: ValueDivergence | None = None
        self.configuration: ConfigurationDivergence | None = None
        self.verdict: VerdictDivergence | None = None

    def advance(self, symbol: Input, *, until_decided: bool) -> Outcome | None:
        """Take one step, and return the verdict that it gives."""
        segment = self.executor.advance(self.state, symbol, 1, until_decided=until_decided)
        self.state, self.output = segment.state, segment.outputs[-1][0]
        return segment.outcome

    def compare_states(self, step: int, exact: Values) -> None:
        """Note the first wrong value and the first wrong configuration."""
        if self.configuration is not None or (self.value is not None and self.construction is None):
            return
        computed = self.executor.values(self.state)
        if self.value is None:
            self.value = self._first_wrong_value(step, exact, computed)
        if self.value is not None and self.construction is not None:
            self.configuration = self._wrong_configuration(step, exact, computed)

    def _first_wrong_value(self, step: int, exact: Any, computed: Any) -> ValueDivergence | None:
        for name, true, rounded in zip(self.names, exact, computed, strict=True):
            if true != rounded:
                endless = isinstance(rounded, float) and not isfinite(rounded)
                return ValueDivergence(
                    step=step,
                    neuron=name,
                    exact=true,
                    computed=rounded,
                    ulps=None if endless else abs(mpq(rounded) - true) / self.arithmetic.spacing(true),
                    bits=significand_bits(true),
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

    def compare_outcomes(self, step: int, exact: Outcome | None, computed: Outcome | None) -> None:
        """Note the first step at which one run says something that the other does not."""
        if self.verdict is None and exact is not computed:
            self.verdict = VerdictDivergence(step=step, exact=exact, computed=computed)
