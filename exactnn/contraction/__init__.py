"""Contractive networks and their unitary twins: what each can do, exactly, and where the equivalence ends.

``contractivity``, ``unitary``
    Is a network contractive, and its unitary twin; ``orthogonality`` is the certificate, ``ball_check`` a second check.
``reachable_ball``, ``fading_memory``
    Which states it can reach; how perturbations decay, and how many of its last inputs matter.
``hold``, ``twin_separation``, ``norm_preservation``
    What rounding does: to the further units of the twin, between the two, to the norm.
``states``
    States of a run and distances between them.
``lower_bounds``
    What no smaller network does.
"""

from exactnn.contraction.ball_check import BallCheck, ball_check
from exactnn.contraction.contractivity import Contractivity, Elman, contractivity, elman, is_contractive
from exactnn.contraction.fading_memory import FadingMemory, PerturbationDecay, fading_memory, perturbation_decay
from exactnn.contraction.hold import Hold, hold
from exactnn.contraction.lower_bounds.activation_cell import ActivationCell, activation_cell
from exactnn.contraction.lower_bounds.relu_witness import relu_witness
from exactnn.contraction.lower_bounds.sigmoid import FirstOrderMemory, RunMemory, first_order_memory, memory_along_run
from exactnn.contraction.lower_bounds.smt import SolverAnswer, smt_lower_bound
from exactnn.contraction.lower_bounds.smt_cells import CellAnswer, smt_cell_lower_bound
from exactnn.contraction.lower_bounds.unitary import CandidateComparison, CellArgument, refute_unitary_candidate
from exactnn.contraction.norm_preservation import NormPreservation, norm_preservation
from exactnn.contraction.orthogonality import OrthogonalityCertificate
from exactnn.contraction.reachable_ball import ReachableBall, reachable_ball
from exactnn.contraction.twin_separation import TwinSeparation, twin_separation
from exactnn.contraction.unitary import FORMS, UnitaryTwin, unitary

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
