"""Runs of two checkouts, compared bit for bit: the same random networks, words and arithmetics in both.

A case is a network, a word and an arithmetic, drawn from the case's number by Python's random numbers, which no
library changes: simple and gated RNNs with all activations, and machines of the zoo in every construction; exact
arithmetics, floats and fixed point of all sizes, rounding modes, accumulators and orders of sums, and intervals. What
is compared: how the run ended and when, every output and every recorded state down to the sign of zero, the cycle, and
the network's file. An error counts as its class.

    python benchmarks/same_results.py ../other-checkout [--cases 10000] [--seed 1]
"""

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parents[1]
ACTIVATIONS = ("relu", "slu", "heaviside", "identity", "sigmoid", "tanh")
SQUASHINGS = ("sigmoid", "tanh", "slu", "hard_sigmoid", "hard_tanh", "step", "sign", "relu", "identity")
MODES = ("nearest even", "nearest away", "toward zero", "up", "down", "stochastic")
NAMED = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "tf32",
    "float8_e4m3",
    "float8_e5m2",
    "float6_e3m2",
    "float4_e2m1",
)
MACHINES = [
    "anbn",
    "anbn-counter",
    "anbn-stacks",
    "anbncn-counters",
    "balanced-brackets",
    "bb2",
    "bb3",
    "bb4",
    "binary-increment",
    "divisible-by-3",
    "mirror-stacks",
    "palindrome",
    "parity",
    "tomita-4",
    "two-brackets-shuffled",
    "wcw",
]
MOST_UNITS = 2000
STEPS = 60
STEPS_WHERE_NUMBERS_EXPLODE = 6
"""Exact numbers of gated cells are two or three times as long after every step."""


def numbers(draw: random.Random, *, bits: int = 3) -> Fraction:
    """A rational, often 0 or small, sometimes long."""
    kind = draw.random()
    if kind < 0.3:
        return Fraction(draw.choice((0, 0, 1, -1)))
    if kind < 0.9:
        return Fraction(draw.randint(-(2**bits), 2**bits), draw.choice((1, 2, 3, 4, 5, 8, 10)))
    return Fraction(draw.randint(-(2**40), 2**40), draw.randint(1, 2**38))


def texts(draw: random.Random, *sizes: int) -> Any:
    """A vector or matrix of numbers, as texts."""
    if not sizes:
        return str(numbers(draw))
    return [texts(draw, *sizes[1:]) for _ in range(sizes[0])]


def network_case(draw: random.Random) -> dict[str, Any]:
    """A cell with its parameters, or a machine with its construction."""
    if draw.random() < 0.3:
        return {"machine": draw.choice(MACHINES), "construction": draw.random()}
    n, d = draw.randint(1, 4), draw.randint(1, 3)
    alphabet = draw.choice((None, list("ab")[: max(1, d - 1)] + ["EOS"] * (d > 1), list("abc")[:d]))
    rows = draw.choice((n, draw.randint(1, 3) * (alphabet is None) or n))
    weight = texts(draw, n) if rows == n or alphabet is not None else texts(draw, rows, n)
    case: dict[str, Any] = {"readout_weight": weight, "alphabet": alphabet}
    kind = draw.choice(("SimpleRNN", "SimpleRNN", "MultiLayerRNN", "LSTM", "GRU", "QRNN"))
    match kind:
        case "SimpleRNN":
            case |= {"V": texts(draw, n, n), "W": texts(draw, n, d), "b": texts(draw, n), "s": texts(draw, n)}
            case["activation"] = draw.choice(ACTIVATIONS)
        case "MultiLayerRNN":
            case |= {"V": texts(draw, 2, n, n), "W": [texts(draw, n, d), texts(draw, n, n)]}
            case |= {"b": texts(draw, 2, n), "s": texts(draw, 2, n), "activation": draw.choice(ACTIVATIONS)}
        case _:
            gates = {"LSTM": "ifgo", "GRU": "rzn", "QRNN": "zfo"}[kind]
            case["gate"], case["candidate"] = draw.choice(SQUASHINGS), draw.choice(SQUASHINGS)
            if kind == "LSTM":
                case["output"] = draw.choice(SQUASHINGS)
            if kind == "GRU":
                case["reset"] = draw.choice(("after", "before"))
            if kind == "QRNN":
                case["window"], case["pooling"] = draw.randint(1, 2), draw.choice(("fo", "f"))
                gates = gates[: 1 + len(case["pooling"])]
            else:
                case["V"] = {gate: texts(draw, n, n) for gate in gates}
            width = d * case.get("window", 1)
            case |= {"W": {g: texts(draw, n, width) for g in gates}, "b": {g: texts(draw, n) for g in gates}}
    return {"cell": kind, "inputs": d, "parameters": case}


def float_format(draw: random.Random, *, accumulator: bool = True) -> dict[str, Any]:
    """The parameters of a float format."""
    precision = draw.choice((2, 4, 8, 11, 20, 24, 25, 26, 30, 40, 52, 53, 54, 60, 79, 90))
    exponents = 11 if precision > 25 or draw.random() < 0.5 else draw.randint(3, 9)
    mode = draw.choice(MODES) if draw.random() < 0.6 else "nearest even"
    found: dict[str, Any] = {"precision": precision, "exponent_bits": exponents, "rounding": mode}
    found["subnormals"] = draw.random() < 0.8
    found["seed"] = draw.randint(0, 9)
    if draw.random() < 0.2:
        found["overflow"] = "saturate"
    if draw.random() < 0.2:
        found["summation"] = draw.choice(("bias last", "pairwise"))
    elif draw.random() < 0.2:
        found["fused"] = True
    if accumulator and draw.random() < 0.25:
        found["accumulator"] = float_format(draw, accumulator=False)
        for option in ("summation", "fused"):
            found.pop(option, None)
    return found


def fixed_point(draw: random.Random, *, accumulator: bool = True) -> dict[str, Any]:
    """The parameters of a fixed-point format."""
    found: dict[str, Any] = {
        "integer_bits": draw.choice((4, 8, 16, 32)),
        "fraction_bits": draw.choice((0, 4, 8, 16, 24, 32)),
        "rounding": draw.choice(MODES),
        "overflow": draw.choice(("saturate", "wrap")),
        "seed": draw.randint(0, 9),
    }
    if accumulator and draw.random() < 0.3:
        found["accumulator"] = fixed_point(draw, accumulator=False)
    return found


def arithmetic_case(draw: random.Random) -> dict[str, Any]:
    """An arithmetic: its name, or its kind with its parameters."""
    kind = draw.choice(("exact", "rational", "named", "named", "float", "float", "float", "fixed", "fixed", "interval"))
    match kind:
        case "named":
            return {"name": draw.choice(NAMED)}
        case "float":
            return {"FloatFormat": float_format(draw)}
        case "fixed":
            return {"FixedPoint": fixed_point(draw)}
        case "interval":
            return {"Interval": {"bits": draw.choice((24, 53, 100))}} if draw.random() < 0.7 else {"name": "certified"}
        case _:
            return {"name": kind}


def drawn(seed: int, number: int) -> dict[str, Any]:
    """The case of a number: a network, an arithmetic, the word's length, and what picks its symbols."""
    draw = random.Random(f"{seed} {number}")
    return {
        "network": network_case(draw),
        "arithmetic": arithmetic_case(draw),
        "length": draw.choice((0, 1, 2, 3, 5, 8, 13, 40)),
        "word": draw.randint(0, 2**32),
        "record": draw.choice(("outputs", "all", 3)),
    }


def compiled(machine: str, which: float) -> Any:
    """The machine's network in one of the constructions that can."""
    found = _constructions(machine)
    return found[int(which * len(found))]


@cache
def _constructions(machine: str) -> list[Any]:
    import exactnn as xn

    source = xn.load(machine)
    found = []
    for name in sorted(xn.CONSTRUCTIONS):
        if name == "siegelmann_sontag_book":  # millions of weights
            continue
        try:
            built = xn.compile(source, construction=name)
            if built.network.neurons <= MOST_UNITS:
                found.append(built.network)
        except xn.ExactnnError:
            pass
    return found


def network_of(case: dict[str, Any]) -> Any:
    """The network of a case, in this checkout."""
    import exactnn as xn

    if "machine" in case:
        return compiled(case["machine"], case["construction"])
    return getattr(xn, case["cell"])(**case["parameters"])


def arithmetic_of(case: dict[str, Any]) -> Any:
    """The arithmetic of a case, in this checkout."""
    import exactnn as xn
    from exactnn.arithmetic import ARITHMETICS

    (kind, value), *_ = case.items()
    if kind == "name":
        return ARITHMETICS[value]
    if "accumulator" in value:
        value = value | {"accumulator": getattr(xn, kind)(**value["accumulator"])}
    return getattr(xn, kind)(**value)


def word_of(case: dict[str, Any], network: Any) -> list[Any]:
    """The word: symbols that the network reads, or vectors."""
    draw = random.Random(case["word"])
    if network.alphabet is not None:
        return [draw.choice(network.input_symbols) for _ in range(case["length"])] if network.input_symbols else []
    return [texts(draw, network.circuit.input_size) for _ in range(case["length"])]


def plain(value: Any) -> Any:
    """A result as text that says every bit of it."""
    if isinstance(value, float):
        return value.hex()
    if hasattr(value, "low"):
        return [str(value.low), str(value.high)]
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return f"{type(value).__name__} {value}"


def result(case: dict[str, Any]) -> dict[str, Any]:
    """What this checkout makes of a case."""
    import exactnn as xn

    try:
        network = network_of(case["network"])
        word = word_of(case, network)
        gated = case["network"].get("cell") in ("LSTM", "GRU", "QRNN")
        exact = case["arithmetic"].get("name") in ("exact", "rational")
        run = xn.run(
            network,
            word,
            arithmetic=arithmetic_of(case["arithmetic"]),
            max_steps=STEPS_WHERE_NUMBERS_EXPLODE if gated and exact else STEPS,
            record=case["record"],
        )
    except xn.ExactnnError as error:
        return {"error": type(error).__name__}
    trace = [plain(tuple(state)) for state in run.trace.states]
    return {
        "outcome": str(run.outcome),
        "steps": run.steps,
        "outputs": plain(tuple(run.outputs)),
        "trace": trace,
        "cycle": repr(run.cycle),
        "file": _file(network),
    }


def _file(network: Any) -> str:
    import exactnn as xn

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.json"
        xn.save_network(network, path)
        return hashlib.sha256(path.read_bytes()).hexdigest()


def print_results(seed: int, first: int, last: int) -> None:
    """Print a line for each of these cases: the digest of its result, or where that is asked for all of it."""
    warnings.simplefilter("ignore")
    for number in range(first, last):
        found = result(drawn(seed, number))
        kind = found.get("error") or found["outcome"]
        text = json.dumps(found, sort_keys=True)
        print(json.dumps([number, kind, hashlib.sha256(text.encode()).hexdigest()]), flush=True)


def lines_from(checkout: Path, seed: int, first: int, last: int) -> Iterator[str]:
    """The lines that a process prints which imports the library from there."""
    command = [sys.executable, __file__, "--print", f"{first}:{last}", "--seed", str(seed)]
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    with subprocess.Popen(command, env=environment, cwd=checkout, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield from process.stdout


@click.command()
@click.argument("other", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--cases", default=10_000, help="How many cases.", show_default=True)
@click.option("--seed", default=1, help="Of the cases.", show_default=True)
@click.option("--print", "span", help="Print what this checkout makes of the cases FIRST:LAST, as the comparison asks.")
def main(other: Path | None, cases: int, seed: int, span: str | None) -> None:
    """Compare the runs of this checkout with those of OTHER."""
    if span is not None:
        first, last = map(int, span.split(":"))
        print_results(seed, first, last)
        return
    if other is None:
        raise click.UsageError("name the other checkout")
    ends: Counter[str] = Counter()
    different = []
    both = (lines_from(checkout, seed, 0, cases) for checkout in (HERE, other.resolve()))
    for number, (one, two) in enumerate(zip_longest(*both)):
        if one is None or two is None:
            raise click.ClickException(
                f"a process ended before case {number}: run it again with --print {number}:{number + 1}"
            )
        ends[json.loads(one)[1]] += 1
        if one != two:
            different.append(number)
            click.echo(f"case {number}: {one.strip()} here, {two.strip()} there: {json.dumps(drawn(seed, number))}")
        if (number + 1) % 500 == 0:
            click.echo(f"{number + 1:,} cases, {len(different)} differ", err=True)
    click.echo(f"{sum(ends.values()):,} cases: {', '.join(f'{count:,} {end}' for end, count in ends.most_common())}")
    click.echo(f"{len(different)} differ")
    raise SystemExit(bool(different))


if __name__ == "__main__":
    main()
