"""Turing machine to RNN in real time: one affine map and one activation per move, few units.

Symbols are numbered from the blank, 0, to m-1. A stack is one number in base B with digits 2a, so that the
endless blank tape is 0. The units, all saturated linear (SLU):

    state q              the machine is in q
    scan q D a           ... which it entered by a move D, and scans a > 0 (scanning 0 is what remains)
    left push, left pop  the left stack, as the sum of two halves of which one is zero; right likewise
    left >= k            the top of the left stack is at least k; right likewise

The comparators look one digit below the top, so the next symbol is known when it is needed: that makes it
real time. On a semi-infinite tape the left stack has a largest symbol m at its bottom; when it is on top a
move to the left leaves the head where it is ("stay"), and the right stack has a third, held part.

A word is loaded by moves to the right; a rewinding state walks back over it. Both are ordinary rules here.

In pure ReLU a comparator is a pair: min(1, max(0, x)) = relu(x) - relu(x - 1). No other unit exceeds 1.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from gmpy2 import mpq

from exactnn.automata import LOST, Symbol, TapeConfiguration, TuringMachine, tape_configuration
from exactnn.constructions.affine import var
from exactnn.constructions.construction import Configuration, Construction, require_machine
from exactnn.constructions.halting import halting_construction, halting_protocol
from exactnn.constructions.layered_network import foretell, one_layer_network
from exactnn.constructions.stack_numbers import (
    HALF,
    as_state,
    readable,
    write_scalar,
)
from exactnn.constructions.tapes.siegelmann_sontag_plan import HALTED, RealTimePlan, comparator, scan, state
from exactnn.constructions.tapes.two_stacks import TwoStackCodec, require_tape
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Activation
from exactnn.options import choice
from exactnn.simulation import Values

__all__ = ["siegelmann_sontag"]


class RealTimeCodec(TwoStackCodec[RealTimePlan]):
    """Reads and writes the states of the network that a plan describes."""

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        plan = self._plan
        values = readable(self._units, state_values)
        active = [q for q in plan.states if values.get(state(q), 0) > HALF]
        return tape_configuration(
            plan.machine,
            active[0] if len(active) == 1 else LOST,
            self._cells("left", values, cells),
            self._scanned(values),
            self._cells("right", values, cells),
        )

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        left, right = self._lengths(readable(self._units, state_values))
        return left - (self._plan.bounded and left > 0), right

    def nonblank(self, state_values: Values) -> int | None:
        """Return how many cells are not blank; None where one is lost."""
        scanned = self._scanned(readable(self._units, state_values))
        beside = super().nonblank(state_values)
        return None if scanned == LOST or beside is None else beside + (scanned != self._plan.machine.blank_symbol)

    def _scanned(self, values: Mapping[Hashable, Any]) -> Symbol:
        plan = self._plan
        scanned = [plan.symbols[a] for q, entry, a in plan.scans if values.get(scan(q, entry, a), 0) > HALF]
        return scanned[0] if len(scanned) == 1 else LOST if scanned else plan.machine.blank_symbol

    def encode(self, configuration: Configuration) -> Values:
        """Return a state that stands for `configuration`, with the stacks in their popped halves."""
        plan = self._plan
        configuration = require_tape(plan.machine, configuration, states=plan.states, symbols=plan.number)
        values: dict[Hashable, mpq] = {state(configuration.state): mpq(1)}
        if scanned := plan.number[configuration.scanned]:
            values[self._scan_unit(configuration, scanned)] = mpq(1)
        for stack, symbols in (("left", configuration.left), ("right", configuration.right)):
            digits = [plan.number[a] for a in symbols]
            if plan.bounded and stack == "left":
                digits.append(plan.bottom)
            values[stack, "pop"] = write_scalar(digits, plan.base)
            part = "pop" if plan.bounded and stack == "right" else ""
            values |= {comparator(stack, k, part): mpq(1) for k in range(1, (digits[0] if digits else 0) + 1)}
        return as_state(self._units, values)

    def _scan_unit(self, configuration: TapeConfiguration, scanned: int) -> Hashable:
        q = HALTED if configuration.state in self._plan.machine.halting_states else configuration.state
        for owner, entry, a in self._plan.scans:
            if owner == q and a == scanned:
                return scan(owner, entry, a)
        raise ConstructionError(
            f"{configuration.state} is never entered scanning {shown(configuration.scanned)}: no unit stands for it"
        )


def siegelmann_sontag(
    machine: TuringMachine | str, *, base: int | None = None, activation: Activation | str = Activation.SLU
) -> Construction:
    """Return the real-time network of `machine`: one network step per move.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject),
    and keeps that output. Configurations can be decoded up to and including the step T of the verdict.

    T = |w| + k + 2 for k moves: the word is read symbol by symbol, the first EOS begins the rewinding. A
    machine with an empty input alphabet starts at once, T = k, unless its initial state halts already.

    Parameters
    ----------
    machine : TuringMachine, or what :func:`exactnn.load` makes one of
    base : int, optional
        Base B of the stacks: at least 2m-1, on a semi-infinite tape 2m+1, for m tape symbols. By default the
        least power of two from there on, so that binary floating point holds every weight exactly.
    activation : "slu" or "relu"
        Of all units.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, the input alphabet contains the reserved symbol "EOS", or there may be more
        than 50 million weights.
    OptionError
        If the base is too small, or the activation is another one.

    Warns
    -----
    LargeNetworkWarning
        If there may be more than a million weights, before they are made.

    Notes
    -----
    A machine on a two-way infinite tape without input gets |Q| + (m-1) (P + H) + 2 (m+1) + 1 units: Q the states
    that do not halt, P the number of pairs (state, direction from which it is entered), H the number of
    directions of halting moves, where the 1 stands for each of its reachable halting states. In ReLU there are
    2 (m-1) more, on either tape.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Computer and System
    Sciences* 50, 1995, prove that real time is possible; this network is smaller and its own.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> beaver = load("bb2")
    >>> net = siegelmann_sontag(beaver)
    >>> result = run(net)
    >>> net.network.neurons, result.outcome.value, result.steps, str(net.decode(result.final_state))
    (13, 'halted', 6, 'Z: 1 1 [1] 1')

    In ReLU, with a pair for each of the two comparators:

    >>> siegelmann_sontag(beaver, activation="relu").network.neurons
    15
    """
    machine = require_machine(machine, TuringMachine, "siegelmann_sontag")
    named = isinstance(activation, Activation) and activation in (Activation.SLU, Activation.RELU)
    name = str(activation) if named else activation
    choice("activation", name, ("slu", "relu"))
    function = Activation.named(name)
    plan = RealTimePlan(machine, base, relu=function == Activation.RELU)
    foretell(f"siegelmann_sontag({machine.name})", *plan.size)
    network = one_layer_network(
        units=plan.units(),
        start=plan.start(),
        activation=function,
        **halting_protocol("siegelmann_sontag", machine, lambda q: var(("state", q))),
    )
    return halting_construction(
        "siegelmann_sontag",
        machine,
        network,
        codec=RealTimeCodec(plan),
        set_up=(2, 2),
        citation="After Siegelmann and Sontag, J. Computer and System Sciences 50, 1995 (real-time simulation)",
    )
