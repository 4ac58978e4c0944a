"""Machine files: readers and writers of YAML and of bbchallenge text, and the zoo of machines that come along."""

from exactnn.machine_files.bbchallenge import is_bbchallenge, read_bbchallenge, write_bbchallenge
from exactnn.machine_files.checking import disagreements, written_tape
from exactnn.machine_files.load import load, load_file
from exactnn.machine_files.machine_file import Expectation, MachineFile
from exactnn.machine_files.yaml_reader import read_yaml, read_yaml_file
from exactnn.machine_files.yaml_writer import write_yaml
from exactnn.machine_files.zoo import ZooEntry, zoo, zoo_names, zoo_path

__all__ = [
    "Expectation",
    "MachineFile",
    "ZooEntry",
    "disagreements",
    "is_bbchallenge",
    "load",
    "load_file",
    "read_bbchallenge",
    "read_yaml",
    "read_yaml_file",
    "write_bbchallenge",
    "write_yaml",
    "written_tape",
    "zoo",
    "zoo_names",
    "zoo_path",
]
