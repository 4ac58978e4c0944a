"""From random DFAs to networks and back: what is extracted and minimised must be the minimal automaton.

Random DFAs of up to 200 states over one to three symbols, as Minsky networks, in every named format, in fixed point
and exactly; and, of fewer states, with a random invertible change of basis of the state, of integers in formats with
long words, of rationals exactly. A share of the certificates is checked.

    python benchmarks/extraction_campaign.py [--automata 1000] [--seed 0]
"""

import sys
import time
from pathlib import Path
from random import Random

import click
from gmpy2 import mpq
from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import exactnn as xn
from exactnn.arithmetic import NAMED_FORMATS
from exactnn.equivalence import minimal_table, table_of
from tests.equivalence.recognisers import changed_basis, random_dfa

FORMATS = (*NAMED_FORMATS.values(), xn.FixedPoint(integer_bits=3, fraction_bits=0), xn.EXACT)
LONG = (xn.FloatFormat(precision=53, exponent_bits=10), xn.FixedPoint(integer_bits=40, fraction_bits=0), xn.EXACT)
CHECKED = 50
"""One certificate in so many is checked."""


@click.command()
@click.option("--automata", default=1000, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(automata: int, seed: int) -> None:
    """Take automata to networks and back, and count differences."""
    console = Console()
    began, extractions, states, checks, differences = time.perf_counter(), 0, 0, 0, 0
    for n in track(range(automata), console=console):
        random = Random(f"{seed} {n}")
        dfa = random_dfa(random, random.randint(1, 200), random.choice(("a", "ab", "abc")))
        small = random_dfa(random, random.randint(1, 8))
        network, other = xn.minsky(dfa).network, xn.minsky(small).network
        pairs = [(dfa, network, format) for format in FORMATS]
        pairs += [(small, changed_basis(other, random, [mpq(k) for k in (-1, 0, 1)]), format) for format in LONG]
        fractions = [mpq(random.randint(-5, 5), random.randint(1, 7)) for _ in range(5)]
        pairs.append((small, changed_basis(other, random, fractions), xn.EXACT))
        for machine, net, format in pairs:
            found = xn.extract_state_machine(net, format)
            # Labels are other names of the same: transitions and what is accepted must agree.
            mine, truth = minimal_table(found.table), minimal_table(table_of(machine))
            same = (mine.transitions == truth.transitions).all() if mine.states == truth.states else False
            accepted = [mine.label_names[label] is xn.Outcome.ACCEPTED for label in mine.labels.tolist()]
            if not same or accepted != [truth.label_names[label] for label in truth.labels.tolist()]:
                differences += 1
                console.print(f"differs: automaton {n} of seed {seed} in {format}")
            extractions, states = extractions + 1, states + found.states
            if extractions % CHECKED == 0 and found.states < 200:
                checks += xn.check_extraction(found.certificate).states == found.states
    console.print(
        f"{automata:,} automata, {extractions:,} extractions, {states:,} states, {checks} certificates checked, "
        f"{differences} differences, {time.perf_counter() - began:.0f} s"
    )
    sys.exit(differences > 0)


if __name__ == "__main__":
    main()
