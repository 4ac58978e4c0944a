"""What the campaign fuzzes: a table of subjects, each with its cases and what must hold of them."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / folder) for folder in ("tests", ".")]

from fuzz_subjects.checkpoints import CHECKPOINTS  # noqa: E402
from fuzz_subjects.compiled_machines import COMPILED_MACHINES  # noqa: E402
from fuzz_subjects.cycles import CYCLES  # noqa: E402
from fuzz_subjects.doubling_lstm import DOUBLING_LSTM  # noqa: E402
from fuzz_subjects.growing_memory import GROWING_MEMORY  # noqa: E402
from fuzz_subjects.lazy_reals import LAZY_REALS  # noqa: E402
from fuzz_subjects.macro_runs import MACRO_RUNS  # noqa: E402
from fuzz_subjects.random_networks import RANDOM_NETWORKS  # noqa: E402
from fuzz_subjects.subject import Subject  # noqa: E402
from fuzz_subjects.unitary_twins import UNITARY_TWINS  # noqa: E402

__all__ = ["SUBJECTS", "Subject"]

SUBJECTS: dict[str, Subject] = {
    **COMPILED_MACHINES,
    "networks at random": RANDOM_NETWORKS,
    "doubling_lstm_palindromes": DOUBLING_LSTM,
    "growing_memory": GROWING_MEMORY,
    "unitary twins": UNITARY_TWINS,
    "cycles": CYCLES,
    "lazily refined reals": LAZY_REALS,
    "macro runs": MACRO_RUNS,
    "checkpoints": CHECKPOINTS,
}
