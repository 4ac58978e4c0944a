"""Certificates that an automaton is all of a network: every state with where it goes and how its words end."""

from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import Arithmetic, arithmetic_from_json
from exactnn.equivalence.lazy_moore import Label
from exactnn.errors import CertificateError, ExactnnError, shown
from exactnn.networks import Network, Protocol
from exactnn.networks.network_file import network_from_json
from exactnn.outcome import Outcome

__all__ = ["FORMAT", "VERSION", "ClosureCertificate", "closure_from_json"]

FORMAT = "exactnn automaton certificate"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureCertificate:
    """The claim that a network in an arithmetic has these states, numbered from 0, the initial one.

    Parameters
    ----------
    network : Network
    arithmetic : Arithmetic
    transitions : list of list of int
        For each state that words lead to, the next states in the order of the symbols, EOS left out.
    labels : list
        What each of these says, and, where the network reads EOS, what the states after them on EOS say; None for those
        after a verdict, of which nothing is said.
    after_eos : list of int
        Where the network reads EOS: the state after one EOS symbol; -1 for states without a label.
    ranks : list of int
        The number of EOS symbols until the verdict; 0 where there is never one.
    """

    network: Network
    arithmetic: Arithmetic
    transitions: list[list[int]]
    labels: list[Label | None]
    after_eos: list[int]
    ranks: list[int]


def closure_from_json(data: object) -> ClosureCertificate:
    """Return the certificate that JSON data describe; raises CertificateError for data that describe none."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CertificateError(f'this is no certificate of an automaton: "format" must be {FORMAT!r}')
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise CertificateError(f'"version" is {shown(data.get("version"))}; this exactnn reads version {VERSION}')
    try:
        network = network_from_json(data.get("network"))
        arithmetic = arithmetic_from_json(data.get("arithmetic"))
    except ExactnnError as error:
        raise CertificateError(f"this is no certificate: {error}") from None
    if arithmetic.encloses:
        raise CertificateError(f"this is no certificate: {arithmetic} gives enclosures, which are no states")
    _check_arithmetic(arithmetic)
    if network.input_symbols is None:
        raise CertificateError("this is no certificate: its network takes vectors, not symbols")
    reads_eos = network.decision.protocol.reads_eos
    labels = [_label(label, network) for label in _list(data, "labels")]
    states = len(labels)
    transitions = [_numbers(row, "transitions", 0, states - 1) for row in _list(data, "transitions")]
    if any(len(row) != len(network.input_symbols) for row in transitions):
        raise CertificateError(f"a row of transitions has other than {len(network.input_symbols)} entries")
    if not transitions or not len(transitions) <= states or (states > len(transitions) and not reads_eos):
        raise CertificateError(f"there are {len(transitions)} rows of transitions and {states} labels")
    after_eos = _numbers(_list(data, "after_eos"), "after_eos", -1, states - 1) if reads_eos else []
    ranks = _numbers(_list(data, "ranks"), "ranks", 0, states) if reads_eos else []
    if None in labels[: len(transitions)] or any(
        (label is None) != (n < 0) for label, n in zip(labels, after_eos, strict=False)
    ):
        raise CertificateError("a state has no label, or none after it on EOS: only states after a verdict lack both")
    if reads_eos and not len(after_eos) == len(ranks) == states:
        raise CertificateError(f"there are {states} labels, {len(after_eos)} states after EOS and {len(ranks)} ranks")
    return ClosureCertificate(
        network=network,
        arithmetic=arithmetic,
        transitions=transitions,
        labels=labels,
        after_eos=after_eos,
        ranks=ranks,
    )


def _check_arithmetic(arithmetic: Arithmetic) -> None:
    """Refuse an arithmetic in which a network is no automaton of its states."""
    if arithmetic.rounds_at_random:
        raise CertificateError(f"this is no certificate: {arithmetic} rounds at random, step by step otherwise")


def _list(data: dict[str, Any], field: str) -> list[Any]:
    value = data.get(field)
    if not isinstance(value, list):
        raise CertificateError(f"{field} is {shown(value)}, not a list")
    return value


def _numbers(row: object, what: str, least: int, most: int) -> list[int]:
    if not isinstance(row, list) or any(type(entry) is not int or not least <= entry <= most for entry in row):
        raise CertificateError(f"{what} has {shown(row)}: give whole numbers from {least} to {most}")
    return row


def _label(label: object, network: Network) -> Label | None:
    if label is None and network.decision.protocol.reads_eos:
        return None
    if network.decision.protocol is not Protocol.OUTPUTS:
        if label not in list(Outcome):
            raise CertificateError(f"label {shown(label)} is no outcome")
        return Outcome(label)  # type: ignore[arg-type]
    parts = label if isinstance(label, list) else [label]
    if not all(isinstance(part, str) for part in parts):
        raise CertificateError(f"label {shown(label)} is no output: give text, or a list of texts")
    return tuple(map(str, parts)) if isinstance(label, list) else str(label)
