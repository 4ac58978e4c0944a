"""What a run gives back."""

import json
from dataclasses import dataclass, field
from typing import Any

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, count_text, counted
from exactnn.markup import Table, Tabular, named
from exactnn.networks import Network, RealNetwork
from exactnn.outcome import Outcome, Verdict
from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import Output, Values
from exactnn.simulation.run_lengths import RunLengths
from exactnn.simulation.trace import Trace

__all__ = ["Run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Tabular):
    """A finished, limited or interrupted run of a network on a word.

    Parameters
    ----------
    outcome : Outcome
        How it ended; `outcome.sentence` says it in words.
    steps : int
        Network steps taken, the word's and the EOS steps together.
    eos_steps : int
        EOS steps taken: T of the theorem if the run was decided, the step that proved it if it never ends.
    machine_steps : int or None
        Moves of the simulated machine so far, where a construction says so.
    initial_output : number or tuple
        Output of the initial state: the answer on the empty word, for protocols that give one.
    outputs : RunLengths
        The output after each step; entry t-1 is that of step t.
    trace : Trace
        The recorded states.
    final_state : tuple of numbers, length d'
        Exact for exact arithmetic.
    engine : str
        What ran.
    seconds : float
        Wall time; of a run that was resumed, of all its parts.
    cycle : Cycle or None
        Where the states repeat, if that proved that the run never ends.
    resumed_from : int or None
        The step at which it went on from a checkpoint file.
    digits : int or None
        How many digits of a real start state were read, None of a rational network. That digits end counts as one.
    bits : int or None
        How many bits the enclosures of this run have, None in any other arithmetic; CERTIFIED raised them until then.
    """

    network: Network | RealNetwork
    word: tuple[object, ...]
    arithmetic: Arithmetic | EnclosingArithmetic
    outcome: Outcome
    steps: int
    eos_steps: int
    machine_steps: int | None
    initial_output: Output
    outputs: RunLengths[Output]
    trace: Trace
    final_state: Values
    engine: str
    _certificate: str | None = field(repr=False)
    seconds: float
    cycle: Cycle | None = None
    resumed_from: int | None = None
    digits: int | None = None
    bits: int | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Accept, reject, or None where the run did not decide."""
        return self.outcome.verdict

    @property
    def certificate(self) -> dict[str, Any] | None:
        """JSON data that prove the verdict and its step, where they were asked for; who changes them changes a copy."""
        if self._certificate is None:
            return None
        data: dict[str, Any] = json.loads(self._certificate)
        return data

    def __hash__(self) -> int:
        return hash((self.network.name, self.word, self.arithmetic, self.outcome, self.steps))

    @property
    def outside_at(self) -> int | None:
        """The step, from 1, whose input is beyond the network's input bounds and ended the run; None if none did."""
        return self.steps + 1 if self.outcome is Outcome.OUT_OF_DOMAIN else None

    def __repr__(self) -> str:
        ending = f"after {count_text(self.steps)} steps ({count_text(self.eos_steps)} EOS)"
        if self.outside_at is not None:
            ending = f"at step {self.outside_at}"
        return f"<Run of {named(self.network.name)} in {self.arithmetic}: {self.outcome} {ending}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        fields: dict[str, object] = {
            "network": f"{self.network.name} ({counted(self.network.neurons, 'neuron')})",
            "arithmetic": f"{self.arithmetic} ({self.engine})",
            "outcome": f"{self.outcome}: {self.outcome.sentence}",
            "beyond the bounds": None if self.outside_at is None else f"at step {self.outside_at}",
            "steps": f"{count_text(self.steps)} network steps, {count_text(self.eos_steps)} of them EOS",
            "digits": None if self.digits is None else f"{count_text(self.digits)} of the real start state",
            "bits": None if self.bits is None else f"{count_text(self.bits)} of every bound of an enclosure",
            "cycle": None if self.cycle is None else str(self.cycle),
            "machine steps": None if self.machine_steps is None else count_text(self.machine_steps),
            "seconds": f"{self.seconds:.3g}",
        }
        return Table.of_fields("", fields)
