"""Where finite precision leaves the exact run: divergence, collapse, thresholds, growth of errors, tapes over time."""

from exactnn.precision.capacity import counter_capacity, doubling_capacity
from exactnn.precision.certified_argmax import CertifiedArgmax, certified_argmax
from exactnn.precision.certified_divergence import (
    CertifiedDivergence,
    CertifiedValueDivergence,
    certified_divergence,
)
from exactnn.precision.collapse import Collapse, CollapseRow, collapse
from exactnn.precision.collapse_file import check_table_file, save_collapse
from exactnn.precision.collapse_records import collapse_record, collapse_rows, collapse_summary, eos_steps
from exactnn.precision.collapse_table import collapse_table
from exactnn.precision.divergence import (
    ConfigurationDivergence,
    Divergence,
    ValueDivergence,
    VerdictDivergence,
    first_divergence,
)
from exactnn.precision.error_growth import ErrorGrowth, FormatErrors, error_growth
from exactnn.precision.first_failures import FirstFailures, PrecisionFailures, first_failures
from exactnn.precision.ranges import ranges_of
from exactnn.precision.required_bits import RequiredBits, required_bits, significand_bits
from exactnn.precision.space_time import SpaceTime, space_time
from exactnn.precision.tape_rows import TapeRow, TapeRows
from exactnn.precision.threshold import PrecisionThreshold, WordThreshold, precision_threshold, threshold_table
from exactnn.precision.trajectory import Trajectory, trajectory
from exactnn.precision.verdict_sweep import SweptLength, VerdictSweep, sampled_words, verdict_sweep

__all__ = [
    "CertifiedArgmax",
    "CertifiedDivergence",
    "CertifiedValueDivergence",
    "Collapse",
    "CollapseRow",
    "ConfigurationDivergence",
    "Divergence",
    "ErrorGrowth",
    "FirstFailures",
    "FormatErrors",
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
    "check_table_file",
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
