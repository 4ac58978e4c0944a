"""Linear recurrences in an order of evaluation: step by step, by scans, or by chunks.

``order``
    Orders as data.
``ordered``
    A word in an order, in any arithmetic that is exact or rounds.
``runs``
    Runs in an order, and executors for words in one.
``compiled_order``, ``order_kernels``
    The same under numba: long words, and many at once.
``delta_chunks``
    The delta rule by chunks: the UT transform.
``scan_tree``
    All that an order computes on a word, exactly and in a format.
``witness``
    Shortest words that two orders decide differently.
``unary``
    One symbol again and again: index and period of the states.
``period_bound``
    What divides every such period: stacks of layers whose gates are monotone.
"""

from exactnn.evaluation.delta_chunks import delta_rule_by_chunks
from exactnn.evaluation.order import BLELLOCH, KOGGE_STONE, STEP, EvaluationOrder, Schedule, chunkwise, order_of
from exactnn.evaluation.ordered import affine_steps, states_in_order
from exactnn.evaluation.runs import WordInOrder, executors_in_order, run_in_order
from exactnn.evaluation.scan_tree import ScanNode, ScanState, ScanTree, scan_tree
from exactnn.evaluation.unary import UnaryPeriod, unary_period
from exactnn.evaluation.witness import OrderWitness, order_witness

__all__ = [
    "BLELLOCH",
    "KOGGE_STONE",
    "STEP",
    "EvaluationOrder",
    "OrderWitness",
    "ScanNode",
    "ScanState",
    "ScanTree",
    "Schedule",
    "UnaryPeriod",
    "WordInOrder",
    "affine_steps",
    "chunkwise",
    "delta_rule_by_chunks",
    "executors_in_order",
    "order_of",
    "order_witness",
    "run_in_order",
    "scan_tree",
    "states_in_order",
    "unary_period",
]
