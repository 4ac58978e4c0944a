"""The command line: ``exactnn zoo | show | run | compile | collapse``. One command per file; it computes nothing."""

from exactnn.cli.program import main

__all__ = ["main"]
