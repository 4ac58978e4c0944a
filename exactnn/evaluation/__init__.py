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

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
