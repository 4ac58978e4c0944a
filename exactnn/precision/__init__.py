"""Where finite precision leaves the exact run: first divergence and collapse tables."""

from exactnn.precision.collapse import Collapse, CollapseRow, collapse
from exactnn.precision.divergence import (
    ConfigurationDivergence,
    Divergence,
    ValueDivergence,
    VerdictDivergence,
    first_divergence,
)

__all__ = [
    "Collapse",
    "CollapseRow",
    "ConfigurationDivergence",
    "Divergence",
    "ValueDivergence",
    "VerdictDivergence",
    "collapse",
    "first_divergence",
]
