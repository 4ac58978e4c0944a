"""The command line. It reads arguments, calls the library, and prints; it computes nothing itself.

A command ``exactnn NAME`` is the file ``NAME.py``, with its options, its report and the record of ``--json``;
``import_network`` and ``export_network`` are ``import`` and ``export``. What several commands need:

``program``
    Which commands there are, exit codes, what an error looks like.
``arguments``
    Options that several commands have, types of options, names of arithmetics and formats.
``completion``
    What a shell proposes for names.
``subject``
    What ``M`` and the words after it name.
``printing``
    JSON objects, fields, tables, progress; text and numbers cut to what fits on a line.
``output_files``
    Files that a command writes.
``trace``
    What a state of a run stands for, and the steps of ``run --trace``.
``automaton_text``
    States, labels, words and transitions of automata, for people and as JSON data.
``weighted``
    What ``extract --weighted`` finds and prints.
``pushdown``
    What ``run`` prints of a weighted pushdown automaton.
"""

from exactnn.cli.program import main

__all__ = ["main"]
