"""Machine to network: one named construction per file, each with its claim, its source and its decoder."""

from exactnn.constructions.compile import CONSTRUCTIONS, compile, constructions_for
from exactnn.constructions.construction import Configuration, Construction, Phase
from exactnn.constructions.minsky import minsky
from exactnn.constructions.siegelmann_sontag import siegelmann_sontag
from exactnn.constructions.siegelmann_sontag_book import siegelmann_sontag_book

__all__ = [
    "CONSTRUCTIONS",
    "Configuration",
    "Construction",
    "Phase",
    "compile",
    "constructions_for",
    "minsky",
    "siegelmann_sontag",
    "siegelmann_sontag_book",
]
