"""Testing what machines are compiled to: assertions that print a smallest counterexample, and the search for one.

For tests of a construction, a network or an arithmetic of one's own; ``exactnn fuzz`` is the same search as a command.
It needs Hypothesis: ``pip install "exactnn[testing]"``.
"""

from importlib.util import find_spec as _find_spec

from exactnn.errors import MissingExtraError as _MissingExtraError
from exactnn.lazy_names import make_lazy

if _find_spec("hypothesis") is None:
    raise _MissingExtraError('exactnn.testing needs Hypothesis: pip install "exactnn[testing]"')

__all__ = make_lazy(__name__)
