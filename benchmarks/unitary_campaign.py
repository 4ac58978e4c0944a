"""Unitary twins of random contractive networks: orthogonal exactly, and outputs equal exactly on long random words.

    python benchmarks/unitary_campaign.py            # n = 1 to 12, all forms, 1000 words of length 500
    python benchmarks/unitary_campaign.py --states 32 --forms 2n --words 100

Entries of W are multiples of a common fraction with which the norm is about 0.9; half of the units have a positive
bias, so that runs stay alive. Equality is that of all outputs of every word, in exact arithmetic; of the first words in
plain rationals too, against those of the fast engine.
"""

import random
import time

import click
from gmpy2 import mpq

import exactnn as xn
from exactnn.contraction import ball_check, elman
from exactnn.linear_algebra import is_isometry, product, transposed

BOUND = 2


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


@click.command()
@click.option("--states", default="1:12", help="n, or first:last.")
@click.option("--forms", default="2n,5n,2n+3")
@click.option("--words", default=1000)
@click.option("--rational-words", default=5)
@click.option("--length", default=500)
@click.option("--seed", default=1)
def main(states: str, forms: str, words: int, rational_words: int, length: int, seed: int) -> None:
    first, _, last = states.partition(":")
    for n in range(int(first), int(last or first) + 1):
        rng = random.Random(1000 * seed + n)
        network = contractive_network(n, rng)
        twins = []
        for form in forms.split(","):
            began = time.perf_counter()
            twin = xn.unitary(network, input_bound=BOUND, form=form)
            seconds = time.perf_counter() - began
            print(
                f"n={n} form={form}: {twin.network.neurons} states, {check_matrix(twin)} bits, built in {seconds:.3f} s"
            )
            twins.append(twin)
        began = time.perf_counter()
        alive = 0
        for number in range(words):
            word = random_word(length, rng)
            expected = xn.run(network, word)
            outputs = expected.outputs[:]
            alive += any(expected.final_state)
            for twin in twins:
                assert xn.run(twin, word).outputs[:] == outputs
                if number < rational_words:
                    assert xn.run(twin, word, arithmetic=xn.RATIONAL).outputs[:] == outputs
        print(
            f"n={n}: {words} words of length {length}, {alive} alive at the end: all outputs equal in "
            f"{len(twins)} forms, {time.perf_counter() - began:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
