"""Moore and Mealy machines in YAML: read, written, expected, and their faults."""

from pathlib import Path

import pytest

from exactnn.errors import MachineFileError
from exactnn.machine_files import disagreements, load, load_file, read_yaml, write_yaml

FOREIGN = Path(__file__).parent / "foreign"
MEALY = """
kind: mealy_machine
start state: low
table:
  low: {0: [low, same], 1: [high, up]}
  high: {0: [low, down], 1: [high, same]}
expect:
- {word: "", output: ""}
- {word: "0110", output: down, steps: 4}
"""


@pytest.mark.parametrize("file", ["flip.jff", "remainder.jff", "coffee.dot", "count-mod-3.dot"])
def test_written_and_read_again(file):
    found = load_file(FOREIGN / file)
    again = read_yaml(write_yaml(found))
    assert (again.machine, again.name, again.format) == (found.machine, found.name, "YAML")


def test_expectations():
    found = read_yaml(MEALY)
    first, second = found.expectations
    assert disagreements(found.machine, second) == []
    assert disagreements(found.machine, first) == ["output is None, expected ''"]
    assert read_yaml(write_yaml(found)).expectations == found.expectations


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[low, same]", "low", "write 'symbol: [state, output]'"),
        ("[low, same]", "[there, same]", "goes to 'there', which has no row"),
        ("0: [low, same], ", "", "state 'low' has no entry for '0'"),
        ("output: down", "verdict: accept", "gives outputs: write 'output:'"),
        ("start state: low", "", "'start state:' is missing"),
    ],
)
def test_faults(old, new, words):
    with pytest.raises(MachineFileError) as caught:
        load(MEALY.replace(old, new))
    assert words in str(caught.value)
