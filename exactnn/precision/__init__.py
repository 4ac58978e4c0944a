"""Where finite precision leaves the exact run: first divergence and collapse tables."""

from exactnn.precision.collapse import Collapse, CollapseRow, collapse
from exactnn.precision.divergence import (
    ConfigurationDivergence,
    Divergence,
    ValueDivergence,
    VerdictDivergence,
    first_divergence,
)
from exactnn.precision.first_failures import FirstFailures, PrecisionFailures, first_failures
from exactnn.precision.required_bits import RequiredBits, required_bits, significand_bits
from exactnn.precision.threshold import PrecisionThreshold, WordThreshold, precision_threshold

__all__ = [
    "Collapse",
    "CollapseRow",
    "ConfigurationDivergence",
    "Divergence",
    "FirstFailures",
    "PrecisionFailures",
    "PrecisionThreshold",
    "RequiredBits",
    "ValueDivergence",
    "VerdictDivergence",
    "WordThreshold",
    "collapse",
    "first_divergence",
    "first_failures",
    "precision_threshold",
    "required_bits",
    "significand_bits",
]
