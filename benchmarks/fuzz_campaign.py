"""Every construction in every executor, on machines and words that Hypothesis draws: outcome and configurations.

In exact arithmetic every difference is a fault: of a construction, an interpreter or an executor. In formats the run of
the compiled executor is compared, step by step, with the emulated one, which says in rationals what the format means;
that the format is wrong about the machine is no fault. Chunk `n` of a construction and an arithmetic is the same in
every run; every chunk that is done is a line in the record, and a run goes on after the last. Differences are shrunk
and saved as replay files, or as what the assertion says.

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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import exactnn as xn
from exactnn.constructions import CONSTRUCTIONS
from exactnn.errors import UnsupportedArithmeticError
from exactnn.simulation.emulated import EmulatedExecutor
from exactnn.simulation.emulated_fixed import EmulatedFixedExecutor
from exactnn.simulation.executors import executor_for
from exactnn.strategies import machines_of_kind, words
from exactnn.testing import Rules, assert_same_run, compare, compiler, disagreement_text

CHUNK = 40
"""Pairs of a machine and a word that are drawn with one seed."""

STEPS = 60
"""Most network steps that a format and its meaning are compared for."""

TERMS = 100_000
"""Products and sums that the meaning of a format is asked for in a run: large networks take fewer steps."""

EXACT = {"exact": xn.EXACT, "rational": xn.RATIONAL}
FORMATS = {
    "float16": xn.FLOAT16,
    "bfloat16": xn.BFLOAT16,
    "float8_e4m3": xn.FLOAT8_E4M3,
    "float8_e5m2": xn.FLOAT8_E5M2,
    "float32": xn.FLOAT32,
    "float64": xn.FLOAT64,
    "p30e9 up, fused": xn.FloatFormat(precision=30, exponent_bits=9, rounding="up", fused=True),
    "q8.8": xn.FixedPoint(integer_bits=8, fraction_bits=8),
    "q4.20 wrap": xn.FixedPoint(integer_bits=4, fraction_bits=20, overflow="wrap"),
}


@st.composite
def pairs(draw: st.DrawFn, kind: type) -> tuple[object, tuple[str, ...]]:
    machine = draw(machines_of_kind(kind, max_states=4, max_symbols=3, shuffled=True))
    return machine, draw(words(machine.input_symbols, max_size=6))


def check(name: str, arithmetic: str, machine: object, word: tuple[str, ...]) -> None:
    """Raise AssertionError if something differs that must not."""
    if arithmetic in EXACT:
        found = compare(compiler(name), machine, word, Rules(arithmetic=EXACT[arithmetic], by="configuration"))
        if found is not None:
            raise AssertionError(disagreement_text(found))
        if arithmetic == "exact":
            assert_same_run(CONSTRUCTIONS[name][1](machine), word, xn.EXACT, xn.RATIONAL, max_steps=2 * STEPS)
        return
    same_as_emulated(CONSTRUCTIONS[name][1](machine).network, word, FORMATS[arithmetic])


def same_as_emulated(network: xn.Network, word: tuple[str, ...], format: xn.FloatFormat | xn.FixedPoint) -> None:
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
    states = [executor.start() for executor in pair]
    for step, symbol in enumerate(inputs):
        done = [one.advance(state, symbol, 1, until_decided=False) for one, state in zip(pair, states, strict=True)]
        states = [segment.state for segment in done]
        values = [list(map(repr, map(float, one.values(state)))) for one, state in zip(pair, states, strict=True)]
        assert values[0] == values[1], f"{network.name} in {format} on {word}, step {step + 1}: {values}"


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
    @given(pairs(CONSTRUCTIONS[name][0]))
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
    for name in CONSTRUCTIONS:
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
    for number, arithmetic, name in product(range(chunks), [*EXACT, *FORMATS], CONSTRUCTIONS):
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
