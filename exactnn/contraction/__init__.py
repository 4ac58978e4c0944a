"""Contractive networks and their unitary twins: what each can do, exactly, and where the equivalence ends."""

from exactnn.contraction.activation_cell import ActivationCell, activation_cell
from exactnn.contraction.ball_check import BallCheck, ball_check
from exactnn.contraction.contractivity import Contractivity, contractivity, is_contractive
from exactnn.contraction.elman import Elman, elman
from exactnn.contraction.fading_memory import FadingMemory, fading_memory
from exactnn.contraction.hold import Hold, hold
from exactnn.contraction.norm_preservation import NormPreservation, norm_preservation
from exactnn.contraction.orthogonality import OrthogonalityCertificate
from exactnn.contraction.perturbation_decay import PerturbationDecay, perturbation_decay
from exactnn.contraction.reachable_ball import ReachableBall, reachable_ball
from exactnn.contraction.relu_witness import relu_witness
from exactnn.contraction.sigmoid_lower_bound import (
    FirstOrderMemory,
    RunMemory,
    first_order_memory,
    memory_along_run,
)
from exactnn.contraction.smt_cells import CellAnswer, smt_cell_lower_bound
from exactnn.contraction.smt_lower_bound import SolverAnswer, smt_lower_bound
from exactnn.contraction.twin_separation import TwinSeparation, twin_separation
from exactnn.contraction.unitary import FORMS, UnitaryTwin, unitary
from exactnn.contraction.unitary_lower_bound import CandidateComparison, CellArgument, refute_unitary_candidate

__all__ = [
    "FORMS",
    "ActivationCell",
    "BallCheck",
    "CandidateComparison",
    "CellAnswer",
    "CellArgument",
    "Contractivity",
    "Elman",
    "FadingMemory",
    "FirstOrderMemory",
    "Hold",
    "NormPreservation",
    "OrthogonalityCertificate",
    "PerturbationDecay",
    "ReachableBall",
    "RunMemory",
    "SolverAnswer",
    "TwinSeparation",
    "UnitaryTwin",
    "activation_cell",
    "ball_check",
    "contractivity",
    "elman",
    "fading_memory",
    "first_order_memory",
    "hold",
    "is_contractive",
    "memory_along_run",
    "norm_preservation",
    "perturbation_decay",
    "reachable_ball",
    "refute_unitary_candidate",
    "relu_witness",
    "smt_cell_lower_bound",
    "smt_lower_bound",
    "twin_separation",
    "unitary",
]
