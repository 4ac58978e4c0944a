"""Every parameter of every public function is given what does not belong there: a refusal, or nothing, may come out."""

import inspect
import json
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import NoneType
from typing import NoReturn

import numpy as np
import pytest

import exactnn as xn
from exactnn.errors import MissingExtraError, shown
from tests.public_calls import CLASSES, certificate, functions, halves


class CallersError(Exception):
    """What a function of the caller raises."""


def raises(*_: object, **__: object) -> None:
    raise CallersError


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("there is no repr")


class Unhashable:
    __hash__ = None


def broken(*_: object) -> NoReturn:
    raise RuntimeError("there are no entries")


class BrokenIterable:
    __iter__ = broken


class BrokenList(list):
    __iter__ = __getitem__ = __len__ = broken


class BrokenEntries(Sequence):
    """A sequence of one entry, which cannot be read."""

    __getitem__ = broken

    def __len__(self) -> int:
        return 1


class BrokenLength(BrokenEntries):
    __len__ = broken


class BrokenMapping(Mapping):
    __getitem__ = __iter__ = __len__ = broken


class BrokenMiddle:
    """A collection whose second entry cannot be read, however often it is tried."""

    def __iter__(self) -> Iterator[int]:
        yield 0
        broken()


NASTY = {
    "None": None, "3": 3, "-1": -1, "1.5": 1.5, "nan": float("nan"), "inf": float("inf"), "True": True, "x": "x",
    "empty": "", "nul": "a\0b", "long": "x" * 5000, "bytes": b"x", "[]": [], "{}": {}, "[None]": [None],
    "object": object(), "array": np.array([1.5]), "two numbers": np.array([1.5, 2.5]), "huge": 10**5000,
    "no repr": Unprintable(), "[no repr]": [Unprintable()], "no hash": Unhashable(), "raises": raises,
    "no iterator": BrokenIterable(), "no list": BrokenList(), "no entries": BrokenEntries(),
    "no length": BrokenLength(), "no mapping": BrokenMapping(), "no second entry": BrokenMiddle(),
    "[no list]": [BrokenList()], "[no mapping]": [BrokenMapping()],
}  # fmt: skip

CALLED = {"progress", "source", "value", "words_of_length"}
"""Parameters whose functions are called: what these raise is the caller's own, and comes out as it is."""

MUCH_WORK = {("construction_table", "machines", "None"), ("errata", "ids", "None"), ("halting_census", "states", "3")}
"""What is in order, and takes long."""

MEANT = {
    bool: (bool,), int: (int,), int | None: (int, NoneType), float: (int, float), float | None: (int, float, NoneType),
    str: (str,), str | None: (str, NoneType),
}  # fmt: skip
"""What may be given for a parameter with this annotation; of anything else the refusal must come out."""


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nasty")
    xn.save_certificate(certificate(), folder / "certificate.json")
    xn.save_network(halves(), folder / "network.json")
    xn.save_safetensors(halves(), folder / "network.safetensors")
    with suppress(ImportError):
        import onnx

        weights = [onnx.numpy_helper.from_array(np.ones((1, 1, 1), np.float32), name) for name in "WR"]
        shapes = (("X", ["time", 1, 1]), ("Y", None))
        values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in shapes]
        cell = onnx.helper.make_node("RNN", ["X", "W", "R"], ["Y"], hidden_size=1)
        graph = onnx.helper.make_graph([cell], "graph", values[:1], values[1:], weights)
        opset = [onnx.helper.make_opsetid("", 17)]
        onnx.save(onnx.helper.make_model(graph, opset_imports=opset), folder / "network.onnx")
    return folder


def belongs(value: object, annotation: object) -> bool:
    """Whether a value may be given for a parameter; True where its annotation does not say."""
    if annotation not in MEANT:
        return True
    kinds = MEANT[annotation]
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def outcomes(function: object, name: str, files: Path) -> Iterator[tuple[str, str, object, object]]:
    """Yield a parameter, the name of a value and its own, and the error that came out, or None."""
    call = {**CLASSES, **functions(files)}[name]
    for parameter in inspect.signature(function).parameters.values():
        for label, value in NASTY.items():
            if (name, parameter.name, label) in MUCH_WORK:
                continue
            error = None
            try:
                found = function(**(call() | {parameter.name: value}))
                if inspect.isgenerator(found):
                    next(found, None)
            except Exception as caught:
                error = caught
            yield parameter.name, label, belongs(value, _written_out(function, parameter.annotation)), error


def _written_out(function: object, annotation: object) -> object:
    """Return an annotation as a type, if it is a text whose names the module of the function knows."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, vars(sys.modules[function.__module__]))  # type: ignore[attr-defined]
    except NameError:  # imported for a type checker only
        return annotation


PUBLIC = [name for name in xn.__all__ if inspect.isfunction(getattr(xn, name))]
CALL_MISSING = "enter a small valid call in tests/public_calls.py, or of a cell a row in tests/networks/cells.py"


def test_every_function_has_a_call() -> None:
    missing, unknown = set(PUBLIC) - set(functions(Path())), set(functions(Path())) - set(PUBLIC)
    assert not missing, f"{', '.join(sorted(missing))}: {CALL_MISSING}"
    assert not unknown, f"{', '.join(sorted(unknown))}: no public function, but in tests/public_calls.py"
    assert all(inspect.isclass(getattr(xn, name)) for name in CLASSES)


@pytest.mark.parametrize("name", [*CLASSES, *PUBLIC])
def test_nasty_values(name: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # "x" is the name of a file
    function = getattr(xn, name)
    try:
        calls = {**CLASSES, **functions(files)}
        assert name in calls, f"{name}: {CALL_MISSING}"
        function(**calls[name]())
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xn.PrecisionWarning)
        for parameter, label, fits, error in outcomes(function, name, files):
            own = isinstance(error, CallersError) and parameter in CALLED
            refused = isinstance(error, xn.ExactnnError) and "\n" not in str(error)
            if not own and not refused and not (error is None and fits):
                wrong.append(f"{parameter}={label}: {shown(error)}")
    assert not wrong


class NoText:
    def __repr__(self) -> str:
        return 3


def test_a_message_shows_any_object() -> None:
    assert shown(Unprintable()) == "<Unprintable that cannot be printed>"
    assert shown(NoText()) == "<NoText that cannot be printed>"
    assert (
        shown([Unprintable(), 10**5000])
        == "[<Unprintable that cannot be printed>, <int too long to print>]"[:57] + "..."
    )
    plain = [
        (),
        [],
        {},
        set(),
        frozenset(),
        "",
        b"",
        (1,),
        (1, 2),
        {1: "a", "b": [2]},
        {3},
        frozenset({3}),
        b"x",
        "it's",
    ]
    assert [shown(value) for value in plain] == [repr(value) for value in plain]


def test_of_a_long_value_no_more_is_printed_than_is_shown() -> None:
    endless: list[object] = [0]
    endless[0] = endless
    billion = [list(range(10**6))] * 1000
    assert shown(endless) == "[" * 30 + "..." + "]" * 24 + "..."
    assert shown(billion) == repr(billion[0][:30])[:0] + "[" + repr(billion[0][:30])[:56] + "..."
    assert shown("a" * 10**7) == "'" + "a" * 56 + "..."


def test_a_trace_without_states_says_how_to_record() -> None:
    trace = xn.run(halves(), [1, 0]).trace
    with pytest.raises(xn.ExactnnError, match="run with record='all'"):
        trace[0]
    assert trace[:] == ()


def test_a_network_file_has_no_other_keys(tmp_path: Path) -> None:
    xn.save_network(halves(), tmp_path / "n.json")
    data = json.loads((tmp_path / "n.json").read_text())
    misspelt = [data | {"activaton": "relu"}, data | {"readout": [data["readout"][0] | {"weights": []}]}]
    for wrong, key in zip(misspelt, ("activaton", "weights"), strict=True):
        (tmp_path / "n.json").write_text(json.dumps(wrong))
        with pytest.raises(xn.ExactnnError, match=f"no key '{key}'"):
            xn.load_network(tmp_path / "n.json")
