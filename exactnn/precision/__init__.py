"""Where finite precision leaves the exact run: divergence, collapse, thresholds, growth of errors, tapes over time.

``divergence``
    Where a rounded run leaves the exact one, and the comparison, state by state.
``collapse``, ``collapse_file``
    The same for many words and formats, as a table; and the table as data and files.
``check``, ``format_report``, ``check_unit``, ``measured``, ``order_parting``
    What formats do to a network on many words: the report, the units of work, errors and decisions step by step, and
    where two orders of evaluation part.
``compared_words``
    The words of a machine's file, where none are given.
``lockstep``
    The true run, exact or enclosed, and what goes along with it.
``threshold``, ``first_failures``, ``failure_judges``
    Which precisions are right on some words, and from which length on one is wrong; who says so.
``verdict_sweep``, ``judge``, ``sweep_file``
    Verdicts of many words of many lengths; the units of work that they are made of; sweep files of earlier versions.
``required_bits``, ``error_growth``
    Step by step: how long the exact numbers are, how large the errors, and the states as curves.
``space_time``, ``tape_rows``
    The decoded tapes over time.
``capacity``
    How far a format counts.
``certified``
    What enclosures prove where the exact numbers are not known: where a rounded run leaves, which output is largest.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
