"""Errata of the sources that the constructions rest on, each with a counterexample that can be run.

A source has one file, or more, and an erratum one small function there, which is listed in `ENTRIES` of the file; the
ledger collects the files.
"""

from exactnn.corrections.erratum import Errata, Erratum
from exactnn.corrections.ledger import errata, errata_page

__all__ = ["Errata", "Erratum", "errata", "errata_page"]
