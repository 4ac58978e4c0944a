"""exactnn runs recurrent neural networks exactly, and shows where finite precision breaks them.

Everything public is here; the folders are the stages: automata and machine files, networks (step circuits with
exact parameters), simulation (a network meets an arithmetic), constructions (machine to network), precision.
"""

from exactnn.arithmetic import EXACT, FLOAT32, FLOAT64, RATIONAL, FloatFormat
from exactnn.automata import DFA, TapeConfiguration, TuringMachine, configurations, interpret
from exactnn.certificates import CheckedRun, check_certificate, load_certificate, save_certificate
from exactnn.constructions import (
    CONSTRUCTIONS,
    Construction,
    compile,
    minsky,
    siegelmann_sontag,
    siegelmann_sontag_book,
)
from exactnn.errors import ExactnnError
from exactnn.machine_files import load, zoo
from exactnn.networks import EOS, Activation, MultiLayerRNN, Network, SimpleRNN, load_network, save_network
from exactnn.outcome import Outcome, Verdict
from exactnn.precision import Collapse, Divergence, collapse, first_divergence
from exactnn.simulation import Run, Trace, run
from exactnn.version import __version__

__all__ = [
    "CONSTRUCTIONS",
    "DFA",
    "EOS",
    "EXACT",
    "FLOAT32",
    "FLOAT64",
    "RATIONAL",
    "Activation",
    "CheckedRun",
    "Collapse",
    "Construction",
    "Divergence",
    "ExactnnError",
    "FloatFormat",
    "MultiLayerRNN",
    "Network",
    "Outcome",
    "Run",
    "SimpleRNN",
    "TapeConfiguration",
    "Trace",
    "TuringMachine",
    "Verdict",
    "__version__",
    "check_certificate",
    "collapse",
    "compile",
    "configurations",
    "first_divergence",
    "interpret",
    "load",
    "load_certificate",
    "load_network",
    "minsky",
    "run",
    "save_certificate",
    "save_network",
    "siegelmann_sontag",
    "siegelmann_sontag_book",
    "zoo",
]
