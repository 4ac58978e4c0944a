"""Whatever a file holds, reading it ends soon, and with a machine or one MachineFileError of one line."""

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from exactnn.errors import ExactnnError, MachineFileError
from exactnn.machine_files import MachineFile, load, load_file, read_yaml, read_yaml_file
from exactnn.machine_files.text_file import MAX_BYTES, decoded
from tests.promptness import promptly

PLAIN = "blank: _\nstart state: q\ntable:\n  q: {a: R}\n"


def machine_or_message(read, source):
    """Return what was read, or the message of the one error that is allowed; a message is one line."""
    try:
        return read(source)
    except ExactnnError as error:
        message = str(error)
    assert len(message.splitlines()) == 1
    return message


def refused(text, **options):
    with promptly(), pytest.raises(MachineFileError) as caught:
        read_yaml(text, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 30_000
    return message


def test_large_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    with promptly(), pytest.raises(MachineFileError, match=r"has 104857600 bytes, the limit is 1048576 \(1 MiB\)"):
        load(path)


def test_largest_file_that_is_read(tmp_path):
    path = tmp_path / "full.yaml"
    path.write_text(PLAIN + "#" * (MAX_BYTES - len(PLAIN)))
    assert load(path).states == ("q", "halt")


def test_special_files(tmp_path):
    with pytest.raises(MachineFileError, match="it is a folder: name a file in it"):
        load(tmp_path)
    with pytest.raises(MachineFileError, match="there is no such file: check the path"):
        load(tmp_path / "nothing.yaml")
    (tmp_path / "file").write_text(PLAIN)
    with pytest.raises(MachineFileError, match="there is no such file"):
        load(tmp_path / "file" / "below.yaml")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MachineFileError, match="not a regular file"):
        load(tmp_path / "pipe")
    with pytest.raises(MachineFileError, match="not a regular file"):
        load(Path("/dev/zero"))


@pytest.mark.parametrize("path", ["a\0b.yaml", "x" * 5000 + ".yaml", "\ud800.yaml", "loop.yaml"])
def test_impossible_paths(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("loop.yaml").symlink_to("loop.yaml")
    with pytest.raises(MachineFileError, match=r"cannot be read|no such file") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_file_without_permission(tmp_path, monkeypatch):
    path = tmp_path / "secret.yaml"
    path.write_text(PLAIN)
    path.chmod(0)

    def forbidden(self, *args):
        raise PermissionError(13, "Permission denied", str(self))

    if os.geteuid() == 0:  # the superuser may read everything
        monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(MachineFileError, match=r"permission to read it is missing: make it readable"):
        read_yaml_file(path)
    path.chmod(stat.S_IRUSR)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfek\x00", "UTF-16"),
        (b"\xfe\xff\x00k", "UTF-16"),
        (b"blank: _\n# caf\xe9\n", "line 2: byte 0xe9 is not UTF-8 text"),
        (b"blank: _\n\x00", "line 2: character '\\x00' is not text"),
        (b"blank: _\n\x1b[2J", "line 2: character '\\x1b' is not text"),
        (b"", "there is no machine in it"),
        (b"# nothing\n", "there is no machine in it"),
        (b"---\n...\n", "there is no machine in it|a machine is a mapping"),
    ],
)
def test_encodings(content, words, tmp_path):
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    with pytest.raises(MachineFileError) as caught:
        load(path)
    assert any(word in str(caught.value) for word in words.split("|"))
    assert "\n" not in str(caught.value)


def test_byte_order_mark_is_dropped():
    assert read_yaml(decoded(b"\xef\xbb\xbf" + PLAIN.encode(), "file")) == read_yaml(PLAIN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 200_000, "nested more than"),
        ("{a: " * 200_000, "nested more than"),
        ("- " * 200_000, "nested more than"),
        ("? " * 200_000, "nested more than"),
        ("[" * 1000 + "]" * 1000, "nested more than"),
        ("a: &x [1]\nb: *x\n", "'&x' is a YAML anchor or alias"),
        ("<<: *x\n", "'*x' is a YAML anchor or alias"),
        ("a: &a [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1},*a{i - 1}]\n" for i in range(1, 60)), "anchor or alias"),
        ("a: !!python/object/apply:os.system [echo]\n", "is a YAML tag"),
        ("!!set {a}\n", "is a YAML tag"),
        ("%YAML 9.9\n---\na: b\n", "line 1: "),
        (PLAIN + "---\n" + PLAIN, "a second document begins"),
        ("a: b: c", "not valid YAML"),
        ("a: 'b", "not valid YAML"),
        ("\ta: b", "not valid YAML"),
        ("a: |9\n b", "not valid YAML"),
        ('a: "\\ud800"', "not valid YAML"),
        ("just text", "a machine is a mapping"),
        ("[a, b]", "a machine is a mapping"),
        ("source code: text", "a machine is a mapping"),
        ("source code:", "'source code:' needs one text"),
        ("source code: |\n  # empty\nname: x", "'source code:' is empty"),
        ("source code: {a: b}", "'source code:' needs one text"),
        ("source code: |\n  source code: |\n    a: b\n", "unknown key 'source code'"),
        ("source code: |\n  a: b\ntable: {}\n", "unknown key 'table'"),
        ("? [a, b]\n: c\n", "a key of the document is a text"),
        ("?\n: c\n", "a key of the document is a text"),
        ("table: []\n", "'table:' is a mapping"),
        ("table:\n", "'table:' is a mapping"),
        ("a" * MAX_BYTES + "b", "the limit is 1048576"),
        ("kind: dfa\nkind: dfa\n", "is here twice"),
        ("\x85\u2028\u2029: \ufffe\uffff", "line "),
        ("x: \ud800", "line 1: character '\\ud800' is not text"),
    ],
)
def test_refused(text, words):
    assert words in refused(text)


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize(
    "text",
    [
        PLAIN + "".join(f"  s{i}: {{a: {{R: s{i + 1}}}}}\n" for i in range(35_000)),
        PLAIN + "".join(f"  s{i}:\n" for i in range(100_000)),
        PLAIN + "".join(f"  s{i}: {{b{i}: R}}\n" for i in range(40_000)),
        PLAIN + "  r: {" + ", ".join(f"b{i}: R" for i in range(80_000)) + "}\n",
        PLAIN + "  r: {[" + ", ".join(f"b{i}" for i in range(100_000)) + "]: R}\n",
        PLAIN + "  r: {" + ", ".join("a: R" for _ in range(100_000)) + "}\n",
        PLAIN + f"input: {'ab' * 500_000}\n",
        PLAIN + f"input: {''.join(map(chr, range(0x4E00, 0x9FFF))) * 10}\n",
        f"kind: dfa\nstart state: q\nfinal states: [{', '.join(f's{i}' for i in range(100_000))}]\ntable: {{q: {{}}}}",
        "kind: dfa\nstart state: s0\nfinal states: []\ntable:\n"
        + "".join(f"  s{i}: {{a: s0}}\n" for i in range(60_000)),
        "kind: dfa\nstart state: q\nfinal states: []\ntable: {q: {[" + ",".join(map(str, range(150_000))) + "]: q}}",
        # within the bounds
        PLAIN + "".join(f"  s{i}: {{[a, b, c, d]: {{R: s{i // 3}}}}}\n" for i in range(2_500)),
        PLAIN + "".join(f"  s{i}: {{a: {{R: s{i // 2}}}}}\n" for i in range(2_500)),
        PLAIN + "  r: {[" + ", ".join(f"b{i}" for i in range(2_500)) + "]: R}\n",
        "\n" * 1_000_000 + PLAIN,
        "a: " + "'" * 1_000_000,
        "a: " + "\\" * 1_000_000,
        "a: |\n" + " \n" * 500_000,
        "kind: dfa\n" + "x: y\n" * 200_000,
        "expect:\n" + "- {word: a, verdict: accept}\n" * 30_000 + PLAIN,
    ],
    ids=range(20),
)
def test_large_texts_end_soon(text):
    with promptly():
        result = machine_or_message(read_yaml, text)
    assert isinstance(result, MachineFile) or len(result) < 30_000


def test_a_small_call_stack_is_enough():
    limit = sys.getrecursionlimit()
    depth = len(__import__("inspect").stack())
    sys.setrecursionlimit(depth + 120)
    try:
        refused("[" * 10_000)
        assert read_yaml(PLAIN).machine.states == ("q", "halt")
    finally:
        sys.setrecursionlimit(limit)


# fmt: off
WORDS = st.sampled_from(
    [
        "kind", "dfa", "turing_machine", "name", "title", "table", "blank", "start state", "final states", "input",
        "expect", "word", "verdict", "accept", "reject", "halt state", "undefined", "halt", "error", "write", "L",
        "R", "q", "p", "a", "b", "0", "_", "synonyms", "source code", "tape", "semi_infinite", "steps", "7", "''",
        "weighted_automaton", "initial", "final", "transitions", "value", "1/0", "1e999999999", "nan",
        "' '", "input symbols", "tape symbols", "~", "null", "*a", "&a", "!t", "---", "#", "- ", "? ", "\t",
    ]
)
# fmt: on
MARKS = st.sampled_from(
    [": ", ":\n  ", "\n", "\n  ", "\n    ", "{", "}", "[", "]", ", ", ": {", "},\n", " |\n  ", "\n- "]
)
YAML_LIKE = st.lists(st.one_of(WORDS, MARKS), max_size=60).map("".join)
GOOD = [
    PLAIN,
    "kind: dfa\nstart state: q\nfinal states: [q]\ntable:\n  q: {a: q}\ninput: aa\n"
    "expect:\n- {word: a, verdict: accept}\n",
    "kind: weighted_automaton\ninput symbols: [a]\ninitial: [1, 0]\nfinal: [0, 1/2]\ntransitions:\n"
    "  a: [[1, 0.5], [0, -2]]\nexpect:\n- {word: a, value: 1/4}\n",
    "source code: |\n  " + PLAIN.replace("\n", "\n  ") + "\npositions: {q: {x: 1}}\n",
]


@st.composite
def changed_documents(draw):
    """Good documents with a few pieces cut out, doubled or replaced."""
    text = draw(st.sampled_from(GOOD))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = (
            text[:start] + draw(st.one_of(WORDS, MARKS, st.text(max_size=3), st.just(text[start:end] * 2))) + text[end:]
        )
    return text


@given(st.one_of(st.text(), YAML_LIKE, changed_documents()))
@settings(max_examples=150, deadline=None)
@example("kind")
def test_any_text(text):
    machine_or_message(read_yaml, text)


@given(st.binary(max_size=300))
@settings(max_examples=133, deadline=None)
def test_any_bytes(content):
    machine_or_message(lambda source: read_yaml(decoded(source, "file")), content)


@given(st.text(max_size=40))
@settings(max_examples=166, deadline=None)
@example("1RB")
@example("---")
@example("\0")
@example("~")
@example(".")
@example("")
def test_any_name(name):
    machine_or_message(load_file, name)
