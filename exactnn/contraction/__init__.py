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

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
