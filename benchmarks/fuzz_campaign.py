"""Every construction in every executor, on machines and words that Hypothesis draws: outcome and configurations.

Beside the constructions stand networks at random, with negative numbers that no machine gives. In exact arithmetic
every difference is a fault: of a construction, an interpreter or an executor. In formats the run of the compiled
executor is compared, step by step, with the emulated one, which says in rationals what the format means, and with the
run in a batch; that the format is wrong about the machine is no fault. Networks at random also run in every executor
that the tests know, beside loops that are written down plainly there. Chunk `n` of a subject and an arithmetic is the
same in every run; every chunk that is done is a line in the record, and a run goes on after the last. Differences are
shrunk and saved as what the assertion says.

    python benchmarks/fuzz_campaign.py [--record fuzz_campaign.jsonl] [--seconds 3000] [--chunks 20]
"""

import json
import sys
import time
from itertools import product
from pathlib import Path

import click
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from every_executor import check_batch, check_every_executor, check_steps

import exactnn as xn
from exactnn.constructions import CONSTRUCTIONS
from exactnn.errors import UnsupportedArithmeticError
from exactnn.simulation.emulated import EmulatedExecutor
from exactnn.simulation.emulated_fixed import EmulatedFixedExecutor
from exactnn.simulation.executors import executor_for
from exactnn.strategies import machines_of_kind, networks, rationals, words
from exactnn.testing import Rules, assert_same_run, compare, compiler, disagreement_text

CHUNK = 40
"""Pairs of a machine and a word that are drawn with one seed."""

STEPS = 60
"""Most network steps that a format and its meaning are compared for."""

TERMS = 100_000
"""Products and sums that the meaning of a format is asked for in a run: large networks take fewer steps."""

EXACT = {"exact": xn.EXACT, "rational": xn.RATIONAL}
EVERY = "every executor"
RANDOM = "networks at random"
FORMATS = {
    "float16": xn.FLOAT16,
    "bfloat16": xn.BFLOAT16,
    "float8_e4m3": xn.FLOAT8_E4M3,
    "float8_e5m2": xn.FLOAT8_E5M2,
    "float32": xn.FLOAT32,
    "float64": xn.FLOAT64,
    "p30e9 up": xn.FloatFormat(precision=30, exponent_bits=9, rounding="up"),
    "p12e6 down": xn.FloatFormat(precision=12, exponent_bits=6, rounding="down"),
    "p9e5 stochastic": xn.FloatFormat(precision=9, exponent_bits=5, rounding="stochastic", seed=7),
    "p60e11": xn.FloatFormat(precision=60, exponent_bits=11),
    "p30e9 up, fused": xn.FloatFormat(precision=30, exponent_bits=9, rounding="up", fused=True),
    "q8.8": xn.FixedPoint(integer_bits=8, fraction_bits=8),
    "q8.16 wrap": xn.FixedPoint(integer_bits=8, fraction_bits=16, overflow="wrap"),
}
"""The fused ones run in MPFR, the others in compiled loops."""


@st.composite
def pairs(draw: st.DrawFn, name: str) -> tuple[object, tuple[object, ...]]:
    """A machine of the kind that a construction takes, or a network, and a word."""
    if name == RANDOM:
        network = draw(networks(max_state=6, max_units=6))
        return network, draw(words_of(network))
    machine = draw(machines_of_kind(CONSTRUCTIONS[name][0], max_states=4, max_symbols=3, shuffled=True))
    return machine, draw(words(machine.input_symbols, max_size=6))


def words_of(network: xn.Network) -> st.SearchStrategy[tuple[object, ...]]:
    if network.alphabet is not None:
        return words([symbol for symbol in network.alphabet if symbol != xn.EOS], max_size=8)
    return st.lists(st.tuples(*[rationals()] * network.circuit.input_size), max_size=8).map(tuple)


def check(name: str, arithmetic: str, machine: object, word: tuple[object, ...]) -> None:
    """Raise AssertionError if something differs that must not."""
    if arithmetic == EVERY:
        check_every_executor(machine, word)
    elif name == RANDOM and arithmetic in EXACT:
        assert_same_run(machine, word, xn.EXACT, xn.RATIONAL, max_steps=2 * STEPS)
    elif name == RANDOM:
        same_as_emulated(machine, word, FORMATS[arithmetic])
    elif arithmetic in EXACT:
        found = compare(compiler(name), machine, word, Rules(arithmetic=EXACT[arithmetic], by="configuration"))
        if found is not None:
            raise AssertionError(disagreement_text(found))
        if arithmetic == "exact":
            assert_same_run(CONSTRUCTIONS[name][1](machine), word, xn.EXACT, xn.RATIONAL, max_steps=2 * STEPS)
    else:
        same_as_emulated(CONSTRUCTIONS[name][1](machine).network, word, FORMATS[arithmetic])


def same_as_emulated(network: xn.Network, word: tuple[object, ...], format: xn.FloatFormat | xn.FixedPoint) -> None:
    """Compare the executor of a format with what the format means."""
    emulated = EmulatedFixedExecutor if isinstance(format, xn.FixedPoint) else EmulatedExecutor
    try:
        pair = executor_for(network, format), emulated(network, format)
    except UnsupportedArithmeticError:
        return
    inputs = network.inputs(word)
    if network.decision.protocol.reads_eos:
        inputs += [network.alphabet.index(xn.EOS)] * (STEPS - len(inputs))
    terms = sum(len(unit.linear) + len(unit.bilinear) for layer in network.circuit.layers for unit in layer)
    inputs = inputs[: max(3, TERMS // max(1, terms))]
    try:
        check_steps(*pair, inputs)
        if isinstance(format, xn.FloatFormat):
            check_batch(network, word, format, len(inputs))
    except AssertionError as error:
        raise AssertionError(f"{network!r} on {word}: {error}") from error


def one_chunk(name: str, arithmetic: str, number: int, *, shrink: bool = True) -> dict[str, object]:
    """Compare the pairs of a chunk and return its line of the record."""
    count = 0

    @seed(number)
    @settings(
        max_examples=CHUNK,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(pairs(name))
    def run(pair: tuple[object, tuple[str, ...]]) -> None:
        nonlocal count
        count += 1
        check(name, arithmetic, *pair)

    began = time.perf_counter()
    wrong = None
    try:
        run()
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    line = {"construction": name, "arithmetic": arithmetic, "chunk": number, "pairs": count, "wrong": wrong}
    return line | {"seconds": round(time.perf_counter() - began, 2)}


def summary(lines: list[dict[str, object]]) -> str:
    text = []
    for name in (*CONSTRUCTIONS, RANDOM):
        own = [line for line in lines if line["construction"] == name]
        wrong = sum(line["wrong"] is not None for line in own)
        text.append(f"{name:24} {sum(line['pairs'] for line in own):8,} pairs, {wrong} wrong")
    return "\n".join(text)


@click.command()
@click.option("--record", default="fuzz_campaign.jsonl", type=click.Path(path_type=Path))
@click.option("--seconds", default=float("inf"), help="Stop after these.")
@click.option("--chunks", default=20, help="Of each construction in each arithmetic.")
def main(record: Path, seconds: float, chunks: int) -> None:
    lines = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    done = {(line["construction"], line["arithmetic"], line["chunk"]) for line in lines}
    began = time.monotonic()
    subjects = [*product([*EXACT, *FORMATS], CONSTRUCTIONS), *product(["exact", EVERY, *FORMATS], [RANDOM])]
    for number, (arithmetic, name) in product(range(chunks), subjects):
        if (name, arithmetic, number) in done:
            continue
        if time.monotonic() - began > seconds:
            break
        lines.append(one_chunk(name, arithmetic, number))
        with record.open("a") as file:
            file.write(json.dumps(lines[-1]) + "\n")
        if lines[-1]["wrong"] is not None:
            click.echo(f"{name} in {arithmetic}, chunk {number}: {lines[-1]['wrong']}", err=True)
    click.echo(summary(lines))
    sys.exit(any(line["wrong"] is not None for line in lines))


if __name__ == "__main__":
    main()
