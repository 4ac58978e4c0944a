"""Machine files: readers and writers, and the zoo of machines.

``formats``
    The table of formats, and which of them a text is.
``yaml_reader``, ``yaml_parser``, ``yaml_writer``, ``fields``; ``tape_machine``, ``transducer`` and others
    YAML, ours and turingmachine.io's; a file for each kind of machine.
``jflap``, ``jflap_drawing``, ``jflap_turing``, ``jflap_pushdown``, ``jflap_writer``, ``xml_tree``
    The files of JFLAP.
``tuples``, ``tuple_reader``, ``scanned_table``
    The parameters of automata-lib and files of Doty's simulator; Turing machines of one or more tapes.
``morphett``, ``openfst``
    Rules of Turing machines, and acceptors, a line each.
``bbchallenge``, ``dot``, ``dot_reader``, ``automata_lib``
    Busy beavers as text, graphs, objects of automata-lib.
``machine_file``, ``text_file``, ``load``
    What a file says of its machine, reading from disk, and finding a machine by name, path or text.
"""

from exactnn.machine_files.automata_lib import from_automata_lib, to_automata_lib
from exactnn.machine_files.bbchallenge import is_bbchallenge, read_bbchallenge, write_bbchallenge
from exactnn.machine_files.dot import write_dot
from exactnn.machine_files.dot_reader import read_dot
from exactnn.machine_files.formats import FORMATS, Format, format_of, read_machine
from exactnn.machine_files.jflap import read_jflap
from exactnn.machine_files.jflap_writer import write_jflap
from exactnn.machine_files.load import Zoo, ZooEntry, load, load_file, zoo, zoo_names, zoo_path
from exactnn.machine_files.machine_file import Expectation, MachineFile, disagreements, written_tape
from exactnn.machine_files.morphett import read_morphett
from exactnn.machine_files.openfst import read_openfst
from exactnn.machine_files.tuples import read_automata_lib, read_doty
from exactnn.machine_files.yaml_reader import read_yaml, read_yaml_file
from exactnn.machine_files.yaml_writer import write_yaml

__all__ = [
    "FORMATS",
    "Expectation",
    "Format",
    "MachineFile",
    "Zoo",
    "ZooEntry",
    "disagreements",
    "format_of",
    "from_automata_lib",
    "is_bbchallenge",
    "load",
    "load_file",
    "read_automata_lib",
    "read_bbchallenge",
    "read_dot",
    "read_doty",
    "read_jflap",
    "read_machine",
    "read_morphett",
    "read_openfst",
    "read_yaml",
    "read_yaml_file",
    "to_automata_lib",
    "write_bbchallenge",
    "write_dot",
    "write_jflap",
    "write_yaml",
    "written_tape",
    "zoo",
    "zoo_names",
    "zoo_path",
]
