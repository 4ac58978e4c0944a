"""The workers of a Dask cluster as an executor."""

import json
import re
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, TypeVar
from uuid import uuid4

from exactnn.campaigns.executors import call_sent
from exactnn.campaigns.node import once_per_node
from exactnn.errors import CampaignError, MissingExtraError, OptionError, shown
from exactnn.interrupts import loaded
from exactnn.version import __version__

__all__ = ["on_dask"]

T = TypeVar("T")

TIMEOUT = "20s"
"""For the first answer of a scheduler."""
_ADDRESS = re.compile(
    r"(?:(?:tcp|tls|wss?|ucxx?)://)?(?:[^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):(?P<port>[0-9]{1,5})|inproc://\S+"
)


def on_dask(cluster: Any, *, warm_up: Callable[[], object] | None = None) -> Executor:
    """Return an executor on the workers of a Dask cluster.

    Parameters
    ----------
    cluster : str or distributed.Client
        The address of a scheduler, such as ``tcp://host:8786``; the path of a scheduler file (``.json``); or a client.
    warm_up : callable, optional
        Called on each node before there is other work there, for instance to fill numba's cache: by one of its workers,
        while the others of that node wait. So it is on nodes that come later.

    Raises
    ------
    MissingExtraError
        If `distributed` is not installed.
    OptionError
        If it is no address, no scheduler file, or a client that is asynchronous.
    CampaignError
        If nobody answers, a client is closed, or a worker has another version of exactnn or lacks it.

    Notes
    -----
    A client that is made here is closed with the executor. The workers run what a client sends them: only those may
    reach a scheduler who may run programs there. A worker that comes later is asked for its version by its first task,
    before that computes anything; another version ends the campaign, by CampaignError. If `warm_up` raises something
    on a worker that comes later, that is in the log of the worker only.
    """
    try:
        distributed = loaded("distributed")
    except ImportError:
        raise MissingExtraError('distributed is not installed: pip install "exactnn[cluster]"') from None
    if isinstance(cluster, distributed.Client):
        if cluster.asynchronous:
            raise OptionError(f"cluster={shown(cluster)} is asynchronous: give Client(..., asynchronous=False)")
        if cluster.status != "running":
            raise CampaignError(f"cluster={shown(cluster)} is {cluster.status}: make a new client")
        return _OnDask(cluster, warm_up, own=False)
    address = _address(cluster)
    try:
        client = distributed.Client(address=address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CampaignError(f"there is no Dask scheduler at {shown(cluster, limit=200)}: {error}") from None
    try:
        return _OnDask(client, warm_up, own=True)
    except BaseException:
        client.close()
        raise


def _address(cluster: object) -> str:
    """Return the address of a scheduler: `distributed` waits for long where it is none."""
    if not isinstance(cluster, str) or not cluster:
        raise OptionError(f"cluster={shown(cluster)}: give the address of a scheduler, a scheduler file or a client")
    address, name = cluster, shown(cluster, limit=200)
    if cluster.endswith(".json"):
        try:
            with open(cluster, "rb") as file:
                address = json.loads(file.read(1 << 20))["address"]
        except FileNotFoundError:
            raise CampaignError(f"there is no Dask scheduler at {name}: there is no such file") from None
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise OptionError(f"{name} is no scheduler file: {type(error).__name__}: {error}") from None
    match = _ADDRESS.fullmatch(address) if isinstance(address, str) else None
    if match is None or int(match["port"] or 1) >= 1 << 16:
        raise OptionError(f"{shown(address, limit=200)} is no address of a scheduler: write tcp://host:8786")
    return address


class _OnDask(Executor):
    def __init__(self, client: Any, warm_up: Callable[[], object] | None, *, own: bool) -> None:
        self._client, self._own = client, own
        self._inner = client.get_executor(pure=False)
        self._plugin: str | None = None
        try:
            versions: set[str] = set(client.run(_version).values())
        except ImportError as error:
            raise CampaignError(f"workers lack exactnn {__version__}: {error}") from None
        if others := sorted(versions - {__version__}):
            raise CampaignError(
                f"workers have exactnn {', '.join(others)} and the client {__version__}: install the same version"
            )
        if warm_up is not None:
            name = f"exactnn-{uuid4().hex}"
            client.register_plugin(once_per_node(name, warm_up), name)
            self._plugin = name

    @property
    def workers(self) -> int:
        """Threads of all workers that are there now; 0 if the scheduler does not answer."""
        try:
            return sum(self._client.nthreads().values())
        except OSError:
            return 0

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Have a worker call a function."""
        future: Future[T] = Future()
        try:
            sent = loaded("distributed.protocol.pickle").dumps((function, args, kwargs))
        except Exception as error:  # pickle raises what it likes
            future.set_exception(error)
        else:
            future = self._inner.submit(call_sent, sent)
        return future

    def kill(self) -> None:
        """Have the scheduler forget all that was submitted; what runs comes to its end, and is lost."""
        self._inner.shutdown(wait=False)
        self._inner = self._client.get_executor(pure=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Forget what is not done yet; close the client if it was made here."""
        self._inner.shutdown(wait=wait)
        if self._plugin is not None:
            with suppress(Exception):  # the scheduler may be gone
                self._client.unregister_worker_plugin(self._plugin)
            self._plugin = None
        if self._own:
            self._client.close()


def _version() -> str:
    return __version__
