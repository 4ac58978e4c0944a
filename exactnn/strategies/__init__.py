"""Hypothesis strategies for machines, words, networks and formats: for property tests of what is built on exactnn.

Every value is valid by construction, nothing is filtered, and bounds are keywords. Examples shrink to one state, one
letter, the shortest word, the smallest numerator. ``hypothesis.strategies.from_type`` knows the classes of exactnn.
They need Hypothesis: ``pip install "exactnn[testing]"``.

``machines``, ``weighted_automata``, ``pushdown_automata``, ``numbers`` (and words)
    Machines and words.
``networks``, ``linear_rnns``, ``constructions``
    Networks; ``registration`` tells Hypothesis of them.
"""

from importlib.util import find_spec as _find_spec

from exactnn.errors import MissingExtraError as _MissingExtraError

if _find_spec("hypothesis") is None:
    raise _MissingExtraError('exactnn.strategies needs Hypothesis: pip install "exactnn[testing]"')

from exactnn.strategies.constructions import constructions, machines_of_kind
from exactnn.strategies.linear_rnns import linear_rnns
from exactnn.strategies.machines import HALTING, counter_machines, dfas, stack_machines, turing_machines
from exactnn.strategies.networks import circuits, contractive_networks, networks
from exactnn.strategies.numbers import alphabets, float_formats, rationals, words
from exactnn.strategies.pushdown_automata import weighted_pushdown_automata
from exactnn.strategies.registration import register
from exactnn.strategies.weighted_automata import weighted_automata

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
    "linear_rnns",
    "machines_of_kind",
    "networks",
    "rationals",
    "register",
    "stack_machines",
    "turing_machines",
    "weighted_automata",
    "weighted_pushdown_automata",
    "words",
]
