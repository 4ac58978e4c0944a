"""Where finite precision leaves the exact run: divergence, collapse, thresholds, growth of errors, tapes over time.

``divergence``
    Where a rounded run leaves the exact one, and the comparison, state by state.
``collapse``, ``collapse_file``
    The same for many words and formats, as a table; and the table as data and files.
``check``, ``format_report``, ``check_unit``, ``measured``, ``order_parting``
    What formats do to a network on many words: the report, the units of work, errors and decisions step by step, and
    where two orders of evaluation part.
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

from exactnn.precision.capacity import counter_capacity, doubling_capacity
from exactnn.precision.certified import (
    CertifiedArgmax,
    CertifiedDivergence,
    CertifiedValueDivergence,
    certified_argmax,
    certified_divergence,
)
from exactnn.precision.check import check_format
from exactnn.precision.collapse import Collapse, CollapseRow, collapse, collapse_table, eos_steps
from exactnn.precision.collapse_file import (
    collapse_record,
    collapse_rows,
    collapse_summary,
    save_collapse,
)
from exactnn.precision.divergence import (
    ConfigurationDivergence,
    Divergence,
    ValueDivergence,
    VerdictDivergence,
    first_divergence,
)
from exactnn.precision.error_growth import ErrorGrowth, FormatErrors, Trajectory, error_growth, trajectory
from exactnn.precision.first_failures import FirstFailures, PrecisionFailures, first_failures
from exactnn.precision.format_report import CheckedFormat, Flip, FormatReport, LargestError, Margin
from exactnn.precision.judge import sampled_words
from exactnn.precision.order_parting import Parting
from exactnn.precision.required_bits import RequiredBits, required_bits, significand_bits
from exactnn.precision.space_time import SpaceTime, space_time
from exactnn.precision.tape_rows import TapeRow, TapeRows
from exactnn.precision.threshold import (
    PrecisionThreshold,
    WordThreshold,
    precision_threshold,
    ranges_of,
    threshold_table,
)
from exactnn.precision.verdict_sweep import SweptLength, VerdictSweep, verdict_sweep

__all__ = [
    "CertifiedArgmax",
    "CertifiedDivergence",
    "CertifiedValueDivergence",
    "CheckedFormat",
    "Collapse",
    "CollapseRow",
    "ConfigurationDivergence",
    "Divergence",
    "ErrorGrowth",
    "FirstFailures",
    "Flip",
    "FormatErrors",
    "FormatReport",
    "LargestError",
    "Margin",
    "Parting",
    "PrecisionFailures",
    "PrecisionThreshold",
    "RequiredBits",
    "SpaceTime",
    "SweptLength",
    "TapeRow",
    "TapeRows",
    "Trajectory",
    "ValueDivergence",
    "VerdictDivergence",
    "VerdictSweep",
    "WordThreshold",
    "certified_argmax",
    "certified_divergence",
    "check_format",
    "collapse",
    "collapse_record",
    "collapse_rows",
    "collapse_summary",
    "collapse_table",
    "counter_capacity",
    "doubling_capacity",
    "eos_steps",
    "error_growth",
    "first_divergence",
    "first_failures",
    "precision_threshold",
    "ranges_of",
    "required_bits",
    "sampled_words",
    "save_collapse",
    "significand_bits",
    "space_time",
    "threshold_table",
    "trajectory",
    "verdict_sweep",
]
