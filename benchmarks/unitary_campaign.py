"""Unitary twins of random contractive networks: orthogonal exactly, and outputs equal exactly on long random words.

    python benchmarks/unitary_campaign.py --jobs 2 --store FILE     # n = 1 to 12, all forms, 1000 words of length 500
    python benchmarks/unitary_campaign.py --states 32 --forms 2n --words 100

Entries of W are multiples of a common fraction with which the norm is about 0.9; half of the units have a positive
bias, so that runs stay alive. Equality is that of all outputs of every word, in exact arithmetic; of the first words in
plain rationals too, against those of the fast engine. A unit of work is some words of one network, in all forms.
"""

import random
import sys
from dataclasses import dataclass
from pathlib import Path

import click
from gmpy2 import mpq

sys.path.insert(0, str(Path(__file__).resolve().parent))

from long_work import work_options

import exactnn as xn
from exactnn.campaigns import Campaign, Unit
from exactnn.contraction import ball_check, elman
from exactnn.linear_algebra import is_isometry, product, transposed

BOUND = 2
WORDS = 50
"""Words of a unit."""


def contractive_network(n: int, rng: random.Random) -> xn.Network:
    while True:
        denominator = round(7 * n**0.5) + 1
        network = xn.SimpleRNN(
            V=[[mpq(rng.randint(-5, 5), denominator) for _ in range(n)] for _ in range(n)],
            W=[[mpq(rng.randint(-3, 3), 2) for _ in range(2)] for _ in range(n)],
            b=[mpq(rng.randint(-3, 5), 4) for _ in range(n)],
            s=[mpq(rng.randint(0, 4), 3) for _ in range(n)],
            readout_weight=[[mpq(rng.randint(-4, 4), 3) for _ in range(n)] for _ in range(2)],
        )
        if xn.is_contractive(network):
            return network


def random_word(length: int, rng: random.Random) -> list[tuple[mpq, mpq]]:
    return [(mpq(rng.randint(-12, 12), 6), mpq(rng.randint(-12, 12), 6)) for _ in range(length)]


def check_matrix(twin: xn.UnitaryTwin) -> int:
    """Check UᵀU = I and the block exactly, by another product; return the longest entry in bits."""
    matrix, form = elman(twin.network).V, twin.certificate.form
    assert is_isometry(matrix, form)
    scaled = tuple(tuple(d * x for x in row) for row, d in zip(matrix, form, strict=True))
    gram = product(transposed(matrix), scaled)
    assert all(gram[i][j] == (form[i] if i == j else 0) for i in range(len(form)) for j in range(len(form)))
    n = twin.original.neurons
    assert tuple(row[:n] for row in matrix[:n]) == elman(twin.original).V
    assert ball_check(twin, bits=4096).defect < mpq(1, 2**1000)
    return max(max(x.numerator.bit_length(), x.denominator.bit_length()) for row in matrix for x in row)


@dataclass(frozen=True)
class Twins(Unit):
    """A network with its twins, and some words; the first `rational` of them in plain rationals too."""

    states: int
    forms: tuple[str, ...]
    chunk: int
    words: int
    rational: int
    length: int
    seed: int

    def run(self, subject: object) -> dict[str, object]:
        network = contractive_network(self.states, random.Random(1000 * self.seed + self.states))
        twins = [xn.unitary(network, input_bound=BOUND, form=form) for form in self.forms]
        rng, alive = random.Random(f"{self.seed} {self.states} {self.chunk}"), 0
        for number in range(self.words):
            word = random_word(self.length, rng)
            expected = xn.run(network, word)
            outputs = expected.outputs[:]
            alive += any(expected.final_state)
            for twin in twins:
                assert xn.run(twin, word).outputs[:] == outputs
                if number < self.rational:
                    assert xn.run(twin, word, arithmetic=xn.RATIONAL).outputs[:] == outputs
        return {"alive": alive, "neurons": [t.network.neurons for t in twins], "bits": list(map(check_matrix, twins))}


@click.command()
@click.option("--states", default="1:12", help="n, or first:last.")
@click.option("--forms", default="2n,5n,2n+3")
@click.option("--words", default=1000)
@click.option("--rational-words", default=5)
@click.option("--length", default=500)
@click.option("--seed", default=1)
@work_options
def main(states: str, forms: str, words: int, rational_words: int, length: int, seed: int, work: object) -> None:
    """Compare twins with their networks."""
    first, _, last = states.partition(":")
    sizes, names = range(int(first), int(last or first) + 1), tuple(forms.split(","))
    units = [
        Twins(
            n,
            names,
            begin // WORDS,
            min(WORDS, words - begin),
            max(0, min(WORDS, rational_words - begin)),
            length,
            seed,
        )
        for n in sizes
        for begin in range(0, words, WORDS)
    ]
    found = work.run(Campaign(units, list), "words of networks")
    for n in sizes:
        done = [(unit.words, row) for unit, row in found.result if unit.states == n]
        for form, neurons, bits in (
            zip(names, *(done[0][1][key] for key in ("neurons", "bits")), strict=True) if done else ()
        ):
            print(f"n={n} form={form}: {neurons} states, {bits} bits")
        alive = sum(row["alive"] for _, row in done)
        print(
            f"n={n}: {sum(count for count, _ in done)} words of length {length}, {alive} alive at the end: "
            f"all outputs equal in {len(names)} forms"
        )
    sys.exit(bool(found.failed))


if __name__ == "__main__":
    main()
