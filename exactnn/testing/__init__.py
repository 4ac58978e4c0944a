"""Testing what machines are compiled to: assertions that print a smallest counterexample, and the search for one.

For tests of a construction, a network or an arithmetic of one's own; ``exactnn fuzz`` is the same search as a command.
It needs Hypothesis: ``pip install "exactnn[testing]"``.
"""

from importlib.util import find_spec as _find_spec

from exactnn.errors import MissingExtraError as _MissingExtraError

if _find_spec("hypothesis") is None:
    raise _MissingExtraError('exactnn.testing needs Hypothesis: pip install "exactnn[testing]"')

from exactnn.testing.assertions import LockstepMachine, assert_equivalent
from exactnn.testing.compiler import Compiler, compiler
from exactnn.testing.disagreement import Difference, Disagreement, Rules, compare
from exactnn.testing.replay_file import Replay, disagreement_text, load_replay, read_replay, replay_text, save_replay
from exactnn.testing.same_run import assert_same_run
from exactnn.testing.search import Fuzzing, fuzz

__all__ = [
    "Compiler",
    "Difference",
    "Disagreement",
    "Fuzzing",
    "LockstepMachine",
    "Replay",
    "Rules",
    "assert_equivalent",
    "assert_same_run",
    "compare",
    "compiler",
    "disagreement_text",
    "fuzz",
    "load_replay",
    "read_replay",
    "replay_text",
    "save_replay",
]
