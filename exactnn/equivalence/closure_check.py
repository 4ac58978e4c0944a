"""The check that an extracted automaton is all of its network, by the reference executors, without the search."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import Arithmetic, ExactArithmetic, FixedPoint, FloatFormat, RationalArithmetic, counted
from exactnn.automata import Transitions
from exactnn.equivalence.closure_certificate import ClosureCertificate, closure_from_json
from exactnn.equivalence.lazy_moore import Label, exact_output
from exactnn.equivalence.spaces.listed import bytes_of_numbers, identity_of_numbers
from exactnn.errors import CertificateError, UnsupportedArithmeticError
from exactnn.markup import named
from exactnn.networks import EOS, Network, Protocol, Unit
from exactnn.networks.difference import require_network
from exactnn.options import callback
from exactnn.outcome import Outcome
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedFixedExecutor
from exactnn.simulation.executor import Executor, State
from exactnn.simulation.rational import RationalExecutor
from exactnn.work import (
    DEFAULT_BUDGET,
    MOST_BITS,
    Work,
    common_denominator,
    long_divisor,
    long_product,
    long_words,
    too_long,
)

__all__ = ["CheckedAutomaton", "StepWork", "check_extraction"]

OPERATION = 5
"""Units of work of an operation in a format: the exact result is a rational, which is then rounded."""

OFTEN = 1 << 6
"""States between two reports of progress."""

MOST_BYTES = 1 << 30
"""Memory that the digits of all states may take: exact ones can double them with every step."""


class StepWork:
    """Counts the steps that are taken by the reference executor of a network in an arithmetic."""

    def __init__(self, network: Network, arithmetic: Arithmetic, work: Work) -> None:
        self._layers = [*network.circuit.layers, network.readout]
        self._size = network.circuit.state_size + network.circuit.input_size
        self._work = work
        self._growth: list[tuple[int, int, int]] = []
        if arithmetic.rounds:
            formats = [arithmetic] if arithmetic.accumulator is None else [arithmetic, arithmetic.accumulator]
            self.least = self._size + max(self._in_format(*_lengths(format)) for format in formats)
        else:
            self._growth = [_growth(layer, work) for layer in self._layers]
            self.least = self._size + 2 * sum(map(_terms, self._layers))
        """What a step takes at least."""

    def take(self, values: Iterable[Any]) -> None:
        """Count a step, and the output after it, from a state with these numbers.

        Raises
        ------
        CertificateError
            If that is beyond the budget, or rationals may become too long.
        """
        self._work.take(self.least)
        for layer, bits in zip(self._layers, self.lengths(values), strict=False):
            self._work.take(_terms(layer) * long_divisor(bits))

    def _in_format(self, precision: int, bits: int) -> int:
        """Return what all operations of a step take in a format."""
        operation = OPERATION * (1 + 100 * long_words(bits) + 2 * long_product(precision, precision))
        smooth = 64 + precision // 16 + 100 * long_product(precision, precision)
        units = [unit for layer in self._layers for unit in layer]
        operations = sum(2 + 2 * len(unit.linear) + 3 * len(unit.bilinear) for unit in units)
        return operation * operations + smooth * sum(not unit.activation.is_rational for unit in units)

    def lengths(self, values: Iterable[Any]) -> Iterator[int]:
        """Yield how many bits rationals may have, numerator and denominator together, in each layer of a step.

        Raises
        ------
        CertificateError
            If they may become too long.
        """
        if not self._growth:
            return
        rationals = [mpq(value) for value in values]
        below = sum(x.denominator.bit_length() for x in rationals)
        above = max((x.numerator.bit_length() for x in rationals), default=0)
        for factor, lower, upper in self._growth:
            below, above = factor * below + lower, factor * above + upper
            if below + above > MOST_BITS:
                raise too_long()
            yield 2 * below + above


def _lengths(format: FloatFormat | FixedPoint) -> tuple[int, int]:
    """Return the bits of the digits of a number of a format, and those of the longest numbers as rationals."""
    return format.significant_bits, format.longest_bits


def _terms(layer: Iterable[Unit]) -> int:
    return sum(1 + len(unit.linear) + 2 * len(unit.bilinear) for unit in layer)


def _growth(layer: Sequence[Unit], work: Work) -> tuple[int, int, int]:
    """Return by how much registers may be longer after a layer: a factor, bits of the denominator, bits of the size."""
    weights = [x for unit in layer for x in unit.parameters]
    largest = max((x.numerator.bit_length() - x.denominator.bit_length() + 1 for x in weights), default=0)
    longest = max((len(unit.parameters) for unit in layer), default=0)
    factor = 2 if any(unit.bilinear for unit in layer) else 1
    return factor, common_denominator(weights, work).bit_length(), max(0, largest) + longest.bit_length()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAutomaton:
    """What was verified: words lead `network` in `arithmetic` to exactly so many states, which say `labels`.

    `eos_states` are met besides, on EOS symbols only. `work` is how many units of work the check took.
    """

    network: Network
    arithmetic: Arithmetic
    states: int
    eos_states: int
    labels: Transitions[Label, int]
    work: int

    def __repr__(self) -> str:
        return f"<CheckedAutomaton of {named(self.network.name)} in {self.arithmetic}: {counted(self.states, 'state')}>"


def check_extraction(
    certificate: dict[str, Any],
    *,
    network: object = None,
    budget: int | None = DEFAULT_BUDGET,
    progress: Callable[[str], object] | None = None,
) -> CheckedAutomaton:
    """Check a certificate of an extraction; it may be anybody's.

    Parameters
    ----------
    certificate : dict
        JSON data, as `load_certificate` reads it.
    network : Network or Construction, optional
        The network that the certificate has to be of, names aside, as for `check_certificate`.
    budget : int, optional
        Units of work that it may take, as `check_certificate` counts them. None for no bound.
    progress : callable, optional
        Called now and then with a text that says what is being checked.

    Raises
    ------
    CertificateError
        If it is none, is of another network, or wrong, or its check is beyond the budget.

    Examples
    --------
    >>> import exactnn as xn
    >>> found = xn.extract_state_machine(xn.compile(xn.load("parity")), xn.FLOAT16)
    >>> check_extraction(found.certificate).states
    5
    >>> check_extraction(found.certificate | {"labels": ["accepted"] * 5})
    Traceback (most recent call last):
    ...
    exactnn.errors.CertificateError: state 0 does not say accepted
    """
    callback("progress", progress)
    claim, work = closure_from_json(certificate), Work(budget)
    if network is not None:
        require_network(claim.network, network)
    try:
        executor = reference_for(claim.network, claim.arithmetic)
    except UnsupportedArithmeticError as error:
        raise CertificateError(f"this is no certificate: {error}") from None
    steps = StepWork(claim.network, claim.arithmetic, work)
    taken = sum(map(len, claim.transitions)) + sum(state >= 0 for state in claim.after_eos)
    work.foresee(taken * steps.least)
    known = _follow(claim, executor, steps, progress)
    for state, label in enumerate(claim.labels):
        if label is not None and _said(claim, executor, known, state) != label:
            raise CertificateError(f"state {state} does not say {label}")
    reading = Counter(claim.labels[: len(claim.transitions)])
    return CheckedAutomaton(
        network=claim.network,
        arithmetic=claim.arithmetic,
        states=len(claim.transitions),
        eos_states=len(claim.labels) - len(claim.transitions),
        labels=Transitions({label: count for label, count in reading.items() if label is not None}),
        work=work.units,
    )


def reference_for(network: Network, arithmetic: Arithmetic) -> Executor:
    """Return the slow executor in rationals."""
    match arithmetic:
        case FloatFormat():
            return EmulatedExecutor(network, arithmetic)
        case FixedPoint():
            return EmulatedFixedExecutor(network, arithmetic)
        case ExactArithmetic() | RationalArithmetic():
            return RationalExecutor(network)
        case _:
            assert_never(arithmetic)


def _follow(
    claim: ClosureCertificate, executor: Executor, work: StepWork, progress: Callable[[str], object] | None
) -> list[State]:
    """Return the network's state that each state stands for; every transition was taken."""
    alphabet = claim.network.alphabet or ()
    columns = [i for i, symbol in enumerate(alphabet) if symbol != EOS]
    known: list[State | None] = [None] * len(claim.labels)
    known[0] = executor.start()
    numbers: dict[Hashable, int] = {identity_of_numbers(executor.values(known[0])): 0}
    open_ones = deque([0])
    done = taken = 0
    while open_ones:
        state = open_ones.popleft()
        before = executor.values(known[state])
        steps = list(zip(columns, claim.transitions[state], strict=True)) if state < len(claim.transitions) else []
        if claim.after_eos and claim.after_eos[state] >= 0:
            steps.append((alphabet.index(EOS), claim.after_eos[state]))
        for symbol, target in steps:
            if symbol in columns and target >= len(claim.transitions):
                raise CertificateError(
                    f"state {state} goes on {alphabet[symbol]!r} to {target}, which has no transitions"
                )
            work.take(before)
            found = executor.advance(known[state], symbol, 1, until_decided=False).state
            values = executor.values(found)
            identity = identity_of_numbers(values)
            number = numbers.get(identity)
            if number is None and known[target] is None:
                known[target] = found
                numbers[identity] = target
                open_ones.append(target)
                taken += bytes_of_numbers(values)
            elif number != target:
                other = "" if number is None else f" but {number}"
                raise CertificateError(
                    f"state {state} goes on {alphabet[symbol]!r} to a state that is not {target}{other}"
                )
            if taken > MOST_BYTES:
                raise CertificateError(f"the states up to {target} have more than {MOST_BYTES:,} bytes of digits")
        done += 1
        if progress is not None and done % OFTEN == 0:
            progress(f"{done:,} of {len(known):,} states")
    if None in known:
        raise CertificateError(f"state {known.index(None)} is never met")
    return known


def _said(claim: ClosureCertificate, executor: Executor, known: list[State], state: int) -> Label | None:
    """Return what a state says, or what is wrong with its rank."""
    decision = claim.network.decision
    if not claim.after_eos:
        output = executor.output(known[state])
        if decision.protocol is Protocol.OUTPUTS:
            return exact_output(output)
        assert not isinstance(output, tuple)
        return decision.outcome(output) or Outcome.UNDECIDED
    following, rank = claim.after_eos[state], claim.ranks[state]
    output = executor.output(known[following])
    assert not isinstance(output, tuple)
    verdict = decision.outcome(output)
    expected = 1 if verdict is not None else claim.ranks[following] + 1 if claim.ranks[following] else 0
    if rank != expected or (rank == 0) != (claim.labels[state] is Outcome.NON_HALTING):
        raise CertificateError(f"state {state} is said to come to its end after {rank} EOS symbols, not {expected}")
    return claim.labels[following] if verdict is None else verdict
