"""What is tried before compiled code is loaded: a run by rules alone, in plain Python.

Where rules lead to a verdict, that takes some tenths of a second: less than to load the code, which takes as long for a
run of any length, and far less than to compile it.
"""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Input, Network
from exactnn.notices import Patience
from exactnn.simulation.positional.radix import radix_of

if TYPE_CHECKING:
    from exactnn.simulation.positional.macro import MacroForm

__all__ = ["RulesFirst", "is_loaded"]

DIRECT = "exactnn.simulation.positional.direct"
"""The module of direct mode."""
RULES = "rules alone"

_patience = Patience()


def is_loaded() -> bool:
    """Whether direct mode is loaded, so that nothing is gained by doing without."""
    return DIRECT in sys.modules


class RulesFirst:
    """A trial of rules for one run, within the time that there is for those of all runs.

    `options` are those of the modes. Runs with a shadow have no trial: it follows direct steps only.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._untried = options.get("macro", True) and options.get("induction", True) and not options.get("shadow")

    def may_help(self, network: Network) -> bool:
        """Whether a trial is worth while that was not made yet."""
        if not self._untried or is_loaded() or radix_of(network, self._options.get("limb_digits")) is None:
            return False
        left = _patience.left(RULES)
        return left is None or left > 0

    def form(self, network: Network, values: Sequence[LongNumber], given: Input) -> "MacroForm | None":
        """Return a state in macro mode if rules soon lead from there to a verdict, or get very far; else None."""
        self._untried = False
        left = _patience.begin(RULES)
        began = time.perf_counter()
        with Uninterrupted("loading macro mode"):
            from exactnn.simulation.positional.macro import Macro

        radix = radix_of(network, self._options.get("limb_digits"))
        if radix is None:
            return None
        macro = Macro.in_python(network, radix, without_end=self._options.get("without_end", False))
        try:
            return macro.by_rules(tuple(map(mpq, values)), given, left)
        finally:  # Ctrl-C gives no time back
            _patience.took(RULES, time.perf_counter() - began)
