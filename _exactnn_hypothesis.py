"""What Hypothesis calls when it is imported, through the entry point "hypothesis": it must cost nothing.

It lies beside the package, since importing anything in the package imports exactnn, and most programs that use
Hypothesis do not. Where exactnn comes after Hypothesis, exactnn registers itself.
"""

import sys

__all__ = ["register"]


def register() -> None:
    """Let ``from_type`` know the classes of exactnn if that is imported already."""
    if hasattr(sys.modules.get("exactnn"), "Network"):  # all of it: not while it is being imported
        from exactnn.strategies.registration import register as register_all

        register_all()
