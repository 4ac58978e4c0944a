"""What the campaign fuzzes: a table of subjects, each with its cases and what must hold of them."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / folder) for folder in ("tests", ".")]

from fuzz_subjects.automaton_tables import DISTINGUISHING_WORDS, MINIMISATION  # noqa: E402
from fuzz_subjects.certificates import CERTIFICATES  # noqa: E402
from fuzz_subjects.checkpoints import CHECKPOINTS  # noqa: E402
from fuzz_subjects.compiled_machines import COMPILED_MACHINES  # noqa: E402
from fuzz_subjects.cycles import CYCLES  # noqa: E402
from fuzz_subjects.doubling_lstm import DOUBLING_LSTM  # noqa: E402
from fuzz_subjects.equivalence import EQUIVALENCE  # noqa: E402
from fuzz_subjects.exact_executors import EXACT_EXECUTORS  # noqa: E402
from fuzz_subjects.extraction import EXTRACTION  # noqa: E402
from fuzz_subjects.growing_memory import GROWING_MEMORY  # noqa: E402
from fuzz_subjects.imported_networks import IMPORTED_NETWORKS  # noqa: E402
from fuzz_subjects.interval_runs import INTERVAL_RUNS  # noqa: E402
from fuzz_subjects.lazy_reals import LAZY_REALS  # noqa: E402
from fuzz_subjects.machine_texts import MACHINE_TEXTS  # noqa: E402
from fuzz_subjects.macro_runs import MACRO_RUNS  # noqa: E402
from fuzz_subjects.network_files import NETWORK_FILES  # noqa: E402
from fuzz_subjects.neural_stacks import NEURAL_STACKS, PUSHDOWN_WEIGHTS  # noqa: E402
from fuzz_subjects.random_networks import RANDOM_NETWORKS  # noqa: E402
from fuzz_subjects.smooth_columns import SMOOTH_COLUMNS  # noqa: E402
from fuzz_subjects.subject import Subject  # noqa: E402
from fuzz_subjects.unitary_twins import UNITARY_TWINS  # noqa: E402

__all__ = ["SUBJECTS", "Subject"]

SUBJECTS: dict[str, Subject] = {
    **COMPILED_MACHINES,
    **RANDOM_NETWORKS,
    "smooth columns": SMOOTH_COLUMNS,
    "exact executors": EXACT_EXECUTORS,
    "interval runs": INTERVAL_RUNS,
    "machine texts": MACHINE_TEXTS,
    "minimisation": MINIMISATION,
    "distinguishing words": DISTINGUISHING_WORDS,
    "equivalence": EQUIVALENCE,
    "extraction": EXTRACTION,
    "imported networks": IMPORTED_NETWORKS,
    "certificates": CERTIFICATES,
    "network files": NETWORK_FILES,
    "doubling_lstm_palindromes": DOUBLING_LSTM,
    "growing_memory": GROWING_MEMORY,
    "unitary twins": UNITARY_TWINS,
    "cycles": CYCLES,
    "lazily refined reals": LAZY_REALS,
    "macro runs": MACRO_RUNS,
    "checkpoints": CHECKPOINTS,
    "neural stacks": NEURAL_STACKS,
    "weighted pushdown automata": PUSHDOWN_WEIGHTS,
}
