"""Machine files: readers and writers of YAML, bbchallenge text, DOT and automata-lib, and the zoo of machines."""

from exactnn.machine_files.automata_lib import from_automata_lib, to_automata_lib
from exactnn.machine_files.bbchallenge import is_bbchallenge, read_bbchallenge, write_bbchallenge
from exactnn.machine_files.dot import write_dot
from exactnn.machine_files.load import Zoo, ZooEntry, load, load_file, zoo, zoo_names, zoo_path
from exactnn.machine_files.machine_file import Expectation, MachineFile, disagreements, written_tape
from exactnn.machine_files.yaml_reader import read_yaml, read_yaml_file
from exactnn.machine_files.yaml_writer import write_yaml

__all__ = [
    "Expectation",
    "MachineFile",
    "Zoo",
    "ZooEntry",
    "disagreements",
    "from_automata_lib",
    "is_bbchallenge",
    "load",
    "load_file",
    "read_bbchallenge",
    "read_yaml",
    "read_yaml_file",
    "to_automata_lib",
    "write_bbchallenge",
    "write_dot",
    "write_yaml",
    "written_tape",
    "zoo",
    "zoo_names",
    "zoo_path",
]
