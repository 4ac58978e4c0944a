"""Networks as files: what is read is what was written, and the JSON has every number of it, read plainly.

Numbers are small ones, fractions that no double is, numbers with long numerators and denominators, and numbers between
two neighbouring doubles.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

from gmpy2 import mpq
from hypothesis import strategies as st
from strategies import extreme_rationals, long_rationals

import exactnn as xn
from exactnn.errors import shown
from exactnn.networks import ACTIVATIONS, load_network, save_network
from exactnn.strategies import networks, rationals
from fuzz_subjects.subject import Subject

__all__ = ["NETWORK_FILES"]


@st.composite
def near_doubles(draw: st.DrawFn) -> mpq:
    """A double, and a little more or less."""
    value = mpq(draw(st.floats(-1e6, 1e6)))
    return value + draw(st.sampled_from((0, 1, -1))) * mpq(1, draw(st.sampled_from((3, 2**60, 10**30))))


NUMBERS = st.one_of(rationals(), near_doubles(), extreme_rationals(), long_rationals())


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> xn.Network:
    """A network of any kind, some with bounds of their inputs."""
    network = draw(networks(weights=NUMBERS, activations=tuple(ACTIVATIONS.values()), names=st.text(max_size=5)))
    threshold = draw(NUMBERS)
    network = replace(network, decision=replace(network.decision, threshold=threshold))
    if network.alphabet is not None or not draw(st.booleans()):
        return network
    return replace(network, input_bounds=tuple(abs(draw(NUMBERS)) for _ in range(network.circuit.input_size)))


def check(arithmetic: str, network: xn.Network) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.json"
        save_network(network, path)
        data, again = json.loads(path.read_text(encoding="utf-8")), load_network(path)
    for found, expected in zip(parts_of_file(data), parts_of_network(network), strict=True):
        assert found == expected, f"the file of {network!r} says {shown(found, limit=400)}, not {shown(expected)}"
    assert again == network, f"{network!r} is read as {again!r}: {shown(data, limit=2000)}"


def parts_of_network(network: xn.Network) -> Iterator[object]:
    """Yield all that a network is, part by part; numbers as fractions."""
    circuit, decision, bounds = network.circuit, network.decision, network.input_bounds
    yield network.name, network.alphabet, network.scalar_output, decision.protocol.value
    yield circuit.input_size, circuit.next_state, [len(layer) for layer in circuit.layers]
    yield [Fraction(x) for x in (decision.threshold, *network.initial_state)]
    yield None if bounds is None else [Fraction(x) for x in bounds]
    for unit in (*chain(*circuit.layers), *network.readout):
        yield unit.name, str(unit.activation), Fraction(unit.bias)
        yield [(*term[:-1], Fraction(term[-1])) for term in (*unit.linear, *unit.bilinear)]


def parts_of_file(data: dict[str, Any]) -> Iterator[object]:
    """Yield the same of the JSON data of a network file."""
    alphabet, bounds = data["alphabet"], data.get("input_bounds")
    yield data["name"], None if alphabet is None else tuple(alphabet), data["scalar_output"], data["protocol"]
    yield data["input_size"], tuple(data["next_state"]), [len(layer) for layer in data["layers"]]
    yield [number(text) for text in (data["threshold"], *data["initial_state"])]
    yield None if bounds is None else [number(text) for text in bounds]
    for unit in (*chain(*data["layers"]), *data["readout"]):
        yield unit["name"], unit["activation"], number(unit["bias"])
        yield [(*term[:-1], number(term[-1])) for term in (*unit["linear"], *unit.get("bilinear", []))]


def number(text: str) -> Fraction:
    """Return what the text of a number says: a hexadecimal whole number, or one over another."""
    return Fraction(*(int(part, 16) for part in text.split("/")))


NETWORK_FILES = Subject(cases=cases, check=check)
