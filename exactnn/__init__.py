"""exactnn runs recurrent neural networks exactly, and shows where finite precision breaks them.

What most need is here. The folders are the stages: automata and machine files, networks (step circuits with exact
parameters), simulation (a network meets an arithmetic), constructions (machine to network), precision. Two folders
have public names of their own: ``exactnn.networks`` the parts that a network is built of by hand (`Circuit`, `Unit`,
`Decision`, `Protocol`), and ``exactnn.plots`` the pictures (`plot_collapse` and others; they need matplotlib).
For tests with Hypothesis there are ``exactnn.strategies`` and ``exactnn.testing``.
"""

import sys as _sys

from exactnn.lazy_names import make_lazy

_OF_COMMANDS = {
    "check": "check_format", "compare": "equivalent", "extract": "extract_state_machine",
    "threshold": "precision_threshold",
}  # fmt: skip
"""Commands whose functions have longer names."""

__all__ = make_lazy(
    __name__, {name: f"exactnn.{function} is what that command calls" for name, function in _OF_COMMANDS.items()}
)

if "hypothesis" in _sys.modules:  # else it calls `_exactnn_hypothesis` when it is imported
    from exactnn.strategies.registration import register as _register

    _register()
