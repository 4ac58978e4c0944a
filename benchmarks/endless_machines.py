"""Machines that never halt: which of them the exact engine proves so, with certificates that both checkers verify.

Machines of four states and two symbols are drawn, each rule one of 17 (16 and halting). One that has not halted after
107 moves never does, since S(4) = 107 (A. Brady, "The determination of the value of Rado's noncomputable function
Sigma(k) for four-state Turing machines", 1983). Each of these runs as a network, in exact arithmetic.
Those that halt do so too, and must halt after as many moves.

    python benchmarks/endless_machines.py [--machines 1000] [--seconds 10] [--seed 0]
"""

import importlib.util
import json
import random
import time
from collections import Counter
from pathlib import Path
from types import ModuleType

import click

import exactnn as xn

LONGEST = 107
CHECKER = Path(__file__).parents[1] / "docs" / "certificate_checker.py"


def machine(rng: random.Random) -> str:
    """Return the text of a machine of four states and two symbols."""
    rules = ["1RZ", *(f"{symbol}{move}{state}" for symbol in "01" for move in "LR" for state in "ABCD")]
    return "_".join(rng.choice(rules) + rng.choice(rules) for _ in range(4))


def second_checker() -> ModuleType:
    """Return the checker that is one file of the docs."""
    spec = importlib.util.spec_from_file_location("certificate_checker", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def decided(text: str, seconds: float, checker: ModuleType) -> str:
    """Return how it is proven that a machine never halts, and by whom that is verified."""
    run = xn.run(xn.siegelmann_sontag(xn.load(text)), max_seconds=seconds, certify=True)
    if run.outcome is not xn.Outcome.NON_HALTING:
        return str(run.outcome)
    if run.certificate is None:
        return "a state comes again" if run.cycle is not None else "it is proven, but not certified"
    assert xn.check_certificate(run.certificate).outcome is xn.Outcome.NON_HALTING, text
    assert checker.check(json.dumps(run.certificate))[0] == "proven non-halting", text
    way = "a state comes again" if run.cycle is not None else "a round that goes on for ever"
    if run.certificate["path"][-1] == ["closed"]:
        way = "a closed set"
    return f"{way}, verified by both checkers"


@click.command(help=__doc__)
@click.option("--machines", default=1000, show_default=True, help="How many that never halt.")
@click.option("--seconds", default=10.0, show_default=True, help="For each.")
@click.option("--seed", default=0, show_default=True)
def main(machines: int, seconds: float, seed: int) -> None:
    """Draw machines, and say how they were decided."""
    rng, checker = random.Random(seed), second_checker()
    found: Counter[str] = Counter()
    began, halting = time.perf_counter(), 0
    while sum(found.values()) < machines:
        text = machine(rng)
        direct = xn.interpret(xn.load(text), "", max_steps=LONGEST)
        if direct.outcome is not xn.Outcome.STEP_LIMIT:
            halting += 1
            run = xn.run(xn.siegelmann_sontag(xn.load(text)), max_seconds=seconds, certify=True)
            assert (run.outcome, run.machine_steps) == (direct.outcome, direct.steps), text
            continue
        how = decided(text, seconds, checker)
        found[how] += 1
        if "verified" not in how:
            click.echo(f"{text}: {how}")
    for how, count in found.most_common():
        click.echo(f"{count:6} {how}")
    click.echo(f"{halting:6} that halt were drawn too, and halt as a network after as many moves")
    click.echo(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
