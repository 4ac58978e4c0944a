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

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
