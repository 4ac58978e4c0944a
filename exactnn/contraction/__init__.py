"""Contractive networks and their unitary twins: what each can do, exactly, and where the equivalence ends."""

from exactnn.contraction.ball_check import BallCheck, ball_check
from exactnn.contraction.contractivity import Contractivity, contractivity, is_contractive
from exactnn.contraction.elman import Elman, elman
from exactnn.contraction.fading_memory import FadingMemory, fading_memory
from exactnn.contraction.hold import Hold, hold
from exactnn.contraction.norm_preservation import NormPreservation, norm_preservation
from exactnn.contraction.orthogonality import OrthogonalityCertificate
from exactnn.contraction.perturbation_decay import PerturbationDecay, perturbation_decay
from exactnn.contraction.reachable_ball import ReachableBall, reachable_ball
from exactnn.contraction.twin_separation import TwinSeparation, twin_separation
from exactnn.contraction.unitary import FORMS, UnitaryTwin, unitary

__all__ = [
    "FORMS",
    "BallCheck",
    "Contractivity",
    "Elman",
    "FadingMemory",
    "Hold",
    "NormPreservation",
    "OrthogonalityCertificate",
    "PerturbationDecay",
    "ReachableBall",
    "TwinSeparation",
    "UnitaryTwin",
    "ball_check",
    "contractivity",
    "elman",
    "fading_memory",
    "hold",
    "is_contractive",
    "norm_preservation",
    "perturbation_decay",
    "reachable_ball",
    "twin_separation",
    "unitary",
]
