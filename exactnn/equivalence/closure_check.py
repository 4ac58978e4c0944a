"""The check that an extracted automaton is all of its network, by the reference executors, without the search.

State 0 of the automaton stands for the network's initial state. From there the certificate is followed: a state that is
met for the first time stands for the network's state then, and must stand for the same one whenever it is met again;
no two stand for the same.
What all steps from all states lead to is among them in the end, so by induction over words, every word leads where the
automaton says. A verdict is checked at the step where it comes, and for the states before it the number of steps
goes down by one; where there is none, all states after are such states.
"""

from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import Arithmetic, FixedPoint, FloatFormat, counted
from exactnn.equivalence.closure_certificate import ClosureCertificate, closure_from_json
from exactnn.equivalence.lazy_moore import Label, exact_output
from exactnn.equivalence.listed_space import bytes_of_numbers, identity_of_numbers
from exactnn.errors import CertificateError, UnsupportedArithmeticError
from exactnn.markup import named
from exactnn.networks import EOS, Network, Protocol
from exactnn.outcome import Outcome
from exactnn.simulation.emulated import EmulatedExecutor
from exactnn.simulation.emulated_fixed import EmulatedFixedExecutor
from exactnn.simulation.executor import Executor, State
from exactnn.simulation.rational import RationalExecutor

__all__ = ["CheckedAutomaton", "check_extraction"]

OFTEN = 1 << 6
"""States between two reports of progress."""

MOST_BYTES = 1 << 30
"""Memory that the digits of all states may take: exact ones can double them with every step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAutomaton:
    """What was verified: words lead `network` in `arithmetic` to exactly so many states, which say `labels`.

    `eos_states` are met besides, on EOS symbols only.
    """

    network: Network
    arithmetic: Arithmetic
    states: int
    eos_states: int
    labels: dict[Label, int]

    def __repr__(self) -> str:
        return f"<CheckedAutomaton of {named(self.network.name)} in {self.arithmetic}: {counted(self.states, 'state')}>"


def check_extraction(
    certificate: dict[str, Any], *, progress: Callable[[str], object] | None = None
) -> CheckedAutomaton:
    """Check a certificate of an extraction; it may be anybody's.

    Raises
    ------
    CertificateError
        If it is none, or wrong.

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
    claim = closure_from_json(certificate)
    try:
        executor = reference_for(claim.network, claim.arithmetic)
    except UnsupportedArithmeticError as error:
        raise CertificateError(f"this is no certificate: {error}") from None
    known = _follow(claim, executor, progress)
    for state, label in enumerate(claim.labels):
        if label is not None and _said(claim, executor, known, state) != label:
            raise CertificateError(f"state {state} does not say {label}")
    reading = Counter(claim.labels[: len(claim.transitions)])
    return CheckedAutomaton(
        network=claim.network,
        arithmetic=claim.arithmetic,
        states=len(claim.transitions),
        eos_states=len(claim.labels) - len(claim.transitions),
        labels={label: count for label, count in reading.items() if label is not None},
    )


def reference_for(network: Network, arithmetic: Arithmetic) -> Executor:
    """Return the slow executor in rationals."""
    if isinstance(arithmetic, FloatFormat):
        return EmulatedExecutor(network, arithmetic)
    return (
        EmulatedFixedExecutor(network, arithmetic) if isinstance(arithmetic, FixedPoint) else RationalExecutor(network)
    )


def _follow(claim: ClosureCertificate, executor: Executor, progress: Callable[[str], object] | None) -> list[State]:
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
        steps = list(zip(columns, claim.transitions[state], strict=True)) if state < len(claim.transitions) else []
        if claim.after_eos and claim.after_eos[state] >= 0:
            steps.append((alphabet.index(EOS), claim.after_eos[state]))
        for symbol, target in steps:
            if symbol in columns and target >= len(claim.transitions):
                raise CertificateError(
                    f"state {state} goes on {alphabet[symbol]!r} to {target}, which has no transitions"
                )
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
