"""Certificates of long runs with changes in them: nothing that is false may be verified, by either checker.

Certificates are written of machines that never halt (four states, drawn as in `endless_machines.py`, proven by a round
that goes on for ever), of binary counters (a closed set) and of machines that halt after up to 10^20 steps, by rules
and rules about rules. One to three values are changed by others nearby, at drawn places. What is verified all the same
must be what the certificate said before, of the same network and word. If it is of another network, that is run: in
plain rationals if it takes few steps.

    python benchmarks/spoilt_certificates.py [--files 100000] [--seconds 3600] [--seed 0] [--towers | --closed]

With `--closed` they are of binary counters alone. With `--towers` they are of machines that halt after more than
10^^5 and 10^^15 steps, and most of them of a network of four units that multiplies its tokens for ever: its rule is
used as often as it has tokens, six times.

Nearly all work would be to prove the same edges again. So both checkers remember what they found out about an edge of a
network, with all that this depends on.
"""

import copy
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from endless_machines import machine, second_checker
from fuzz_subjects.certificates import is_true, spoil
from published_runs import TOWER_RUNS

import exactnn as xn
from exactnn.arithmetic import Tower
from exactnn.certificates import CheckedRun, replay
from exactnn.errors import CertificateError, ExactnnError
from exactnn.networks.network_file import network_from_json
from tests.certificates import shuttle

ENDLESS = 40
PRIMES, USES = (2, 3, 5, 7, 11), 6
"""Copies of a token, and uses of its rule."""
HALTING = (
    "1RB2RC1LA_2LA1RB1RZ_2RB2RA1LC",
    "1RB1RZ2LC_1LC2RB1LB_1LA2RC2LA",
    "1RB2LA1RA1RA_1LB1LA3RB1RZ",
    "1LB1LA_1RC1RB_0RF1RD_1LA0RE_0LA1RC_1LE1LZ",
    "1RB1RA_1LC1LB_0RF1LD_1RA0LE_1RZ1LF_0LA0LC",
    "1RB0LB_1LA1LC_1LB0RD_1RZ1RE_1RF0RA_0RC1LC",
)
COUNTERS = (
    "0LB0LC_1RC1LB_0LB0RC_1LA0RA", "1RB1LA_0LA0RB_0RB1LC_1LC0LA", "1LC1RA_0RC0LD_0RA0LC_1RC0LA",
    "1RB0LC_1LC1RA_0RA1LC_0RD1RZ", "0LB0RA_1RA1LD_0LB1RA_1LB0LA", "1LD1RA_1RC0LC_1RA1RZ_0RA0LD",
    "1RB1LB_1LC1RB_0RA0LC_0RA1RC", "1RB1LA_1RC0LB_1RD1LC_0LC0RD",
)  # fmt: skip
"""Machines that never halt as a closed set proves, and no rule: the first one counts in binary."""
TOWERS = tuple(text for text, tens in TOWER_RUNS.items() if tens < 100)
HALTING_SHARE, TOWER_SHARE = 0.25, 0.01
"""How many of the files are of these, which take longer to check."""
RESIDUES = (7, 1009, 65_521)
"""Moduli by which two forms of an enormous number are compared."""
PLAIN_STEPS = 100_000
"""Steps that plain rationals are asked for."""

Data = dict[str, Any]


def certificates(rng: random.Random, *, towers: bool, closed: bool) -> list[tuple[str, Data]]:
    """Return certificates with what they are of."""
    found = [("towers" if towers else "halts", text) for text in (() if closed else TOWERS if towers else HALTING)]
    while not (towers or closed) and len(found) < len(HALTING) + ENDLESS:
        text = machine(rng)
        run = xn.run(xn.siegelmann_sontag(xn.load(text)), max_seconds=5, certify=True)
        if run.outcome is xn.Outcome.NON_HALTING and run.cycle is None and run.certificate is not None:
            found.append(("never halts", text))
    found += [("counts for ever", text) for text in COUNTERS if not towers]
    written = []
    for kind, text in found:
        data = xn.run(xn.siegelmann_sontag(xn.load(text)), certify=True).certificate
        assert data is not None, text
        assert (data["path"] == [["closed"]]) == (kind == "counts for ever"), text
        written.append((kind, data))
    if towers:
        written += [("towers for ever", shuttle.towers(copies, USES)) for copies in PRIMES]
    return written


class Remembered:
    """A function of an edge, whose results and refusals are kept by all that they depend on."""

    def __init__(self, prove: Callable[..., Any], refusal: type[Exception], key: Callable[..., object]) -> None:
        self.prove, self.refusal, self.key = prove, refusal, key
        self.network = ""
        self.known: dict[object, Any] = {}

    def __call__(self, *given: Any) -> Any:
        """Return what the function does, or raise what it raises."""
        key = self.network, self.key(*given)
        if key not in self.known:
            try:
                self.known[key] = self.prove(*given)
            except self.refusal as error:
                self.known[key] = error
        if isinstance(self.known[key], Exception):
            raise self.known[key]
        return self.known[key]


def remember_edges(other: ModuleType) -> list[Remembered]:
    """Have both checkers remember edges; return what does, which must be told of the network."""
    first = Remembered(
        replay.prove_edge, CertificateError,
        lambda certificate, edge, _: (
            certificate.base, certificate.unit, edge, certificate.states[edge.state], certificate.states[edge.target]
        ),
    )  # fmt: skip
    replay.prove_edge = first
    second = Remembered(
        other.Check._prove_edge, Exception,
        lambda check, edge: (check.base, check.unit, repr(check.states), json.dumps(edge)),
    )  # fmt: skip
    other.Check._prove_edge = lambda check, edge: second(check, edge)
    return [first, second]


def verdict(data: Data) -> CheckedRun | None:
    """Return what the checker of the package verifies, or None."""
    try:
        return xn.check_certificate(data)
    except CertificateError:
        return None


def same(checked: CheckedRun, truth: CheckedRun) -> bool:
    """Return whether two say the same of the same network and word."""
    return (checked.network, checked.word, checked.outcome, checked.eos_steps) == (
        truth.network, truth.word, truth.outcome, truth.eos_steps,
    )  # fmt: skip


def is_true_in_short(checked: CheckedRun) -> bool:
    """Return whether exact arithmetic, which takes its own rules, comes to the same."""
    return is_true_of(checked.network, checked.word, str(checked.outcome), checked.eos_steps)


def second(other: ModuleType, data: Data, spoilt: Data, checked: CheckedRun | None, truth: CheckedRun) -> str:
    """Return what the second checker makes of a spoilt certificate; what is not used it may overlook."""
    try:
        outcome, steps = other.check(json.dumps(spoilt))
    except (other.NotProvenError, RecursionError):
        return "refused"
    if checked is not None and outcome == str(checked.outcome):
        both = isinstance(steps, other.Form) and isinstance(checked.eos_steps, Tower)  # of the number in the file
        if both or steps == checked.eos_steps:
            return "verified, as by the first"
    unchanged = all(spoilt.get(key) == data[key] for key in ("network", "word"))
    tower = isinstance(steps, other.Form)
    before = other.check(json.dumps(data)) if tower else (str(truth.outcome), truth.eos_steps)
    if unchanged and (outcome, steps) == before:
        return "verified, and true as before"
    try:
        true = is_true_of(network_from_json(spoilt["network"]), spoilt["word"], outcome, steps)
    except ExactnnError as error:
        return f"verified, of what the package does not read: {str(error)[:60]}"
    return "verified, true of another network" if true else f"verified, FALSE: {outcome}"


def is_true_of(network: xn.Network, word: Sequence[str], outcome: str, steps: Any) -> bool:
    """Return whether exact arithmetic comes to the same; of what never ends, whether no verdict comes for long."""
    if outcome == str(xn.Outcome.NON_HALTING):
        run = xn.run(network, word, arithmetic=xn.RATIONAL, max_steps=PLAIN_STEPS, max_seconds=5)
        return run.verdict is None and run.outcome is not xn.Outcome.HALTED
    run = xn.run(network, word, max_seconds=60)
    if isinstance(run.eos_steps, Tower) and not isinstance(steps, Tower):  # the form of the second checker
        return str(run.outcome) == outcome and all(steps.residue(p) == run.eos_steps % p for p in RESIDUES)
    return (str(run.outcome), run.eos_steps) == (outcome, steps)


@click.command(help=__doc__)
@click.option("--files", default=100_000, show_default=True)
@click.option("--seconds", default=3600.0, show_default=True, help="After which it ends, with fewer files.")
@click.option("--seed", default=0, show_default=True)
@click.option("--towers", is_flag=True)
@click.option("--closed", is_flag=True)
def main(files: int, seconds: float, seed: int, towers: bool, closed: bool) -> None:
    """Spoil certificates, and have them checked."""
    rng, other = random.Random(seed), second_checker()
    remembered = remember_edges(other)
    sources = [(kind, data, verdict(data)) for kind, data in certificates(rng, towers=towers, closed=closed)]
    found: Counter[str] = Counter()
    began = time.perf_counter()
    with click.progressbar(range(files)) as bar:
        for number in bar:
            if time.perf_counter() - began > seconds:
                break
            long, share = len(TOWERS if towers else HALTING), TOWER_SHARE if towers else HALTING_SHARE
            apart = not closed and rng.random() < share
            kind, data, truth = rng.choice(sources if closed else sources[:long] if apart else sources[long:])
            assert truth is not None
            spoilt = copy.deepcopy(data)
            changes = [spoil(spoilt, rng) for _ in range(rng.randint(1, 3))]
            for one in remembered:
                one.network = json.dumps(spoilt.get("network"))
            checked = verdict(spoilt)
            if checked is None:
                found[f"{kind}: refused"] += 1
            elif same(checked, truth):
                found[f"{kind}: verified, and true as before"] += 1
            else:
                true = is_true(checked) if checked.steps <= PLAIN_STEPS else is_true_in_short(checked)
                found[f"{kind}: verified, " + ("true of another network" if true else "FALSE")] += 1
                if not true:
                    click.echo(f"\nfile {number}: {checked!r} with {changes}")
            how = second(other, data, spoilt, checked, truth)
            found[f"second checker: {how}"] += 1
            if "FALSE" in how:
                click.echo(f"\nfile {number}: second checker: {how} with {changes}")
    for how, count in sorted(found.items()):
        click.echo(f"{count:7} {how}")
    click.echo(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
