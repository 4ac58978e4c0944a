"""Hypothesis strategies for machines, words, networks and formats: for property tests of what is built on exactnn.

Every value is valid by construction, nothing is filtered, and bounds are keywords. Examples shrink to one state, one
letter, the shortest word, the smallest numerator. ``hypothesis.strategies.from_type`` knows the classes of exactnn.
They need Hypothesis: ``pip install "exactnn[testing]"``.

``machines``, ``weighted_automata``, ``pushdown_automata``, ``numbers`` (and words)
    Machines and words.
``networks``, ``linear_rnns``, ``constructions``
    Networks; ``registration`` tells Hypothesis of them.
"""

from importlib.util import find_spec as _find_spec

from exactnn.errors import MissingExtraError as _MissingExtraError
from exactnn.interrupts import loaded as _loaded
from exactnn.lazy_names import make_lazy

if _find_spec("hypothesis") is None:
    raise _MissingExtraError('exactnn.strategies needs Hypothesis: pip install "exactnn[testing]"')

__all__ = make_lazy(__name__)

_loaded("hypothesis")  # before what needs it: through its entry point it asks for that

from exactnn.strategies.registration import register  # noqa: E402

register()
