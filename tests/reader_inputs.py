"""Every reader of files, and what a stranger may give it: bytes and structures that begin as valid files.

Hypothesis draws which file is spoilt and how, so that what fails shrinks to few and simple changes.
"""

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from hypothesis import strategies as st

import exactnn as xn
from exactnn.certificates import check_certificate, load_certificate, save_certificate
from exactnn.constructions import Construction, compile
from exactnn.equivalence import check_extraction, extract_state_machine
from exactnn.equivalence.closure_certificate import FORMAT as CLOSURE
from exactnn.errors import ExactnnError
from exactnn.machine_files import load, load_file, read_bbchallenge, write_yaml, zoo_path
from exactnn.networks import load_network, save_network
from exactnn.simulation import run
from exactnn.simulation.checkpoint import _hash
from exactnn.testing import Rules, compare, compiler, load_replay, replay_text

__all__ = ["READERS", "Reader", "contents", "refusal"]

SECONDS = 20.0
"""Of processor time: what takes longer has no bound."""

TOKENS = [
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\x1b[2J", b"\x85", b"\r", b"\t"),
    *(b"&a [*a, *a]", b"*a", b"<<: *a", b"!!python/object:os.system", b"!!set {}", b"---\n", b"%YAML 9\n"),
    *(b'<!DOCTYPE x [<!ENTITY a "aaaa">]>', b"<a>", b"]]>", b"&a;"),
    *(
        b"-1",
        b"0",
        b"9" * 30,
        b"-" + b"9" * 5000,
        b"1e999",
        b"NaN",
        b"-Infinity",
        b"0x" + b"f" * 5000,
        b"1/0",
        b"0x1/0x0",
    ),
    *(b"[" * 2000, b"{" * 2000, b'{"a":' * 2000, b"- " * 2000, b"? " * 50, b"]" * 50, b"}" * 50),
    *(
        b"null",
        b"true",
        b"''",
        b'""',
        b"{}",
        b"[]",
        b"~",
        b'"\\ud800"',
        b"EOS",
        b"_" * 300,
        b":",
        b"#",
        b"|",
        b">",
        b",",
    ),
    *(b"1RB1LB_1LA1RZ", b"---", b"1RZ", b"0RA", b"9LZ"),
]

VALUES = st.one_of(
    st.sampled_from([None, True, False, 0, -1, 1, 10**18, -(10**40), 10**4000, 1.5, 1e308, "", "0x1", "1/0"]),
    st.sampled_from(["0x" + "f" * 3000, "9" * 4400, "EOS", "\ud800", "\0", "exact", "a" * 500, [], {}, [[]], {"": {}}]),
    st.recursive(
        st.none() | st.integers(-3, 5) | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=4,
    ),
)
"""JSON data in the place of other data."""


@dataclass(frozen=True)
class Reader:
    """A reader of files: what reads one at a path, valid files, the ending, and what makes spoilt data look whole."""

    read: Callable[[Path], object]
    valid: Callable[[], list[bytes]]
    ending: str
    is_json: bool = False
    seal: Callable[[dict[str, object]], object] = lambda data: data


def _zoo() -> list[bytes]:
    names = ("anbn", "parity", "bb2", "palindrome", "equal-neighbours", "random-brackets")
    machines = [Path(zoo_path(name)).read_bytes() for name in names]
    return [
        *machines,
        *(write_yaml(load_file(name)).encode() for name in names),
        b"format: x\nmachine: |\n  kind: dfa\n",
    ]


def _network_files() -> list[bytes]:
    return [_written(lambda path, n=name: save_network(compile(load(n)).network, path)) for name in ("parity", "anbn")]


def _written(write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(path)
        return path.read_bytes()


def _run_certificates() -> list[bytes]:
    found = []
    for name, word in (("anbn", "aabb"), ("bb2", ""), ("1RB1LB_1LA1RZ", "")):
        certificate = run(compile(load(name)), word, certify=True).certificate
        found.append(_written(lambda path, data=certificate: save_certificate(data, path)))
    return found


def _closures() -> list[bytes]:
    found = []
    for format in (xn.FLOAT16, xn.FixedPoint(integer_bits=4, fraction_bits=4)):
        certificate = extract_state_machine(compile(load("parity")).network, format).certificate
        found.append(_written(lambda path, data=certificate: save_certificate(data, path)))
    return found


def _check(path: Path) -> object:
    data = load_certificate(path)
    return (check_extraction if data["format"] == CLOSURE else check_certificate)(data)


@cache
def _anbn() -> Construction:
    return compile(load("anbn"))


def _checkpoint(arithmetic: object) -> Reader:
    def go_on(path: Path) -> object:
        return run(_anbn(), "aabb", arithmetic=arithmetic, max_steps=30, checkpoint=path)

    def stopped() -> list[bytes]:
        def stop(path: Path, steps: int) -> object:
            return run(_anbn(), "aabb", arithmetic=arithmetic, max_steps=steps, checkpoint=path)

        return [_written(lambda path, n=steps: stop(path, n)) for steps in (3, 9)]

    def seal(data: dict[str, object]) -> object:
        return data | {"sha256": _hash(data["payload"])} if "payload" in data else data

    return Reader(read=go_on, valid=stopped, ending=".json", is_json=True, seal=seal)


def _replays() -> list[bytes]:
    found = []
    for name, rules in (("literal_book", Rules()), ("siegelmann_sontag", Rules(arithmetic=xn.FLOAT8_E4M3))):
        wrong = compare(compiler(name), load("anbn"), "aaab" if rules != Rules() else "ab", rules)
        found.append(replay_text(wrong).encode())
    return found


def _parity_sweep(path: Path) -> object:
    return xn.verdict_sweep(compile(load("parity")), [1, 2], [xn.FLOAT16], store=path)


@cache
def _trained() -> xn.Network:
    """A network that torch could have."""
    return xn.SimpleRNN(
        V=[["1/2", "-1/4"], [0, 1]],
        W=[[1, 0], ["1/8", 1]],
        b=["1/2", 0],
        s=[0, 0],
        readout_weight=[1, -1],
        activation="relu",
        alphabet="ab",
    )


def _onnx_files() -> list[bytes]:
    """Models as torch exports them; what to_onnx writes is for other programs."""
    from onnx import TensorProto, helper

    x, h = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, 1]) for name in "xh")
    found = []
    for operator, gates in (("RNN", 1), ("LSTM", 4)):
        weights = [helper.make_tensor(name, TensorProto.FLOAT, [1, gates, 1], [0.5] * gates) for name in "WR"]
        node = helper.make_node(operator, ["x", "W", "R"], ["", "h"], hidden_size=1)
        found.append(helper.make_model(helper.make_graph([node], "g", [x], [h], weights)).SerializeToString())
    return found


FOREIGN = Path(__file__).parent / "machine_files" / "foreign"


def _foreign(*endings: str) -> Reader:
    """Machines in the formats of other programs."""
    paths = sorted(path for path in FOREIGN.iterdir() if path.suffix in endings)
    return Reader(read=load_file, valid=lambda: [path.read_bytes() for path in paths], ending=".txt")


READERS = {
    "machine": Reader(read=load_file, valid=_zoo, ending=".yaml"),
    "bbchallenge": Reader(
        read=lambda path: read_bbchallenge(path.read_bytes().decode("latin1")),
        valid=lambda: [b"1RB1LB_1LA1RZ", b"1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", b"1RB---_1LA2RB"],
        ending=".txt",
    ),
    "load": Reader(
        read=lambda path: load(path.read_bytes().decode("utf-8", "surrogateescape")),
        valid=lambda: [b"1RB1LB_1LA1RZ", b"anbn", b"./anbn.yaml", b"/"],
        ending=".txt",
    ),
    "JFLAP": _foreign(".jff"),
    "DOT": _foreign(".dot"),
    "lines": _foreign(".tm", ".fst"),
    "tuples": _foreign(".yaml", ".json"),
    "network": Reader(read=load_network, valid=_network_files, ending=".json", is_json=True),
    "run certificate": Reader(read=_check, valid=_run_certificates, ending=".json", is_json=True),
    "closure certificate": Reader(read=_check, valid=_closures, ending=".json", is_json=True),
    "exact checkpoint": _checkpoint(xn.EXACT),
    "rational checkpoint": _checkpoint(xn.RATIONAL),
    "float checkpoint": _checkpoint(xn.FLOAT16),
    "replay": Reader(read=load_replay, valid=_replays, ending=".yaml"),
    "sweep": Reader(read=_parity_sweep, valid=lambda: [_written(_parity_sweep)], ending=".db"),
}
if find_spec("safetensors"):
    READERS["safetensors"] = Reader(
        read=xn.load_safetensors,
        valid=lambda: [_written(lambda path: xn.save_safetensors(_trained(), path))],
        ending=".safetensors",
    )
if find_spec("onnx"):
    READERS["onnx"] = Reader(read=xn.load_onnx, valid=_onnx_files, ending=".onnx")


@cache
def valid(name: str) -> list[bytes]:
    """Return valid files of a reader; they are made once."""
    return READERS[name].valid()


def contents(name: str) -> st.SearchStrategy[bytes]:
    """Contents of a file for a reader: bytes that were spoilt, and structures that were."""
    spoilt = [_spoilt_bytes(name), st.binary(max_size=200)]
    return st.one_of([*spoilt, _spoilt_json(name), _spoilt_json(name)] if READERS[name].is_json else spoilt)


@st.composite
def _spoilt_bytes(draw: st.DrawFn, name: str) -> bytes:
    content = draw(st.sampled_from(valid(name)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        end = min(len(content), place + draw(st.sampled_from((0, 1, 1, 2, 5, 20, 200, 10**6))))
        other = draw(st.sampled_from(valid(name)))
        start = draw(st.integers(0, len(other)))
        put = draw(
            st.one_of(
                st.just(b""),
                st.sampled_from(TOKENS),
                st.binary(max_size=3),
                st.just(content[place:end] * 2),
                st.just(other[start : start + end - place]),
            )
        )
        content = content[:place] + put + content[end:]
    encoding = draw(st.sampled_from((None, None, None, None, "utf-16", "utf-32", "utf-7")))
    return content if encoding is None else content.decode("latin1").encode(encoding)


@st.composite
def _spoilt_json(draw: st.DrawFn, name: str) -> bytes:
    data = json.loads(draw(st.sampled_from(valid(name))))
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(data))
        path = places[draw(st.integers(0, len(places) - 1))]
        other = _at(data, places[draw(st.integers(0, len(places) - 1))])
        change = draw(st.sampled_from(("value", "other", "delete", "twice", "nudge")))
        data = _changed(data, path, change, draw(VALUES) if change == "value" else other)
    sealed = READERS[name].seal(data) if isinstance(data, dict) and draw(st.sampled_from((True, True, False))) else data
    return _json_text(sealed)


def _places(data: object, path: tuple[object, ...] = ()) -> object:
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from _places(value, (*path, key))


def _at(data: object, path: tuple[object, ...]) -> object:
    for key in path:
        data = data[key]
    return data


def _changed(data: object, path: tuple[object, ...], change: str, value: object) -> object:
    """Return JSON data with a change at a place; what cannot be done there is done as a new value."""
    if not path:
        return value
    parent = _at(data, path[:-1])
    parent = parent.copy()
    key = path[-1]
    if change == "delete":
        del parent[key]
    elif change == "twice" and isinstance(parent, list):
        parent.insert(key, parent[key])
    elif change == "nudge" and isinstance(parent[key], int):
        parent[key] += 1 if parent[key] % 2 else -1
    else:
        parent[key] = value
    return parent if len(path) == 1 else _changed(data, path[:-1], "value", parent)


def _json_text(data: object) -> bytes:
    try:
        return json.dumps(data).encode("utf-8", "surrogatepass")
    except ValueError:  # Python writes no integer of more than 4300 digits
        return b'{"format": ' + b"9" * 5000 + b"}"


def refusal(name: str, content: bytes) -> tuple[str | None, float]:
    """Return the message with which a reader refuses a file, None if it reads it, and the processor time.

    Raises
    ------
    AssertionError
        If it takes too long, or the message is none of one short line.
    Exception
        What is no ExactnnError.
    """
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{reader.ending}"
        path.write_bytes(content)
        began = time.process_time()
        message = None
        try:
            reader.read(path)
        except ExactnnError as error:
            message = str(error)
        seconds = time.process_time() - began
    assert seconds < SECONDS, f"{name}: {seconds:.0f} s of processor time"
    assert message is None or (len(message.splitlines()) == 1 and len(message) < 30_000), f"{name}: {message!r}"
    return message, seconds
