"""The workers of a Dask cluster as an executor."""

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from exactnn.errors import CampaignError, MissingExtraError, OptionError, shown
from exactnn.interrupts import loaded
from exactnn.version import __version__

__all__ = ["on_dask"]

T = TypeVar("T")

TIMEOUT = "20s"
"""For the first answer of a scheduler."""


def on_dask(cluster: Any, *, warm_up: Callable[[], object] | None = None) -> Executor:
    """Return an executor on the workers of a Dask cluster.

    Parameters
    ----------
    cluster : str or distributed.Client
        The address of a scheduler, such as ``tcp://host:8786``; the path of a scheduler file (``.json``); or a client.
    warm_up : callable, optional
        Called on one worker of each node before there is other work there, for instance to fill numba's cache.

    Raises
    ------
    MissingExtraError
        If `distributed` is not installed.
    CampaignError
        If nobody answers, or a worker has another version of exactnn.

    Notes
    -----
    A client that is made here is closed with the executor. The workers run what a client sends them: only those may
    reach a scheduler who may run programs there.
    """
    try:
        distributed = loaded("distributed")
    except ImportError:
        raise MissingExtraError('distributed is not installed: pip install "exactnn[cluster]"') from None
    if isinstance(cluster, distributed.Client):
        return _OnDask(cluster, warm_up, own=False)
    if not isinstance(cluster, str) or not cluster:
        raise OptionError(f"cluster={shown(cluster)}: give the address of a scheduler, a scheduler file or a client")
    if cluster.endswith(".json") and not os.path.exists(cluster):  # distributed would wait for it for ever
        raise CampaignError(f"there is no Dask scheduler at {shown(cluster, limit=200)}: there is no such file")
    where = {"scheduler_file": cluster} if cluster.endswith(".json") else {"address": cluster}
    try:
        client = distributed.Client(**where, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CampaignError(f"there is no Dask scheduler at {shown(cluster, limit=200)}: {error}") from None
    try:
        return _OnDask(client, warm_up, own=True)
    except BaseException:
        client.close()
        raise


class _OnDask(Executor):
    def __init__(self, client: Any, warm_up: Callable[[], object] | None, *, own: bool) -> None:
        self._client, self._own = client, own
        self._inner = client.get_executor(pure=False)
        versions: dict[str, str] = client.run(_version)
        others = sorted({version for version in versions.values() if version != __version__})
        if others:
            raise CampaignError(
                f"workers have exactnn {', '.join(others)} and the client {__version__}: install the same version"
            )
        if warm_up is not None:
            nodes = {address.rpartition(":")[0]: address for address in versions}
            client.gather([client.submit(warm_up, workers=[address], pure=False) for address in nodes.values()])

    @property
    def workers(self) -> int:
        """Threads of all workers that are there now; 0 if the scheduler does not answer."""
        try:
            return sum(self._client.nthreads().values())
        except OSError:
            return 0

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Have a worker call a function."""
        future: Future[T] = self._inner.submit(function, *args, **kwargs)
        return future

    def kill(self) -> None:
        """Have the scheduler forget all that was submitted; what runs comes to its end, and is lost."""
        self._inner.shutdown(wait=False)
        self._inner = self._client.get_executor(pure=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Forget what is not done yet; close the client if it was made here."""
        self._inner.shutdown(wait=wait)
        if self._own:
            self._client.close()


def _version() -> str:
    return __version__
