"""Machine to network: one named construction per file, each with its claim, its source and its decoder.

Beside them small networks that are given in full: stacks in fractions, and counters.
"""

from exactnn.constructions.compile import CONSTRUCTIONS, compile, constructions_for
from exactnn.constructions.construction import Configuration, Construction, Phase
from exactnn.constructions.counters import fractional_counter, gated_counter
from exactnn.constructions.fraction_stacks import MARK, scalar_stack, vector_stack
from exactnn.constructions.layered_stacks import layered_stacks
from exactnn.constructions.minsky import minsky
from exactnn.constructions.real_time_stacks import real_time_stacks
from exactnn.constructions.siegelmann_sontag import siegelmann_sontag
from exactnn.constructions.siegelmann_sontag_book import siegelmann_sontag_book

__all__ = [
    "CONSTRUCTIONS",
    "MARK",
    "Configuration",
    "Construction",
    "Phase",
    "compile",
    "constructions_for",
    "fractional_counter",
    "gated_counter",
    "layered_stacks",
    "minsky",
    "real_time_stacks",
    "scalar_stack",
    "siegelmann_sontag",
    "siegelmann_sontag_book",
    "vector_stack",
]
