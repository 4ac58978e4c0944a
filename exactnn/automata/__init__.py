"""Machines and their direct interpreters, weighted automata among them. This folder knows nothing of networks."""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
