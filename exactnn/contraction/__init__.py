"""Contractive networks and their unitary twins: what each can do, exactly, and where the equivalence ends."""

from exactnn.contraction.ball_check import BallCheck, ball_check
from exactnn.contraction.contractivity import Contractivity, contractivity, is_contractive
from exactnn.contraction.elman import Elman, elman
from exactnn.contraction.orthogonality import OrthogonalityCertificate
from exactnn.contraction.reachable_ball import ReachableBall, reachable_ball
from exactnn.contraction.unitary import FORMS, UnitaryTwin, unitary

__all__ = [
    "FORMS",
    "BallCheck",
    "Contractivity",
    "Elman",
    "OrthogonalityCertificate",
    "ReachableBall",
    "UnitaryTwin",
    "ball_check",
    "contractivity",
    "elman",
    "is_contractive",
    "reachable_ball",
    "unitary",
]
