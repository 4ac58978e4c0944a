"""From random DFAs to networks and back: what is extracted and minimised must be the minimal automaton.

Random DFAs of up to 200 states over one to three symbols, as Minsky networks, in every named format, in fixed point
and exactly; and, of fewer states, with a random invertible change of basis of the state, of integers in formats with
long words, of rationals exactly. A share of the certificates is checked.

    python benchmarks/extraction_campaign.py [--automata 1000] [--seed 0] [--jobs 2] [--store FILE]
"""

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import click
from gmpy2 import mpq

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from long_work import Work, work_options

import exactnn as xn
from exactnn.arithmetic import NAMED_FORMATS
from exactnn.campaigns import Campaign, Unit
from exactnn.equivalence import minimal_table, table_of
from tests.equivalence.recognisers import changed_basis, random_dfa

FORMATS = (*NAMED_FORMATS.values(), xn.FixedPoint(integer_bits=3, fraction_bits=0), xn.EXACT)
LONG = (xn.FloatFormat(precision=53, exponent_bits=10), xn.FixedPoint(integer_bits=40, fraction_bits=0), xn.EXACT)
CHECKED = 50
"""One certificate in so many is checked."""


@dataclass(frozen=True)
class Automaton(Unit):
    """A random automaton of a seed, and a smaller one, in all formats."""

    seed: int
    number: int

    def run(self, subject: object) -> dict[str, object]:
        random = Random(f"{self.seed} {self.number}")
        counts, differences = Counter(extractions=0, states=0, checked=0), []
        for place, (machine, net, format) in enumerate(_pairs(random)):
            found = xn.extract_state_machine(net, format)
            # Labels are other names of the same: transitions and what is accepted must agree.
            mine, truth = minimal_table(found.table), minimal_table(table_of(machine))
            same = (mine.transitions == truth.transitions).all() if mine.states == truth.states else False
            accepted = [mine.label_names[label] is xn.Outcome.ACCEPTED for label in mine.labels.tolist()]
            if not same or accepted != [truth.label_names[label] for label in truth.labels.tolist()]:
                differences.append(str(format))
            counts.update(extractions=1, states=found.states)
            if (17 * self.number + place) % CHECKED == 0 and found.states < 200:
                counts["checked"] += xn.check_extraction(found.certificate).states == found.states
        return {**counts, "differences": differences}


def _pairs(random: Random) -> list[tuple[xn.DFA, xn.Network, object]]:
    dfa = random_dfa(random, random.randint(1, 200), random.choice(("a", "ab", "abc")))
    small = random_dfa(random, random.randint(1, 8))
    network, other = xn.minsky(dfa).network, xn.minsky(small).network
    pairs = [(dfa, network, format) for format in FORMATS]
    pairs += [(small, changed_basis(other, random, [mpq(k) for k in (-1, 0, 1)]), format) for format in LONG]
    fractions = [mpq(random.randint(-5, 5), random.randint(1, 7)) for _ in range(5)]
    return [*pairs, (small, changed_basis(other, random, fractions), xn.EXACT)]


@click.command()
@click.option("--automata", default=1000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@work_options
def main(automata: int, seed: int, work: Work) -> None:
    """Take automata to networks and back, and count differences."""
    found = work.run(Campaign([Automaton(seed, n) for n in range(automata)], list), "automata")
    differing = [(unit, row["differences"]) for unit, row in found.result if row["differences"]]
    for unit, formats in differing:
        click.echo(f"differs: automaton {unit.number} of seed {seed} in {', '.join(formats)}")
    names = ("extractions", "states", "checked")
    extractions, states, checked = (sum(row[name] for _, row in found.result) for name in names)
    click.echo(
        f"{len(found.result):,} automata, {extractions:,} extractions, {states:,} states, {checked} certificates "
        f"checked, {len(differing)} automata with differences"
    )
    sys.exit(bool(differing or found.failed))


if __name__ == "__main__":
    main()
