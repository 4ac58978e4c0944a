"""A network file is data from a stranger: whatever is in it, the answer is a network or a NetworkFileError."""

import contextlib
import copy
import json
import os
import resource
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactnn.errors import NetworkFileError
from exactnn.networks import Network, load_network
from exactnn.networks.network_file import SIZE_LIMIT
from tests.promptness import promptly

UNIT = {"name": "u", "activation": "slu", "bias": "0x1", "linear": [[0, "0x1/0x3"]], "bilinear": [[0, 1, "-0x2"]]}
READOUT = {"name": "y", "activation": "identity", "bias": "0x0", "linear": [[0, "0x1"]]}
NETWORK = {
    "format": "exactnn network",
    "version": 1,
    "name": "n",
    "alphabet": ["a", "EOS"],
    "protocol": "EOS verdict",
    "threshold": "0x1/0x2",
    "scalar_output": True,
    "initial_state": ["0x1"],
    "input_size": 2,
    "layers": [[UNIT]],
    "next_state": [3],
    "readout": [READOUT],
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=3) | st.just("0x1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


def load_text(folder, text):
    path = folder / "n.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return load_network(path)


def places(data, path=()):
    """Yield the path of every value inside JSON data."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def replaced(data, path, value):
    if not path:
        return value
    data = copy.deepcopy(data)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return data


def test_the_example_itself_is_a_network(tmp_path):
    assert isinstance(load_text(tmp_path, json.dumps(NETWORK)), Network)


@given(st.sampled_from(list(places(NETWORK))), JSON)
@example(("layers", 0, 0, "bilinear"), 5)
@example(("layers", 0, 0, "bilinear"), True)
@example(("layers", 0, 0, "bilinear", 0), {"a": 1})
@example(("layers", 0, 0, "activation"), ["slu"])
@example(("version",), float("nan"))
def test_any_value_anywhere(tmp_path_factory, path, value):
    with contextlib.suppress(NetworkFileError):
        load_text(tmp_path_factory.mktemp("hostile"), json.dumps(replaced(NETWORK, path, value)))


def legal(path, kind):
    """Whether NETWORK with `kind` at `path` is a network."""
    one = kind == 1 and kind is not True
    if path[-1:] in (("linear",), ("bilinear",)):
        return kind == []
    if "linear" in path or "bilinear" in path:
        term = path[-2:]
        return one and path[0] == "layers" and (term == (0, 0) or ("bilinear" in path and term == (0, 1)))
    return {
        ("version",): one,
        ("scalar_output",): kind is True,
        ("next_state", 0): one,
        ("alphabet", 0): kind == "x",
    }.get(path, path[-1:] == ("name",) and isinstance(kind, str))


def harmless(path, kind):
    """Whether it may be read as no second-order terms at all."""
    return path[-1:] == ("bilinear",) and not kind


@pytest.mark.parametrize("kind", [None, True, 1, 1.5, "x", "", [], ["x"], {}, {"x": 1}, [[[]]]], ids=repr)
@pytest.mark.parametrize("path", [*places(NETWORK)], ids=str)
def test_a_wrong_type_is_refused_everywhere(tmp_path, path, kind):
    text = json.dumps(replaced(NETWORK, path, kind))
    if legal(path, kind):
        assert isinstance(load_text(tmp_path, text), Network)
    elif not harmless(path, kind):
        with pytest.raises(NetworkFileError):
            load_text(tmp_path, text)


@given(st.integers(0, len(json.dumps(NETWORK)) - 1))
def test_a_truncated_file(tmp_path_factory, length):
    with pytest.raises(NetworkFileError):
        load_text(tmp_path_factory.mktemp("truncated"), json.dumps(NETWORK)[:length])


@given(st.integers(0, len(json.dumps(NETWORK)) - 1), st.integers(0, 255))
def test_a_changed_byte(tmp_path_factory, place, byte):
    text = bytearray(json.dumps(NETWORK).encode())
    text[place] = byte
    with contextlib.suppress(NetworkFileError):
        load_text(tmp_path_factory.mktemp("changed"), bytes(text))


@given(st.binary(max_size=40))
def test_any_bytes(tmp_path_factory, data):
    with pytest.raises(NetworkFileError):
        load_text(tmp_path_factory.mktemp("bytes"), data)


TEXTS = {
    "empty": "",
    "no json": "machine:",
    "a list": "[]",
    "another format": json.dumps({**NETWORK, "format": "keras"}),
    "a later version": json.dumps({**NETWORK, "version": 2}),
    "version as truth": json.dumps({**NETWORK, "version": True}),
    "bom": "\ufeff" + json.dumps(NETWORK),
    "utf-16": json.dumps(NETWORK).encode("utf-16"),
    "not utf-8": b'{"format": "\xff"}',
    "deep lists": "[" * 200_000,
    "deep inside": json.dumps(NETWORK)[:-1] + ', "x": ' + "[" * 200_000 + "]" * 200_000 + "}",
    "deep tables": '{"x":' * 200_000,
    "key twice": json.dumps(NETWORK)[:-1] + ', "name": "m"}',
    "key twice inside": json.dumps(NETWORK).replace('"activation"', '"name": "v", "activation"', 1),
    "register out of range": json.dumps({**NETWORK, "next_state": [4]}),
    "register negative": json.dumps({**NETWORK, "next_state": [-1]}),
    "register a fraction": json.dumps({**NETWORK, "next_state": [3.0]}),
    "register true": json.dumps({**NETWORK, "next_state": [True]}),
    "register huge": json.dumps(NETWORK).replace("[3]", f"[1{'0' * 4000}]"),
    "register beyond the digit limit": json.dumps(NETWORK).replace("[3]", f"[1{'0' * 5000}]"),
    "reads its own layer": json.dumps({**NETWORK, "layers": [[{**UNIT, "linear": [[3, "0x1"]]}]]}),
    "readout reads input": json.dumps({**NETWORK, "readout": [{**READOUT, "linear": [[1, "0x1"]]}]}),
    "weight a number": json.dumps({**NETWORK, "initial_state": [1]}),
    "weight not finite": json.dumps({**NETWORK, "initial_state": ["inf"]}),
    "weight over zero": json.dumps({**NETWORK, "initial_state": ["1/0"]}),
    "weight enormous": json.dumps({**NETWORK, "initial_state": ["1e400000000"]}),
    "bilinear a number": json.dumps({**NETWORK, "layers": [[{**UNIT, "bilinear": 5}]]}),
    "alphabet twice": json.dumps({**NETWORK, "alphabet": ["EOS", "EOS"]}),
    "alphabet too long": json.dumps({**NETWORK, "alphabet": ["a", "b", "EOS"]}),
    "alphabet missing": json.dumps({**NETWORK, "alphabet": None}),
}


@pytest.mark.parametrize("case", TEXTS)
def test_hostile_texts(tmp_path, case):
    with pytest.raises(NetworkFileError) as caught:
        load_text(tmp_path, TEXTS[case])
    assert len(str(caught.value)) < 1000


def test_the_message_names_the_file_however_deep_it_lies(tmp_path):
    folder = tmp_path / ("x" * 60)
    folder.mkdir()
    with pytest.raises(NetworkFileError, match=r"n\.json"):
        load_text(folder, "")
    with pytest.raises(NetworkFileError, match=r"missing\.json"):
        load_network(folder / "missing.json")


def test_a_long_text_that_is_no_number_is_refused_at_once(tmp_path):
    with promptly(), pytest.raises(NetworkFileError):
        load_text(tmp_path, json.dumps({**NETWORK, "threshold": "1" * 20_000 + "?"}))


def test_a_huge_file_is_refused_by_its_size_without_being_read(tmp_path):
    path = tmp_path / "n.json"
    with path.open("wb") as file:
        file.truncate(2**40)  # sparse: a terabyte that takes no space
    with promptly(), pytest.raises(NetworkFileError, match=f"{2**40} bytes; network files of up to {SIZE_LIMIT}"):
        load_network(path)


@pytest.mark.parametrize("name", ["missing.json", ".", "file/n.json", "a\0b", "x" * 5000])
def test_a_path_that_cannot_be_read(tmp_path, name):
    (tmp_path / "file").write_text("{}")
    with pytest.raises(NetworkFileError, match=r"cannot read|not a regular file"):
        load_network(tmp_path / name)


@pytest.mark.parametrize("kind", ["pipe", "device", "link to device"])
def test_what_is_no_regular_file_is_refused_without_being_read(tmp_path, kind):
    """A device has no size and no end; a pipe nobody writes to blocks for ever."""
    path = tmp_path / "n.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to device":
        path.symlink_to("/dev/zero")
    else:
        path = "/dev/zero"
    program = (
        "import sys; from exactnn.networks import load_network; from exactnn.errors import NetworkFileError\n"
        "try: load_network(sys.argv[1])\n"
        "except NetworkFileError as error: print('refused')"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30)),
    )
    assert result.stdout == "refused\n", result.stderr[-500:]
