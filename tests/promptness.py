"""What is refused at once takes no noticeable time; what is not takes minutes, or all memory.

The limit is far from both, and counts this process's time only: a busy machine fails no test.
"""

import time
from contextlib import contextmanager

__all__ = ["promptly"]

SECONDS = 20.0


@contextmanager
def promptly():
    """Fail unless the block takes little processor time."""
    began = time.process_time()
    yield
    assert time.process_time() - began < SECONDS
