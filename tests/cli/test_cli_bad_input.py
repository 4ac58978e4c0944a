import subprocess
import sys
from pathlib import Path

import pytest

from exactnn import SimpleRNN, save_network

UNDEFINED = """\
kind: turing_machine
blank: _
input symbols: [a, b]
start state: s
accept state: yes_
table:
  s:
    a: {R: yes_}
  yes_:
"""

NUMBERS = {"V": [[1]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [[1]], "readout_bias": [0]}

CASES = {
    "unknown symbol": (["run", "anbn", "aac"], "'c'"),
    "unknown machine": (["run", "palindrom"], "did you mean palindrome"),
    "unknown machine shown": (["show", "palindrom"], "did you mean palindrome"),
    "no such file": (["run", "missing.yaml"], "missing.yaml"),
    "no such network": (["run", "missing.json"], "missing.json"),
    "empty name": (["run", ""], "''"),
    "missing name": (["run"], "Missing argument"),
    "folder": (["run", "folder/"], "folder"),
    "folder of a network": (["run", "folder.json"], "folder.json"),
    "malformed file": (["run", "malformed.yaml"], "line"),
    "binary file": (["run", "binary.yaml"], "binary.yaml"),
    "undefined transition": (["run", "undefined.yaml", "a"], "'b'"),
    "100 MB machine": (["run", "big.yaml"], "104857600"),
    "100 MB network": (["run", "big.json"], "big.json"),
    "malformed network": (["run", "malformed.json"], "malformed.json"),
    "malformed bbchallenge": (["run", "1RB1LB_1LA2RZ"], "2RZ"),
    "two formats": (
        ["run", "anbn", "ab", "--format", "float16", "--arithmetic", "exact"],
        "'float16' and 'exact': give one",
    ),
    "negative limit": (["run", "anbn", "ab", "--max-steps", "-1"], "-1"),
    "limit of many digits": (["run", "anbn", "ab", "--max-steps", "10^9999999"], "whole number"),
    "limit that is no number": (["run", "anbn", "ab", "--max-steps", "1.5"], "1.5"),
    "every without trace": (["run", "anbn", "ab", "--every", "2"], "--trace"),
    "every zero": (["run", "anbn", "ab", "--trace", "--every", "0"], "from 1"),
    "unknown construction": (["run", "anbn", "--construction", "magic"], "'magic'"),
    "other kind's construction": (["run", "anbn", "--construction", "minsky"], "siegelmann_sontag"),
    "unknown arithmetic": (["run", "anbn", "--arithmetic", "float8"], "float64"),
    "unknown format": (["collapse", "anbn", "--format", "float8"], "float32"),
    "exact format": (["collapse", "anbn", "--format", "rational"], "float32"),
    "wrong n": (["collapse", "anbn", "a^n", "--n", "1-4"], "first:last"),
    "empty n": (["collapse", "anbn", "a^n", "--n", "4:1"], "empty"),
    "n without step": (["collapse", "anbn", "a^n", "--n", "1:4:0"], "step"),
    "endless n": (["collapse", "anbn", "a^n", "--n", "1:999999999"], "at most"),
    "words beyond memory": (["collapse", "anbn", "a^n", "--n", "9999999:9999999:1", "a^2n"], "9999999"),
    "wrong pattern": (["collapse", "anbn", "a^{n"], "pattern"),
    "unknown symbol of a pattern": (["collapse", "anbn", "z^n"], "'z'"),
    "pattern to run": (["run", "palindrome", "a^n b^n"], "many words, which collapse takes"),
    "no words": (["collapse", "1RB0LZ_1LA1RZ"], "pattern"),
    "unwritable network": (["compile", "parity", "-o", "no/such/folder.json"], "folder.json"),
    "folder as output": (["compile", "parity", "-o", "folder"], "folder"),
    "existing output": (["compile", "parity", "-o", "malformed.json"], "--force"),
    "no output": (["compile", "parity"], "--output"),
    "a network to compile": (["compile", "malformed.json", "-o", "new.json"], "malformed.json"),
    "unwritable table": (["collapse", "anbn", "ab", "--csv", "no/such.csv"], "no/such.csv"),
    "unwritable picture": (["collapse", "anbn", "ab", "--plot", "no/such.png"], "no/such.png"),
    "unknown picture format": (["collapse", "anbn", "ab", "--plot", "table.docx"], ".png"),
    "no arithmetic to extract in": (["extract", "parity"], "or exact"),
    "weighted with a certificate": (
        ["extract", "parity", "--format", "float16", "--weighted", "--certificate", "new.json"],
        "leave one out",
    ),
    "weighted by acceptance": (["extract", "parity", "--weighted", "--by", "acceptance"], "leave one out"),
    "weighted without one output": (["extract", "outputs.json", "--arithmetic", "exact", "--weighted"], "outputs"),
    "unknown format to extract in": (["extract", "parity", "--format", "float8"], "float8_e4m3"),
    "enclosures to extract in": (["extract", "parity", "--format", "interval64"], "the arithmetic 'interval64'"),
    "words of a file that is not there": (["check", "anbn", "none.txt"], "none.txt"),
    "an array for symbols": (["check", "parity", "vectors.json.npy"], "vectors.json.npy"),
    "an unknown decision": (["check", "anbn", "--decision", "best"], "argmax"),
    "a range of formats": (["extract", "parity", "--format", "p2:4"], "p2:4"),
    "rounding at random": (["extract", "parity", "--format", "float16", "--rounding", "stochastic"], "at random"),
    "unknown rounding": (["extract", "parity", "--format", "q4.4", "--rounding", "odd"], "'odd'"),
    "rounding of exact numbers": (["extract", "parity", "--arithmetic", "exact", "--rounding", "up"], "--rounding"),
    "a format too small": (["extract", "palindrome", "--format", "q2.2"], "q2.2"),
    "vectors to extract": (["extract", "vectors.json", "--format", "float16"], "vectors"),
    "acceptance of outputs": (["extract", "outputs.json", "--format", "q4.4", "--by", "acceptance"], "outputs"),
    "compared by what": (["compare", "parity", "parity", "--by", "length"], "'length'"),
    "no states": (["extract", "parity", "--format", "float16", "--max-states", "0"], "'0'"),
    "more states than numbers": (
        ["extract", "parity", "--format", "float16", "--max-states", "9999999999"],
        "whole number from 1 to 1073741824",
    ),
    "no bytes": (["extract", "parity", "--format", "float16", "--max-bytes", "0"], "8G"),
    "bytes of another size": (["extract", "parity", "--format", "float16", "--max-bytes", "8X"], "'8X'"),
    "negative time": (["extract", "parity", "--format", "float16", "--max-seconds", "-1"], "-1"),
    "time that is no number": (["extract", "parity", "--format", "float16", "--max-seconds", "nan"], "nan"),
    "automaton as JSON": (["extract", "parity", "--format", "float16", "-o", "new.json"], r"ends in .yaml"),
    "unwritable automaton": (["extract", "parity", "--format", "float16", "-o", "no/such.yaml"], "no/such.yaml"),
    "folder as graph": (["extract", "parity", "--format", "float16", "--dot", "folder"], "--dot 'folder'"),
    "existing certificate": (["extract", "parity", "--format", "q4.4", "--certificate", "malformed.json"], "--force"),
    "no name of a graph": (["extract", "parity", "--format", "q4.4", "--dot", ""], "--dot"),
    "one file for two": (["extract", "parity", "--format", "q4.4", "--dot", "new", "-o", "folder/../new"], "two files"),
    "one to compare": (["compare", "parity"], "Missing argument"),
    "unknown symbols of the other": (["compare", "parity", "palindrome"], "'0'"),
    "unknown symbols of its network": (["compare", "palindrome", "parity@float16"], "'a'"),
    "unknown format after @": (["compare", "parity", "parity@float8"], "'float8'"),
    "no format after @": (["compare", "parity", "parity@"], "''"),
    "no machine before @": (["compare", "parity", "@float16"], "''"),
    "unknown machine before @": (["compare", "parity", "paritty@float16"], "did you mean parity"),
    "vectors to compare": (["compare", "vectors.json", "vectors.json@float16"], "vectors"),
    "outputs by acceptance": (["compare", "outputs.json", "outputs.json@q4.4", "--by", "acceptance"], "outputs"),
    "nothing to construct": (["compare", "parity", "parity", "--construction", "minsky"], "M@FORMAT"),
    "unknown construction to compare": (["compare", "parity", "parity@q4.4", "--construction", "magic"], "'magic'"),
    "negative length": (["compare", "parity", "parity", "--max-length", "-1"], "-1"),
    "unknown command": (["zoos"], "did you mean zoo"),
    "unknown option": (["zoo", "--jsn"], "--jsn"),
    "control characters": (["run", "\x1b[2J\n"], "\\x1b"),
    "too many words": (["run", "anbn", "ab", "ab"], "--help"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.json").mkdir()
    Path("malformed.yaml").write_text("kind: [turing\nblank")
    Path("malformed.json").write_text('{"format": ')
    Path("undefined.yaml").write_text(UNDEFINED)
    Path("binary.yaml").write_bytes(bytes(range(256)))
    save_network(SimpleRNN(**NUMBERS), "vectors.json")
    save_network(SimpleRNN(**NUMBERS, alphabet="a"), "outputs.json")
    for name in ("big.yaml", "big.json"):
        with Path(name).open("wb") as file:
            file.truncate(100 * 2**20)
    return tmp_path


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_one_line_and_code_2(folder, invoke, name, json):
    arguments, part = CASES[name]
    result = invoke(*arguments, *(["--json"] if json else []))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("exactnn: error: ")
    assert part in result.stderr
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("name", ["unknown symbol", "100 MB machine"])
def test_bad_input_of_the_program_itself(folder, program, name):
    arguments, part = CASES[name]
    done = program(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert part in done.stderr


def test_a_defect_keeps_its_traceback(monkeypatch, invoke):
    def broken() -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("exactnn.cli.zoo.zoo", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        invoke("zoo")


def test_a_missing_extra_is_named(monkeypatch, invoke, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = invoke("collapse", "anbn", "ab", "--plot", str(tmp_path / "table.png"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'pip install "exactnn[plots]"' in result.stderr


def test_a_full_device_is_reported():
    code = "from exactnn.cli import main; main()"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "zoo"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "exactnn: error: cannot write: no space is left on the device: free some and run again"
    ]
