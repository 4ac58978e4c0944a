"""Errata of the sources that the constructions rest on, each with a counterexample that can be run.

A source has one file, or more, and an erratum one small function there, which is listed in `ENTRIES` of the file; the
ledger collects the files.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
