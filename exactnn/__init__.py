"""exactnn runs recurrent neural networks exactly, and shows where finite precision breaks them.

What most need is here. The folders are the stages: automata and machine files, networks (step circuits with exact
parameters), simulation (a network meets an arithmetic), constructions (machine to network), precision. Two folders
have public names of their own: ``exactnn.networks`` the parts that a network is built of by hand (`Circuit`, `Unit`,
`Decision`, `Protocol`), and ``exactnn.plots`` the pictures (`plot_collapse` and others; they need matplotlib).
"""

import importlib as _importlib
import typing as _typing

from exactnn.arithmetic import (
    BFLOAT16,
    EXACT,
    FLOAT4_E2M1,
    FLOAT6_E2M3,
    FLOAT6_E3M2,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    TF32,
    FixedPoint,
    FloatFormat,
    Rounding,
)
from exactnn.automata import (
    DFA,
    MooreMachine,
    MultiTapeConfiguration,
    MultiTapeTuringMachine,
    StackConfiguration,
    StackMachine,
    TapeConfiguration,
    TuringMachine,
    configurations,
    from_turing_machine,
    interpret,
)
from exactnn.constructions import (
    CONSTRUCTIONS,
    Construction,
    compile,
    fractional_counter,
    gated_counter,
    layered_stacks,
    minsky,
    real_time_stacks,
    scalar_stack,
    siegelmann_sontag,
    siegelmann_sontag_book,
    vector_stack,
)
from exactnn.errors import ExactnnError, PrecisionWarning
from exactnn.machine_files import load, zoo
from exactnn.networks import EOS, Activation, MultiLayerRNN, Network, SimpleRNN, load_network, save_network
from exactnn.outcome import Outcome, Verdict
from exactnn.simulation import Cycle, Run, Trace, run
from exactnn.version import __version__

if _typing.TYPE_CHECKING:
    from exactnn.certificates import CheckedRun, check_certificate, load_certificate, save_certificate
    from exactnn.contraction import (
        Contractivity,
        ReachableBall,
        UnitaryTwin,
        contractivity,
        is_contractive,
        reachable_ball,
        unitary,
    )
    from exactnn.equivalence import (
        CheckedAutomaton,
        Equivalence,
        Extraction,
        LearnedAutomaton,
        LearningEnd,
        StateGrowth,
        check_extraction,
        collapse_witness,
        equivalent,
        extract_state_machine,
        learn_automaton,
        state_bound,
        state_growth,
    )
    from exactnn.precision import (
        Collapse,
        Divergence,
        ErrorGrowth,
        FirstFailures,
        PrecisionThreshold,
        RequiredBits,
        SpaceTime,
        VerdictSweep,
        collapse,
        error_growth,
        first_divergence,
        first_failures,
        precision_threshold,
        required_bits,
        save_collapse,
        space_time,
        verdict_sweep,
    )

__all__ = [
    "BFLOAT16",
    "CONSTRUCTIONS",
    "DFA",
    "EOS",
    "EXACT",
    "FLOAT4_E2M1",
    "FLOAT6_E2M3",
    "FLOAT6_E3M2",
    "FLOAT8_E4M3",
    "FLOAT8_E5M2",
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "RATIONAL",
    "TF32",
    "Activation",
    "CheckedAutomaton",
    "CheckedRun",
    "Collapse",
    "Construction",
    "Contractivity",
    "Cycle",
    "Divergence",
    "Equivalence",
    "ErrorGrowth",
    "ExactnnError",
    "Extraction",
    "FirstFailures",
    "FixedPoint",
    "FloatFormat",
    "LearnedAutomaton",
    "LearningEnd",
    "MooreMachine",
    "MultiLayerRNN",
    "MultiTapeConfiguration",
    "MultiTapeTuringMachine",
    "Network",
    "Outcome",
    "PrecisionThreshold",
    "PrecisionWarning",
    "ReachableBall",
    "RequiredBits",
    "Rounding",
    "Run",
    "SimpleRNN",
    "SpaceTime",
    "StackConfiguration",
    "StackMachine",
    "StateGrowth",
    "TapeConfiguration",
    "Trace",
    "TuringMachine",
    "UnitaryTwin",
    "Verdict",
    "VerdictSweep",
    "__version__",
    "check_certificate",
    "check_extraction",
    "collapse",
    "collapse_witness",
    "compile",
    "configurations",
    "contractivity",
    "equivalent",
    "error_growth",
    "extract_state_machine",
    "first_divergence",
    "first_failures",
    "fractional_counter",
    "from_turing_machine",
    "gated_counter",
    "interpret",
    "is_contractive",
    "layered_stacks",
    "learn_automaton",
    "load",
    "load_certificate",
    "load_network",
    "minsky",
    "precision_threshold",
    "reachable_ball",
    "real_time_stacks",
    "required_bits",
    "run",
    "save_certificate",
    "save_collapse",
    "save_network",
    "scalar_stack",
    "siegelmann_sontag",
    "siegelmann_sontag_book",
    "space_time",
    "state_bound",
    "state_growth",
    "unitary",
    "vector_stack",
    "verdict_sweep",
    "zoo",
]

# What a run does not need is imported when it is asked for: these are a quarter of what the import takes.
_LATER: dict[str, tuple[str, ...]] = {
    "exactnn.certificates": ("CheckedRun", "check_certificate", "load_certificate", "save_certificate"),
    "exactnn.contraction": (
        "Contractivity",
        "ReachableBall",
        "UnitaryTwin",
        "contractivity",
        "is_contractive",
        "reachable_ball",
        "unitary",
    ),
    "exactnn.equivalence": (
        "CheckedAutomaton",
        "Equivalence",
        "Extraction",
        "LearnedAutomaton",
        "LearningEnd",
        "StateGrowth",
        "check_extraction",
        "collapse_witness",
        "equivalent",
        "extract_state_machine",
        "learn_automaton",
        "state_bound",
        "state_growth",
    ),
    "exactnn.precision": (
        "Collapse",
        "Divergence",
        "FirstFailures",
        "ErrorGrowth",
        "PrecisionThreshold",
        "RequiredBits",
        "SpaceTime",
        "VerdictSweep",
        "collapse",
        "error_growth",
        "first_divergence",
        "first_failures",
        "precision_threshold",
        "required_bits",
        "save_collapse",
        "space_time",
        "verdict_sweep",
    ),
    "exactnn.plots": (),
}


def __getattr__(name: str) -> _typing.Any:
    for module, names in _LATER.items():
        if module == f"exactnn.{name}":
            return _importlib.import_module(module)
        if name in names:
            return globals().setdefault(name, getattr(_importlib.import_module(module), name))
    raise AttributeError(f"module 'exactnn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
