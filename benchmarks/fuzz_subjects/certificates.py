"""Certificates of runs: those of the engine are verified, and whatever is verified is what a direct run does.

Machines and words are drawn; a few machines have words with long runs of equal symbols, which need rules, and one
certificate is written by hand. They are spoilt at drawn places, by values nearby; what is verified all the same must be
true of the network and the word that it names. Their edges and rules are looked at in files of their own.
"""

import copy
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

import exactnn as xn
from exactnn.certificates import CheckedRun, check_certificate
from exactnn.certificates.certificate_reader import certificate_from_json
from exactnn.errors import CertificateError
from exactnn.strategies import stack_machines, turing_machines, words
from fuzz_subjects.certificate_edges import check_edges
from fuzz_subjects.certificate_rules import check_rules
from fuzz_subjects.subject import Subject
from tests.certificates import shuttle

__all__ = ["CERTIFICATES"]

ZOO = ("anbn", "balanced-brackets", "binary-increment", "first-equals-last", "palindrome", "wcw")
MOST_STEPS = 1000
SPOILT = 6
"""Certificates that are made of one."""

Data = dict[str, Any]
Case = tuple[object, tuple[str, ...], int]
"""A machine, or None for the certificate that is written by hand; a word; and a seed of what is spoilt."""


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A machine, a word, and a seed."""
    kind, seed = draw(st.sampled_from(("zoo", "drawn", "by hand"))), draw(st.integers(0, 10**9))
    if kind == "by hand":
        return None, ("a",) * draw(st.integers(4, 14)), seed
    if kind == "drawn":
        machine = draw(turing_machines() | stack_machines())
        return machine, draw(words(machine.input_symbols, max_size=12)), seed
    machine = xn.load(draw(st.sampled_from(ZOO)))
    runs = st.lists(st.tuples(st.sampled_from(machine.input_symbols), st.integers(1, 12)), max_size=4)
    return machine, tuple(symbol for symbol, count in draw(runs) for _ in range(count)), seed


def certified(machine: object, word: tuple[str, ...]) -> Data | None:
    """Return the certificate of a run, if there is one."""
    if machine is None:
        return shuttle.certificate(len(word))
    return xn.run(xn.compile(machine), word, certify=True, max_steps=MOST_STEPS).certificate


def check(arithmetic: str, case: Case) -> None:
    machine, word, seed = case
    data, rng, text = certified(machine, word), random.Random(seed), f"{machine!r} on {word}"
    if data is None:
        return
    checked = check_certificate(data)
    assert is_true(checked), f"{checked!r} is certified: {text}"
    network = shuttle.shuttle() if machine is None else xn.compile(machine).network
    assert (checked.network, checked.word) == (network, word), f"something else is certified: {text}"
    try:
        CHECKS[arithmetic](data, rng)
    except AssertionError as error:
        raise AssertionError(f"{error}: {text}, seed {seed}") from error


def check_claims(data: Data, rng: random.Random) -> None:
    for _ in range(SPOILT):
        check_spoilt(data, rng)


def check_spoilt(data: Data, rng: random.Random) -> None:
    """Check that a certificate with a few changes is refused, or that it is true all the same."""
    data = copy.deepcopy(data)
    changes = [spoil(data, rng) for _ in range(rng.randint(1, 3))]
    try:
        checked = check_certificate(data)
    except CertificateError:
        return
    assert is_true(checked), f"{checked!r} is verified with {changes}"


def is_true(checked: CheckedRun) -> bool:
    """Return whether plain rationals say the same; of what never ends they have no verdict for a long time."""
    never = checked.outcome is xn.Outcome.NON_HALTING
    more = 1000 if never else 0
    run = xn.run(checked.network, checked.word, arithmetic=xn.RATIONAL, max_steps=checked.steps + more)
    if never:
        return run.outcome in (xn.Outcome.NON_HALTING, xn.Outcome.STEP_LIMIT)
    return (run.outcome, run.eos_steps) == (checked.outcome, checked.eos_steps)


def spoil(data: Data, rng: random.Random) -> str:
    """Change one value of a part, drawn first, of a certificate; return which and to what."""
    part = rng.choice(sorted(data))
    path = rng.choice([(part,), *((part, *inner) for inner in places(data[part]))])
    holder: Any = data
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = nearby(holder[path[-1]], rng)
    return f"{path}: {str(holder[path[-1]])[:100]}"


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside JSON data."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (key,)
        yield from ((key, *path) for path in places(inner))


def nearby(value: Any, rng: random.Random) -> Any:
    """Return a value like this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-2, -1, 1, 2))
    if isinstance(value, str):
        if value.startswith(("0x", "-0x")) and "/" not in value:
            return hex(int(value, 16) + rng.choice((-2, -1, 1, 2)))
        return rng.choice(("0", "1", "relu", "slu", "heaviside", "accepted", "rejected", "halted", "a", "b"))
    if isinstance(value, list) and value:
        i, j = rng.randrange(len(value)), rng.randrange(len(value))
        swapped = [value[j] if k == i else value[i] if k == j else item for k, item in enumerate(value)]
        return rng.choice((value[:i] + value[i + 1 :], value[: i + 1] + copy.deepcopy(value[i:]), swapped))
    return value


CHECKS = {
    "claims": check_claims,
    "edges": lambda data, rng: check_edges(certificate_from_json(data), rng),
    "rules": lambda data, rng: check_rules(certificate_from_json(data), rng),
}

CERTIFICATES = Subject(cases=cases, check=check, arithmetics=tuple(CHECKS))
