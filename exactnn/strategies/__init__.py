"""Hypothesis strategies for machines, words, networks and formats: for property tests of what is built on exactnn.

Every value is valid by construction, nothing is filtered, and bounds are keywords. Examples shrink to one state, one
letter, the shortest word, the smallest numerator. ``hypothesis.strategies.from_type`` knows the classes of exactnn.
They need Hypothesis: ``pip install "exactnn[testing]"``.
"""

from importlib.util import find_spec as _find_spec

from exactnn.errors import MissingExtraError as _MissingExtraError

if _find_spec("hypothesis") is None:
    raise _MissingExtraError('exactnn.strategies needs Hypothesis: pip install "exactnn[testing]"')

from exactnn.strategies.circuits import circuits
from exactnn.strategies.constructions import constructions, machines_of_kind
from exactnn.strategies.contractive_networks import contractive_networks
from exactnn.strategies.counter_machines import counter_machines
from exactnn.strategies.dfas import dfas
from exactnn.strategies.float_formats import float_formats
from exactnn.strategies.networks import networks
from exactnn.strategies.numbers import rationals
from exactnn.strategies.registration import register
from exactnn.strategies.stack_machines import stack_machines
from exactnn.strategies.turing_machines import HALTING, turing_machines
from exactnn.strategies.words import alphabets, words

register()

__all__ = [
    "HALTING",
    "alphabets",
    "circuits",
    "constructions",
    "contractive_networks",
    "counter_machines",
    "dfas",
    "float_formats",
    "machines_of_kind",
    "networks",
    "rationals",
    "register",
    "stack_machines",
    "turing_machines",
    "words",
]
