"""Contractive networks and their unitary twins: what each can do, exactly, and where the equivalence ends."""

from exactnn.contraction.activation_cell import ActivationCell, activation_cell
from exactnn.contraction.contractivity import Contractivity, contractivity, is_contractive
from exactnn.contraction.elman import Elman, elman
from exactnn.contraction.orthogonality import OrthogonalityCertificate
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
from exactnn.contraction.unitary import FORMS, UnitaryTwin, unitary
from exactnn.contraction.unitary_lower_bound import CandidateComparison, CellArgument, refute_unitary_candidate

__all__ = [
    "FORMS",
    "ActivationCell",
    "CandidateComparison",
    "CellAnswer",
    "CellArgument",
    "Contractivity",
    "Elman",
    "FirstOrderMemory",
    "OrthogonalityCertificate",
    "ReachableBall",
    "RunMemory",
    "SolverAnswer",
    "UnitaryTwin",
    "activation_cell",
    "contractivity",
    "elman",
    "first_order_memory",
    "is_contractive",
    "memory_along_run",
    "reachable_ball",
    "refute_unitary_candidate",
    "relu_witness",
    "smt_cell_lower_bound",
    "smt_lower_bound",
    "unitary",
]
