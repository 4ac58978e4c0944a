"""Long work in small pieces, on any executor: what is done is kept, and a run goes on where another one ended.

``unit``
    A piece of work: pure, small, with a key that says all that its row depends on.
``campaign``
    Many units, and what their rows make together.
``dispatch``
    Which unit goes to a worker when, and what is done about workers that die.
``worker``
    What runs on a worker.
``ledger``
    The rows, in a file of SQLite.
``flat``, ``parts``
    Units as rows of a table; Parquet files with all that units tell, written where they run.
``executors``, ``dask_cluster``, ``node``
    Processes on this machine, and the workers of a Dask cluster. Any other executor of `concurrent.futures` will do;
    what a node does once.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
