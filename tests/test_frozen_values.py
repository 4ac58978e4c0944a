"""What public functions give back is a value: it has a hash, and nothing that hangs off it can be changed."""

import inspect
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from numbers import Number

import numpy as np
import pytest

import exactnn as xn
from exactnn.errors import MissingExtraError
from exactnn.simulation import RunLengths
from exactnn.simulation.executor import Later
from tests.public_calls import CLASSES, certificate, functions, halves, machine

PLAIN = (str, bytes, bool, Number, Enum, type(None), range)
NO_VALUES = ("load_certificate", "load_onnx", "ListedLanguage")
"""JSON data, a network as others, and a source that words are drawn from."""
DRAWN = ("lazy_real", "language_in_a_weight")
"""Values with a source of digits, which may be any program."""
KEPT_INSIDE = ("codec", "laid_out", "stream", "language", "_search")
"""Fields with what reads or computes: no data of the value, and none of it is compared."""


@pytest.fixture(scope="session")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Return what each public function gives back, by its name."""
    folder = tmp_path_factory.mktemp("values")
    xn.save_certificate(certificate(), folder / "certificate.json")
    xn.save_network(halves(), folder / "network.json")
    xn.save_safetensors(halves(), folder / "network.safetensors")
    found: dict[str, object] = {"certified run": xn.run(xn.compile(machine()), "a", certify=True, record="all")}
    for name, call in {**CLASSES, **functions(folder)}.items():
        if name in NO_VALUES:
            continue
        try:
            value = getattr(xn, name)(**call())
        except MissingExtraError:
            continue
        found[name] = tuple(value) if inspect.isgenerator(value) else value
    return found


def changeable(value: object, where: str) -> Iterator[str]:
    """Yield what in a value could be changed, and where it is."""
    if isinstance(value, PLAIN) or inspect.isroutine(value) or inspect.isclass(value):
        return
    if isinstance(value, np.ndarray):
        yield from [f"{where} is an array that can be written to"] * bool(value.flags.writeable)
    elif isinstance(value, (tuple, frozenset)):
        for entry in value:
            yield from changeable(entry, f"{where}[...]")
    elif is_dataclass(value):
        if not value.__dataclass_params__.frozen:
            yield f"{where} is a {type(value).__name__}, which is not frozen"
        for field in fields(value):
            if field.name not in KEPT_INSIDE:
                yield from changeable(getattr(value, field.name), f"{where}.{field.name}")
    elif isinstance(value, Mapping) and not hasattr(value, "__setitem__"):
        for key, entry in value.items():
            yield from changeable((key, entry), f"{where}{{...}}")
    elif isinstance(value, RunLengths):
        yield from changeable((*value.runs, type(value) is not RunLengths), f"{where}.runs")
    elif isinstance(value, Later):
        yield from changeable(value(), f"{where}()")
    elif type(value).__name__ != "Affine":
        yield f"{where} is a {type(value).__name__}"


def test_nothing_that_hangs_off_a_value_can_be_changed(values: dict[str, object]) -> None:
    kinds = {type(value) for value in values.values() if is_dataclass(value)}
    assert len(kinds) > 60
    assert [fault for name, value in values.items() for fault in set(changeable(value, name))] == []


def test_the_test_would_find_it() -> None:
    @dataclass(frozen=True)
    class Sloppy:
        entries: tuple[object, ...]

    array = np.zeros(2)
    found = list(changeable(Sloppy((1, [2], {"a": 1}, Sloppy((array,)), {3})), "x"))
    assert len(found) == 4
    array.flags.writeable = False
    assert list(changeable(Sloppy((array, frozenset({1}), "a")), "x")) == []


def test_values_have_hashes(values: dict[str, object]) -> None:
    for name, value in values.items():
        assert isinstance(hash(value), int), name


def test_values_can_be_pickled(values: dict[str, object]) -> None:
    for name, value in values.items():
        if is_dataclass(value) and name not in DRAWN:
            again = pickle.loads(pickle.dumps(value))
            assert name == "fold_network" or (again == value and hash(again) == hash(value)), name  # it has forms
